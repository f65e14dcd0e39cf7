// Base62 of fixed width, for ids and keys: each value has one spelling, and texts sort as their bytes do. Every request
// reads or writes one, so this computes with 16-bit limbs and four letters at a time, not with BigInt.

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LETTERS = 4;
/** 62 to the power of LETTERS. Its product with a limb is far below 2^53, so it is exact. */
const GROUP = 62 ** LETTERS;
const LIMB = 2 ** 16;

const valueOf = new Map([...ALPHABET].map((letter, value) => [letter.charCodeAt(0), value]));

/** How many characters `size` bytes take. */
export function base62Length(size: number): number {
  return Math.ceil((size * 8) / Math.log2(62));
}

/** Bytes as limbs, the most significant first; if their number is odd, the first limb holds one byte. */
function limbsOf(bytes: Uint8Array): number[] {
  const limbs: number[] = [];
  for (let at = bytes.length % 2 === 1 ? -1 : 0; at < bytes.length; at += 2) {
    limbs.push((bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0));
  }
  return limbs;
}

/** Divides in place by GROUP, and returns the remainder. */
function divide(limbs: number[]): number {
  let rest = 0;
  for (let at = 0; at < limbs.length; at++) {
    const value = rest * LIMB + (limbs[at] ?? 0);
    limbs[at] = Math.floor(value / GROUP);
    rest = value % GROUP;
  }
  return rest;
}

/** Multiplies in place and adds; false when the result does not fit. */
function multiplyAndAdd(limbs: number[], factor: number, add: number): boolean {
  let carry = add;
  for (let at = limbs.length - 1; at >= 0; at--) {
    const value = (limbs[at] ?? 0) * factor + carry;
    limbs[at] = value % LIMB;
    carry = Math.floor(value / LIMB);
  }
  return carry === 0;
}

/** Bytes as fixed-width base62, most significant first. */
export function base62(bytes: Uint8Array): string {
  const limbs = limbsOf(bytes);
  let text = "";
  for (let left = base62Length(bytes.length); left > 0; left -= LETTERS) {
    let rest = divide(limbs);
    for (let letter = Math.min(LETTERS, left); letter > 0; letter--) {
      text = ALPHABET.charAt(rest % 62) + text;
      rest = Math.floor(rest / 62);
    }
  }
  return text;
}

/** The inverse of `base62`, or null when the text has another length, alphabet or range. */
export function fromBase62(text: string, size: number): Uint8Array | null {
  if (text.length !== base62Length(size)) return null;
  const limbs = limbsOf(new Uint8Array(size));
  for (let at = 0; at < text.length;) {
    // Only the first group can be shorter than LETTERS.
    const end = at + ((text.length - at) % LETTERS || LETTERS);
    let group = 0;
    let factor = 1;
    for (; at < end; at++) {
      const value = valueOf.get(text.charCodeAt(at));
      if (value === undefined) return null;
      group = group * 62 + value;
      factor *= 62;
    }
    if (!multiplyAndAdd(limbs, factor, group)) return null;
  }
  const bytes = new Uint8Array(limbs.length * 2);
  limbs.forEach((limb, at) => {
    bytes[at * 2] = limb >> 8;
    bytes[at * 2 + 1] = limb % 256;
  });
  const spare = bytes.length - size;
  return spare === 1 && bytes[0] !== 0 ? null : bytes.slice(spare);
}
