import { logProblem } from "../log.ts";
import type { Lane } from "../model/lane.ts";
import type { News } from "../model/message.ts";
import { JOBS_PER_MESSAGE_MAX, NEWS_PER_MESSAGE_MAX, OFFERED_PER_MESSAGE_MAX } from "./jobs.ts";
import type { HistoryJob, LaneJob, ReportJob, SendJob } from "./jobs.ts";
import { laneQueue } from "./lanes.ts";
import type { LaneQueues } from "./lanes.ts";

// Sends an account's work to the queues. The account's alarm finds what is lost here, so a failure is only logged;
// except for reports, which the account cannot find again.

/** Queue messages that one call takes (Cloudflare Queues). */
export const MESSAGES_PER_CALL = 100;

/** A bulk gets one token for so many recipients, and no more than `TOKENS_MAX`: each is a consumer that works on it. */
const RECIPIENTS_PER_TOKEN = 500;
const TOKENS_MAX = 20;

/** The tokens of a request with this many recipients. */
export function tokensFor(account: string, lane: Lane, recipients: number): SendJob[] {
  const count = Math.min(TOKENS_MAX, Math.max(1, Math.ceil(recipients / RECIPIENTS_PER_TOKEN)));
  return Array.from({ length: count }, () => ({ kind: "send", account, lane }));
}

/** A queue message that is delivered after a delay. */
interface Delayed<Job extends LaneJob = LaneJob> {
  body: Job;
  delaySeconds: number;
}

/** Sends messages to a lane's queue. Throws when the queue cannot be reached. */
async function sendAll(env: LaneQueues, lane: Lane, messages: readonly Delayed[]): Promise<void> {
  for (let at = 0; at < messages.length; at += MESSAGES_PER_CALL) {
    await laneQueue(env, lane).sendBatch(messages.slice(at, at + MESSAGES_PER_CALL));
  }
}

/** Sends tokens of one lane to its queue; false when it cannot be reached. Never throws. */
export async function enqueueTokens(
  env: LaneQueues,
  lane: Lane,
  tokens: readonly Delayed<SendJob>[],
): Promise<boolean> {
  try {
    await sendAll(env, lane, tokens);
    return true;
  } catch (problem) {
    logProblem("lane queue", problem);
    return false;
  }
}

/**
 * Sends an account's jobs to the history queue, each list as a message of its own, and the profile with the first. False
 * where the queue did not take all of it; never throws.
 */
export async function enqueueHistory(
  queue: Queue,
  account: string,
  lists: readonly number[][],
  profile: boolean,
): Promise<boolean> {
  const [first = [], ...rest] = lists;
  if (first.length === 0 && !profile) return true;
  const bodies: { body: HistoryJob }[] = [{ body: { account, seqs: first, ...(profile && { profile }) } }];
  for (const seqs of rest) bodies.push({ body: { account, seqs } });
  try {
    for (let at = 0; at < bodies.length; at += MESSAGES_PER_CALL) {
      await queue.sendBatch(bodies.slice(at, at + MESSAGES_PER_CALL));
    }
    return true;
  } catch (problem) {
    logProblem("history queue", problem);
    return false;
  }
}

/** Lets the history consumer delete what left an account for the archive. Never throws. */
export async function enqueueClear(queue: Queue, account: string): Promise<void> {
  const job: HistoryJob = { account, seqs: [], clear: true };
  await queue.sendBatch([{ body: job }]).catch((problem: unknown) => logProblem("history queue", problem));
}

/** Sends one token of an account's lane to its queue; never throws. */
export async function enqueueToken(env: LaneQueues, account: string, lane: Lane): Promise<void> {
  await enqueueTokens(env, lane, [{ body: { kind: "send", account, lane }, delaySeconds: 0 }]);
}

/** Lets a consumer ask the carrier for the state of these jobs' messages, after the delay; never throws. */
export async function enqueueFollow(
  env: LaneQueues,
  account: string,
  seqs: readonly number[],
  { lane = "bulk", delaySeconds = 0 }: { lane?: Lane; delaySeconds?: number } = {},
): Promise<void> {
  const messages: Delayed[] = [];
  for (let at = 0; at < seqs.length; at += JOBS_PER_MESSAGE_MAX) {
    const body = { kind: "follow" as const, account, lane, seqs: seqs.slice(at, at + JOBS_PER_MESSAGE_MAX) };
    messages.push({ body, delaySeconds });
  }
  await sendAll(env, lane, messages).catch((problem: unknown) => logProblem("lane queue", problem));
}

/** Hands reports that an account could not take to a queue. Throws when that cannot be reached either. */
export async function enqueueReport(
  env: LaneQueues,
  { news, ...more }: Omit<ReportJob, "kind" | "news"> & { news: readonly News[] },
  delaySeconds: number,
): Promise<void> {
  const messages: Delayed[] = [];
  const isLong = news.some((one) => one.kind === "outcome" && one.offered !== undefined);
  const most = isLong ? OFFERED_PER_MESSAGE_MAX : NEWS_PER_MESSAGE_MAX;
  for (let at = 0; at < news.length; at += most) {
    const some = news.slice(at, at + most);
    messages.push({ body: { kind: "report", ...more, news: some }, delaySeconds });
  }
  await sendAll(env, more.lane, messages);
}
