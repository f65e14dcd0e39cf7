import type { Config } from "../config/settings.ts";
import { hookSecret, showHook } from "../crypto/hook.ts";
import type { Hook } from "../crypto/hook.ts";

/** What a hook's owner enters at the other product: its address, and its secret. */
export function hookShown({ OTP_URL, KEY_SECRET }: Config, hook: Hook): { url: string; secret: string } {
  return {
    url: `${OTP_URL}/hooks/${hook.kind}/${showHook(KEY_SECRET, hook)}`,
    // Supabase names the kind of signature before it.
    secret: `v1,${hookSecret(KEY_SECRET, hook)}`,
  };
}
