/** What was taken counts for about so long, in ms. */
const LATELY_MS = 5_000;

/** Permits per second of late: what was given counts less and less. */
export class Lately {
  #perSec = 0;
  #atMs = 0;

  add(count: number, nowMs: number): void {
    this.#perSec = this.perSec(nowMs) + (count * 1_000) / LATELY_MS;
    this.#atMs = nowMs;
  }

  perSec(nowMs: number): number {
    return this.#perSec * Math.exp((this.#atMs - nowMs) / LATELY_MS);
  }
}
