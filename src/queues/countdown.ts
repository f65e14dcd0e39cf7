/**
 * A time that runs out: kept as its beginning and length, so that a clock that is set back only begins it again, and
 * never makes it longer.
 */
export class Countdown {
  #sinceMs = 0;
  #lengthMs = 0;

  /** Makes it run out `lengthMs` from now, where that is later than it would. */
  extend(nowMs: number, lengthMs: number): void {
    if (lengthMs > this.leftMs(nowMs)) this.set(nowMs, lengthMs);
  }

  /** Makes it run out `lengthMs` from now. */
  set(nowMs: number, lengthMs: number): void {
    this.#sinceMs = nowMs;
    this.#lengthMs = Math.max(0, lengthMs);
  }

  /** What is left of it, in ms; 0 once it ran out. */
  leftMs(nowMs: number): number {
    if (nowMs < this.#sinceMs) this.#sinceMs = nowMs;
    return Math.max(0, this.#sinceMs + this.#lengthMs - nowMs);
  }
}
