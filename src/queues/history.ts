import { accountOfName } from "../crypto/ids.ts";
import { recordHistory } from "../db/history.ts";
import type { AccountChanges } from "../db/history.ts";
import { logProblem } from "../log.ts";
import type { LongWait, Records } from "../model/history.ts";
import type { AccountObject } from "../objects.ts";
import { historyJob } from "./jobs.ts";
import type { HistoryJob } from "./jobs.ts";
import { observe } from "./observe.ts";
import type { Waits } from "./observe.ts";

// The history consumer: fetches the newest state from the accounts, writes it to D1 in one batch, and reports to the
// accounts what is recorded. What fails is tried again by the queue, and in the end by the account's own pass.

const RETRY_DELAY_SEC_MAX = 300;

/** After so many deliveries, about a minute, a message goes back to its account, whose passes have growing gaps. */
const DELIVERIES_MAX = 6;

/** Jobs recorded in one batch of D1: with 100 messages each, eight megabytes in memory and one in statements. */
const JOBS_PER_WAVE = 160;

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
  waits: LongWait[] | null;
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
  const { waits = null, ...rest } = records ?? {};
  return { asked, stub, changes: { ...accountOfName(account), groups: [], profile: null, ...rest }, waits };
}

/** Tells the account what is recorded: only then does its list no longer read it from the account itself. */
async function confirm({ asked, stub, changes: { groups, profile } }: Given): Promise<void> {
  const jobs = groups.flatMap((group) => group.jobs);
  if (jobs.length > 0 || profile) await stub.recorded({ jobs, profileRev: profile?.rev ?? null });
  asked.message.ack();
}

async function recordWave(wave: Asked[], env: Env, ctx: Waits | undefined): Promise<void> {
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
  if (ctx) {
    const seen = known.map(({ asked, changes, waits }) => ({ ...changes, waits, seqs: asked.job.seqs }));
    observe(env, ctx, seen, Date.now());
  }
  await Promise.all(known.map((one) => orGiveBack(one.asked, env, () => confirm(one))));
}

/**
 * Consumes a batch of the history queue. The same job may arrive any number of times, in any order. What it shows of
 * deliveries is stored some seconds after the batch, in the time that `ctx` gives.
 */
export async function consumeHistory(batch: MessageBatch, env: Env, ctx?: Waits): Promise<void> {
  for (const wave of wavesOf(batch)) await recordWave(wave, env, ctx);
}
