import { carrierKnown, carrierNamed } from "../carriers/table.ts";
import type { Config } from "../config/settings.ts";
import { accountOfName } from "../crypto/ids.ts";
import { isMissingFromInbox } from "../inbox/landing.ts";
import { logProblem } from "../log.ts";
import type { Lane } from "../model/lane.ts";
import type { Followed, News } from "../model/message.ts";
import { batcherPerBinding } from "./batcher.ts";
import type { FollowJob } from "./jobs.ts";
import { report } from "./report.ts";

// Asks carriers that have `lookup` for a message's state, a moment after they accepted it. A request asks directly, for
// all requests of its isolate together: a delayed queue message for each would cost three operations, and a timer in a
// local queue. Where either is lost, the account's alarm asks again (`pollMs`).

/** The simulator delivers a message this long after it accepted it. */
export const FOLLOW_DELAY_SEC = 1;

/** Messages that are asked about at once. Each may belong to another account, so this is also the number of calls. */
const ASKED_TOGETHER = 100;

/** A message that its carrier accepted, with all that a lookup needs; its outcome is reported with what is found. */
export interface FollowUp extends Omit<Followed, "unknown"> {
  account: string;
  lane: Lane;
}

function lookUp(env: Env, account: string, { carrier, operation, to }: Omit<Followed, "unknown">) {
  const { mode } = accountOfName(account);
  return carrierKnown(env, carrier)?.lookup?.({ operation, to, mode });
}

/** Whether the carrier with this name can be asked for a message's state. */
export function canLookUp(config: Config, carrier: string): boolean {
  return carrierNamed(config, carrier)?.lookup !== undefined;
}

/** What is known of an accepted message: its outcome, and its receipt where the carrier has one. */
async function newsOf(env: Env, followed: FollowUp): Promise<News[]> {
  const { seq, index, attempt, account } = followed;
  const taken: News = { kind: "outcome", seq, index, attempt, outcome: { kind: "submitted" } };
  try {
    const found = await lookUp(env, account, followed);
    return found ? [taken, { kind: "receipt", seq, index, carrier: followed.carrier, ...found }] : [taken];
  } catch (problem) {
    logProblem("follow-up", problem);
    return [taken];
  }
}

/** Asks about messages of any accounts; a failure of one account does not stop the others. */
async function ask(env: Env, asked: FollowUp[]): Promise<void> {
  const lanes = Map.groupBy(asked, ({ account, lane }) => `${lane} ${account}`);
  await Promise.all(
    [...lanes.values()].map(async (of) => {
      const [first] = of;
      if (!first) return;
      const { account, lane } = first;
      const news = (await Promise.all(of.map((followed) => newsOf(env, followed)))).flat();
      await report(env, { account, lane, follow: true, resubmits: false }, news);
    }),
  );
}

const batcherOf = batcherPerBinding("follow-up", ask, {
  itemsMax: ASKED_TOGETHER,
  delayMs: FOLLOW_DELAY_SEC * 1_000,
});

/**
 * Asks in a moment, together with other requests of this isolate and without a queue. Returns those for which there is
 * no room. Never throws.
 */
export function askSoon(
  env: Env,
  ctx: Pick<ExecutionContext, "waitUntil">,
  taken: readonly FollowUp[],
): readonly FollowUp[] {
  return batcherOf(env).add(ctx, taken);
}

/** Asks carriers for the state of messages without a final receipt, and reports it. */
export async function followJobs(env: Env, config: Config, { account, lane, seqs }: FollowJob): Promise<void> {
  const ref = accountOfName(account);
  const open: Followed[] = (await env.ACCOUNT.getByName(account).follow(seqs)) ?? [];
  const news: News[] = [];
  for (const followed of open) {
    const { seq, index, attempt, unknown } = followed;
    const found = await lookUp(env, account, followed);
    if (!found) continue;
    if (unknown && (await isMissingFromInbox(env, config, ref, followed))) {
      const outcome = { kind: "not_accepted", code: "attempt_interrupted" } as const;
      news.push({ kind: "outcome", seq, index, attempt, outcome });
    } else news.push({ kind: "receipt", seq, index, carrier: followed.carrier, ...found });
  }
  await report(env, { account, lane, follow: true, resubmits: false }, news);
}
