import type { Outcome } from "../model/message.ts";

// Command statuses (SMPP 3.4 §5.1.3), as outcomes of a submission (contract-carriers §16.3).

const OK = 0;
const INVALID_BIND_STATUS = 0x04;
const SYSTEM_ERROR = 0x08;
const QUEUE_FULL = 0x14;
const THROTTLED = 0x58;
const TRY_LATER = 0x64;

/** The centre takes messages faster than it may: these slow the pace down. */
const RATE: ReadonlySet<number> = new Set([QUEUE_FULL, THROTTLED]);

/** Nothing was taken, and that is no fault of the message. */
const NOT_NOW: ReadonlySet<number> = new Set([...RATE, SYSTEM_ERROR, TRY_LATER, INVALID_BIND_STATUS]);

/** A status as a code: `smpp_0x0b`. */
export const codeOfStatus = (status: number): string => `smpp_0x${status.toString(16).padStart(2, "0")}`;

/** No place in the bind's window became free in time: the centre answers more slowly than messages come. */
export const WINDOW_FULL = "window_full";

/** The codes of refusals that are about the centre's rate. */
export const RATE_CODES: readonly string[] = [...[...RATE].map(codeOfStatus), WINDOW_FULL];

/** Whether the centre does not take this connection for a bound one: it has to be made again. */
export const isUnbound = (status: number): boolean => status === INVALID_BIND_STATUS;

/** What the status of a submission's answer means for the message. */
export function outcomeOfStatus(status: number): Outcome {
  if (status === OK) return { kind: "submitted" };
  return { kind: NOT_NOW.has(status) ? "not_accepted" : "rejected", code: codeOfStatus(status) };
}
