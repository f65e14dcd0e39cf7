import { reportUnbound } from "../alerts/databases.ts";
import { configOf } from "../config/config.ts";
import { accountOfName } from "../crypto/ids.ts";
import { listAccounts } from "../db/account-list.ts";
import { HistoryNotBound, historyDatabase } from "../db/history-databases.ts";
import { recordGroups } from "../db/history.ts";
import { watchAccounts } from "../db/watch.ts";
import { logProblem } from "../log.ts";
import type { Records } from "../model/history.ts";
import type { AccountObject } from "../objects.ts";
import { clearFromHistory } from "./history-clear.ts";
import { historyJob } from "./jobs.ts";
import type { HistoryJob } from "./jobs.ts";
import { observe } from "./observe.ts";
import type { Waits } from "./observe.ts";

// The history consumer: fetches the newest state from the accounts, writes it to the accounts' databases, in one batch
// for each of them, and reports to the accounts what is recorded. What fails is tried again by the queue, and in the end
// by the account's own pass.

const RETRY_DELAY_SEC_MAX = 300;

/** After so many deliveries, about a minute, a message goes back to its account, whose passes have growing gaps. */
const DELIVERIES_MAX = 6;

/** Jobs recorded together: with 100 messages each, eight megabytes in memory and one in statements. */
const JOBS_PER_WAVE = 160;

/** An account is watched for so long beyond its messages, in ms: it keeps sealed replies for a week, and a day stands over. */
const WATCHED_MORE_MS = 9 * 86_400_000;

/** A queue message with its job. */
interface Asked {
  message: Message;
  job: HistoryJob;
}

/** The jobs of a batch, in waves that keep memory and statements in bounds; a message that is no job is dropped. */
function* wavesOf(batch: MessageBatch): Generator<Asked[]> {
  let wave: Asked[] = [];
  let jobs = 0;
  for (const message of batch.messages) {
    const parsed = historyJob.safeParse(message.body);
    if (!parsed.success) {
      logProblem("history queue", new Error("a message that is no job was dropped"));
      message.ack();
      continue;
    }
    wave.push({ message, job: parsed.data });
    jobs += Math.max(1, parsed.data.seqs.length);
    if (jobs < JOBS_PER_WAVE) continue;
    yield wave;
    wave = [];
    jobs = 0;
  }
  if (wave.length > 0) yield wave;
}

/** What one account gave to record, for one queue message. */
interface Given extends Records {
  asked: Asked;
  stub: AccountObject;
}

async function giveBack({ message, job: { account, clear: isClear } }: Asked, env: Env): Promise<void> {
  // The account asks again, the next day at the latest.
  if (isClear === true && message.attempts >= DELIVERIES_MAX) return message.ack();
  if (message.attempts >= DELIVERIES_MAX) {
    try {
      await env.ACCOUNT.getByName(account).recorded(null);
      return message.ack();
    } catch (problem) {
      logProblem("history of an account", problem);
    }
  }
  message.retry({ delaySeconds: Math.min(RETRY_DELAY_SEC_MAX, 2 ** message.attempts) });
}

/** Runs work for one queue message, whose failure does not hold up the others; null where it failed. */
async function orGiveBack<T>(asked: Asked, env: Env, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (problem) {
    logProblem("history of an account", problem);
    await giveBack(asked, env);
    return null;
  }
}

async function givenFor(asked: Asked, env: Env): Promise<Given> {
  const { account, seqs, profile } = asked.job;
  const stub: AccountObject = env.ACCOUNT.getByName(account);
  const records: Records | null = await stub.records(seqs, profile === true);
  return { asked, stub, groups: [], profile: null, ...records };
}

/** Whether a write to D1 succeeded. While a database is away, or full, the accounts keep the truth. */
async function isWritten(where: string, env: Env, write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (problem) {
    logProblem(where, problem);
    if (problem instanceof HistoryNotBound) await reportUnbound(env, problem.binding, Date.now());
    return false;
  }
}

const refOf = ({ asked }: Given) => accountOfName(asked.job.account);

