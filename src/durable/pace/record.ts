import { LANES } from "../../model/lane.ts";
import type { Lane } from "../../model/lane.ts";
import type { PaceStanding, Seen } from "../../model/pace.ts";

// What the pacing object hears anyway, counted for the operator. It is memory: counts begin anew when the object starts.

/** How long a consumer's word on the oldest message of a lane counts, in ms. */
const WORD_MS = 60_000;

/** The clock is an argument, and never goes back. */
export class PaceRecord {
  readonly #sinceMs: number;
  readonly #counts = { taken: 0, busy: 0, away: 0 };
  /** Refusals since a submission was taken: the first and the last. */
  #refused: { sinceMs: number; lastMs: number } | null = null;
  readonly #oldest: Record<Lane, { createdMs: number; atMs: number } | null> = { otp: null, single: null, bulk: null };

  constructor(nowMs: number) {
    this.#sinceMs = nowMs;
  }

  /** Counts what a consumer saw. */
  saw({ taken, busy, away = 0 }: Seen, nowMs: number): void {
    this.#counts.taken += taken;
    this.#counts.busy += busy;
    this.#counts.away += away;
    if (taken > 0) this.#refused = null;
    if (busy + away > 0) this.#refused = { sinceMs: this.#refused?.sinceMs ?? nowMs, lastMs: nowMs };
  }

  /** Notes the oldest message that a consumer of the lane holds; a younger one counts once the older word is old. */
  waited(lane: Lane, createdMs: number, nowMs: number): void {
    const known = this.#oldest[lane];
    if (known && nowMs - known.atMs < WORD_MS && known.createdMs < createdMs) return;
    this.#oldest[lane] = { createdMs, atMs: nowMs };
  }

  /** All of it, as of now. */
  standing(nowMs: number): Omit<PaceStanding, "quietMs" | "perSec" | "health"> {
    const oldest = LANES.flatMap((lane) => {
      const word = this.#oldest[lane];
      return word && nowMs - word.atMs < WORD_MS ? [[lane, word.createdMs] as const] : [];
    });
    return {
      sinceMs: this.#sinceMs,
      ...this.#counts,
      refusedSinceMs: this.#refused?.sinceMs ?? null,
      refusedLastMs: this.#refused?.lastMs ?? null,
      oldestMs: Object.fromEntries(oldest),
    };
  }
}
