// SHA-256 (FIPS 180-4) of one short text, without a promise for each: WebCrypto takes longer to answer than to hash.

const rootsOf = (count: number, root: (prime: number) => number): Uint32Array => {
  const words: number[] = [];
  for (let number = 2; words.length < count; number++) {
    const prime = !Array.from({ length: number - 2 }, (_, at) => at + 2).some((divisor) => number % divisor === 0);
    if (prime) words.push((root(number) % 1) * 2 ** 32);
  }
  return Uint32Array.from(words);
};

/** The first 32 bits of the fractional parts of the square and cube roots of the first primes (§4.2.2, §5.3.3). */
const START = rootsOf(8, Math.sqrt);
const ROUND = rootsOf(64, Math.cbrt);

const turn = (word: number, by: number) => (word >>> by) | (word << (32 - by));

const schedule = new Uint32Array(64);

/** The first 32 bits of the SHA-256 of ASCII bytes; at most 55, which are one block with the padding. */
export function firstWord(bytes: Uint8Array, length: number): number {
  const w = schedule;
  w.fill(0, 0, 16);
  for (let at = 0; at < length; at++) w[at >> 2] = wordAt(w, at >> 2) | (wordAt(bytes, at) << (24 - 8 * (at & 3)));
  w[length >> 2] = wordAt(w, length >> 2) | (0x80 << (24 - 8 * (length & 3)));
  w[15] = 8 * length;
  for (let at = 16; at < 64; at++) {
    const [x, y] = [wordAt(w, at - 15), wordAt(w, at - 2)];
    const small = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
    const large = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
    w[at] = wordAt(w, at - 16) + small + wordAt(w, at - 7) + large;
  }
  let [a, b, c, d, e, f, g, h] = [0, 1, 2, 3, 4, 5, 6, 7].map((at) => wordAt(START, at)) as Eight;
  for (let at = 0; at < 64; at++) {
    const one =
      (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + wordAt(ROUND, at) + wordAt(w, at)) | 0;
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  return (wordAt(START, 0) + a) >>> 0;
}

type Eight = [number, number, number, number, number, number, number, number];

/** An element of an array that has it. */
const wordAt = (words: Uint32Array | Uint8Array, at: number): number => words[at] ?? 0;
