/** One invocation makes at most this many calls, for this long; the platform ends it at 10,000 calls or 15 minutes. */
const CALLS_MAX = 5_000;
const WORK_MS_MAX = 600_000;

/** What one invocation may still do. */
export class Budget {
  #calls = CALLS_MAX;
  readonly #beganMs = Date.now();

  spend(calls: number): void {
    this.#calls -= calls;
  }

  get isSpent(): boolean {
    // A clock that was set back by longer than that ends it, too.
    return this.#calls <= 0 || Math.abs(Date.now() - this.#beganMs) >= WORK_MS_MAX;
  }
}
