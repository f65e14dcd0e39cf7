import { createHash } from "node:crypto";

// The passwords and words that guessers try first, as a Golomb-coded set: their hashes, sorted, each stored as the gap
// from the one before. scripts/common-passwords.mjs makes it; a text that is not in it is found once in 8,192 times.

/** Bits of a gap that are stored as they are; the rest of it is counted in ones. */
export const GAP_BITS = 13;

const HASH_SIZE = 6;

/** A packed set: a hash has `size` times 2^GAP_BITS values, and `data` is the Base64 of `count` gaps. */
interface Packed {
  size: number;
  count: number;
  data: string;
}

/** The hash of a text in a set of this size. */
export function placeOf(text: string, size: number): number {
  return createHash("sha256").update(text).digest().readUIntBE(0, HASH_SIZE) % (size * 2 ** GAP_BITS);
}

function unpack({ count, data }: Packed): ReadonlySet<number> {
  const bytes = Buffer.from(data, "base64");
  const places = new Set<number>();
  let at = 0;
  const bit = () => {
    const value = ((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1;
    at += 1;
    return value;
  };
  let place = 0;
  for (let n = 0; n < count; n++) {
    let quotient = 0;
    while (bit() === 1) quotient += 1;
    let gap = quotient;
    for (let left = GAP_BITS; left > 0; left--) gap = gap * 2 + bit();
    place += gap;
    places.add(place);
  }
  return places;
}

/** Whether a text is in a packed set, which is unpacked when it is first asked for. */
export function memberOf(packed: Packed): (text: string) => boolean {
  let places: ReadonlySet<number> | null = null;
  return (text) => {
    places ??= unpack(packed);
    return places.has(placeOf(text, packed.size));
  };
}
