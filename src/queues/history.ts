import { configOf } from "../config/config.ts";
import { accountOfName } from "../crypto/ids.ts";
import { recordHistory } from "../db/history.ts";
import type { AccountChanges } from "../db/history.ts";
import { watchAccounts } from "../db/watch.ts";
import { logProblem } from "../log.ts";
import type { Records } from "../model/history.ts";
import type { AccountObject } from "../objects.ts";
import { historyJob } from "./jobs.ts";
import type { HistoryJob } from "./jobs.ts";

// The history consumer: fetches the newest state from the accounts, writes it to D1 in one batch, and reports to the
// accounts what is recorded. What fails is tried again by the queue, and in the end by the account's own pass.

const RETRY_DELAY_SEC_MAX = 300;

/** After so many deliveries, about a minute, a message goes back to its account, whose passes have growing gaps. */
const DELIVERIES_MAX = 6;

/** Jobs recorded in one batch of D1: with 100 messages each, eight megabytes in memory and one in statements. */
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
interface Given {
  asked: Asked;
  stub: AccountObject;
  changes: AccountChanges;
}

async function giveBack({ message, job: { account } }: Asked, env: Env): Promise<void> {
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
  return { asked, stub, changes: { ...accountOfName(account), groups: [], profile: null, ...records } };
}

/** Tells the account what is recorded: only then does its list no longer read it from the account itself. */
async function confirm({ asked, stub, changes: { groups, profile } }: Given): Promise<void> {
  const jobs = groups.flatMap((group) => group.jobs);
  if (jobs.length > 0 || profile) await stub.recorded({ jobs, profileRev: profile?.rev ?? null });
  asked.message.ack();
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
    const refs = given.map(({ changes: { accountId, mode } }) => ({ accountId, mode }));
    await watchAccounts(env.DB, refs, Date.now() + lifeMs + WATCHED_MORE_MS);
  } catch (problem) {
    logProblem("accounts with open work", problem);
  }
}

async function recordWave(wave: Asked[], env: Env): Promise<void> {
  const given = await Promise.all(wave.map((asked) => orGiveBack(asked, env, () => givenFor(asked, env))));
  const known = given.filter((one) => one !== null);
  try {
    await recordHistory(
      env.DB,
      known.map(({ changes }) => changes),
    );
  } catch (problem) {
    // While D1 is away, the accounts keep the truth.
    logProblem("history", problem);
    await Promise.all(known.map(({ asked }) => giveBack(asked, env)));
    return;
  }
  await watch(env, known);
  await Promise.all(known.map((one) => orGiveBack(one.asked, env, () => confirm(one))));
}

/** Consumes a batch of the history queue. The same job may arrive any number of times, in any order. */
export async function consumeHistory(batch: MessageBatch, env: Env): Promise<void> {
  for (const wave of wavesOf(batch)) await recordWave(wave, env);
}
