import type { Lately, Row } from "../../model/carrier/health.ts";
import type { Seen } from "../../model/pace.ts";

// What an isolate saw at a carrier and has not told its pacing object: of a bounded size, however long that takes.

/** What came of one submission, or of receipts. */
export interface Made extends Pick<Lately, "results"> {
  submitMs?: number;
  deliveryMs?: number;
  /** Where the carrier did not take it. */
  code?: string;
  /** Whether it counts as a failure of the carrier. */
  isFailure?: boolean;
  /** Whether it is trouble of the deployment's own account there. */
  isTrouble?: boolean;
}

/** What came in one such span is told together, and what is older than a minute not at all; in ms. */
const CELL_MS = 5_000;
const KEPT_MS = 60_000;

/** Times that a cell keeps of each kind. */
const TIMES_MAX = 20;

type Cell = Omit<Lately, "agoMs"> & { atMs: number };

function add(cell: Pick<Lately, "results" | "submitMs" | "deliveryMs">, made: Omit<Lately, "agoMs">): void {
  for (const [name, count] of Object.entries(made.results)) {
    cell.results[name as keyof Lately["results"]] = (cell.results[name as keyof Lately["results"]] ?? 0) + count;
  }
  for (const ms of made.submitMs) if (cell.submitMs.length < TIMES_MAX) cell.submitMs.push(ms);
  for (const ms of made.deliveryMs) if (cell.deliveryMs.length < TIMES_MAX) cell.deliveryMs.push(ms);
}

/** What was seen at one carrier. */
export class Untold {
  #cells: Cell[] = [];
  #failures = 0;
  #takenMs: number | null = null;
  #trouble: string | null = null;
  #error: { code: string; atMs: number } | null = null;

  saw({ results, submitMs, deliveryMs, code, isFailure = false, isTrouble = false }: Made, nowMs: number): void {
    const times = {
      submitMs: submitMs === undefined ? [] : [submitMs],
      deliveryMs: deliveryMs === undefined ? [] : [deliveryMs],
    };
    this.#cells = this.#cells.filter(({ atMs }) => Math.abs(nowMs - atMs) < KEPT_MS);
    const last = this.#cells.at(-1);
    if (last && nowMs - last.atMs < CELL_MS) add(last, { results, ...times });
    else this.#cells.push({ atMs: nowMs, results: { ...results }, ...times });
    if (code !== undefined) this.#error = { code, atMs: nowMs };
    if ((results.submitted ?? 0) > 0) {
      this.#takenMs = nowMs;
      this.#failures = 0;
      this.#trouble = null;
    }
    if (isFailure) this.#failures += 1;
    if (isTrouble && code !== undefined) this.#trouble = code;
  }

  /** All of it, which is then told. */
  take(nowMs: number): Pick<Seen, "row" | "lately" | "error"> {
    const ago = (atMs: number) => Math.max(0, nowMs - atMs);
    const lately = this.#cells
      .map(({ atMs, ...cell }) => ({ agoMs: ago(atMs), ...cell }))
      .filter(({ agoMs }) => agoMs < KEPT_MS);
    const row: Row = {
      failures: this.#failures,
      ...(this.#takenMs !== null && { takenAgoMs: ago(this.#takenMs) }),
      ...(this.#trouble !== null && { trouble: this.#trouble }),
    };
    const isRow = this.#failures > 0 || this.#takenMs !== null || this.#trouble !== null;
    const error = this.#error && { code: this.#error.code, agoMs: ago(this.#error.atMs) };
    [this.#cells, this.#failures, this.#takenMs, this.#trouble, this.#error] = [[], 0, null, null, null];
    return { ...(isRow && { row }), ...(lately.length > 0 && { lately }), ...(error && { error }) };
  }
}

/** Two rows as one, of which the second came later. */
function joined(one: Row | undefined, other: Row): Row {
  if (!one || other.takenAgoMs !== undefined) return other;
  return { ...one, ...other, failures: one.failures + other.failures };
}

/** Several tellings as one, in the order in which they came. */
export function merged(all: readonly Seen[]): Seen {
  const quietMs = Math.max(0, ...all.map((seen) => seen.quietMs ?? 0));
  const away = all.reduce((sum, seen) => sum + (seen.away ?? 0), 0);
  const returned = all.flatMap((seen) => seen.returned ?? []);
  const row = all.reduce<Row | undefined>((known, seen) => (seen.row ? joined(known, seen.row) : known), undefined);
  const lately: Lately[] = [];
  for (const { agoMs, ...told } of all.flatMap((seen) => seen.lately ?? [])) {
    const near = lately.find((one) => Math.abs(one.agoMs - agoMs) < CELL_MS);
    if (near) {
      add(near, told);
      continue;
    }
    const { results, submitMs, deliveryMs } = told;
    lately.push({ agoMs, results: { ...results }, submitMs: [...submitMs], deliveryMs: [...deliveryMs] });
  }
  const error = all.findLast((seen) => seen.error)?.error;
  return {
    taken: all.reduce((sum, { taken }) => sum + taken, 0),
    busy: all.reduce((sum, { busy }) => sum + busy, 0),
    ...(away > 0 ? { away } : {}),
    ...(quietMs > 0 ? { quietMs } : {}),
    ...(returned.length > 0 ? { returned } : {}),
    ...(row && { row }),
    ...(all.some(({ tried }) => tried === true) && { tried: true }),
    ...(lately.length > 0 && { lately }),
    ...(error && { error }),
  };
}
