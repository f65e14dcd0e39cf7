import type { ClaimedJob, Followed, News } from "../../model/message.ts";
import { readJob, stepJob, writeJob } from "./jobs.ts";
import type { Job } from "./jobs.ts";
import { applyOutcome, applyReceipt, claim, isFinal } from "./message-life.ts";
import type { Message, Step } from "./message-life.ts";
import type { Turn } from "./turn.ts";

// The account's side of delivery: claim before a submission, report after it.

/** Claims up to `max` waiting messages, in the order of the jobs; writes one row per job. */
export function claimJobs(
  turn: Turn,
  asked: { seqs: number[]; max: number; carrier: string; leaseMs: number },
): ClaimedJob[] {
  const { sql, nowMs } = turn;
  const claimed: ClaimedJob[] = [];
  let left = asked.max;
  for (const seq of asked.seqs) {
    const job = left > 0 ? readJob(sql, seq) : null;
    // Messages past their validity are not claimed; the sweep refunds them.
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
    // A job stays with the carrier of its first claim, the only one that can look its messages up.
    const carrier = job.carrier ?? asked.carrier;
    writeJob(turn, { ...job, carrier }, messages);
    const { requestId, operation, content, text } = job;
    claimed.push({ seq, carrier, requestId, operation, content, text, messages: taken });
  }
  return claimed;
}

/** Applies outcomes and receipts job by job; returns the jobs that ended. `follow`: their carrier has a lookup(). */
export function reportNews(turn: Turn, news: News[], follow: boolean): Job[] {
  const ended: Job[] = [];
  for (const [seq, items] of Map.groupBy(news, (item) => item.seq)) {
    const job = readJob(turn.sql, seq);
    if (!job) continue;
    const byIndex = Map.groupBy(items, (item) => item.index);
    const step = (message: Message, index: number): Step => {
      let result: Step = { message, refund: false };
      for (const item of byIndex.get(index) ?? []) {
        const next = applyNews(turn, result.message, item, { expiresAt: job.expiresAt, follow });
        result = { message: next.message, refund: result.refund || next.refund };
      }
      return result;
    };
    const stepped = stepJob(turn, job, step);
    if (stepped?.messages.every(isFinal)) ended.push(stepped);
  }
  return ended;
}

function applyNews(turn: Turn, message: Message, news: News, job: { expiresAt: number; follow: boolean }): Step {
  return news.kind === "outcome" ? applyOutcome(turn, message, news, job) : applyReceipt(turn, message, news);
}

/** The messages of these jobs that a carrier took, or may have taken, and that have no final receipt. */
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
