import { carrierFor } from "../carriers/table.ts";
import { configOf } from "../config/config.ts";
import { accountOfName } from "../crypto/ids.ts";
import { land } from "../inbox/landing.ts";
import { logProblem } from "../log.ts";
import type { Done, SendCommand } from "../model/command.ts";
import { laneOf } from "../model/lane.ts";
import type { Lane } from "../model/lane.ts";
import type { ClaimedJob, News } from "../model/message.ts";
import type { Operation } from "../model/operations.ts";
import type { AccountRef } from "../model/ref.ts";
import { batcherPerBinding } from "./batcher.ts";
import { tokensFor } from "./enqueue.ts";
import { askSoon } from "./follow-up.ts";
import { handOver } from "./hand-over.ts";
import { paceOf } from "./pace-client.ts";
import { addresseeOf, report } from "./report.ts";
import type { Addressee } from "./report.ts";
import { carrierOfJob, seenIn, submit } from "./submit.ts";

// Direct dispatch: a single message is submitted by the request that stored it, once its reply is on its way. A queue
// would be slower, and cost more than the row. Several messages go through the queue, whose consumers share the work.

type Waits = Pick<ExecutionContext, "waitUntil">;

/** A request's invocation ends 30 s after its reply; a submission that may take longer is left to the queue. */
const AT_ONCE_MS_MAX = 20_000;

/** What a lease has beyond the longest submission: for a permit, and for the report that is held. */
const LEASE_MARGIN_MS = 30_000;

/** The longest wait for a permit that was given. */
const PERMIT_MS_MAX = 3_000;

/**
 * A `submitted` is reported so much later: by then most receipts are there, and the account has nothing to write. If the
 * invocation dies meanwhile, the message is `unknown` until its receipt comes.
 */
const HOLD_MS = 10_000;

/** A submission that took longer is reported at once: its invocation may not live until the end of the hold. */
const HELD_AFTER_MS_MAX = 10_000;

/** Reports that one batch makes; each may be of another account. */
const REPORTED_TOGETHER = 500;

interface Order {
  operation: Operation;
  recipients: readonly string[];
}

/**
 * How the account is asked to insert a message that its request will submit: already claimed. Undefined for what goes
 * through the queue: several messages, those of a congested carrier, and all of them where direct dispatch is off.
 */
export function directTake(env: Env, { mode }: Pick<AccountRef, "mode">, order: Order): SendCommand["take"] {
  const config = configOf(env);
  const { operation, recipients } = order;
  if (recipients.length > 1 || config.DIRECT_DISPATCH === "off" || config.CARRIER_TIMEOUT_MS > AT_ONCE_MS_MAX) return;
  const { name, isPaced, resubmits } = carrierFor(config, mode);
  if (isPaced && paceOf(env, name).standing(Date.now(), laneOf(operation, 1)) === "congested") return;
  return { carrier: name, leaseMs: config.CARRIER_TIMEOUT_MS + LEASE_MARGIN_MS, resubmits };
}

interface Held {
  to: Addressee;
  news: News;
}

/** Reports what was held, each account's in one call. */
async function reportHeld(env: Env, held: Held[]): Promise<void> {
  const keyOf = ({ to }: Held) => `${to.lane} ${to.follow} ${to.resubmits} ${to.account}`;
  await Promise.all(
    [...Map.groupBy(held, keyOf).values()].map(async (of) => {
      const [first] = of;
      const news = of.map((one) => one.news);
      if (first) await report(env, first.to, news);
    }),
  );
}

const heldOf = batcherPerBinding("held reports", reportHeld, {
  itemsMax: REPORTED_TOGETHER,
  delayMs: HOLD_MS,
  soonerAtEnd: true,
});

/** Whether the carrier may get the message now: where its limit was met lately, that takes a permit. */
async function isPermitted(env: Env, ctx: Waits, carrier: string, { account, lane }: Addressee): Promise<boolean> {
  const pace = paceOf(env, carrier);
  if (pace.standing(Date.now(), lane) === "free") return true;
  const permits = await pace.take({ lane, account, max: 1 });
  const waitMs = (permits.atMs[0] ?? Infinity) - Date.now();
  if (waitMs > PERMIT_MS_MAX) {
    pace.giveBack(ctx, permits, 0);
    return false;
  }
  if (waitMs > 0) await scheduler.wait(waitMs);
  return pace.quietMs(Date.now()) === 0;
}

/** Submits the message of a claimed job, and sees to its report. Never throws. */
async function submitClaimed(env: Env, ctx: Waits, account: string, lane: Lane, job: ClaimedJob): Promise<void> {
  const config = configOf(env);
  const ref = accountOfName(account);
  const [at] = job.messages;
  if (!at) return;
  const beganMs = Date.now();
  const carrier = carrierOfJob(config, job, carrierFor(config, ref.mode));
  const to = addresseeOf(account, lane, carrier);
  const place = { seq: job.seq, index: at.index, attempt: at.attempt };
  if (carrier.isPaced && !(await isPermitted(env, ctx, carrier.name, to))) {
    await report(env, to, [{ kind: "outcome", ...place, outcome: { kind: "released" } }]);
    return handOver(ctx, env, lane, tokensFor(account, lane, 1));
  }
  const attempt = await submit(carrier, config, ref, job, at);
  if (carrier.isPaced) paceOf(env, carrier.name).saw(ctx, seenIn(attempt.news.outcome));
  const news = await land(env, config, ref, [attempt]);
  const isSubmitted = news.every((one) => one.kind === "outcome" && one.outcome.kind === "submitted");
  if (!isSubmitted || Date.now() - beganMs > HELD_AFTER_MS_MAX) return report(env, to, news);
  const { operation } = job;
  const full = to.follow
    ? askSoon(env, ctx, [{ ...place, account, lane, operation, to: at.to, carrier: carrier.name }])
    : heldOf(env).add(
        ctx,
        news.map((one) => ({ to, news: one })),
      );
  // No room to hold it: reported at once.
  if (full.length > 0) await report(env, to, news);
}

/**
 * Dispatches what a request stored: submits the message that it inserted as claimed, or sends tokens to the queue.
 * Never throws, and the reply does not wait for it; the account's alarm finds what is lost here.
 */
export function dispatchAfterReply(
  env: Env,
  ctx: Waits,
  account: string,
  { operation, recipients }: Order,
  { claimed, waiting }: Pick<Done, "claimed" | "waiting">,
): void {
  for (const job of claimed) {
    const submitted = submitClaimed(env, ctx, account, laneOf(operation, 1), job);
    ctx.waitUntil(submitted.catch((problem: unknown) => logProblem("direct dispatch", problem)));
  }
  if (waiting !== null) handOver(ctx, env, waiting, tokensFor(account, waiting, recipients.length));
}
