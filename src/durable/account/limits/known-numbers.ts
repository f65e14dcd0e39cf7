import { JOB_NOT_REFUNDED } from "../billing/ledger.ts";
import { text } from "../../rows.ts";
import type { Turn } from "../turn.ts";
import type { KnownNumbers } from "../window.ts";

// The numbers that got a code from this account before, which need not wait for the codes of others while their range is
// under attack. They are read from the jobs that the object holds, once an hour and only while a range is limited, and kept
// as numbers of eight bytes each: 0.8 MB at most, no row, and nothing at any other time. What that costs: a number that an
// attack got a code for is known too, and from then on limited by its own gaps and the day's cap alone.

export const HOUR_MS = 3_600_000;

/** Jobs that are looked at, the newest: so many take some tens of ms. */
export const JOBS_MAX = 100_000;

function readKnown({ sql, nowMs }: Turn): KnownNumbers {
  const query = `
    SELECT messages ->> '$[0]' AS number
      FROM (SELECT seq, operation, messages FROM job ORDER BY seq DESC LIMIT ${JOBS_MAX}) AS job
     WHERE operation = 'otp'
       AND ${JOB_NOT_REFUNDED}`;
  const numbers: number[] = [];
  // E.164 has 15 digits at most, which a number of eight bytes holds exactly.
  for (const row of sql.exec(query)) numbers.push(Number(text(row, "number")));
  return { atMs: nowMs, numbers: Float64Array.from(numbers).toSorted() };
}

function includes(sorted: Float64Array, wanted: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === wanted;
}

/** Whether a number got a code before; what was sent since the last reading is in the last hour, which is counted anyway. */
export function isKnown(turn: Turn, to: string): boolean {
  const { window, nowMs } = turn;
  const age = window.known ? nowMs - window.known.atMs : Infinity;
  if (!window.known || age < 0 || age >= HOUR_MS) window.known = readKnown(turn);
  return includes(window.known.numbers, Number(to));
}
