import { env } from "cloudflare:workers";
import { configOf } from "../../src/config/config.ts";
import { hookShown } from "../../src/sending/hook-shown.ts";
import { attemptOf, payloadOf, shownBySupabase } from "./supabase.ts";
import type { Asked, MadeHook, Shown } from "./supabase.ts";
import { call, messagesOf } from "./world.ts";
import type { Reply, World } from "./world.ts";

// A world's hook, and what Supabase Auth does with it.

/** The hook of the world's key. */
export const hookOf = (world: World, brand: string | null = "Shop"): MadeHook =>
  hookShown(configOf(env), { kind: "supabase", key: { ...world.ref, keyId: world.keyId, secretId: 1 }, brand });

/** One attempt of Supabase. */
export const attempt = (hook: MadeHook, body = payloadOf()): Promise<Reply> => call(hook.url, attemptOf(hook, body));

/** One attempt at the world's hook, of an invocation of its own. */
export const sendCode = (world: World, asked: Asked = {}): Promise<Reply> => attempt(hookOf(world), payloadOf(asked));

/** What the person sees of it. */
export const shown = ({ status, headers, text }: Reply): Shown =>
  shownBySupabase({ status, text, type: headers.get("content-type"), retryAfter: headers.get("retry-after") });

/** What the account has sent. */
export const sentBy = async (world: World) =>
  (await messagesOf(world)).map(({ operation, to, charge }) => ({ operation, to, charge }));
