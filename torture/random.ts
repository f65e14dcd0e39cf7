import { createHash } from "node:crypto";

// Reproducible randomness: the same seed and name give the same numbers, in any order of creating generators.

export type Random = () => number;

/** Numbers from 0 to 1 for one actor: no other actor's timing changes them. */
export function randomOf(seed: string, ...name: (string | number)[]): Random {
  const hash = createHash("sha256")
    .update([seed, ...name].join("\0"))
    .digest();
  let [a, b, c, d] = [0, 4, 8, 12].map((at) => hash.readInt32LE(at)) as [number, number, number, number];
  // sfc32.
  return () => {
    const sum = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
}

/** A whole number from `from` to `to`, both included. */
export const between = (random: Random, from: number, to: number) => from + Math.floor(random() * (to - from + 1));

/** One element of a list. */
export function oneOf<T>(random: Random, list: readonly T[]): T {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new Error("a choice needs something to choose from");
  return found;
}

/** One name, chosen by weight. */
export function weighted<T extends string>(random: Random, weights: Record<T, number>): T {
  const entries = Object.entries<number>(weights) as [T, number][];
  let left = random() * entries.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [name, weight] of entries) {
    left -= weight;
    if (left < 0) return name;
  }
  return oneOf(random, entries)[0];
}

/** The list in random order. */
export function shuffled<T>(random: Random, list: readonly T[]): T[] {
  return list
    .map((one) => [random(), one] as const)
    .toSorted(([left], [right]) => left - right)
    .map(([, one]) => one);
}

/** A random pause with this mean length. */
export const pauseMs = (random: Random, meanMs: number) => -Math.log(1 - random()) * meanMs;
