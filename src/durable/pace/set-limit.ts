// A limit that is set: the carrier's operator knows it, so that "not now" answers correct it only for a while.

/** This part of the limit is used: submissions take differently long, so that a second of the carrier's gets more. */
export const SET_SHARE = 0.97;

/** "Not now" answers lower it where they are so many, and at least this part of what was submitted. */
const BUSY_MIN = 3;
const BUSY_SHARE_MIN = 0.1;

/** All answers of so long after the first, and of twice the silence that was asked for, are one episode. */
const EPISODE_MS = 2_000;

/** An episode lowers the limit to this part at least, of which it is back after the recovery. */
const LOWERED_MIN = 0.7;
const RECOVERY_MS = 10_000;

/** However many episodes follow each other, the carrier gets this part. */
const PART_MIN = 0.05;

/** Each silence costs all lanes its whole time: a limit that was met by chance is kept away from, and approached again. */
const MARGIN = 0.06;
const MARGIN_MAX = 0.12;
const MARGIN_BACK_MS = 120_000;

/** A limit that is set for a carrier, in submissions per second. */
export class SetLimit {
  readonly setPerSec: number;
  #part = 1;
  #margin = 0;
  /** When the return to the whole limit began. */
  #sinceMs = Number.NEGATIVE_INFINITY;
  #episodeEndMs = Number.NEGATIVE_INFINITY;

  constructor(setPerSec: number) {
    this.setPerSec = setPerSec;
  }

  /** Submissions per second that may be permitted now. */
  perSec(nowMs: number): number {
    return this.setPerSec * SET_SHARE * this.#partAt(nowMs) * (1 - this.#marginAt(nowMs));
  }

  /** Learns from a "not now": `seen` is what was submitted and refused lately; `quietMs` the silence that is asked for. */
  met(nowMs: number, seen: { granted: number; busy: number }, quietMs: number): void {
    if (nowMs < this.#episodeEndMs) return;
    const share = seen.busy / Math.max(seen.busy, seen.granted, 1);
    const isMuch = seen.busy >= BUSY_MIN && share >= BUSY_SHARE_MIN;
    if (!isMuch && quietMs === 0) return;
    const margin = this.#marginAt(nowMs) + (quietMs > 0 ? MARGIN : 0);
    this.#part = this.#partAt(nowMs);
    if (isMuch) this.#part = Math.max(PART_MIN, this.#part * Math.max(LOWERED_MIN, 1 - share));
    this.#margin = Math.min(MARGIN_MAX, margin);
    this.#sinceMs = nowMs + quietMs;
    this.#episodeEndMs = nowMs + 2 * quietMs + EPISODE_MS;
  }

  #partAt(nowMs: number): number {
    return this.#part + (1 - this.#part) * this.#returned(nowMs, RECOVERY_MS);
  }

  #marginAt(nowMs: number): number {
    return this.#margin * (1 - this.#returned(nowMs, MARGIN_BACK_MS));
  }

  #returned(nowMs: number, forMs: number): number {
    return Math.max(0, Math.min(1, (nowMs - this.#sinceMs) / forMs));
  }
}

/** A limit as it is set now: the one that is known where it is the same; null for Infinity. */
export function limitOf(setPerSec: number, known: SetLimit | null): SetLimit | null {
  if (setPerSec === Infinity) return null;
  return known?.setPerSec === setPerSec ? known : new SetLimit(setPerSec);
}
