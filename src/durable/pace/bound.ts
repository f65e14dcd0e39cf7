// The permits of each second, by their times: a limit that the operator set for a carrier holds in every one, wherever it
// begins (contract §16.1).

const CELL_MS = 10;

/** Any span of a second lies within so many cells. */
const SPAN = 1_000 / CELL_MS + 1;

/** Permits are dated a few seconds ahead: the ring holds these, and the second before now. */
const CELLS = 1_024;

/** A limit of permits in each second. */
export class Bound {
  readonly perSec: number;
  readonly #numbers = new Float64Array(CELLS).fill(-1);
  readonly #counts = new Uint16Array(CELLS);

  constructor(perSec: number) {
    this.perSec = perSec;
  }

  /** Counts a permit at this time; false where a second would have too many. */
  take(atMs: number): boolean {
    const number = Math.floor(atMs / CELL_MS);
    let sum = 0;
    for (let at = number - SPAN + 1; at < number + SPAN; at++) {
      sum += this.#count(at);
      // The span that ends here has the cell of this permit in it.
      if (at >= number && sum >= this.perSec) return false;
      if (at >= number) sum -= this.#count(at - SPAN + 1);
    }
    const place = number % CELLS;
    if (this.#numbers[place] !== number) {
      this.#numbers[place] = number;
      this.#counts[place] = 0;
    }
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    return true;
  }

  /** Takes a permit back that was not used. */
  giveBack(atMs: number): void {
    const number = Math.floor(atMs / CELL_MS);
    const place = number % CELLS;
    const count = this.#count(number);
    if (count > 0) this.#counts[place] = count - 1;
  }

  #count(number: number): number {
    const place = ((number % CELLS) + CELLS) % CELLS;
    return this.#numbers[place] === number ? (this.#counts[place] ?? 0) : 0;
  }
}
