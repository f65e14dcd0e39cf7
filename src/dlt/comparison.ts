import { VARIABLE } from "./distance.ts";
import type { Steps } from "./distance.ts";

// The distance of one text from many templates (distance.ts), 32 places of the text at a time. Two neighbouring costs of a
// row differ by one at most, so a row is held as the places where costs rise and those where they fall, and a fixed
// character changes all of them by a few operations on whole numbers (Myers, J. ACM 46, 1999; blocks: Hyyrö, 2003).

/** Places in one number. */
const BITS = 32;

/** After so many fixed characters in a row it is looked whether a template can still be near enough. */
const LOOK_EVERY = 32;

/** A text that is compared with templates. */
export class Comparison {
  readonly #length: number;
  /** For each character of an alphabet, where its numbers are in `#places`: at 0 those of one that the text has not. */
  readonly #begins: Int32Array;
  /** The places at which a character stands in the text, as bits. */
  readonly #places: Int32Array;
  /** The places at which the cost is one more than before it, and one less. */
  readonly #rises: Int32Array;
  readonly #falls: Int32Array;

  /** `text` has the number of each character in an alphabet of `size`, or -1 where it is of no template. */
  constructor(text: Int32Array, size: number) {
    const blocks = Math.ceil(text.length / BITS);
    this.#length = text.length;
    this.#begins = new Int32Array(size);
    this.#places = new Int32Array((new Set(text).size + 1) * blocks);
    this.#rises = new Int32Array(blocks);
    this.#falls = new Int32Array(blocks);
    let used = 0;
    for (const [at, number] of text.entries()) {
      if (number < 0) continue;
      const begin = this.#begins[number] || (used += blocks);
      this.#begins[number] = begin;
      const block = begin + Math.floor(at / BITS);
      this.#places[block] = (this.#places[block] ?? 0) | (1 << (at % BITS));
    }
  }

  /**
   * The distance of the text from a template, whose steps are numbers of the alphabet; Infinity where it is `limit` or
   * more. `work` counts the blocks of 32 places that were looked at, once for each step.
   */
  distance(steps: Steps, limit: number, work = { blocks: 0 }): number {
    this.#rises.fill(-1);
    this.#falls.fill(0);
    // What is left out of the template so far: the cost before the text's first place.
    let first = 0;
    let fixed = 0;
    for (const step of steps) {
      work.blocks += this.#rises.length;
      if (step === VARIABLE) {
        if (first + this.#least(true) >= limit) return Infinity;
        continue;
      }
      this.#advance(step);
      first += 1;
      fixed += 1;
      if (fixed % LOOK_EVERY === 0 && first + this.#least(false) >= limit) return Infinity;
    }
    const cost = first + this.#last();
    return cost < limit ? cost : Infinity;
  }

  /** Goes on by one fixed character. */
  #advance(step: number): void {
    const begin = this.#begins[step] ?? 0;
    const places = this.#places;
    const [allRises, allFalls] = [this.#rises, this.#falls];
    // Whether the cost at the end of the block before changes: up before the first place, as the character is left out.
    let up = 1;
    let down = 0;
    for (let block = 0; block < allRises.length; block += 1) {
      const rises = allRises[block] ?? 0;
      const falls = allFalls[block] ?? 0;
      const same = places[begin + block] ?? 0;
      const kept = same | falls;
      const equal = same | down;
      const crossed = ((((equal & rises) + rises) | 0) ^ rises) | equal;
      const more = falls | ~(crossed | rises);
      const less = rises & crossed;
      const behindMore = (more << 1) | up;
      allRises[block] = (less << 1) | down | ~(kept | behindMore);
      allFalls[block] = behindMore & kept;
      up = more >>> 31;
      down = less >>> 31;
    }
  }

  /**
   * The least cost, compared with that before the first place; with `goesOn` also what a variable makes of the row: it
   * goes on from each place at no cost.
   */
  #least(goesOn: boolean): number {
    let cost = 0;
    let least = 0;
    for (let block = 0; block < this.#rises.length; block += 1) {
      const [rises, falls] = [this.#rises[block] ?? 0, this.#falls[block] ?? 0];
      let lower = 0;
      if (falls !== 0) {
        const places = Math.min(BITS, this.#length - block * BITS);
        for (let at = 0; at < places; at += 1) {
          cost += ((rises >>> at) & 1) - ((falls >>> at) & 1);
          if (cost < least) {
            least = cost;
            lower |= 1 << at;
          }
        }
      } else cost += countOf(rises);
      if (!goesOn) continue;
      this.#rises[block] = 0;
      this.#falls[block] = lower;
    }
    return least;
  }

  /** The cost at the text's end, compared with that before its first place. */
  #last(): number {
    let cost = 0;
    for (let block = 0; block < this.#rises.length; block += 1) {
      const left = this.#length - block * BITS;
      const mask = left < BITS ? (1 << left) - 1 : -1;
      cost += countOf((this.#rises[block] ?? 0) & mask) - countOf((this.#falls[block] ?? 0) & mask);
    }
    return cost;
  }
}

/** How many bits of a number are set. */
function countOf(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
