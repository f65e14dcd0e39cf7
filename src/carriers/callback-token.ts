import { joinBytes, mac, sameBytes } from "../crypto/bytes.ts";
import { secretsOf } from "../crypto/secrets.ts";
import type { GivenSecrets } from "../crypto/secrets.ts";

// The token of a carrier's callback address, which proves receipts of carriers that sign none (contract §16.3): the id of
// the secret that made it, and a MAC of the carrier's name. Nothing is stored, and a carrier that is set up anew under its
// name has the same address.

const MAC_SIZE = 16;

const macOf = (secret: string, name: string): Uint8Array => mac(secret, "carrier-callback/v1", name, MAC_SIZE);

/** The token of the callback address of a carrier with this name. */
export function callbackToken(keySecret: GivenSecrets, name: string): string {
  const { id, value } = secretsOf(keySecret).current;
  return Buffer.from(joinBytes(Uint8Array.of(id), macOf(value, name))).toString("base64url");
}

/** Whether a listed secret made this token for this name. */
export function isCallbackToken(keySecret: GivenSecrets, name: string, token: string | null): boolean {
  if (token === null || !/^[\w-]{10,40}$/u.test(token)) return false;
  const bytes = Buffer.from(token, "base64url");
  const secret = secretsOf(keySecret).withId(bytes[0] ?? 0);
  return secret !== undefined && sameBytes(bytes.subarray(1), macOf(secret.value, name));
}
