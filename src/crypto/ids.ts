import { randomInt } from "node:crypto";
import { isCall } from "../model/operations.ts";
import type { Operation } from "../model/operations.ts";
import type { AccountRef, MessagePlace } from "../model/ref.ts";
import { base62, fromBase62 } from "./base62.ts";
import { digest, joinBytes, mac, randomBytes, sameBytes } from "./bytes.ts";
import { FIRST_ID, secretsOf } from "./secrets.ts";
import type { GivenSecrets } from "./secrets.ts";

// Ids of accounts and messages, and the names of the account objects.

/** A new random identifier: the prefix, `_`, and `size` random bytes. */
export function randomId(prefix: string, size = 12): string {
  return `${prefix}_${base62(randomBytes(size))}`;
}

const REQUEST_PREFIX = "req_";
const REQUEST_TIME_SIZE = 6;
const REQUEST_RANDOM_SIZE = 6;

/**
 * No id with a time is older, nor newer than a day ahead. An id from before ids had times holds random bytes: while it is
 * kept, one in some 9,000 looks like a time of this span.
 */
const REQUEST_FIRST_MS = Date.UTC(2026, 10, 1);
const REQUEST_AHEAD_MS = 86_400_000;

/**
 * The id of a request that arrives at this time. It begins with the time in ms, as in a UUID of version 7 (RFC 9562 §5.7),
 * so that the account finds the request's jobs by it, without an index.
 */
export function newRequestId(nowMs: number): string {
  const time = new Uint8Array(8);
  new DataView(time.buffer).setBigUint64(0, BigInt(Math.max(0, Math.floor(nowMs))));
  return REQUEST_PREFIX + base62(joinBytes(time.subarray(8 - REQUEST_TIME_SIZE), randomBytes(REQUEST_RANDOM_SIZE)));
}

/** When the request with this id arrived, in ms: `unknown` for an id from before ids had times, null for what is no id. */
export function timeOfRequest(id: string, nowMs: number): number | "unknown" | null {
  if (!id.startsWith(REQUEST_PREFIX)) return null;
  const bytes = fromBase62(id.slice(REQUEST_PREFIX.length), REQUEST_TIME_SIZE + REQUEST_RANDOM_SIZE);
  if (!bytes) return null;
  const atMs = bytes.subarray(0, REQUEST_TIME_SIZE).reduce((value, byte) => value * 256 + byte, 0);
  return atMs >= REQUEST_FIRST_MS && atMs <= nowMs + REQUEST_AHEAD_MS ? atMs : "unknown";
}

/** A fresh one-time password: six digits, all values equally likely. */
export function randomCode(): string {
  return String(randomInt(1_000_000)).padStart(6, "0");
}

const ACCOUNT_PREFIX = "acc_";
const ACCOUNT_SIZE = 8;
const TEST_SUFFIX = ".test";

/** The account id for eight bytes. */
export function accountIdOf(bytes: Uint8Array): string {
  return ACCOUNT_PREFIX + base62(bytes.subarray(0, ACCOUNT_SIZE));
}

/** A new account id: random for null, else derived from a seed and the lowest listed secret. */
export function newAccountId(given: GivenSecrets, seed: string | null): string {
  return accountIdOf(
    seed === null ? randomBytes(ACCOUNT_SIZE) : mac(secretsOf(given).lowest.value, "account/v1", seed),
  );
}

/** The eight bytes of an account id, or null when it is not one. */
export function accountBytes(accountId: string): Uint8Array | null {
  return accountId.startsWith(ACCOUNT_PREFIX) ? fromBase62(accountId.slice(ACCOUNT_PREFIX.length), ACCOUNT_SIZE) : null;
}

/** The name of the Durable Object that holds an account in a mode. */
export function objectName(ref: AccountRef): string {
  return ref.mode === "test" ? ref.accountId + TEST_SUFFIX : ref.accountId;
}

/** The inverse of `objectName`. */
export function accountOfName(name: string): AccountRef {
  return name.endsWith(TEST_SUFFIX)
    ? { accountId: name.slice(0, -TEST_SUFFIX.length), mode: "test" }
    : { accountId: name, mode: "live" };
}

const MESSAGE_BODY_SIZE = 1 + ACCOUNT_SIZE + 5 + 2;
const MESSAGE_MAC_SIZE = 8;

