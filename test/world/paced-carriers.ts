import { fixedWindow, slidingWindow, tokenBucket } from "./paced.ts";
import type { Arrival, Setting } from "./paced.ts";

// The carriers and loads that the tests of the pace have in common.

type Kind = (perSec: (nowMs: number) => number) => (nowMs: number) => boolean;

export const KINDS: Record<string, Kind> = {
  "fixed windows": fixedWindow,
  "a sliding window": slidingWindow,
  "a bucket of a second": (perSec) => tokenBucket(perSec, 1_000),
  "a bucket of 200 ms": (perSec) => tokenBucket(perSec, 200),
};

/** As many consumers as the rate takes, of three accounts. */
export const bulks = (perSec: number): Setting["consumers"] =>
  Array.from({ length: Math.max(4, perSec / 20) }, (_, at) => ({ lane: "bulk", account: `account ${at % 3}` }));

/** How many of these a carrier took. */
export const taken = (arrivals: Arrival[]) => arrivals.filter(({ isTaken }) => isTaken).length;

/** Whether a carrier takes nothing: from its 40th second to its 50th. */
export const isOut = (nowMs: number) => nowMs >= 1_040_000 && nowMs < 1_050_000;
