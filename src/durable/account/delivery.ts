import type { Config } from "../../config.ts";
import type { ClaimedJob, Followed, News } from "../../model/message.ts";
import { readJob, stepJob, writeJob } from "./jobs.ts";
import type { Job } from "./jobs.ts";
import { applyOutcome, applyReceipt, claim, isFinal } from "./message-life.ts";
import type { Message, Step, Timers } from "./message-life.ts";

// The account's side of delivery: claim before a submission, report after it (design §2).

/** The timers of contract §12 that the account needs. */
export function timersOf(config: Config): Timers {
  return {
    retryBaseMs: config.RETRY_BASE_MS,
    attemptsMax: config.ATTEMPTS_MAX,
    unknownWindowMs: config.UNKNOWN_WINDOW_MS,
    receiptWindowMs: config.RECEIPT_WINDOW_MS,
    sweepMs: config.SWEEP_MS,
  };
}

/** Takes up to `max` waiting messages, in the order of the jobs; one row written per job. */
export function claimJobs(
  sql: SqlStorage,
  asked: { seqs: number[]; max: number; carrier: string; leaseMs: number },
  timers: Timers,
  nowMs: number,
): ClaimedJob[] {
  const claimed: ClaimedJob[] = [];
  let left = asked.max;
  for (const seq of asked.seqs) {
    const job = left > 0 ? readJob(sql, seq) : null;
    // What is past its validity is not taken; the sweep refunds it.
    if (!job || job.expiresAt <= nowMs) continue;
    const taken: ClaimedJob["messages"] = [];
    const messages = job.messages.map((message, index): Message => {
      const claimedNow = left > 0 ? claim(message, index, nowMs, asked.leaseMs) : null;
      if (!claimedNow) return message;
      left -= 1;
      taken.push(claimedNow[1]);
      return claimedNow[0];
    });
    if (taken.length === 0) continue;
    // A job stays with the carrier that it was first claimed for: that one is asked what became of its messages.
    const carrier = job.carrier ?? asked.carrier;
    writeJob(sql, { ...job, carrier }, messages, timers);
    const { requestId, operation, content, text } = job;
    claimed.push({ seq, carrier, requestId, operation, content, text, messages: taken });
  }
  return claimed;
}

/** Applies news job by job; returns the jobs that changed, and those of them that are at their end. */
export function reportNews(
  sql: SqlStorage,
  news: News[],
  follow: boolean,
  timers: Timers,
  nowMs: number,
): { changed: number[]; ended: Job[] } {
  const changed: number[] = [];
  const ended: Job[] = [];
  for (const [seq, items] of Map.groupBy(news, (item) => item.seq)) {
    const job = readJob(sql, seq);
    if (!job) continue;
    const byIndex = Map.groupBy(items, (item) => item.index);
    const step = (message: Message, index: number): Step => {
      let result: Step = { message, refund: false };
      for (const item of byIndex.get(index) ?? []) {
        const next = applyNews(result.message, item, { nowMs, expiresAt: job.expiresAt, follow }, timers);
        result = { message: next.message, refund: result.refund || next.refund };
      }
      return result;
    };
    const stepped = stepJob(sql, job, step, timers, nowMs);
    if (!stepped) continue;
    changed.push(seq);
    if (stepped.messages.every(isFinal)) ended.push(stepped);
  }
  return { changed, ended };
}

function applyNews(
  message: Message,
  news: News,
  when: { nowMs: number; expiresAt: number; follow: boolean },
  timers: Timers,
): Step {
  if (news.kind === "outcome") {
    return applyOutcome(message, news.attempt, news.outcome, { ...when, jitter: Math.random() }, timers);
  }
  return applyReceipt(message, news.state, news.code, when.nowMs, timers);
}

/** Messages that were handed to a carrier and have no final receipt. */
export function followJobs(sql: SqlStorage, seqs: number[]): Followed[] {
  return seqs.flatMap((seq) => {
    const job = readJob(sql, seq);
    if (!job?.carrier) return [];
    const { carrier, operation } = job;
    return job.messages.flatMap((message, index) =>
      message.state === "submitted" || message.state === "unknown"
        ? [
            {
              seq,
              index,
              attempt: message.attempts,
              unknown: message.state === "unknown",
              operation,
              to: message.to,
              carrier,
            },
          ]
        : [],
    );
  });
}
