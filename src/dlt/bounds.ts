// How many characters of a text at least differ from each template, by how often letters occur: a lower bound of the
// distance (distance.ts) that is read for all templates of a registry one after the other.

/** A text has at most 1,000 characters, and Unicode fewer than 2 ** 21. */
const COUNT_BITS = 10;
const COUNT_MAX = 2 ** COUNT_BITS - 1;

/** The fixed characters of all templates of a registry. */
export class Bounds {
  /** Of one template after the other: the number of a character in the alphabet, and in the lowest bits how often it occurs. */
  #counts = new Uint32Array(1_024);
  #used = 0;
  /** For each template, where its counts end, and its fixed characters where it has no variable. */
  readonly #ends: number[] = [];
  readonly #exact: number[] = [];

  /** Adds the next template. */
  add(counts: ReadonlyMap<number, number>, fixed: number, hasVariable: boolean): void {
    const needed = this.#used + counts.size;
    if (needed > this.#counts.length) {
      const larger = new Uint32Array(Math.max(needed, Math.ceil(this.#counts.length * 1.5)));
      larger.set(this.#counts);
      this.#counts = larger;
    }
    for (const [number, count] of counts) {
      this.#counts[this.#used] = (number << COUNT_BITS) | count;
      this.#used += 1;
    }
    this.#ends.push(this.#used);
    this.#exact.push(hasVariable ? 0 : fixed);
  }

  /** The templates by their numbers, grouped by how many characters differ at least; `given` counts those of the text. */
  of(given: Uint16Array, length: number): number[][] {
    const groups: number[][] = [];
    let at = 0;
    for (let nth = 0; nth < this.#ends.length; nth += 1) {
      const end = this.#ends[nth] ?? 0;
      let missing = 0;
      for (; at < end; at += 1) {
        const one = this.#counts[at] ?? 0;
        const less = (one & COUNT_MAX) - (given[one >>> COUNT_BITS] ?? 0);
        if (less > 0) missing += less;
      }
      const exact = this.#exact[nth] ?? 0;
      const least = exact > 0 ? Math.max(missing, missing + length - exact) : missing;
      (groups[least] ??= []).push(nth);
    }
    return groups;
  }
}
