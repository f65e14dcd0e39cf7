import type { Context } from "hono";
import { consoleKeyId, showKey } from "../crypto/api-key.ts";
import { settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import { listen } from "../http/told.ts";
import type { Told } from "../http/told.ts";
import type { ENDPOINTS, SendKind, UPLOAD_VOICE } from "../model/operations.ts";
import type { AccountRef } from "../model/ref.ts";
import { objectOf } from "../objects.ts";

// The console and the tools of MCP send through the API itself: the same route, command, price, window, Idempotency-Key
// and ledger. The console uses its own key, which every account gets when its console first sends; a tool its caller's.

/** Name of the console's own key, in lists of keys. */
const CONSOLE_KEY_NAME = "Dashboard";

/** The path of an operation that the console calls. */
export type ApiPath = (typeof ENDPOINTS)[SendKind]["path"] | typeof UPLOAD_VOICE.path;

export interface ApiReply extends Told {
  status: number;
  headers: Headers;
  /** The envelope of contract §3, whole. */
  body: { success: boolean; error?: string; message?: string; param?: string; hint?: string } & Record<string, unknown>;
}

/** Answers a request to this service within this invocation, with the routes that `routes/index.ts` passes in. */
async function answer(c: Context<AppEnv>, request: Request): Promise<Response> {
  const api = c.get("ownApi");
  if (!api) throw new Error("this app has no API of its own: routes/index.ts hands it in");
  return api.fetch(request, c.env, c.executionCtx);
}

/** Answers a request to a path of this service. */
export const fetchOwn = (c: Context<AppEnv>, path: string, init: RequestInit): Promise<Response> =>
  answer(c, new Request(new URL(path, settings(c).CONSOLE_URL), init));

async function ask(c: Context<AppEnv>, path: string, init: RequestInit): Promise<ApiReply> {
  const request = new Request(new URL(path, settings(c).CONSOLE_URL), init);
  const told = listen(request);
  const response = await answer(c, request);
  // The reply to the browser carries the id under which the account stored the request.
  c.set("requestId", response.headers.get("x-request-id") ?? c.get("requestId"));
  return { ...told, status: response.status, headers: response.headers, body: await response.json() };
}

/** A request to an operation of the API. */
interface OwnRequest {
  method: string;
  path: string;
  /** The body, of a method that has one. */
  fields?: object | undefined;
  idempotencyKey?: string | undefined;
  quote?: string | undefined;
}

/** Calls the API with a key, in this invocation. A refusal is a reply, not an error. */
export function callWith(
  c: Context<AppEnv>,
  key: string,
  { method, path, fields, idempotencyKey, quote }: OwnRequest,
): Promise<ApiReply> {
  return ask(c, path, {
    method,
    headers: {
      // The same key in two headers: each operation reads its own one.
      Authorization: `Bearer ${key}`,
      "X-Api-Key": key,
      ...(fields && { "Content-Type": "application/json" }),
      ...(idempotencyKey !== undefined && { "Idempotency-Key": idempotencyKey }),
      ...(quote !== undefined && { "Price-Quote": quote }),
    },
    ...(fields && { body: JSON.stringify(fields) }),
  });
}

/**
 * Calls the API for an account; the same `idempotencyKey` is the same request. With a quote, at its price. A refusal is a
 * reply, not an error.
 */
export async function callApi(
  c: Context<AppEnv>,
  ref: AccountRef,
  path: ApiPath,
  fields: object,
  idempotencyKey: string,
  quote?: string,
): Promise<ApiReply> {
  const keyId = consoleKeyId(ref.mode);
  const secrets = settings(c).KEY_SECRET;
  const key = showKey(secrets, { ...ref, keyId });
  const request = { method: "POST", path, fields, idempotencyKey, quote };
  const reply = await callWith(c, key, request);
  if (reply.status !== 401) return reply;
  // It has none yet, or one that was made with another secret.
  await objectOf(c.env, ref).makeKey(keyId, CONSOLE_KEY_NAME, undefined, secrets.current.id);
  return callWith(c, key, request);
}
