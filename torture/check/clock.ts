import type { Fault } from "./evidence.ts";
import { runningFaults } from "./faults.ts";

// Times in the service's books are by its own clock, which the run sets forward and back; the logs are by the real one.

/** The jumps of the service's clock: when, in real time, and how far. */
export function jumpsOf(faults: Fault[]): { at: number; byMs: number }[] {
  const clocks = faults.filter(({ kind }) => kind === "clock");
  return clocks.map(({ from, clockMs }, nth) => ({ at: from, byMs: clockMs - (clocks[nth - 1]?.clockMs ?? 0) }));
}

/** A jump of the clock that may end a validity, or delay the next look at a message. */
export const LEAP_MS = 10_000;

/** When the clock leapt, in real time. */
export function leapsOf(faults: Fault[]): number[] {
  return jumpsOf(faults).flatMap(({ at, byMs }) => (Math.abs(byMs) > LEAP_MS ? [at] : []));
}

/** For so long after a jump, what was begun before may still carry the time of before. */
const JUMP_MS = 5_000;

/** The real times at which the service's clock may have shown this time. */
export function realTimesOf(faults: Fault[], serviceMs: number): number[] {
  const jumps = faults.filter(({ kind }) => kind === "clock").toSorted((one, other) => one.from - other.from);
  const epochs = [{ from: -Infinity, clockMs: 0 }, ...jumps];
  return epochs.flatMap(({ from, clockMs }, at) => {
    const realMs = serviceMs - clockMs;
    const until = epochs[at + 1]?.from ?? Infinity;
    return realMs >= from - JUMP_MS && realMs <= until + JUMP_MS ? [realMs] : [];
  });
}

/** The times of the service's clock between two real times, the earliest and the latest; about a jump, both its clocks count. */
export function serviceTimes(faults: Fault[], fromMs: number, toMs: number): { first: number; last: number } {
  const jumps = faults.filter(({ kind }) => kind === "clock").toSorted((one, other) => one.from - other.from);
  const epochs = [{ from: -Infinity, clockMs: 0 }, ...jumps];
  const spans = epochs.flatMap(({ from, clockMs }, at) => {
    const until = (epochs[at + 1]?.from ?? Infinity) + JUMP_MS;
    if (from > toMs || until < fromMs) return [];
    return [{ first: Math.max(from, fromMs) + clockMs, last: Math.min(until, toMs) + clockMs }];
  });
  return { first: Math.min(...spans.map(({ first }) => first)), last: Math.max(...spans.map(({ last }) => last)) };
}

/** The service's books and the logs agree on a moment to within this. */
const MOMENT_MS = 500;

/** Whether one of these faults was running within `afterMs` of a time in the service's books. */
export function hadFault(faults: Fault[], serviceMs: number, afterMs: number, kinds: string[]): boolean {
  return realTimesOf(faults, serviceMs).some(
    (realMs) => runningFaults(faults, realMs - MOMENT_MS, realMs + afterMs, kinds).length > 0,
  );
}
