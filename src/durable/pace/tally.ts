// What was submitted and what was refused, by time: in cells of a tenth of a second, for the last twenty seconds.

const CELL_MS = 100;

/** Permits are dated a few seconds ahead: the ring holds those and the past that a decision looks at. */
const CELLS = 256;

/** An answer of the carrier is about a submission of this long ago. */
export const ANSWER_MS = 200;

/** Counts of permits by their times, and of "not now" answers by the times of their submissions. */
export class Tally {
  readonly #numbers = new Float64Array(CELLS);
  readonly #granted = new Float64Array(CELLS);
  readonly #busy = new Float64Array(CELLS);

  /** Counts permits at their times; a negative count takes those that were given back out again. */
  grant(atMs: number, count = 1): void {
    const at = this.#cell(atMs);
    this.#granted[at] = (this.#granted[at] ?? 0) + count;
  }

  /** Counts refusals that were heard of now. */
  refuse(nowMs: number, count: number): void {
    const at = this.#cell(nowMs - ANSWER_MS);
    this.#busy[at] = (this.#busy[at] ?? 0) + count;
  }

  /** What was granted and refused between two times. */
  between(fromMs: number, toMs: number): { granted: number; busy: number } {
    const first = Math.max(Math.floor(fromMs / CELL_MS), Math.floor(toMs / CELL_MS) - CELLS + 1);
    let granted = 0;
    let busy = 0;
    for (let number = first; number <= Math.floor(toMs / CELL_MS); number++) {
      const at = ((number % CELLS) + CELLS) % CELLS;
      if (this.#numbers[at] === number) {
        granted += this.#granted[at] ?? 0;
        busy += this.#busy[at] ?? 0;
      }
    }
    return { granted, busy };
  }

  /** The place of a time in the ring, emptied of what it held of an earlier round. */
  #cell(atMs: number): number {
    const number = Math.floor(atMs / CELL_MS);
    const at = ((number % CELLS) + CELLS) % CELLS;
    if (this.#numbers[at] !== number) {
      this.#numbers[at] = number;
      this.#granted[at] = 0;
      this.#busy[at] = 0;
    }
    return at;
  }
}
