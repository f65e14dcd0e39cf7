// What a gateway does with everything that comes, whatever the message: it takes so many a second, or none.

/** `limit` takes `perSec` and answers the rest with 429; `busy` answers everything with 503. */
export type Mood =
  { kind: "limit"; perSec: number; retryAfterSec: number | null } | { kind: "busy"; retryAfterSec: number | null };

/** An answer of "not now". */
export interface NotNow {
  status: 429 | 503;
  retryAfterSec: number | null;
}

/** A second's worth of submissions may come at once. */
const BURST_SEC = 1;

/** The rate of a gateway. `always` is its limit in the whole run, in submissions per second. */
export class Gate {
  readonly #always: number | null;
  #mood: Mood | null = null;
  #tokens = 0;
  #filledAt = 0;

  constructor(always: number | null) {
    this.#always = always;
    this.set(null);
  }

  /** Changes the mood; null is the usual one. */
  set(mood: Mood | null): void {
    this.#mood = mood;
    this.#tokens = this.#perSec * BURST_SEC;
    this.#filledAt = Date.now();
  }

  get #perSec(): number {
    const limits = [this.#always, this.#mood?.kind === "limit" ? this.#mood.perSec : null];
    return Math.min(...limits.map((one) => one ?? Infinity));
  }

  /** Takes one submission: null if it may pass. */
  pass(): NotNow | null {
    const retryAfterSec = this.#mood?.retryAfterSec ?? null;
    if (this.#mood?.kind === "busy") return { status: 503, retryAfterSec };
    const perSec = this.#perSec;
    if (perSec === Infinity) return null;
    const nowMs = Date.now();
    this.#tokens = Math.min(perSec * BURST_SEC, this.#tokens + ((nowMs - this.#filledAt) * perSec) / 1000);
    this.#filledAt = nowMs;
    if (this.#tokens < 1) return { status: 429, retryAfterSec };
    this.#tokens -= 1;
    return null;
  }
}
