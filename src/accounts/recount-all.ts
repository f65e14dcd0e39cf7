import * as z from "zod";
import { endAlert, raiseAlert } from "../alerts/alerts.ts";
import { openAlerts } from "../db/alerts.ts";
import { readCursor, writeCursor } from "../db/cursors.ts";
import { accountsAfter } from "../db/account-list.ts";
import { logProblem } from "../log.ts";
import { recountStep } from "./recount-step.ts";
import type { Step } from "./recount-step.ts";

// The recount of all accounts by the cron: a round a day, some pages in each run. Only live objects: the money of test
// mode is none, and `/operator/reconcile` recounts it on demand. Each object is recounted from where it was found right
// before, so an account at rest costs one call; what is older is recounted on demand, too. The files of an account's
// archive, which nothing changes any more, are checked in one round of thirty.

const CURSOR = "reconcile";

/** A round begins so long after the one before, in ms. */
const ROUND_MS = 86_400_000;

/** Pages of objects in one run: as many calls, of some milliseconds each, of the 1,000 that an invocation may make. */
const PAGES_PER_RUN = 100;

/** The archive of an account is checked once in so many rounds. */
const ARCHIVE_ROUNDS = 30;

const ACCOUNTS_PER_QUERY = 50;

/** Alerts that are open at once, at most. */
const OPEN_MAX = 500;

/** How far the round is. */
const placeSchema = z.object({
  startedAt: z.number(),
  /** The last account that was recounted to its end; null once all were. */
  after: z.string().nullable(),
  /** Where an account goes on that is recounted in part, in the form of its object. */
  within: z.object({ accountId: z.string(), cursor: z.string() }).nullable(),
});
type Place = z.infer<typeof placeSchema>;

/** Where this run begins; null where the next round is not due yet. */
async function beginning(env: Env, nowMs: number): Promise<Place | null> {
  const stored = await readCursor(env.DB, CURSOR);
  const known = placeSchema.safeParse(stored === null ? null : JSON.parse(stored)).data;
  if (known && known.after !== null) return known;
  // A round that began in the future did so before the clock was set back.
  if (known && nowMs < known.startedAt + ROUND_MS && known.startedAt <= nowMs) return null;
  return { startedAt: nowMs, after: "", within: null };
}

/** Whether this round checks the account's archive, too: each account has its own round of thirty. */
function isArchiveDue(accountId: string, startedAt: number): boolean {
  const own = [...accountId].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return (Math.floor(startedAt / ROUND_MS) + own) % ARCHIVE_ROUNDS === 0;
}

/** One step of an account; null where it cannot be recounted now, which is logged and no difference. */
async function stepOf(env: Env, accountId: string, cursor: string | null, startedAt: number): Promise<Step | null> {
  try {
    const parts = { full: false, archive: isArchiveDue(accountId, startedAt) };
    const step = await recountStep(env, { accountId, mode: "live" }, cursor, parts);
    return step === "unreadable" ? null : step;
  } catch (problem) {
    logProblem("reconcile", problem);
    return null;
  }
}

async function report(env: Env, accountId: string, step: Step, open: ReadonlySet<string>): Promise<void> {
  const [first] = step.differences;
  const subject = step.part === "rows" ? accountId : `${accountId} archive`;
  if (first) {
    const values = { account: accountId, differences: step.found, first: `${first.kind}: ${first.detail}` };
    await raiseAlert(env, { kind: "reconcile_difference", subject, values });
  } else if (step.isEnd && step.found === 0 && open.has(subject)) {
    await endAlert(env, "reconcile_difference", subject);
  }
}

/** Recounts accounts from the round's place on, at most so many pages; returns the place where it stopped. */
async function recountFrom(env: Env, place: Place, pages: number, open: ReadonlySet<string>): Promise<Place> {
  let { after, within } = place;
  for (let left = pages; after !== null && left > 0;) {
    const refs = await accountsAfter(env.DB, after, ACCOUNTS_PER_QUERY);
    if (refs.length === 0) after = null;
    for (const { accountId } of refs) {
      let cursor = within?.accountId === accountId ? within.cursor : null;
      do {
        if (left <= 0) return { ...place, after, within: cursor === null ? null : { accountId, cursor } };
        const step = await stepOf(env, accountId, cursor, place.startedAt);
        left -= step?.cost ?? 1;
        if (step) await report(env, accountId, step, open);
        cursor = step?.next ?? null;
      } while (cursor !== null);
      after = accountId;
      within = null;
    }
  }
  return { ...place, after, within };
}

/** Goes on with the round of recounts; differences are alerts, which end when they are gone. */
export async function recountAccounts(env: Env, nowMs: number, pages = PAGES_PER_RUN): Promise<void> {
  const place = await beginning(env, nowMs);
  if (!place) return;
  const alerts = await openAlerts(env.DB, OPEN_MAX);
  const open = new Set(alerts.filter(({ kind }) => kind === "reconcile_difference").map(({ subject }) => subject));
  await writeCursor(env.DB, CURSOR, JSON.stringify(await recountFrom(env, place, pages, open)));
}
