import { consoleKeyId, maskedKey, modeOfKeyId, newKeyId, showKey, showKeyId } from "../crypto/api-key.ts";
import type { KeyMade, KeyView, Rotation } from "../model/account.ts";
import type { AccountRef } from "../model/ref.ts";
import { objectOf } from "../objects.ts";

// The keys of an account, as its owner sees and changes them. A key is derived, so an active one can be shown again.
// The console's own key can be neither shown nor revoked.

type KeyState = "active" | "ending" | "ended" | "revoked";

/** A key of the account, without the credential. */
export interface OwnKey extends KeyView {
  /** The key's id on the wire. */
  id: string;
  /** The key's first and last characters. */
  masked: string;
  state: KeyState;
}

function stateOf(key: KeyView, nowMs: number): KeyState {
  if (key.revokedAt !== null) return "revoked";
  if (key.expiresAt === null) return "active";
  return key.expiresAt > nowMs ? "ending" : "ended";
}

/** Whether requests with the key are accepted. */
export const isUsable = (key: OwnKey): boolean => key.state === "active" || key.state === "ending";

export interface KeyRing {
  /** The owner's keys, newest first. */
  keys: OwnKey[];
  /** The key with which the console sends; null until it has sent something. */
  consoleKey: KeyView | null;
}

/** The keys of an account in one mode. */
export async function keysOfAccount(env: Env, secret: string, ref: AccountRef, nowMs: number): Promise<KeyRing> {
  const all: KeyView[] = (await objectOf(env, ref).keys()) ?? [];
  const own = consoleKeyId(ref.mode);
  const keys = all
    .filter(({ keyId }) => keyId !== own)
    .map((key) => ({
      ...key,
      id: showKeyId(key.keyId),
      masked: maskedKey(showKey(secret, { ...ref, keyId: key.keyId })),
      state: stateOf(key, nowMs),
    }))
    .toReversed();
  return { keys, consoleKey: all.find(({ keyId }) => keyId === own) ?? null };
}

/** One key of an account, in the mode of its id; null when it is unknown or the console's own. */
export async function keyOfAccount(
  env: Env,
  secret: string,
  accountId: string,
  keyId: number,
  nowMs: number,
): Promise<OwnKey | null> {
  const { keys } = await keysOfAccount(env, secret, { accountId, mode: modeOfKeyId(keyId) }, nowMs);
  return keys.find((key) => key.keyId === keyId) ?? null;
}

/** The credential itself, which can spend the account's balance. */
export function revealKey(secret: string, accountId: string, key: Pick<KeyView, "mode" | "keyId">): string {
  return showKey(secret, { accountId, mode: key.mode, keyId: key.keyId });
}

/** Creates a key and returns its id; idempotent by `once`. Null when the account has too many keys. */
export async function makeKey(
  env: Env,
  secret: string,
  ref: AccountRef,
  asked: { name: string; once: string | null },
): Promise<number | null> {
  const keyId = newKeyId(secret, ref.mode, asked.once && `console\0${ref.accountId}\0${asked.once}`);
  const made: KeyMade | null = await objectOf(env, ref).makeKey(keyId, asked.name);
  return made?.ok ? keyId : null;
}

/** Creates a key that replaces an old one, which expires after the overlap; idempotent by `once`. */
export async function rotateKey(
  env: Env,
  secret: string,
  accountId: string,
  asked: { keyId: number; overlapMs: number; once: string | null },
): Promise<Rotation> {
  const { keyId, overlapMs, once } = asked;
  const ref = { accountId, mode: modeOfKeyId(keyId) };
  const newId = newKeyId(secret, ref.mode, once && `console\0${accountId}\0${keyId}\0${once}`);
  const rotated: Rotation | null = await objectOf(env, ref).rotateKey(keyId, newId, overlapMs);
  return rotated ?? { ok: false, reason: "unknown" };
}

/** Revokes a key at once; false when it does not exist. */
export async function revokeKey(env: Env, accountId: string, keyId: number): Promise<boolean> {
  return (await objectOf(env, { accountId, mode: modeOfKeyId(keyId) }).revokeKey(keyId)) ?? false;
}
