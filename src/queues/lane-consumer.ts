import { configOf } from "../config/config.ts";
import { accountOfName } from "../crypto/ids.ts";
import { logLine, logProblem } from "../log.ts";
import { Budget } from "./budget.ts";
import { enqueueTokens } from "./enqueue.ts";
import { followJobs } from "./follow-up.ts";
import { readLaneJobs } from "./jobs.ts";
import type { FollowJob, LaneJob, ReportJob, SendJob } from "./jobs.ts";
import { LaneWork } from "./lane-work.ts";
import { offersOf } from "./offers.ts";
import type { Invocation } from "./submissions.ts";
import { Slots } from "./slots.ts";

// The consumer of the lanes' queues. Accounts whose work is in one batch share its slots in turn.

/** Work that failed is delivered again later each time, up to this. */
const RETRY_DELAY_SEC_MAX = 300;

/** Work that belongs together, from any number of queue messages. */
interface Group {
  jobs: LaneJob[];
  messages: Message[];
}

/** The tokens and the look-ups of one account and lane together; reports as they came, so that none repeats another. */
function groupJobs(batch: MessageBatch): Group[] {
  const groups = new Map<string, Group>();
  for (const message of batch.messages) {
    const jobs = readLaneJobs(message.body);
    if (!jobs) {
      logProblem("lane queue", new Error("a message that is no job was dropped"));
      message.ack();
      continue;
    }
    for (const job of jobs) {
      const name = `${job.kind} ${job.lane} ${job.kind === "report" ? message.id : job.account}`;
      const group = groups.get(name) ?? { jobs: [], messages: [] };
      groups.set(name, group);
      group.jobs.push(job);
      group.messages.push(message);
    }
  }
  return [...groups.values()];
}

/** Submits what waits, and puts the tokens back where more does. */
async function send(on: Invocation, tokens: SendJob[]): Promise<void> {
  const [first] = tokens;
  if (!first) return;
  const { account, lane } = first;
  const offers = await offersOf(on.env, on.ctx, accountOfName(account).mode);
  const work = new LaneWork(on, account, lane, offers);
  const againMs = await work.run();
  if (againMs === null) return;
  // What is not a bulk comes rather early than late: the rest of a second is waited for with the permits.
  const delaySeconds = lane === "bulk" ? Math.ceil(againMs / 1_000) : Math.floor(againMs / 1_000);
  // Under a limit, one consumer has as many permits as several: tokens that met here stay together.
  const next = (work.isLimited ? [first] : tokens).map((body) => ({ body, delaySeconds }));
  if (!(await enqueueTokens(on.env, lane, next))) throw new Error("the tokens could not be queued again");
}

async function lookUp({ env, config }: Invocation, queue: string, jobs: FollowJob[]): Promise<void> {
  for (const job of jobs) {
    if (job.seqs.length === 0) logLine("readiness", { queue });
    else await followJobs(env, config, job);
  }
}

/** Reports to an account what it could not take before; throws while it cannot. */
async function tellAgain(env: Env, jobs: ReportJob[]): Promise<void> {
  for (const { account, news, follow, resubmits } of jobs) {
    await env.ACCOUNT.getByName(account).report(news, follow, resubmits);
  }
}

async function work(on: Invocation, queue: string, { jobs }: Group): Promise<void> {
  await send(
    on,
    jobs.filter((job) => job.kind === "send"),
  );
  await lookUp(
    on,
    queue,
    jobs.filter((job) => job.kind === "follow"),
  );
  await tellAgain(
    on.env,
    jobs.filter((job) => job.kind === "report"),
  );
}

/** Consumes a batch of a lane's queue; the same job may arrive any number of times. */
export async function consumeLane(
  batch: MessageBatch,
  env: Env,
  ctx: Pick<ExecutionContext, "waitUntil">,
): Promise<void> {
  const config = configOf(env);
  const groups = groupJobs(batch);
  const slots = new Slots(config.DISPATCH_CONCURRENCY);
  const on: Invocation = { env, ctx, config, slots, budget: new Budget(), isShared: groups.length > 1 };
  await Promise.all(
    groups.map(async (group) => {
      try {
        await work(on, batch.queue, group);
        for (const message of group.messages) message.ack();
      } catch (problem) {
        logProblem("lane", problem);
        for (const message of group.messages) {
          message.retry({ delaySeconds: Math.min(RETRY_DELAY_SEC_MAX, 2 ** message.attempts) });
        }
      }
    }),
  );
}
