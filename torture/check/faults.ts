import type { Fault } from "./evidence.ts";

/** A fault may still have effects this long after its logged end. */
const ECHO_MS = 2_500;

/** The faults that may have had effects in a time, of all kinds or of some. */
export function runningFaults(faults: Fault[], fromMs: number, toMs: number, kinds?: string[]): Fault[] {
  return faults.filter(
    ({ kind, from, to }) => from <= toMs && to + ECHO_MS >= fromMs && (kinds === undefined || kinds.includes(kind)),
  );
}
