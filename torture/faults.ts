import { between, oneOf, pauseMs, randomOf, shuffled } from "./random.ts";
import type { Random } from "./random.ts";

// The faults of a run and their times, determined by the seed alone before the run begins.

export type Fault = { atMs: number } & (
  | { kind: "kill" | "term" }
  | { kind: "evict" | "break_off"; share: number }
  | { kind: "clock"; toMs: number }
  | { kind: "d1"; how: "refuses" | "forgets" | "slow"; lastsMs: number }
  | { kind: "queue"; queue: "dispatch" | "history"; how: QueueHarm; lastsMs: number }
  | { kind: "carrier_away"; lastsMs: number }
);

type QueueHarm = "lost" | "again" | "twice" | "late" | "fails";

const QUEUE_HARMS: readonly QueueHarm[] = ["lost", "again", "twice", "late", "fails"];

/** Offsets of the clock from the real one, and the sizes of small jumps. */
const CLOCKS_MS = [0, 0, 7_200_000, -7_200_000, 60_000, -60_000] as const;
const STEPS_MS = [2_000, -2_000, 5_000, -5_000] as const;
const STEP_SHARE = 0.6;

const KINDS = ["kill", "term", "evict", "evict", "break_off", "clock", "d1", "queue", "queue", "carrier_away"] as const;

/** The first fault comes once all accounts are open and in use. */
const FIRST_MS = 2_000;

function faultOf(random: Random, kind: (typeof KINDS)[number], atMs: number, clockMs: number): Fault {
  const lastsMs = between(random, 1_000, 5_000);
  switch (kind) {
    case "kill":
    case "term":
      return { kind, atMs };
    case "evict":
    case "break_off":
      return { kind, atMs, share: 0.1 + random() * 0.9 };
    case "clock":
      if (random() < STEP_SHARE) return { kind, atMs, toMs: clockMs + oneOf(random, STEPS_MS) };
      return { kind, atMs, toMs: oneOf(random, CLOCKS_MS) };
    case "d1":
      return { kind, atMs, lastsMs, how: oneOf(random, ["refuses", "forgets", "slow"] as const) };
    case "queue":
      return {
        kind,
        atMs,
        lastsMs,
        how: oneOf(random, QUEUE_HARMS),
        queue: oneOf(random, ["dispatch", "history"] as const),
      };
    case "carrier_away":
      return { kind, atMs, lastsMs };
  }
}

/** The faults of a run: all kinds in a random order, again and again, with gaps of this mean length. */
export function planFaults(seed: string, durationMs: number, meanGapMs: number): Fault[] {
  const random = randomOf(seed, "faults");
  const faults: Fault[] = [];
  let deck: (typeof KINDS)[number][] = [];
  let clockMs = 0;
  for (let atMs = FIRST_MS; atMs < durationMs; atMs += 300 + pauseMs(random, meanGapMs)) {
    if (deck.length === 0) deck = shuffled(random, KINDS);
    const kind = deck.pop();
    if (!kind) continue;
    const fault = faultOf(random, kind, atMs, clockMs);
    if (fault.kind === "clock") clockMs = fault.toMs;
    faults.push(fault);
  }
  return faults;
}
