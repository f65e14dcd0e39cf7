import { firstWord } from "./sha256.ts";

// Hashcash: finds a number whose SHA-256 together with a ticket begins with zero bits. It works in slices, so that the
// page stays usable.

const SLICE_MS = 20;

const writeAscii = (text: string, bytes: Uint8Array, from: number) => {
  for (let at = 0; at < text.length; at++) bytes[from + at] = text.charCodeAt(at);
  return from + text.length;
};

/** Tries numbers from `start` on for a slice of time; null when none of them was right. */
function search(bytes: Uint8Array, from: number, start: number, bits: number): { next: number; found: number | null } {
  const until = performance.now() + SLICE_MS;
  for (let number = start; ; number++) {
    if (firstWord(bytes, writeAscii(String(number), bytes, from)) >>> (32 - bits) === 0) {
      return { next: number, found: number };
    }
    // The clock is read rarely: it costs as much as a hash.
    if (number % 256 === 255 && performance.now() >= until) return { next: number + 1, found: null };
  }
}

/** The first number that proves the work for a ticket: with `bits` zero bits, after 2^bits hashes on average. */
export async function prove(ticket: string, bits: number): Promise<number> {
  const bytes = new Uint8Array(64);
  const from = writeAscii(`${ticket}.`, bytes, 0);
  for (let start = 0; ;) {
    const { next, found } = search(bytes, from, start, bits);
    if (found !== null) return found;
    start = next;
    await new Promise((resolve) => setTimeout(resolve));
  }
}
