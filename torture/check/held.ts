import { realTimesOf } from "./clock.ts";
import type { Evidence } from "./evidence.ts";

// How long a consumer holds what it has claimed before its carrier sees it.

/** How soon after its beginning an attempt reaches its carrier: a permit may be dated ahead, and a machine may stall. */
export const REACHES_MS = 8_000;
/** What is claimed at once is held so long at most (`WAIT_MARGIN_MS` of src/queues/lane-work.ts, and the last permit's time). */
const HELD_MS_MAX = 30_000;
/** The books may date an attempt this much after its submission. */
export const EARLY_MS = 500;

/** An attempt: when it began by the books, and how long after that it may reach its carrier. */
export interface Begun {
  at: number;
  reachMs: number;
}

/**
 * How long after its beginning, by its time in the books, an attempt of an account may reach its carrier. Messages of one
 * claim begin together and are submitted one by one, at their carrier's pace: while some of them reach it, the others wait.
 */
export function reachOf({
  faults,
  history,
  books,
  submissions,
}: Evidence): (account: string, serviceMs: number) => number {
  const refs = new Map(books.flatMap(({ messages }) => messages.map((one) => [`${one.account} ${one.to}`, one.ref])));
  const seen = Map.groupBy(submissions, ({ ref }) => ref);
  const claims = new Map<string, number[][]>();
  for (const { account, to, timeline } of history) {
    const times = (seen.get(refs.get(`${account} ${to}`) ?? "") ?? []).map(({ at }) => at);
    for (const { state, at } of timeline) {
      if (state !== "sending") continue;
      const claim = `${account} ${at}`;
      claims.set(claim, [...(claims.get(claim) ?? []), times]);
    }
  }
  return (account, serviceMs) => {
    const own = claims.get(`${account} ${serviceMs}`) ?? [];
    return Math.max(REACHES_MS, ...realTimesOf(faults, serviceMs).map((from) => heldMs(from, own)));
  };
}

/** How long a claim is held from a time on, by when each of its messages was submitted. */
function heldMs(from: number, submitted: number[][]): number {
  // What came after the first one is of another claim.
  const firsts = submitted.flatMap((times) => times.find((at) => at >= from - EARLY_MS) ?? []);
  let until = from + REACHES_MS;
  for (const at of firsts.toSorted((one, other) => one - other)) {
    if (at <= until) until = Math.max(until, at + REACHES_MS);
  }
  return Math.min(until - from, HELD_MS_MAX);
}
