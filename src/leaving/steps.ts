import { configOf } from "../config/config.ts";
import { objectName } from "../crypto/ids.ts";
import { historyDatabases } from "../db/history-databases.ts";
import { eraseBuyers, eraseHistory, eraseLetters, eraseListed, redactActs } from "../db/leaving.ts";
import type { ErasureRow } from "../db/leaving.ts";
import { eraseRefused } from "../db/requests/refused.ts";
import { LOCAL_INBOX, inboxName, inboxNamed } from "../inbox/landing.ts";
import type { AccountRef, Mode } from "../model/ref.ts";
import { bothOf } from "../objects.ts";
import { forgetPerson } from "./person.ts";
import { bucketsOf, eraseFolder, foldersOf, objectsOf } from "./folders.ts";

// The steps of an erasure, in their order. Each may be repeated, and does a bounded part of its work: a run that dies
// between or within them is continued by the next.

/** Groups of history, pages of R2 and acts that one run deletes or changes at most in each place. */
const GROUPS_MAX = 5_000;
const PAGES_MAX = 20;
const ACTS_MAX = 1_000;

/** One step; false when the next run must continue it. */
type Step = (env: Env, row: ErasureRow) => Promise<boolean>;

const MODES: readonly Mode[] = ["live", "test"];

/**
 * The databases that hold history; an account's is not asked for, since its object may be gone already. `DB` has what the
 * release before databases of history left there.
 */
const historiesOf = (env: Env): D1Database[] => [env.DB, ...historyDatabases(env).map(({ database }) => database)];

/** The person comes first, so that no one can sign in to an account that is half gone. */
const person: Step = async (env, { accountId, personId }) => {
  if (personId !== null) await forgetPerson(env, configOf(env), { personId, accountId });
  return true;
};

const objects: Step = async (env, { accountId }) => {
  const { live, test } = bothOf(env, accountId);
  await live.erase();
  await test.erase();
  return true;
};

/** The account's own test inbox; locally one inbox serves all accounts, of which its messages go. */
const inbox: Step = async (env, { accountId }) => {
  const ref: AccountRef = { accountId, mode: "test" };
  const name = inboxName(configOf(env), ref) ?? objectName(ref);
  const stub = inboxNamed(env, name);
  if (name !== LOCAL_INBOX) await stub.erase();
  else for (const account of objectsOf(accountId)) await stub.remove({ account });
  return true;
};

/** Recordings, archived months and what else has a folder of the account. */
const folders: Step = async (env, { accountId }) => {
  let isDone = true;
  for (const bucket of bucketsOf(env)) {
    for (const folder of foldersOf(accountId)) isDone = (await eraseFolder(bucket, folder, PAGES_MAX)) && isDone;
  }
  return isDone;
};

const history: Step = async (env, { accountId }) => {
  await eraseListed(env.DB, accountId);
  let isDone = true;
  for (const database of historiesOf(env)) {
    for (const mode of MODES) isDone = (await eraseHistory(database, { accountId, mode }, GROUPS_MAX)) && isDone;
  }
  for (const { database } of historyDatabases(env)) {
    for (const mode of MODES) await eraseRefused(database, { accountId, mode }, Date.now());
  }
  return isDone;
};

/** Orders stay, for the law keeps them; the buyer stays only on those with an invoice. */
const traces: Step = async (env, { accountId }) => {
  await eraseLetters(env.DB, objectsOf(accountId));
  await eraseBuyers(env.DB, accountId, "unpaid");
  return redactActs(env.DB, accountId, ACTS_MAX);
};

const STEPS: readonly Step[] = [person, objects, inbox, folders, history, traces];

/** Runs every step once, in order; false at the first that the next run must continue. */
export async function runSteps(env: Env, row: ErasureRow): Promise<boolean> {
  for (const step of STEPS) if (!(await step(env, row))) return false;
  return true;
}
