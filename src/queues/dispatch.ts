import type { Carrier, Outgoing } from "../carriers/carrier.ts";
import { carrierFor, carrierNamed } from "../carriers/table.ts";
import { configOf } from "../config.ts";
import type { Config } from "../config.ts";
import { accountOfName, messageId, objectName } from "../crypto/ids.ts";
import { unseal } from "../crypto/seal.ts";
import { land } from "../inbox/landing.ts";
import type { Attempt } from "../inbox/landing.ts";
import { logLine, logProblem } from "../log.ts";
import type { Lane } from "../model/lane.ts";
import type { ClaimedJob, Outcome, WorkDone } from "../model/message.ts";
import type { AccountRef } from "../model/ref.ts";
import type { AccountObject } from "../objects.ts";
import { recordingPath } from "../recordings/signed-address.ts";
import { REPORT_TRIES, askLater, askSoon, followJobs, followUps, report } from "./follow-up.ts";
import type { FollowUp, Waits } from "./follow-up.ts";
import { handOver } from "./hand-over.ts";
import { dispatchJob } from "./jobs.ts";
import type { DispatchJob } from "./jobs.ts";
import { Slots } from "./slots.ts";

// The dispatch consumer: claim → submit → report. The account's sweep finds everything that is lost here.

/** A lease outlives the submission by this much, for the report to arrive. */
const LEASE_MARGIN_MS = 20_000;

/** One invocation makes at most this many calls, for this long; the platform ends it at 10,000 calls or 15 minutes. */
const CALLS_MAX = 5_000;
const WORK_MS_MAX = 600_000;

/** Calls of a round besides its submissions: the claim, the test inbox, and the attempts to report. */
const CALLS_PER_ROUND = 2 + REPORT_TRIES;

type Token = Extract<DispatchJob, { kind: "send" }>;

/** What one invocation may still do. */
class Budget {
  #calls = CALLS_MAX;
  readonly #endsAt = Date.now() + WORK_MS_MAX;

  spend(calls: number): void {
    this.#calls -= calls;
  }

  get isSpent(): boolean {
    return this.#calls <= 0 || Date.now() >= this.#endsAt;
  }
}

function outgoing(config: Config, ref: AccountRef, job: ClaimedJob, at: ClaimedJob["messages"][number]): Outgoing {
  const audioPath = recordingPath(config, job.content);
  return {
    ref: messageId(config.KEY_SECRET, ref, job.operation, { seq: job.seq, index: at.index }),
    operation: job.operation,
    to: at.to,
    attempt: at.attempt,
    mode: ref.mode,
    text: job.text && unseal(config.SEAL_SECRET, objectName(ref), job.text),
    content: job.content,
    audioUrl: audioPath && config.CONSOLE_URL + audioPath,
  };
}

/** Claims messages for the slots that were taken; slots that stay empty go back, for another account to use. */
async function claimWith(
  env: Env,
  config: Config,
  { name, lane, carrier, slots, asked }: { name: string; lane: Lane; carrier: string; slots: Slots; asked: number },
): Promise<{ jobs: ClaimedJob[]; used: number }> {
  let used = 0;
  try {
    const stub: AccountObject = env.ACCOUNT.getByName(name);
    const leaseMs = config.CARRIER_TIMEOUT_MS + LEASE_MARGIN_MS;
    const claim = { lane, max: asked, carrier, leaseMs };
    const done: WorkDone | null = await stub.work({ news: [], follow: false, resubmits: false, claim });
    const jobs = done?.jobs ?? [];
    used = jobs.reduce((sum, job) => sum + job.messages.length, 0);
    return { jobs, used };
  } finally {
    slots.give(asked - used);
  }
}

/**
 * Submits the waiting messages of a lane, as many at once as the slots allow; the rest goes back into the queue.
 * Returns the submitted messages whose carrier can be asked for their state.
 */
async function sendJobs(
  env: Env,
  config: Config,
  { account: name, lane }: Token,
  slots: Slots,
  budget: Budget,
): Promise<FollowUp[]> {
  const ref = accountOfName(name);
  const carrier = carrierFor(config, ref.mode);
  const follow = carrier.lookup !== undefined;
  const submitted: FollowUp[] = [];
  while (!budget.isSpent) {
    // Slots first, then the claim: a lease never runs while its message waits for a slot.
    const asked = await slots.take(config.DISPATCH_CONCURRENCY);
    const { jobs, used } = await claimWith(env, config, { name, lane, carrier: carrier.name, slots, asked });
    if (used === 0) return submitted;
    budget.spend(used + CALLS_PER_ROUND);
    // Each submission frees its slot as it ends, so that one that hangs does not hold up other accounts.
    const attempts = await Promise.all(
      jobs.flatMap((job) =>
        job.messages.map((at) => submit(carrier, config, ref, job, at).finally(() => slots.give(1))),
      ),
    );
    const news = await land(env, config, ref, attempts);
    await report(env, name, news, follow);
    if (follow) submitted.push(...followUps(name, attempts, news));
    // Fewer than asked for: no more were waiting.
    if (used < asked) return submitted;
  }
  await env.DISPATCH.send({ kind: "send", account: name, lane } satisfies Token);
  return submitted;
}

