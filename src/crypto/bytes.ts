// Byte strings: HMAC, comparison in constant time, concatenation, random bytes.

import { createHash, createHmac, timingSafeEqual } from "node:crypto";

const encoder = new TextEncoder();
const encoded = new Map<string, Uint8Array>();

/** The bytes of a secret or a purpose, cached: there are few of them, and every request needs some. */
function bytesOf(text: string): Uint8Array {
  let bytes = encoded.get(text);
  if (!bytes) {
    bytes = encoder.encode(text);
    encoded.set(text, bytes);
  }
  return bytes;
}

/**
 * HMAC-SHA256 of some bytes for one purpose, cut to `size` bytes. The purpose separates the uses of one secret: a MAC
 * that was made for one purpose is not valid for another.
 */
export function mac(secret: string, purpose: string, bytes: Uint8Array | string, size = 32): Uint8Array {
  const content = typeof bytes === "string" ? encoder.encode(bytes) : bytes;
  const text = joinBytes(bytesOf(`dastak/${purpose}\0`), content);
  return Uint8Array.from(createHmac("sha256", bytesOf(secret)).update(text).digest().subarray(0, size));
}

/**
 * SHA-256 of a text for one purpose, cut to `size` bytes: for ids that are the same for ever, whichever secrets the
 * service has. It proves nothing, and hides only what cannot be guessed.
 */
export function digest(purpose: string, text: string, size = 32): Uint8Array {
  return Uint8Array.from(createHash("sha256").update(`dastak/${purpose}\0${text}`).digest().subarray(0, size));
}

/** Whether two byte strings are equal, in time that does not depend on where they differ. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Concatenates byte strings. */
export function joinBytes(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

export const randomBytes = (size: number) => crypto.getRandomValues(new Uint8Array(size));
