import type { Turn } from "../turn.ts";
import { dayStartMs } from "./day.ts";

// What a transaction changes of the counts in memory, while they are kept: the same that storage says when it is read anew.

/** Counts the debit of a request that was carried out. */
export function countSpent({ window, nowMs }: Turn, units: number): void {
  if (window.spent?.startMs === dayStartMs(nowMs)) window.spent.units += units;
}

/** Counts a code that was stored. */
export function countOtp({ window, nowMs }: Turn, seq: number, to: string): void {
  window.otps?.push({ seq, atMs: nowMs, to });
}

/** Gives refunds of a job back to the day of its debit; a code that was refunded counts no more. */
export function countRefunded(
  { window }: Turn,
  { seq, createdAt }: { seq: number; createdAt: number },
  units: number,
): void {
  if (window.spent?.startMs === dayStartMs(createdAt)) window.spent.units -= units;
  if (window.otps) window.otps = window.otps.filter((one) => one.seq !== seq);
}