/** Writes groups to the databases of their accounts, one batch in each; returns those that their database did not take. */
async function writeGroups(given: readonly Given[], env: Env): Promise<Given[]> {
  const some = given.filter(({ groups }) => groups.length > 0);
  const failed = [...Map.groupBy(some, ({ historyDb }) => historyDb)].map(async ([number, those]) => {
    const accounts = those.map((one) => ({ ...refOf(one), groups: one.groups, keptFrom: one.keptFrom }));
    const done = await isWritten("history", env, () => recordGroups(historyDatabase(env, number), accounts));
    return done ? [] : those;
  });
  return (await Promise.all(failed)).flat();
}

/** Writes the profiles to the list of accounts, in one batch; returns those that were not taken. */
async function writeProfiles(given: readonly Given[], env: Env): Promise<Given[]> {
  const profiles = given.flatMap((one) => (one.profile ? [{ ...refOf(one), profile: one.profile }] : []));
  return (await isWritten("list of accounts", env, () => listAccounts(env.DB, profiles))) ? [] : [...given];
}

/**
 * Tells the account what is recorded: only then does its list no longer read it from the account itself. A message of
 * which a part is not recorded is delivered again.
 */
async function confirm(given: Given, env: Env, unwritten: { groups: boolean; profile: boolean }): Promise<void> {
  const { asked, stub, groups, profile, historyDb } = given;
  const jobs = unwritten.groups ? [] : groups.flatMap((group) => group.jobs);
  const profileRev = unwritten.profile ? null : (profile?.rev ?? null);
  if (jobs.length > 0 || profileRev !== null) {
    await stub.recorded({ jobs, profileRev, ...(historyDb !== undefined && { historyDb }) });
  }
  if (unwritten.groups || unwritten.profile) await giveBack(asked, env);
  else asked.message.ack();
}

/**
 * Notes until when these accounts may have open work: a message that was sent until now is over by then, and beyond that
 * the account will be heard of again. Never throws: only the healing of lost alarms depends on it.
 */
async function watch(env: Env, given: Given[]): Promise<void> {
  try {
    const { VALIDITY_SMS_MS, VALIDITY_OTP_MS, VALIDITY_CALL_MS, ...config } = configOf(env);
    const lifeMs =
      Math.max(VALIDITY_SMS_MS, VALIDITY_OTP_MS, VALIDITY_CALL_MS) +
      Math.max(config.UNKNOWN_WINDOW_MS, config.RECEIPT_WINDOW_MS);
    await watchAccounts(env.DB, given.map(refOf), Date.now() + lifeMs + WATCHED_MORE_MS);
  } catch (problem) {
    logProblem("accounts with open work", problem);
  }
}

async function clear({ message, job: { account } }: Asked, env: Env): Promise<void> {
  await clearFromHistory(env, account);
  message.ack();
}

async function recordWave(wave: Asked[], env: Env, ctx: Waits | undefined): Promise<void> {
  const [clears, asks] = [true, false].map((isClear) => wave.filter(({ job }) => (job.clear === true) === isClear));
  await Promise.all((clears ?? []).map((asked) => orGiveBack(asked, env, () => clear(asked, env))));
  const all = await Promise.all((asks ?? []).map((asked) => orGiveBack(asked, env, () => givenFor(asked, env))));
  const given = all.filter((one) => one !== null);
  const [groups, profiles] = await Promise.all([writeGroups(given, env), writeProfiles(given, env)]);
  if (ctx) {
    const written = given.filter((one) => !groups.includes(one));
    const seen = written.map((one) => ({ ...refOf(one), ...one, waits: one.waits ?? null, seqs: one.asked.job.seqs }));
    observe(env, ctx, seen, Date.now());
  }
  await watch(env, given);
  const confirmed = given.map((one) => {
    const unwritten = { groups: groups.includes(one), profile: one.profile !== null && profiles.includes(one) };
    return orGiveBack(one.asked, env, () => confirm(one, env, unwritten));
  });
  await Promise.all(confirmed);
}

/**
 * Consumes a batch of the history queue. The same job may arrive any number of times, in any order. What it shows of
 * deliveries is stored some seconds after the batch, in the time that `ctx` gives.
 */
export async function consumeHistory(batch: MessageBatch, env: Env, ctx?: Waits): Promise<void> {
  for (const wave of wavesOf(batch)) await recordWave(wave, env, ctx);
}
