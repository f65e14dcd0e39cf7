import { between, oneOf, pauseMs, randomOf, shuffled } from "./random.ts";
import type { Random } from "./random.ts";

// What goes wrong, and when: decided by the seed alone, before anything begins.

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

/** Where the clock may be set to, against the true one, and by how much it may jump a little. */
const CLOCKS_MS = [0, 0, 7_200_000, -7_200_000, 60_000, -60_000] as const;
const STEPS_MS = [2_000, -2_000, 5_000, -5_000] as const;
const STEP_SHARE = 0.6;

const KINDS = ["kill", "term", "evict", "evict", "break_off", "clock", "d1", "queue", "queue", "carrier_away"] as const;

/** Nothing goes wrong before everybody has an account and something to lose. */
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

/** The faults of a run: every kind in turn, in an order of its own each time, with gaps of this length on average. */
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
