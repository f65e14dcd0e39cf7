import { RESULTS, noResults } from "../../model/carrier/health.ts";
import type { CarrierHealth, Lately, Result, Results } from "../../model/carrier/health.ts";

// How a carrier does, from what consumers tell: memory of a bounded size, that begins anew when the object starts.

const MINUTE_MS = 60_000;

/** Counts of a moment are together in a cell; the minute is so many, and the one that is under way. */
const CELL_MS = 5_000;
const CELLS = MINUTE_MS / CELL_MS + 1;

/** Times of submissions that a median is taken of. */
const TIMES_MAX = 256;

const LENGTH_MAX = 100;

/** The clock is an argument, and never goes back. */
export class HealthRecord {
  readonly #cells: { number: number; results: Results }[] = Array.from({ length: CELLS }, () => ({
    number: -1,
    results: noResults(),
  }));
  /** A ring of the last ones. */
  readonly #times: { atMs: number; ms: number }[] = [];
  #nextTime = 0;
  #error: CarrierHealth["lastError"] = null;

  /** Counts what was told. */
  saw(lately: readonly Lately[], nowMs: number): void {
    for (const { agoMs, results, submitMs } of lately) {
      const atMs = nowMs - Math.max(0, agoMs);
      if (atMs <= nowMs - MINUTE_MS) continue;
      const cell = this.#cell(Math.floor(atMs / CELL_MS));
      for (const name of RESULTS) if (cell) cell[name] += results[name] ?? 0;
      for (const ms of submitMs) this.#times[this.#nextTime++ % TIMES_MAX] = { atMs, ms };
    }
  }

  /** Notes the last answer that was no acceptance. */
  erred(code: string, atMs: number): void {
    if (this.#error === null || atMs >= this.#error.atMs) this.#error = { code: code.slice(0, LENGTH_MAX), atMs };
  }

  /** All of it, as of now. */
  standing(nowMs: number): Omit<CarrierHealth, "state" | "sinceMs"> {
    const from = Math.floor((nowMs - MINUTE_MS) / CELL_MS) + 1;
    const minute = noResults();
    for (const { number, results } of this.#cells) {
      if (number >= from) for (const name of RESULTS) minute[name] += results[name];
    }
    const times = this.#times.filter(({ atMs }) => atMs > nowMs - MINUTE_MS).map(({ ms }) => ms);
    return { lastError: this.#error, minute, medianMs: medianOf(times) };
  }

  /** The counts of a cell; null where a newer one has its place. */
  #cell(number: number): Record<Result, number> | null {
    const at = number % CELLS;
    const known = this.#cells[at];
    if (known && known.number > number) return null;
    if (known?.number === number) return known.results;
    const results = noResults();
    this.#cells[at] = { number, results };
    return results;
  }
}

/** The lower median; null of nothing. */
function medianOf(times: readonly number[]): number | null {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[(sorted.length - 1) >> 1] ?? null;
}
