// When promotional messages may be sent (contract §17.2): a part of each day in India, which has one time of +05:30 and
// sets no clock forward.

/** From the first minute of the day on, and before the other. */
export interface Hours {
  from: number;
  to: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const INDIA_MS = 330 * MINUTE_MS;

/** When promotional messages may be sent next, in ms since the epoch; null: at this time they may. */
export function nextHours({ from, to }: Hours, atMs: number): number | null {
  const dayMs = Math.floor((atMs + INDIA_MS) / DAY_MS) * DAY_MS - INDIA_MS;
  const [beginMs, endMs] = [dayMs + from * MINUTE_MS, dayMs + to * MINUTE_MS];
  if (atMs < beginMs) return beginMs;
  return atMs < endMs ? null : beginMs + DAY_MS;
}
