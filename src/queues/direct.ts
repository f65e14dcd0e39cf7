import { attemptMs } from "../carriers/carrier.ts";
import type { Carrier } from "../carriers/carrier.ts";
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
import { givenBack, isPermitted, submitInTurn } from "./in-turn.ts";
import { offersOf } from "./offers.ts";
import { paceOf } from "./pace/clients.ts";
import { addresseeOf, report } from "./report.ts";
import type { Addressee } from "./report.ts";

// Direct dispatch: a single message is submitted by the request that stored it, once its reply is on its way. A queue
// would be slower, and cost more than the row. Several messages go through the queue, whose consumers share the work.

type Waits = Pick<ExecutionContext, "waitUntil">;

/**
 * A request's invocation ends 30 s after its reply; a submission that may take longer is left to the queue. Not so one over
 * SMPP: it takes a second but where a centre hangs, and one that is cut is unknown until its receipt, and never repeated.
 */
const AT_ONCE_MS_MAX = 20_000;

/** What a lease has beyond the longest submission: for a permit, and for the report that is held. */
const LEASE_MARGIN_MS = 30_000;

/**
 * A `submitted` is reported so much later: by then most receipts are there, and the account has nothing to write. If the
 * invocation dies meanwhile, the message is `unknown` until its receipt comes.
 */
const HOLD_MS = 10_000;

/** A submission that took longer is reported at once: its invocation may not live until the end of the hold. */
const HELD_AFTER_MS_MAX = 10_000;

/** A submission may begin for so long at least, however long it may take: by then there is a permit, or one said no at once. */
const BEGIN_MS_MIN = 3_000;

/** Reports that one batch makes; each may be of another account. */
const REPORTED_TOGETHER = 500;

interface Order {
  requestId: string;
  operation: Operation;
  recipients: readonly string[];
}

/**
 * How the account is asked to insert a message that its request will submit: already claimed. Undefined for what goes
 * through the queue: several messages, those of a congested carrier, and all of them where direct dispatch is off.
 */
export async function directTake(
  env: Env,
  ctx: Waits,
  { mode }: Pick<AccountRef, "mode">,
  order: Order,
): Promise<SendCommand["take"]> {
  const config = configOf(env);
  const { operation, recipients, requestId } = order;
  const [to = ""] = recipients;
  if (recipients.length > 1 || config.DIRECT_DISPATCH === "off" || config.CARRIER_TIMEOUT_MS > AT_ONCE_MS_MAX) return;
  // Where the set cannot be read, the message waits for it in its queue.
  const offers = await offersOf(env, ctx, mode).catch(() => null);
  const [first, ...others] = offers?.present(offers.all({ requestId, operation, to, attempt: 1 })) ?? [];
  if (!first) return;
  const pace = first.isPaced ? paceOf(env, first.name, first.tps) : null;
  if (pace?.standing(Date.now(), laneOf(operation, 1)) === "congested") return;
  const fallbacks = others.map(({ name }) => name);
  return {
    carrier: first.name,
    leaseMs: attemptMs(config, [first, ...others], operation) + LEASE_MARGIN_MS,
    // A lost attempt may be at any of several carriers.
    resubmits: first.resubmits && fallbacks.length === 0,
    ...(fallbacks.length > 0 && { fallbacks }),
  };
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

/**
 * The carriers from the first on that may get a message now. One that is out is passed over; one that has no permit keeps
 * its messages, which wait for it in their queue: none is left then.
 */
async function fromPermitted(
  env: Env,
  ctx: Waits,
  carriers: readonly Carrier[],
  { account, lane, untilMs }: Pick<Addressee, "account" | "lane"> & { untilMs: number },
): Promise<readonly Carrier[]> {
  for (const [nth, carrier] of carriers.entries()) {
    const hasOther = nth < carriers.length - 1;
    if (await isPermitted(env, ctx, carrier, { account, lane, hasOther, untilMs })) return carriers.slice(nth);
    if (!hasOther || !paceOf(env, carrier.name, carrier.tps).isAway(Date.now())) return [];
  }
  return [];
}

/** Submits the message of a claimed job, and sees to its report. Never throws. */
async function submitClaimed(
  env: Env,
  ctx: Waits,
  account: string,
  lane: Lane,
  { job, take }: { job: ClaimedJob; take: SendCommand["take"] },
): Promise<void> {
  const config = configOf(env);
  const ref = accountOfName(account);
  const [at] = job.messages;
  if (!at) return;
  const beganMs = Date.now();
  const offers = await offersOf(env, ctx, ref.mode);
  // Those that the claim was made for, and no others: only their receipts count.
  const names = [job.carrier, ...(take?.fallbacks ?? [])];
  const named = names.map((name) => offers.named(name)).filter((one) => one !== null);
  const longestMs = attemptMs(config, named, job.operation);
  const untilMs = beganMs + Math.max(BEGIN_MS_MIN, AT_ONCE_MS_MAX - longestMs);
  const carriers = await fromPermitted(env, ctx, named, { account, lane, untilMs });
  const turned = await submitInTurn({
    env,
    ctx,
    config,
    account,
    lane,
    ref,
    job,
    at,
    carriers,
    all: () => offers.allOfClaimed(job, at),
    isOpen: false,
    untilMs,
  });
  if (!turned) {
    const to = { account, lane, follow: false, resubmits: false };
    await report(env, to, [givenBack(job, at).news]);
    return handOver(ctx, env, lane, tokensFor(account, lane, 1));
  }
  const to = addresseeOf(account, lane, turned.carrier);
  const place = { seq: job.seq, index: at.index, attempt: at.attempt };
  const news = await land(env, config, ref, [turned.attempt]);
  const isSubmitted = news.every((one) => one.kind === "outcome" && one.outcome.kind === "submitted");
  // Receipts of another carrier than the first wait for the report.
  const isUsual = turned.attempt.news.offered === undefined;
  const isHeld = isSubmitted && Date.now() - beganMs <= HELD_AFTER_MS_MAX && (isUsual || to.follow);
  if (!isHeld) return report(env, to, news);
  if (!isUsual) await report(env, to, news);
  const { operation } = job;
  const full = to.follow
    ? askSoon(env, ctx, [{ ...place, account, lane, operation, to: at.to, carrier: turned.carrier.name }])
    : heldOf(env).add(
        ctx,
        news.map((one) => ({ to, news: one })),
      );
  // No room to hold it: reported at once.
  if (full.length > 0 && isUsual) await report(env, to, news);
}

/**
 * Dispatches what a request stored: submits the message that it inserted as claimed, or sends tokens to the queue.
 * Never throws, and the reply does not wait for it; the account's alarm finds what is lost here.
 */
export function dispatchAfterReply(
  env: Env,
  ctx: Waits,
  account: string,
  { operation, recipients, take }: Pick<Order, "operation" | "recipients"> & Pick<SendCommand, "take">,
  { claimed, waiting }: Pick<Done, "claimed" | "waiting">,
): void {
  for (const job of claimed) {
    const submitted = submitClaimed(env, ctx, account, laneOf(operation, 1), { job, take });
    ctx.waitUntil(submitted.catch((problem: unknown) => logProblem("direct dispatch", problem)));
  }
  if (waiting !== null) handOver(ctx, env, waiting, tokensFor(account, waiting, recipients.length));
}
