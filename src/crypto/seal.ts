import { createDecipheriv, createSecretKey, hkdfSync } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { secretsOf } from "./secrets.ts";
import type { GivenSecrets, Secret } from "./secrets.ts";

// Encrypts message text at rest: AES-256-GCM with a key that is derived per account from SEAL_SECRET.
// SQLite keeps copies of what was written, so plain text never reaches it. Every send seals, with WebCrypto, which on
// Workers costs a third of node:crypto; unsealing uses node:crypto, because that is synchronous.

const IV_SIZE = 12;
const TAG_SIZE = 16;
const KEYS_MAX = 5_000;

/** One account's key, in the form of each of the two libraries. */
interface Keys {
  sealing: CryptoKey | null;
  opening: KeyObject;
}

const keys = new Map<string, Keys>();

function keysOf({ value }: Secret, scope: string): Keys {
  const name = `${value}\0${scope}`;
  let known = keys.get(name);
  if (!known) {
    const bytes = new Uint8Array(hkdfSync("sha256", value, scope, "dastak/seal/v1", 32));
    known = { sealing: null, opening: createSecretKey(bytes) };
    if (keys.size >= KEYS_MAX) keys.clear();
    keys.set(name, known);
  }
  return known;
}

/** The key for WebCrypto. The cache holds the key and not its promise, which belongs to the request that made it. */
async function sealingKey(of: Keys): Promise<CryptoKey> {
  of.sealing ??= await crypto.subtle.importKey("raw", of.opening.export(), "AES-GCM", false, ["encrypt"]);
  return of.sealing;
}

const encoder = new TextEncoder();

/**
 * Seals text for one account: the id of the secret, IV, ciphertext, tag. Only `unseal` with the same secret and scope opens
 * it.
 */
export async function seal(given: GivenSecrets, scope: string, text: string): Promise<Uint8Array> {
  const secret = secretsOf(given).current;
  const iv = crypto.getRandomValues(new Uint8Array(IV_SIZE));
  const algorithm = { name: "AES-GCM", iv, additionalData: encoder.encode(scope) };
  const key = await sealingKey(keysOf(secret, scope));
  // WebCrypto appends the tag to the ciphertext.
  const body = new Uint8Array(await crypto.subtle.encrypt(algorithm, key, encoder.encode(text)));
  const sealed = new Uint8Array(1 + IV_SIZE + body.length);
  sealed[0] = secret.id;
  sealed.set(iv, 1);
  sealed.set(body, 1 + IV_SIZE);
  return sealed;
}

/**
 * Opens what `seal` made; throws when it was altered, or was sealed for another account, with another secret, or with one
 * that is not listed any more.
 */
export function unseal(given: GivenSecrets, scope: string, sealed: Uint8Array): string {
  const secret = secretsOf(given).withId(sealed[0] ?? 0);
  if (!secret) throw new Error(`SEAL_SECRET does not list the secret with the id ${sealed[0]}, which sealed this`);
  const bytes = Buffer.from(sealed);
  const decipher = createDecipheriv("aes-256-gcm", keysOf(secret, scope).opening, bytes.subarray(1, 1 + IV_SIZE));
  decipher.setAAD(Buffer.from(scope));
  decipher.setAuthTag(bytes.subarray(-TAG_SIZE));
  const body = bytes.subarray(1 + IV_SIZE, -TAG_SIZE);
  return decipher.update(body, undefined, "utf8") + decipher.final("utf8");
}
