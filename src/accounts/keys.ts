import { consoleKeyId, maskedKey, modeOfKeyId, newKeyId, showKey, showKeyId } from "../crypto/api-key.ts";
import { FIRST_ID } from "../crypto/secrets.ts";
import type { Secrets } from "../crypto/secrets.ts";
import type { KeyMade, KeysToExpire, KeyView, Rotation } from "../model/account.ts";
import type { AccountRef } from "../model/ref.ts";
import { bothOf, objectOf } from "../objects.ts";

// The keys of an account, as its owner sees and changes them. A key is derived, so an active one can be shown again.
// The console's own key can be neither shown nor revoked.

/** `void`: the secret that it was made with is not listed any more. */
type KeyState = "active" | "ending" | "ended" | "revoked" | "void";

/** A key of the account, without the credential. */
export interface OwnKey extends KeyView {
  /** The key's id on the wire. */
  id: string;
  /** The key's first and last characters. */
  masked: string;
  state: KeyState;
  /** Whether it was made with an older secret than new keys are. */
  isOlder: boolean;
}

function stateOf(secrets: Secrets, key: KeyView, nowMs: number): KeyState {
  if (key.revokedAt !== null) return "revoked";
  if (!secrets.withId(key.secretId ?? FIRST_ID)) return "void";
  if (key.expiresAt === null) return "active";
  return key.expiresAt > nowMs ? "ending" : "ended";
}

/** Whether requests with the key are accepted. */
export const isUsable = (key: OwnKey): boolean => key.state === "active" || key.state === "ending";

/** A key's first and last characters; only the first where its secret is not listed any more. */
export function maskedOf(secrets: Secrets, ref: AccountRef, { keyId, secretId = FIRST_ID }: KeyView): string {
  return secrets.withId(secretId)
    ? maskedKey(showKey(secrets, { ...ref, keyId, secretId }))
    : `${maskedKey(showKey(secrets, { ...ref, keyId })).slice(0, -4)}••••`;
}

export interface KeyRing {
  /** The owner's keys, newest first. */
  keys: OwnKey[];
  /** The key with which the console sends; null until it has sent something. */
  consoleKey: KeyView | null;
}

/** The keys of an account in one mode. */
export async function keysOfAccount(env: Env, secrets: Secrets, ref: AccountRef, nowMs: number): Promise<KeyRing> {
  const all: KeyView[] = (await objectOf(env, ref).keys()) ?? [];
  const own = consoleKeyId(ref.mode);
  const keys = all
    .filter(({ keyId }) => keyId !== own)
    .map((key) => ({
      ...key,
      id: showKeyId(key.keyId),
      masked: maskedOf(secrets, ref, key),
      state: stateOf(secrets, key, nowMs),
      isOlder: (key.secretId ?? FIRST_ID) !== secrets.current.id,
    }))
    .toReversed();
  return { keys, consoleKey: all.find(({ keyId }) => keyId === own) ?? null };
}

/** One key of an account, in the mode of its id; null when it is unknown or the console's own. */
export async function keyOfAccount(
  env: Env,
  secrets: Secrets,
  accountId: string,
  keyId: number,
  nowMs: number,
): Promise<OwnKey | null> {
  const { keys } = await keysOfAccount(env, secrets, { accountId, mode: modeOfKeyId(keyId) }, nowMs);
  return keys.find((key) => key.keyId === keyId) ?? null;
}

/** The credential itself, which can spend the account's balance; as it was given out, with the secret that made it. */
export function revealKey(
  secrets: Secrets,
  accountId: string,
  { mode, keyId, secretId = FIRST_ID }: Pick<KeyView, "mode" | "keyId" | "secretId">,
): string {
  return showKey(secrets, { accountId, mode, keyId, secretId });
}

/** Creates a key, once per `once`. Null when the account has too many keys. */
export async function makeKey(
  env: Env,
  secrets: Secrets,
  ref: AccountRef,
  asked: { name: string; once: string | null },
): Promise<KeyView | null> {
  const keyId = newKeyId(secrets, ref.mode, asked.once && `console\0${ref.accountId}\0${asked.once}`);
  const stub = objectOf(env, ref);
  const made: KeyMade | null = await stub.makeKey(keyId, asked.name, undefined, secrets.current.id);
  const keys: KeyView[] = made?.ok ? ((await stub.keys()) ?? []) : [];
  return keys.find((key) => key.keyId === keyId) ?? null;
}

/** Ends the keys of an account, in both modes, that were made with older secrets or before a time. Returns them. */
export async function expireKeys(
  env: Env,
  secrets: Secrets,
  accountId: string,
  asked: Omit<KeysToExpire, "current">,
): Promise<KeyView[] | null> {
  const { live, test } = bothOf(env, accountId);
  const command = { ...asked, current: secrets.current.id };
  const [own, play]: (KeyView[] | null)[] = await Promise.all([live.expireKeys(command), test.expireKeys(command)]);
  return own ? [...own, ...(play ?? [])] : null;
}

/** Creates a key that replaces an old one, which expires after the overlap; idempotent by `once`. */
export async function rotateKey(
  env: Env,
  secrets: Secrets,
  accountId: string,
  asked: { keyId: number; overlapMs: number; once: string | null },
): Promise<Rotation> {
  const { keyId, overlapMs, once } = asked;
  const ref = { accountId, mode: modeOfKeyId(keyId) };
  const newId = newKeyId(secrets, ref.mode, once && `console\0${accountId}\0${keyId}\0${once}`);
  const { id } = secrets.current;
  const rotated: Rotation | null = await objectOf(env, ref).rotateKey(keyId, newId, overlapMs, undefined, id);
  return rotated ?? { ok: false, reason: "unknown" };
}

/** Revokes a key at once; false when it does not exist. */
export async function revokeKey(env: Env, accountId: string, keyId: number): Promise<boolean> {
  return (await objectOf(env, { accountId, mode: modeOfKeyId(keyId) }).revokeKey(keyId)) ?? false;
}