async function submit(
  carrier: Carrier,
  config: Config,
  ref: AccountRef,
  job: ClaimedJob,
  at: ClaimedJob["messages"][number],
): Promise<Attempt> {
  const own = carrierNamed(config, job.carrier) ?? carrier;
  const { index, attempt, to } = at;
  const tell = (outcome: Outcome, messageRef: string | null): Attempt => {
    return {
      job,
      to,
      ref: messageRef,
      carrier: own.name,
      news: { kind: "outcome", seq: job.seq, index, attempt, outcome },
    };
  };
  let message: Outgoing;
  try {
    message = outgoing(config, ref, job, at);
  } catch (problem) {
    logProblem("outgoing message", problem);
    return tell({ kind: "not_sent", code: "internal_error" }, null);
  }
  return tell(await outcomeOf(own, message), message.ref);
}

/** The outcome of a submission; `unknown` when our own code fails, since the carrier may have the message by then. */
async function outcomeOf(carrier: Carrier, message: Outgoing): Promise<Outcome> {
  try {
    return await carrier.submit(message);
  } catch (problem) {
    logProblem("carrier", problem);
    return { kind: "unknown", code: "internal_error" };
  }
}

/** Jobs of one kind and account, from any number of queue messages. */
interface Group {
  job: DispatchJob;
  messages: Message[];
}

function groupJobs(batch: MessageBatch): Group[] {
  const groups = new Map<string, Group>();
  for (const message of batch.messages) {
    const parsed = dispatchJob.safeParse(message.body);
    if (!parsed.success) {
      logProblem("dispatch queue", new Error("a message that is no job was dropped"));
      message.ack();
      continue;
    }
    const job = parsed.data;
    const name = `${job.account} ${job.kind === "send" ? job.lane : job.kind}`;
    const group = groups.get(name);
    if (!group) groups.set(name, { job, messages: [message] });
    else {
      if (group.job.kind === "follow" && job.kind === "follow") group.job.seqs.push(...job.seqs);
      group.messages.push(message);
    }
  }
  return [...groups.values()];
}

/** Consumes a batch of the dispatch queue; the same job may arrive any number of times. */
export async function consumeDispatch(batch: MessageBatch, env: Env): Promise<void> {
  const config = configOf(env);
  const slots = new Slots(config.DISPATCH_CONCURRENCY);
  const budget = new Budget();
  await Promise.all(
    groupJobs(batch).map(async ({ job, messages }) => {
      try {
        if (job.kind === "send") await askLater(env, await sendJobs(env, config, job, slots, budget));
        else if (job.seqs.length === 0) logLine("readiness", { queue: batch.queue });
        else await followJobs(env, config, job);
        for (const message of messages) message.ack();
      } catch (problem) {
        logProblem("dispatch", problem);
        for (const message of messages) message.retry({ delaySeconds: 2 ** Math.min(message.attempts, 6) });
      }
    }),
  );
}

/** A request's invocation ends 30 s after its reply; a submission that may take longer is left to the queue. */
const AT_ONCE_MS_MAX = 20_000;

/**
 * Dispatches what a request stored. A single message is submitted by the request that stored it, as soon as its reply
 * has left: a queue would be slower, and cost more than the row. Several messages go through the queue, whose consumers
 * share the work. Never throws, and the reply does not wait for it; the account's alarm finds what is lost here.
 */
export function dispatchAfterReply(env: Env, ctx: Waits, account: string, lane: Lane): void {
  const config = configOf(env);
  if (lane === "bulk" || config.DIRECT_DISPATCH === "off" || config.CARRIER_TIMEOUT_MS > AT_ONCE_MS_MAX) {
    return handOver(ctx, env, account, lane);
  }
  const token: Token = { kind: "send", account, lane };
  const sent = sendJobs(env, config, token, new Slots(config.DISPATCH_CONCURRENCY), new Budget());
  const asked = sent.then((submitted) => askSoon(env, ctx, submitted));
  ctx.waitUntil(asked.catch((problem: unknown) => logProblem("dispatch", problem)));
}
