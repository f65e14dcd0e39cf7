import type { Quote } from "../model/command.ts";
import type { AccountRef } from "../model/ref.ts";
import { base62, fromBase62 } from "./base62.ts";
import { joinBytes, mac, randomBytes, sameBytes } from "./bytes.ts";
import { objectName } from "./ids.ts";
import { secretsOf } from "./secrets.ts";
import type { GivenSecrets } from "./secrets.ts";

// Quotes of a price (contract §13): text with a MAC. Nothing is stored when one is made. The MAC also covers the account
// with its mode and what the price is for, which the text does not contain: a one-time password may be part of that. The MAC is the quote's id.

const PREFIX = "quote_";
const PURPOSE = "price-quote/v1";
const NUMBER_SIZE = 6;
/** The id of the secret, the end, the price, and random bytes, which make each quote another one. */
const BODY_SIZE = 1 + NUMBER_SIZE + NUMBER_SIZE + 8;
const MAC_SIZE = 16;

const proofOf = (secret: string, ref: AccountRef, what: string, body: Uint8Array) =>
  mac(secret, PURPOSE, joinBytes(body, new TextEncoder().encode(`${objectName(ref)}\n${what}`)), MAC_SIZE);

/** A new quote for this account and what it is about to send. */
export function makeQuote(
  given: GivenSecrets,
  ref: AccountRef,
  what: string,
  { units, untilMs }: Omit<Quote, "id">,
): string {
  const { current } = secretsOf(given);
  const body = Buffer.alloc(BODY_SIZE);
  body[0] = current.id;
  body.writeUIntBE(untilMs, 1, NUMBER_SIZE);
  body.writeUIntBE(units, 1 + NUMBER_SIZE, NUMBER_SIZE);
  body.set(randomBytes(BODY_SIZE - 1 - 2 * NUMBER_SIZE), 1 + 2 * NUMBER_SIZE);
  return PREFIX + base62(joinBytes(body, proofOf(current.value, ref, what, body)));
}

/**
 * Reads a quote; null where it was not made for this account and mode and for `what`, or by no listed secret. Whether it
 * is still valid, and was not used, is for the account to say.
 */
export function readQuote(given: GivenSecrets, ref: AccountRef, what: string, text: string): Quote | null {
  if (!text.startsWith(PREFIX)) return null;
  const bytes = fromBase62(text.slice(PREFIX.length), BODY_SIZE + MAC_SIZE);
  const secret = bytes && secretsOf(given).withId(bytes[0] ?? 0);
  if (!secret) return null;
  const body = bytes.subarray(0, BODY_SIZE);
  const id = bytes.slice(BODY_SIZE);
  if (!sameBytes(proofOf(secret.value, ref, what, body), id)) return null;
  const view = Buffer.from(body);
  return { id, untilMs: view.readUIntBE(1, NUMBER_SIZE), units: view.readUIntBE(1 + NUMBER_SIZE, NUMBER_SIZE) };
}
