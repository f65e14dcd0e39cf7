import * as z from "zod";
import { audit } from "../../audit/audit.ts";
import { showKeyId } from "../../crypto/api-key.ts";
import { HOOK_KINDS } from "../../crypto/hook.ts";
import type { Hook } from "../../crypto/hook.ts";
import { keyOf, settings } from "../../http/app.ts";
import type { Api } from "../../http/app.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { brandName } from "../../http/fields.ts";
import { accountApi } from "../../sending/account-api.ts";
import { hookShown } from "../../sending/hook-shown.ts";

const creation = z.strictObject({
  kind: z.enum(HOOK_KINDS, "kind must be supabase.").meta({ description: "Whose hook it is.", examples: ["supabase"] }),
  brandName,
});

/** `POST /v1/hooks`: the address and secret of a hook that sends with the caller's key (contract §15). */
export const hooksApi = (app: Api) =>
  app.post("/v1/hooks", accountApi, jsonBody(creation), async (c) => {
    const { kind, brandName: brand = null } = c.req.valid("json");
    const key = keyOf(c);
    const hook: Hook = { kind, key, brand };
    await audit(c, { action: "hook.made", subject: showKeyId(key.keyId), details: { mode: key.mode, kind } });
    const { url, secret } = hookShown(settings(c), hook);
    return c.json({ success: true, hook: { kind, url, key_id: showKeyId(key.keyId), brand_name: brand }, secret });
  });

export const docs = {
  "POST /v1/hooks": {
    id: "createHook",
    tag: "Webhooks",
    base: "console",
    summary: "Create a hook for Supabase Auth",
    description:
      "Supabase Auth posts its login codes to the hook's address, and we send them by SMS. Nothing is stored: the same key and brand always make the same hook, and it ends with its key.",
    reply: "HookWithSecret",
  },
} satisfies Docs;
