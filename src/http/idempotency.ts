import type { Context } from "hono";
import { mac } from "../crypto/bytes.ts";
import type { AskedOnce } from "../model/command.ts";
import { settings } from "./app.ts";
import type { AppEnv } from "./app.ts";
import { fail } from "./errors.ts";

// The Idempotency-Key header (contract §8).

const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/u;
const VISIBLE = /^[\x21-\x7e]{1,255}$/u;

/** The key in the header, bare or as a quoted string, which mean the same; null without the header. */
export function idempotencyKey(c: Context<AppEnv>): string | null {
  const header = c.req.header("idempotency-key");
  if (header === undefined) return null;
  const key = header.startsWith('"') ? QUOTED.exec(header)?.[1]?.replaceAll(/\\(["\\])/gu, "$1") : header;
  if (key === undefined || !VISIBLE.test(key)) {
    return fail("invalid_request", "Idempotency-Key must have 1 to 255 visible ASCII characters.", {
      param: "Idempotency-Key",
    });
  }
  return key;
}

/**
 * The idempotency key of a request with the request's fingerprint, as MACs: the text of the key is not stored. Null
 * without the header. The operator's keys and the customer's keys of one account are separate.
 */
export function idempotencyOf(
  c: Context<AppEnv>,
  fields: object,
  by: "customer" | "operator" = "customer",
): AskedOnce | null {
  const key = idempotencyKey(c);
  if (key === null) return null;
  const { apiKey: _, ...rest } = fields as { apiKey?: unknown };
  // A MAC, not a plain hash: an OTP has so few values that trying them all would reveal it.
  const hash = (purpose: string, text: string) => mac(settings(c).SEAL_SECRET, purpose, text);
  return {
    key: hash(by === "customer" ? "idempotency-key/v1" : "operator-idempotency-key/v1", key),
    fingerprint: hash("fingerprint/v1", `${c.req.path}\n${JSON.stringify(rest)}`),
  };
}