/** What a message's ids are made of: its secret and mode, its account, its number and its place, in 16 bytes. */
function bodyOf(ref: AccountRef, { seq, index, secretId = FIRST_ID }: MessagePlace): Uint8Array {
  const body = new Uint8Array(MESSAGE_BODY_SIZE);
  body[0] = secretId * 2 + (ref.mode === "test" ? 1 : 0);
  body.set(accountBytes(ref.accountId) ?? new Uint8Array(ACCOUNT_SIZE), 1);
  const view = new DataView(body.buffer);
  view.setUint8(9, Math.floor(seq / 2 ** 32));
  view.setUint32(10, seq % 2 ** 32);
  view.setUint16(14, index);
  return body;
}

/** The inverse of `bodyOf`. */
function readBody(body: Uint8Array): AccountRef & MessagePlace & { secretId: number } {
  const view = new DataView(body.buffer, body.byteOffset);
  const first = body[0] ?? 0;
  return {
    accountId: accountIdOf(body.subarray(1)),
    mode: first % 2 === 1 ? "test" : "live",
    seq: view.getUint8(9) * 2 ** 32 + view.getUint32(10),
    index: view.getUint16(14),
    secretId: first >> 1,
  };
}

/**
 * The public id of a message or call: its account and place, with a MAC, so that only this service can make one. It is made
 * with the secret of the message's place, so that a message keeps its id; once that secret is not listed any more, with the
 * present one.
 */
export function messageId(given: GivenSecrets, ref: AccountRef, operation: Operation, place: MessagePlace): string {
  const secrets = secretsOf(given);
  const secret = secrets.withId(place.secretId ?? FIRST_ID) ?? secrets.current;
  const body = bodyOf(ref, { ...place, secretId: secret.id });
  const prefix = isCall(operation) ? "call_" : "msg_";
  return prefix + base62(joinBytes(body, mac(secret.value, `message/v1/${prefix}`, body, MESSAGE_MAC_SIZE)));
}

/** The bytes of a text that has the form of a message id, and its prefix. */
function bytesOfMessageId(id: string): { bytes: Uint8Array; prefix: string } | null {
  const [, prefix = "", text = ""] = /^(msg_|call_)(.*)$/u.exec(id) ?? [];
  const bytes = fromBase62(text, MESSAGE_BODY_SIZE + MESSAGE_MAC_SIZE);
  return bytes && { bytes, prefix };
}

/** Reads a message id; null when its form or its MAC is wrong, and when its secret is not listed. */
export function readMessageId(given: GivenSecrets, id: string): (AccountRef & MessagePlace) | null {
  const read = bytesOfMessageId(id);
  if (!read) return null;
  const { bytes, prefix } = read;
  const body = bytes.subarray(0, MESSAGE_BODY_SIZE);
  const secret = secretsOf(given).withId((body[0] ?? 0) >> 1);
  if (!secret) return null;
  const proof = mac(secret.value, `message/v1/${prefix}`, body, MESSAGE_MAC_SIZE);
  if (!sameBytes(proof, bytes.subarray(MESSAGE_BODY_SIZE))) return null;
  const { secretId: _, ...place } = readBody(body);
  return place;
}

const SID_PREFIX = "SM";

/**
 * The id of an SMS in Twilio's form (contract §15): `SM` and the 16 bytes of its other id in hex, without a MAC, for which
 * there is no room. It opens nothing: it is looked up only with a key of its account, which must have such a message.
 */
export const messageSid = (ref: AccountRef, place: MessagePlace): string =>
  SID_PREFIX + Buffer.from(bodyOf(ref, place)).toString("hex");

/** Reads the id of an SMS in Twilio's form, which proves nothing; null for another form. */
export function readMessageSid(sid: string): (AccountRef & MessagePlace & { secretId: number }) | null {
  const hex = /^SM([0-9a-f]{32})$/u.exec(sid)?.[1];
  return hex === undefined ? null : readBody(Buffer.from(hex, "hex"));
}

const EVENT_SIZE = 16;

/**
 * The public id of an event: the same for ever, since it follows from the account and the event's number alone. It opens
 * nothing: an event is asked for by its number, with the account's key.
 */
export function eventId(ref: AccountRef, seq: number): string {
  return `evt_${base62(digest("event/v1", `${objectName(ref)}/${seq}`, EVENT_SIZE))}`;
}

/** The id that a text in the form of a message id names, where no secret with it is listed; else null. Proves nothing. */
export function unlistedSecretOfMessage(given: GivenSecrets, id: string): number | null {
  const first = bytesOfMessageId(id)?.bytes[0];
  return first === undefined || secretsOf(given).withId(first >> 1) ? null : first >> 1;
}
