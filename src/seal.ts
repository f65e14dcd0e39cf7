import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from "node:crypto";
import type { KeyObject } from "node:crypto";

// Message text at rest (design §3.7): AES-256-GCM under a key that is derived per account from SEAL_SECRET.
// SQLite keeps copies of whatever was written, so plain text never reaches it.

const VERSION = 1;
const IV_SIZE = 12;
const TAG_SIZE = 16;
const KEYS_MAX = 5_000;

const keys = new Map<string, KeyObject>();

function keyOf(secret: string, scope: string): KeyObject {
  const name = `${secret}\0${scope}`;
  let key = keys.get(name);
  if (!key) {
    key = createSecretKey(new Uint8Array(hkdfSync("sha256", secret, scope, "dastak/seal/v1", 32)));
    if (keys.size >= KEYS_MAX) keys.clear();
    keys.set(name, key);
  }
  return key;
}

/** Seals text for one account; only `unseal` with the same secret and scope opens it. */
export function seal(secret: string, scope: string, text: string): Uint8Array {
  const iv = randomBytes(IV_SIZE);
  const cipher = createCipheriv("aes-256-gcm", keyOf(secret, scope), iv);
  cipher.setAAD(Buffer.from(scope));
  const sealed = Buffer.concat([Uint8Array.of(VERSION), iv, cipher.update(text, "utf8"), cipher.final()]);
  return new Uint8Array(Buffer.concat([sealed, cipher.getAuthTag()]));
}

/** Opens what `seal` made; throws when it was altered or belongs to another account. */
export function unseal(secret: string, scope: string, sealed: Uint8Array): string {
  if (sealed[0] !== VERSION) throw new Error("sealed text of an unknown version");
  const bytes = Buffer.from(sealed);
  const decipher = createDecipheriv("aes-256-gcm", keyOf(secret, scope), bytes.subarray(1, 1 + IV_SIZE));
  decipher.setAAD(Buffer.from(scope));
  decipher.setAuthTag(bytes.subarray(-TAG_SIZE));
  const body = bytes.subarray(1 + IV_SIZE, -TAG_SIZE);
  return decipher.update(body, undefined, "utf8") + decipher.final("utf8");
}
