import type { Operation } from "./operations.ts";

// Lanes of delivery: each has a queue of its own, so that one kind of work does not wait behind another.

/** The lanes, the most urgent first. */
export const LANES = ["otp", "single", "bulk"] as const;
export type Lane = (typeof LANES)[number];

/** The lane of a request's messages. */
export function laneOf(operation: Operation, recipients: number): Lane {
  if (recipients > 1) return "bulk";
  return operation === "otp" ? "otp" : "single";
}
