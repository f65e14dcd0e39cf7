import { randomInt } from "node:crypto";
import { isCall } from "../model/operations.ts";
import type { Operation } from "../model/operations.ts";
import type { AccountRef, MessagePlace } from "../model/ref.ts";
import { base62, fromBase62 } from "./base62.ts";
import { joinBytes, mac, randomBytes, sameBytes } from "./bytes.ts";

// Ids of accounts and messages, and the names of the account objects.

/** A new random identifier: the prefix, `_`, and `size` random bytes. */
export function randomId(prefix: string, size = 12): string {
  return `${prefix}_${base62(randomBytes(size))}`;
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

/** A new account id: derived from a seed, so that a repeated request gets the same one, or random for null. */
export function newAccountId(secret: string, seed: string | null): string {
  return accountIdOf(seed === null ? randomBytes(ACCOUNT_SIZE) : mac(secret, "account/v1", seed));
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

const MESSAGE_VERSION = 1;
const MESSAGE_BODY_SIZE = 1 + ACCOUNT_SIZE + 5 + 2;
const MESSAGE_MAC_SIZE = 8;

/** The public id of a message or call: its account and place, with a MAC, so that only this service can make one. */
export function messageId(secret: string, ref: AccountRef, operation: Operation, place: MessagePlace): string {
  const body = new Uint8Array(MESSAGE_BODY_SIZE);
  body[0] = MESSAGE_VERSION * 2 + (ref.mode === "test" ? 1 : 0);
  body.set(accountBytes(ref.accountId) ?? new Uint8Array(ACCOUNT_SIZE), 1);
  const view = new DataView(body.buffer);
  view.setUint8(9, Math.floor(place.seq / 2 ** 32));
  view.setUint32(10, place.seq % 2 ** 32);
  view.setUint16(14, place.index);
  const prefix = isCall(operation) ? "call_" : "msg_";
  return prefix + base62(joinBytes(body, mac(secret, `message/v1/${prefix}`, body, MESSAGE_MAC_SIZE)));
}

/** Reads a message id; null when its form or its MAC is wrong. */
export function readMessageId(secret: string, id: string): (AccountRef & MessagePlace) | null {
  const [, prefix = "", text = ""] = /^(msg_|call_)(.*)$/u.exec(id) ?? [];
  const bytes = fromBase62(text, MESSAGE_BODY_SIZE + MESSAGE_MAC_SIZE);
  if (!bytes) return null;
  const body = bytes.subarray(0, MESSAGE_BODY_SIZE);
  const proof = mac(secret, `message/v1/${prefix}`, body, MESSAGE_MAC_SIZE);
  if (!sameBytes(proof, bytes.subarray(MESSAGE_BODY_SIZE)) || (body[0] ?? 0) >> 1 !== MESSAGE_VERSION) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return {
    accountId: accountIdOf(body.subarray(1)),
    mode: (body[0] ?? 0) % 2 === 1 ? "test" : "live",
    seq: view.getUint8(9) * 2 ** 32 + view.getUint32(10),
    index: view.getUint16(14),
  };
}
