import { carrierNamed } from "../carriers/table.ts";
import { configOf } from "../config.ts";
import type { Config } from "../config.ts";
import { accountOfName } from "../crypto/ids.ts";
import { isMissingFromInbox } from "../inbox/landing.ts";
import type { Attempt } from "../inbox/landing.ts";
import { logProblem } from "../log.ts";
import type { Followed, News } from "../model/message.ts";
import { batcherPerBinding } from "./batcher.ts";
import { enqueueFollow } from "./enqueue.ts";
import type { DispatchJob } from "./jobs.ts";

// Asks carriers that have `lookup` for a message's state, a moment after they accepted it. A request asks directly, for
// all requests of its isolate together: a delayed queue message for each would cost three operations, and a timer in a
// local queue. Where either is lost, the account's alarm asks again (`pollMs`).

export type Waits = Pick<ExecutionContext, "waitUntil">;

/** The simulator delivers a message this long after it accepted it. */
const FOLLOW_DELAY_SEC = 1;

/** Messages that are asked about at once. Each may belong to another account, so this is also the number of calls. */
const ASKED_TOGETHER = 100;

export const REPORT_TRIES = 3;

/** Reports to the account, again with a fresh stub if that fails. Throws after the last try; the outcome is unknown. */
export async function report(env: Env, name: string, news: News[], follow: boolean): Promise<void> {
  for (let left = REPORT_TRIES; ; left--) {
    try {
      await env.ACCOUNT.getByName(name).report(news, follow);
      return;
    } catch (problem) {
      if (left <= 1) throw problem;
    }
  }
}

/** A message that its carrier accepted, with all that a lookup needs. */
export interface FollowUp extends Omit<Followed, "attempt" | "unknown"> {
  account: string;
}

/** The messages that a carrier accepted; `news` has one entry for each attempt, in the same order. */
export function followUps(account: string, attempts: readonly Attempt[], news: readonly News[]): FollowUp[] {
  return attempts.flatMap(({ job: { operation }, to, carrier }, at) => {
    const told = news[at];
    if (told?.kind !== "outcome" || told.outcome.kind !== "submitted") return [];
    return [{ account, carrier, operation, to, seq: told.seq, index: told.index }];
  });
}

function lookUp(config: Config, account: string, { carrier, operation, to }: Omit<FollowUp, "account">) {
  const { mode } = accountOfName(account);
  return carrierNamed(config, carrier)?.lookup?.({ operation, to, mode });
}

/** Asks about messages of any accounts; a failure of one account does not stop the others. */
async function ask(env: Env, asked: FollowUp[]): Promise<void> {
  const config = configOf(env);
  const askOne = async (account: string, of: FollowUp[]) => {
    const news: News[] = [];
    for (const followed of of) {
      const found = await lookUp(config, account, followed);
      if (found) news.push({ kind: "receipt", seq: followed.seq, index: followed.index, ...found });
    }
    if (news.length > 0) await report(env, account, news, true);
  };
  const accounts = Map.groupBy(asked, ({ account }) => account);
  await Promise.all(
    [...accounts].map(([account, of]) =>
      askOne(account, of).catch((problem: unknown) => logProblem("follow-up", problem)),
    ),
  );
}

const batcherOf = batcherPerBinding("follow-up", ask, {
  itemsMax: ASKED_TOGETHER,
  delayMs: FOLLOW_DELAY_SEC * 1_000,
});

/** Asks in a moment, together with other requests of this isolate and without a queue. Never throws. */
export function askSoon(env: Env, ctx: Waits, taken: readonly FollowUp[]): void {
  batcherOf(env).add(ctx, taken);
}

/** Lets a queue consumer ask in a moment about messages of one account. Never throws. */
export async function askLater(env: Env, taken: readonly FollowUp[]): Promise<void> {
  const [first] = taken;
  if (!first) return;
  const seqs = [...new Set(taken.map(({ seq }) => seq))];
  await enqueueFollow(env, first.account, seqs, FOLLOW_DELAY_SEC);
}

/** Asks carriers for the state of messages without a final receipt, and reports it. */
export async function followJobs(
  env: Env,
  config: Config,
  { account: name, seqs }: Extract<DispatchJob, { kind: "follow" }>,
): Promise<void> {
  const ref = accountOfName(name);
  const open: Followed[] = (await env.ACCOUNT.getByName(name).follow(seqs)) ?? [];
  const news: News[] = [];
  for (const followed of open) {
    const { seq, index, attempt, unknown, carrier, operation } = followed;
    const found = await lookUp(config, name, followed);
    if (!found) continue;
    if (unknown && (await isMissingFromInbox(env, config, ref, { seq, index, operation, carrier }))) {
      const outcome = { kind: "not_accepted", code: "attempt_interrupted" } as const;
      news.push({ kind: "outcome", seq, index, attempt, outcome });
    } else news.push({ kind: "receipt", seq, index, ...found });
  }
  if (news.length > 0) await report(env, name, news, true);
}
