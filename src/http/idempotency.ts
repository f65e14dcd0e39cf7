import type { Context } from "hono";
import { mac } from "../crypto/bytes.ts";
import { settings } from "./app.ts";
import type { AppEnv } from "./app.ts";
import { fail } from "./errors.ts";

// The Idempotency-Key header (contract §8).

const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/u;
const VISIBLE = /^[\x21-\x7e]{1,255}$/u;

/** A key and what it is used for, hashed; the key's own text is not kept. */
export interface Asked {
  key: Uint8Array;
  fingerprint: Uint8Array;
}

/** The key in the header: bare or as a quoted string, which are the same key. Null when there is none. */
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

/** What a customer's request asks for under its key; null when it has none. */
export function idempotencyOf(c: Context<AppEnv>, fields: object): Asked | null {
  const key = idempotencyKey(c);
  if (key === null) return null;
  const { apiKey: _, ...rest } = fields as { apiKey?: unknown };
  // Under a secret: a bare hash of a request would tell its OTP to whoever tries all of them.
  const hash = (purpose: string, text: string) => mac(settings(c).SEAL_SECRET, purpose, text);
  return {
    key: hash("idempotency-key/v1", key),
    fingerprint: hash("fingerprint/v1", `${c.req.path}\n${JSON.stringify(rest)}`),
  };
}
