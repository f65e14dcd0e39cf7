import type { Taken } from "../pace-client.ts";

// For how long messages are put off whose carrier has no permits, where others may wait behind them.

const PUT_OFF_MS_MIN = 1_000;
export const PUT_OFF_MS_MAX = 30_000;

/** A carrier that is only paced has permits again soon: longer than this, only what it asks for as silence counts. */
const PUT_OFF_PACED_MS_MAX = 4_000;

/** How long that is, in ms, after this answer of the pacing object. */
export function putOffMs({ againMs, quietMs }: Pick<Taken, "againMs" | "quietMs">): number {
  const mostMs = Math.min(PUT_OFF_MS_MAX, quietMs + PUT_OFF_PACED_MS_MAX);
  return Math.min(mostMs, Math.max(againMs, PUT_OFF_MS_MIN));
}
