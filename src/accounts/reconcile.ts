import { accountsAfter } from "../db/account-list.ts";
import type { Difference } from "../model/account.ts";
import type { AccountRef, Mode } from "../model/ref.ts";
import { recountStep } from "./recount-step.ts";

// Reconciles the objects of accounts (contract §10), page by page: both of one account, or those of all accounts, and the
// files of their archives. Between two pages an object serves its other calls.

/** Pages of objects that one request recounts at most: some 100,000 messages or entries, and as many calls of objects. */
const PAGES_PER_REQUEST = 200;

const MODES: readonly Mode[] = ["live", "test"];

/** A discrepancy, and the object in which it is. */
export type FoundDifference = AccountRef & Difference;

/** The place in one account, from which a recount goes on; it is written as `acc_….live.…`. */
interface Place extends AccountRef {
  cursor: string | null;
}

/** What one request recounted. */
export interface Recount {
  differences: FoundDifference[];
  /** Accounts that it brought to an end. */
  accounts: number;
  /** The account in which it stopped, and the number of the last entry that it checked there. */
  within: { accountId: string; mode: Mode; seq: number } | null;
  /** Where the next request goes on; null when there is nothing left. */
  next: string | null;
}

const placeText = ({ accountId, mode, cursor }: Place) => `${accountId}.${mode}.${cursor ?? ""}`;

/** Reads a place within an account; null where the text is none, such as the id of an account. */
function readPlace(text: string): Place | null {
  const [, accountId = "", mode, cursor = ""] = /^(acc_\w{1,20})\.(live|test)\.(.*)$/u.exec(text) ?? [];
  return mode === "live" || mode === "test" ? { accountId, mode, cursor: cursor === "" ? null : cursor } : null;
}

/** A recount under way, which may read so many pages more. */
interface Run {
  differences: FoundDifference[];
  pages: number;
}

/** How the recount of an object or account ended: to its end, at a place, or not at all. */
type Ended = "end" | "unopened" | "unreadable" | (Place & { seq: number });

async function recountObject(env: Env, run: Run, { cursor: first, ...ref }: Place): Promise<Ended> {
  let seq = 0;
  for (let cursor = first; ;) {
    if (run.pages <= 0) return { ...ref, cursor, seq };
    const step = await recountStep(env, ref, cursor, { full: true, archive: true });
    if (step === null) return "unopened";
    if (step === "unreadable") return step;
    run.pages -= step.cost;
    run.differences.push(...step.differences.map((difference) => ({ ...ref, ...difference })));
    if (step.next === null) return "end";
    cursor = step.next;
    if (step.part === "rows") ({ seq } = step);
  }
}

/** Recounts both objects of an account, from a place in it or from its beginning. */
async function recountBoth(env: Env, run: Run, from: Place): Promise<Ended> {
  let isOpened = false;
  for (const mode of MODES.slice(MODES.indexOf(from.mode))) {
    const ended = await recountObject(env, run, mode === from.mode ? from : { ...from, mode, cursor: null });
    if (ended !== "end" && ended !== "unopened") return ended;
    isOpened ||= ended === "end";
  }
  return isOpened ? "end" : "unopened";
}

/** The result of a run that stopped at this place in an account, or ended it. */
function stopped(run: Run, accounts: number, at: Place & { seq: number }): Recount {
  const { accountId, mode, seq } = at;
  return { differences: run.differences, accounts, within: { accountId, mode, seq }, next: placeText(at) };
}

/**
 * Recounts an account, from the `next` of the request before. Null: the account was never opened; `unreadable`: `after`
 * is no place in this account.
 */
export async function recountAccount(
  env: Env,
  accountId: string,
  after: string,
): Promise<Recount | "unreadable" | null> {
  const from = after === "" ? { accountId, mode: "live" as const, cursor: null } : readPlace(after);
  if (from?.accountId !== accountId) return "unreadable";
  const run: Run = { differences: [], pages: PAGES_PER_REQUEST };
  const ended = await recountBoth(env, run, from);
  if (ended === "unreadable") return ended;
  if (ended === "unopened") return null;
  if (ended !== "end") return stopped(run, 0, ended);
  return { differences: run.differences, accounts: 1, within: null, next: null };
}

/** A page of all account ids, in order. It comes from D1 and may lag; it only decides which objects are asked. */
async function accountsPage(env: Env, after: string, limit: number): Promise<{ ids: string[]; next: string | null }> {
  const refs = await accountsAfter(env.DB, after, limit + 1);
  const ids = refs.slice(0, limit).map((ref) => ref.accountId);
  return { ids, next: refs.length > limit ? (ids.at(-1) ?? null) : null };
}

/** Recounts a page of all accounts, one after the other: of `limit` accounts, or fewer where they are large. */
export async function recountPage(env: Env, after: string, limit: number): Promise<Recount | "unreadable"> {
  const run: Run = { differences: [], pages: PAGES_PER_REQUEST };
  const within = readPlace(after);
  if (within) {
    const ended = await recountBoth(env, run, within);
    if (ended === "unreadable") return ended;
    if (typeof ended === "object") return stopped(run, 0, ended);
  }
  const rest = limit - (within ? 1 : 0);
  const { ids, next } = await accountsPage(env, within?.accountId ?? after, Math.max(1, rest));
  let accounts = within ? 1 : 0;
  if (rest > 0) {
    for (const accountId of ids) {
      const ended = await recountBoth(env, run, { accountId, mode: "live", cursor: null });
      if (typeof ended === "object") return stopped(run, accounts, ended);
      accounts += 1;
    }
  }
  return { differences: run.differences, accounts, within: null, next: rest > 0 ? next : (within?.accountId ?? next) };
}
