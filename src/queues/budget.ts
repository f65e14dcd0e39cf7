/** One invocation makes at most this many calls, for this long; the platform ends it at 10,000 calls or 15 minutes. */
const CALLS_MAX = 5_000;
const WORK_MS_MAX = 600_000;

/** What one invocation may still do. */
export class Budget {
  #calls = CALLS_MAX;
  readonly #endsAt = Date.now() + WORK_MS_MAX;

  spend(calls: number): void {
    this.#calls -= calls;
  }

  get isSpent(): boolean {
    return this.#calls <= 0 || Date.now() >= this.#endsAt;
  }
}
