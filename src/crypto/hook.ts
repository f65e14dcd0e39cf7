import { modeOfKeyId } from "./api-key.ts";
import type { ApiKey } from "./api-key.ts";
import { joinBytes, mac, sameBytes } from "./bytes.ts";
import { accountBytes, accountIdOf } from "./ids.ts";
import { secretsOf } from "./secrets.ts";
import type { GivenSecrets } from "./secrets.ts";

// Hooks: addresses to which another product posts, signed (contract §15). Nothing of one is stored: its id names the key
// with which it sends, and the brand, under a MAC, and its secret is derived. Both are made with the secret that made the
// key, so that a hook is valid exactly as long as its key is.

/** The products that have hooks. */
export const HOOK_KINDS = ["supabase"] as const;

type HookKind = (typeof HOOK_KINDS)[number];

export interface Hook {
  kind: HookKind;
  /** The key with which it sends. */
  key: ApiKey;
  /** The name in the text of its codes; null: that of the service. */
  brand: string | null;
}

const PREFIX = "hook_";
/** The id of the secret, the account, and the key's id; the brand follows. */
const KEY_SIZE = 1 + 8 + 4;
const MAC_SIZE = 16;

function bodyOf({ key, brand }: Hook): Uint8Array {
  const account = accountBytes(key.accountId);
  if (!account) throw new Error("a hook needs an account id");
  const id = new Uint8Array(4);
  new DataView(id.buffer).setUint32(0, key.keyId);
  return joinBytes(Uint8Array.of(key.secretId), account, id, new TextEncoder().encode(brand ?? ""));
}

/** The secret that made the hook's key. Throws where it is not listed. */
function secretOf(given: GivenSecrets, { key }: Hook): string {
  const secret = secretsOf(given).withId(key.secretId);
  if (!secret) throw new Error("a hook's key was made with a secret that is not listed");
  return secret.value;
}

const proofOf = (secret: string, kind: HookKind, body: Uint8Array) => mac(secret, `hook/v1/${kind}`, body, MAC_SIZE);

/** The hook's id, as it stands in its address: no credential, and always the same for one key and brand. */
export function showHook(given: GivenSecrets, hook: Hook): string {
  const body = bodyOf(hook);
  const proof = proofOf(secretOf(given, hook), hook.kind, body);
  return PREFIX + Buffer.from(joinBytes(body, proof)).toString("base64url");
}

/** With what its posts are signed, as Standard Webhooks writes it: `whsec_` and the Base64 of 32 bytes. */
export function hookSecret(given: GivenSecrets, hook: Hook): string {
  const bytes = mac(secretOf(given, hook), `hook-secret/v1/${hook.kind}`, bodyOf(hook));
  return `whsec_${Buffer.from(bytes).toString("base64")}`;
}

/** The bytes of a text that has the form of a hook's id. */
function bytesOfHook(text: string): Uint8Array | null {
  const bytes = text.startsWith(PREFIX) ? Buffer.from(text.slice(PREFIX.length), "base64url") : null;
  // Base64 can be written in several ways: one of them is the id.
  const isId = bytes && bytes.length >= KEY_SIZE + MAC_SIZE && PREFIX + bytes.toString("base64url") === text;
  return isId ? Uint8Array.from(bytes) : null;
}

/** Reads a hook's id; null where this service did not make it for this kind, or its secret is not listed any more. */
export function readHook(given: GivenSecrets, kind: HookKind, text: string): Hook | null {
  const bytes = bytesOfHook(text);
  const secretId = bytes?.[0] ?? 0;
  const secret = bytes && secretsOf(given).withId(secretId);
  if (!secret) return null;
  const body = bytes.subarray(0, -MAC_SIZE);
  if (!sameBytes(proofOf(secret.value, kind, body), bytes.subarray(-MAC_SIZE))) return null;
  const keyId = new DataView(bytes.buffer).getUint32(KEY_SIZE - 4);
  const accountId = accountIdOf(body.subarray(1));
  const brand = new TextDecoder().decode(body.subarray(KEY_SIZE));
  return { kind, key: { accountId, mode: modeOfKeyId(keyId), keyId, secretId }, brand: brand === "" ? null : brand };
}

/** The id of the secret that a text in the form of a hook's id names, where none with it is listed. Proves nothing. */
export function unlistedSecretOfHook(given: GivenSecrets, text: string): number | null {
  const id = bytesOfHook(text)?.[0];
  return id === undefined || secretsOf(given).withId(id) ? null : id;
}
