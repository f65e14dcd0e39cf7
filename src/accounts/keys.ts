import { consoleKeyId, maskedKey, modeOfKeyId, newKeyId, showKey, showKeyId } from "../crypto/api-key.ts";
import type { KeyView, Rotation } from "../model/account.ts";
import type { AccountRef } from "../model/ref.ts";
import { objectOf } from "../objects.ts";

// The keys of an account as their owner sees and changes them. A key is derived, so an active one can be shown again;
// the console's own key is nobody's to show or end.

type KeyState = "active" | "ending" | "ended" | "revoked";

/** A key of the account, without what opens anything. */
export interface OwnKey extends KeyView {
  /** As on the wire. */
  id: string;
  /** Its first and last characters. */
  masked: string;
  state: KeyState;
}

function stateOf(key: KeyView, nowMs: number): KeyState {
  if (key.revokedAt !== null) return "revoked";
  if (key.expiresAt === null) return "active";
  return key.expiresAt > nowMs ? "ending" : "ended";
}

/** Whether requests with the key are answered. */
export const isUsable = (key: OwnKey): boolean => key.state === "active" || key.state === "ending";

export interface KeyRing {
  /** The owner's keys, newest first. */
  keys: OwnKey[];
  /** Whether the console has sent with its own key. */
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

/** One key of an account, in whichever mode it belongs to; null for an unknown one and for the console's own. */
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

/** The key itself, which whoever holds it spends with. */
export function revealKey(secret: string, accountId: string, key: Pick<KeyView, "mode" | "keyId">): string {
  return showKey(secret, { accountId, mode: key.mode, keyId: key.keyId });
}

/** A new key; the same `once` again is the same key. Null when the account has too many. */
export async function makeKey(
  env: Env,
  secret: string,
  ref: AccountRef,
  asked: { name: string; once: string | null },
): Promise<number | null> {
  const keyId = newKeyId(secret, ref.mode, asked.once && `console\0${ref.accountId}\0${asked.once}`);
  const made = await objectOf(env, ref).makeKey(keyId, asked.name);
  return made === true ? keyId : null;
}

/** A new key in place of an old one, which ends after the overlap; the same `once` again is the same rotation. */
export function rotateKey(
  env: Env,
  secret: string,
  accountId: string,
  asked: { keyId: number; overlapMs: number; once: string | null },
): Promise<Rotation> {
  const { keyId, overlapMs, once } = asked;
  const ref = { accountId, mode: modeOfKeyId(keyId) };
  const newId = newKeyId(secret, ref.mode, once && `console\0${accountId}\0${keyId}\0${once}`);
  return objectOf(env, ref).rotateKey(keyId, newId, overlapMs);
}

/** Ends a key at once; false when there is none. */
export function revokeKey(env: Env, accountId: string, keyId: number): Promise<boolean> {
  return objectOf(env, { accountId, mode: modeOfKeyId(keyId) }).revokeKey(keyId);
}
