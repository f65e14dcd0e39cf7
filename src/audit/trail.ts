import { actsAfter, actsBefore, forgetActs } from "../db/audit.ts";
import type { ActFilter } from "../db/audit.ts";
import { showPlace } from "../model/audit.ts";
import type { ActPage, ActPlace, Action, RecordedAct } from "../model/audit.ts";

// Reads the audit trail in pages.

const DAY_MS = 86_400_000;

/** Acts that anyone who signs in can repeat at will, and how long they are kept; all others are kept for ever. */
const PASSING: readonly Action[] = ["session.started", "session.confirmed", "session.ended", "key.shown"];
const PASSING_KEPT_MS = 400 * DAY_MS;

/** Rows that one run of the housekeeping deletes at most. */
const FORGOTTEN_PER_RUN = 1_000;

function pageOf(rows: RecordedAct[], limit: number): ActPage {
  const acts = rows.slice(0, limit);
  const last = acts.at(-1);
  return { acts, next: rows.length > limit && last ? showPlace(last) : null };
}

/** A page of acts, newest first. */
export async function newestActs(
  env: Env,
  filter: ActFilter,
  before: ActPlace | null,
  limit: number,
): Promise<ActPage> {
  return pageOf(await actsBefore(env.DB, filter, before, limit + 1), limit);
}

/** A page of acts, oldest first, for programs that copy the trail. */
export async function oldestActs(env: Env, filter: ActFilter, after: ActPlace | null, limit: number): Promise<ActPage> {
  return pageOf(await actsAfter(env.DB, filter, after, limit + 1), limit);
}

/** Deletes the passing acts that are old; the scheduled handler calls it. */
export async function forgetOldActs(env: Env, nowMs: number): Promise<void> {
  await forgetActs(env.DB, PASSING, nowMs - PASSING_KEPT_MS, FORGOTTEN_PER_RUN);
}
