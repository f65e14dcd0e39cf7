// A carrier that takes nothing: it is probed, and what was known of its rate before holds again afterwards.

/** So many refusals in a row and for so long: the carrier takes nothing, and the limit from before says more. */
const OUTAGE_BUSY = 5;
const OUTAGE_MS = 1_500;
/** Refusals in a row of which the first ones are so near to each other begin one outage. */
const SAME_MS = 3_000;
/** Of an outage that begins to end, so many answers are still refusals: then it goes on. */
const GOES_ON_SHARE = 0.5;
/** Attempts per second with which an outage is probed, and how long its permits pause. */
const PROBES_PER_SEC = 1;
export const PAUSE_MS = 1_000;
const RECOVERY_DOUBLES_MS = 500;

/** What was known before it: the rate, and the growth by which it came to be. */
export interface Before {
  perSec: number;
  ceiling: number | null;
  climb: { fromPerSec: number; toPerSec: number } | null;
  grownMs: number;
}

/** Whether a carrier takes anything. */
export class Outage {
  /** Refusals since a submission was taken: how many, since when, and what was known then. */
  #row: { busy: number; sinceMs: number; before: Before } | null = null;
  /** What was known before the present one, and when its probes begin. */
  #present: { before: Before; sinceMs: number } | null = null;

  /** What was known before the present one; null while there is none. */
  get before(): Before | null {
    return this.#present?.before ?? null;
  }

  /** Counts answers; `before` is what is known while none of them says otherwise. */
  saw(nowMs: number, answers: { taken: number; refused: number }, before: Before): void {
    if (answers.taken > 0 && this.#row) this.#row.busy = 0;
    if (answers.refused === 0) return;
    if (!this.#row || this.#row.busy === 0) {
      // What was taken before it began is told late, when the rate may have been lowered already.
      const isSame = this.#row !== null && nowMs - this.#row.sinceMs < SAME_MS;
      const known = isSame ? this.#row?.before : this.#present?.before;
      this.#row = { busy: 0, sinceMs: nowMs, before: known ?? before };
    }
    this.#row.busy += answers.refused;
  }

  /** Whether it begins, or goes on; `share` is that of refusals lately. */
  isOn(nowMs: number, share: number): boolean {
    const row = this.#row;
    const isRow = row !== null && row.busy >= OUTAGE_BUSY && nowMs - row.sinceMs >= OUTAGE_MS;
    return isRow || (this.#present !== null && share >= GOES_ON_SHARE);
  }

  /** Begins it; probes follow after the silence. */
  begin(endOfQuietMs: number): void {
    const before = this.#row?.before ?? this.before;
    if (before) this.#present = { before, sinceMs: endOfQuietMs };
  }

  /** Puts its probes off until a silence ends. */
  pause(endOfQuietMs: number): void {
    if (this.#present) this.#present.sinceMs = Math.max(this.#present.sinceMs, endOfQuietMs);
  }

  /** The rate of the probes, which doubles until it is `mostPerSec`; null from then on, or where there is no outage. */
  perSec(nowMs: number, mostPerSec: number): number | null {
    if (!this.#present) return null;
    const { sinceMs, before } = this.#present;
    const recovered = PROBES_PER_SEC * 2 ** (Math.max(0, nowMs - sinceMs) / RECOVERY_DOUBLES_MS);
    return recovered < Math.min(before.perSec, mostPerSec) ? recovered : null;
  }

  /** Ends it; returns what was known before. */
  end(): Before | null {
    const before = this.before;
    this.#present = null;
    return before;
  }
}
