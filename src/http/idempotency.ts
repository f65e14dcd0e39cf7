import type { Context } from "hono";
import { mac } from "../crypto/bytes.ts";
import type { Secret } from "../crypto/secrets.ts";
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
 * without the header, where the route derives none. An earlier request may have come when another secret was the present one, so there are the MACs of
 * each listed secret. The operator's keys and the customer's keys of one account are separate.
 */
export function idempotencyOf(
  c: Context<AppEnv>,
  fields: object,
  by: "customer" | "operator" = "customer",
): AskedOnce | null {
  const key = c.get("idempotencyKey") ?? idempotencyKey(c);
  if (key === null) return null;
  const { apiKey: _, ...rest } = fields as { apiKey?: unknown };
  const { current, all } = settings(c).SEAL_SECRET;
  const purpose = by === "customer" ? "idempotency-key/v1" : "operator-idempotency-key/v1";
  const request = `${c.req.path}\n${JSON.stringify(rest)}`;
  // MACs, not plain hashes: an OTP has so few values that trying them all would reveal it.
  const under = ({ value }: Secret) => ({
    key: mac(value, purpose, key),
    fingerprint: mac(value, "fingerprint/v1", request),
  });
  const others = all.slice(1).map(under);
  return { ...under(current), ...(others.length > 0 && { others }) };
}
