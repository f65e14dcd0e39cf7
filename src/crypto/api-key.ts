import type { AccountRef, Mode } from "../model/ref.ts";
import { base62, base62Length, fromBase62 } from "./base62.ts";
import { joinBytes, mac, sameBytes } from "./bytes.ts";
import { accountBytes, accountIdOf } from "./ids.ts";
import { secretsOf } from "./secrets.ts";
import type { GivenSecrets, Secrets } from "./secrets.ts";

// An API key (contract §4): `dsk_live_` or `dsk_test_`, then base62 of the id of its secret, account, key id and a MAC
// over them. No key is stored: the MAC proves it at the edge, the account decides whether its key id is active.

const BODY_SIZE = 1 + 8 + 4;
const MAC_SIZE = 16;
const PREFIX: Record<Mode, string> = { live: "dsk_live_", test: "dsk_test_" };

/** A verified key: its account, its mode, and which of the account's keys it is. */
export interface ApiKey extends AccountRef {
  /** 32 bits; the account object holds the row that says whether it is active. */
  keyId: number;
  /** The id of the secret that it is made with. */
  secretId: number;
}

/**
 * The key as text, as clients send it; without `secretId` as the present secret makes it. Throws when `accountId` is not an
 * account id, and when the secret is not listed.
 */
export function showKey(given: GivenSecrets, key: Omit<ApiKey, "secretId"> & { secretId?: number }): string {
  const account = accountBytes(key.accountId);
  if (!account) throw new Error("a key needs an account id");
  const secrets = secretsOf(given);
  const secret = key.secretId === undefined ? secrets.current : secrets.withId(key.secretId);
  if (!secret) throw new Error("a key is to be shown whose secret is not listed");
  const id = new Uint8Array(4);
  new DataView(id.buffer).setUint32(0, key.keyId);
  const body = joinBytes(Uint8Array.of(secret.id), account, id);
  return PREFIX[key.mode] + base62(joinBytes(body, mac(secret.value, `key/v1/${key.mode}`, body, MAC_SIZE)));
}

/** Recently verified keys: a client sends many requests with one key, and this saves their HMACs. Cleared when full. */
const verified = new Map<string, { secrets: Secrets; key: ApiKey }>();
const VERIFIED_MAX = 5_000;

/** Reads a key and checks its MAC without any storage; null for one that no listed secret made. */
export function verifyKey(given: GivenSecrets, text: string): ApiKey | null {
  const secrets = secretsOf(given);
  const known = verified.get(text);
  if (known?.secrets === secrets) return known.key;
  const key = readKey(secrets, text);
  if (!key) return null;
  if (verified.size >= VERIFIED_MAX) verified.clear();
  verified.set(text, { secrets, key });
  return key;
}

/** The bytes of a text that has the form of a key, and its mode; whether it is one, its MAC says. */
function bytesOfKey(text: string): { bytes: Uint8Array; mode: Mode } | null {
  const mode: Mode = text.startsWith(PREFIX.test) ? "test" : "live";
  if (!text.startsWith(PREFIX[mode]) || text.length !== PREFIX[mode].length + base62Length(BODY_SIZE + MAC_SIZE)) {
    return null;
  }
  const bytes = fromBase62(text.slice(PREFIX[mode].length), BODY_SIZE + MAC_SIZE);
  return bytes && { bytes, mode };
}

function readKey(secrets: Secrets, text: string): ApiKey | null {
  const read = bytesOfKey(text);
  if (!read) return null;
  const { bytes, mode } = read;
  const secretId = bytes[0] ?? 0;
  const secret = secrets.withId(secretId);
  if (!secret) return null;
  const body = bytes.subarray(0, BODY_SIZE);
  if (!sameBytes(mac(secret.value, `key/v1/${mode}`, body, MAC_SIZE), bytes.subarray(BODY_SIZE))) return null;
  const keyId = new DataView(bytes.buffer).getUint32(9);
  return { accountId: accountIdOf(body.subarray(1, 9)), mode, keyId, secretId };
}

/** The id that a text in the form of a key names, where no secret with it is listed; else null. Proves nothing. */
export function unlistedSecretOf(given: GivenSecrets, text: string): number | null {
  const id = bytesOfKey(text)?.bytes[0];
  return id === undefined || secretsOf(given).withId(id) ? null : id;
}

/** A key id on the wire: `key_` and eight hexadecimal digits. It identifies a key, and is not a credential. */
export function showKeyId(keyId: number): string {
  return `key_${keyId.toString(16).padStart(8, "0")}`;
}

/** The inverse of `showKeyId`; null when the text is not a key id. */
export function readKeyId(text: string): number | null {
  return /^key_[0-9a-f]{8}$/u.test(text) ? Number.parseInt(text.slice(4), 16) : null;
}

/**
 * A new key id: derived from a seed, so that a repeated request gets the same one, or random for null. Its first bit is
 * the mode, so that a key id alone says which object holds its row. Ids are derived with the lowest listed secret, so that
 * they change only when that one is taken from the list; by then the account remembers what a repeated request made.
 */
export function newKeyId(given: GivenSecrets, mode: Mode, seed: string | null): number {
  const bytes =
    seed === null
      ? crypto.getRandomValues(new Uint8Array(4))
      : mac(secretsOf(given).lowest.value, "key-id/v1", `${mode}\0${seed}`, 4);
  const rest = new DataView(bytes.buffer).getUint32(0) >>> 1;
  return mode === "test" ? (rest | 0x8000_0000) >>> 0 : rest;
}

/** The mode that a key id encodes. */
export function modeOfKeyId(keyId: number): Mode {
  return keyId >= 0x8000_0000 ? "test" : "live";
}

/** The id of the key under which the console sends. Lists of keys omit it; a random id is very unlikely to equal it. */
export function consoleKeyId(mode: Mode): number {
  return mode === "test" ? 0x8000_0000 : 0;
}

/** A key for display: its prefix and its last four characters; the rest is dots. */
export function maskedKey(key: string): string {
  return `${key.slice(0, 9)}••••••••${key.slice(-4)}`;
}
