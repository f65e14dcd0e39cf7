import type { Mood } from "../mood.ts";
import { between, oneOf, pauseMs, randomOf, shuffled } from "../random.ts";
import type { Trouble } from "./desk.ts";

// The troubles of the carriers beside the gateway, and their times, determined by the seed alone.

export type CarrierTrouble = { atMs: number; lastsMs: number; carrier: 0 | 1 } & (
  | { kind: "carrier_away" }
  | { kind: "carrier_trouble"; how: Trouble }
  | { kind: "carrier_limit" | "carrier_busy"; mood: Mood }
);

const KINDS = ["away", "away", "hangs", "cuts", "fails", "fails", "no_credit", "limit", "busy", "busy"] as const;
const SILENCES_SEC = [null, 1, 2] as const;
const FIRST_MS = 3_000;
/** The troubles of two carriers come so much more rarely than the faults of all else: each of them lasts. */
const GAP_TIMES = 2;
/** An outage is long enough for the breaker, and for it to try in vain. */
const LONG_MS = [4_000, 9_000] as const;
const SHORT_MS = [1_000, 4_000] as const;

export function planTroubles(seed: string, durationMs: number, gapMs: number): CarrierTrouble[] {
  const meanGapMs = GAP_TIMES * gapMs;
  const random = randomOf(seed, "troubles");
  const plan: CarrierTrouble[] = [];
  let deck: (typeof KINDS)[number][] = [];
  for (let atMs = FIRST_MS; atMs < durationMs; atMs += 500 + pauseMs(random, meanGapMs)) {
    if (deck.length === 0) deck = shuffled(random, KINDS);
    const kind = deck.pop();
    const carrier = random() < 0.5 ? 0 : 1;
    const retryAfterSec = oneOf(random, SILENCES_SEC);
    const [long, short] = [between(random, ...LONG_MS), between(random, ...SHORT_MS)];
    switch (kind) {
      case undefined:
        break;
      case "away":
        plan.push({ atMs, lastsMs: long, carrier, kind: "carrier_away" });
        break;
      case "limit":
        plan.push({ atMs, lastsMs: long, carrier, kind: "carrier_limit", mood: { kind, perSec: 8, retryAfterSec } });
        break;
      case "busy":
        plan.push({ atMs, lastsMs: short, carrier, kind: "carrier_busy", mood: { kind, retryAfterSec } });
        break;
      default:
        plan.push({ atMs, lastsMs: long, carrier, kind: "carrier_trouble", how: kind });
    }
  }
  return plan;
}
