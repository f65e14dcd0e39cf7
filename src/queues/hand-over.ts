import { logProblem } from "../log.ts";
import { JOBS_PER_MESSAGE_MAX } from "./jobs.ts";
import type { DispatchJob, HistoryJob } from "./jobs.ts";

// From the requests of one isolate into the queues. A queue message is billed three times, so what several requests
// leave at once goes out together: while one request waits for the queue, the others add to a list, and it takes that
// along next. Nothing waits for a timer: a request that comes alone hands over at once. No request waits for another
// one's call, which the platform forbids; and what is lost on the way, the account's alarm finds.

/** Queue messages that one call takes (Cloudflare Queues). */
const MESSAGES_PER_CALL = 100;

/** Submissions that one queue message speaks of: as many as one consumer makes in a round or two. */
const SUBMISSIONS_PER_MESSAGE = 20;

/** A request carries for others no longer than this: the platform ends it 30 s after its reply. */
const CARRY_MS_MAX = 2_000;

/** One that has not come back by then was ended, and the next request carries. */
const LOST_MS = 10_000;

type Waits = Pick<ExecutionContext, "waitUntil">;

/** A job on its way, and how much of one queue message it takes. */
export interface Item {
  job: DispatchJob | HistoryJob;
  weight: number;
}

/** Packs items, in their order, into messages that carry so much; one that is heavier goes alone. */
export function pack(items: readonly Item[], weightMax: number): Item["job"][][] {
  const messages: Item["job"][][] = [];
  let room = 0;
  for (const { job, weight } of items) {
    const last = messages.at(-1);
    if (last && weight <= room) {
      last.push(job);
      room -= weight;
    } else {
      messages.push([job]);
      room = weightMax - weight;
    }
  }
  return messages;
}

/** What an isolate's requests leave for one queue. */
class Outbox {
  readonly #queue: Queue;
  readonly #weightMax: number;
  #items: Item[] = [];
  /** The request that carries now, by the time at which it began. */
  #carrier: { sinceMs: number } | null = null;

  constructor(queue: Queue, weightMax: number) {
    this.#queue = queue;
    this.#weightMax = weightMax;
  }

  /** Leaves items; the promise, for `waitUntil`, is there when this request has to carry. Never throws. */
  add(items: readonly Item[]): Promise<void> | null {
    this.#items.push(...items);
    const nowMs = Date.now();
    if (this.#carrier && Math.abs(nowMs - this.#carrier.sinceMs) < LOST_MS) return null;
    this.#carrier = { sinceMs: nowMs };
    return this.#carry(this.#carrier);
  }

  async #carry(own: { sinceMs: number }): Promise<void> {
    while (this.#carrier === own && this.#items.length > 0) {
      // Whoever comes after the last round carries: nothing is left without somebody who will come for it.
      if (Date.now() - own.sinceMs >= CARRY_MS_MAX) this.#carrier = null;
      await this.#send(this.#items.splice(0));
    }
    if (this.#carrier === own) this.#carrier = null;
  }

  async #send(items: readonly Item[]): Promise<void> {
    const messages = pack(items, this.#weightMax).map((jobs) => ({ body: jobs }));
    try {
      for (let at = 0; at < messages.length; at += MESSAGES_PER_CALL) {
        await this.#queue.sendBatch(messages.slice(at, at + MESSAGES_PER_CALL));
      }
    } catch (problem) {
      logProblem("queue", problem);
    }
  }
}

const outboxes = new WeakMap<Queue, Outbox>();

function leave(ctx: Waits, queue: Queue, weightMax: number, items: readonly Item[]): void {
  if (items.length === 0) return;
  let outbox = outboxes.get(queue);
  if (!outbox) {
    outbox = new Outbox(queue, weightMax);
    outboxes.set(queue, outbox);
  }
  const carried = outbox.add(items);
  if (carried) ctx.waitUntil(carried);
}

/** Hands new jobs to the dispatch queue, each with so many messages to submit. Never throws, and nobody waits for it. */
export function handOverDispatch(ctx: Waits, env: Env, account: string, seqs: number[], messagesEach: number): void {
  const items = seqs.map((seq) => {
    const job: DispatchJob = { kind: "send", account, seqs: [seq] };
    return { job, weight: messagesEach };
  });
  leave(ctx, env.DISPATCH, SUBMISSIONS_PER_MESSAGE, items);
}

/** Names jobs that came to their end to the history queue. Never throws, and nobody waits for it. */
export function handOverHistory(ctx: Waits, env: Env, account: string, seqs: number[]): void {
  const items = seqs.map((seq) => {
    const job: HistoryJob = { account, seqs: [seq] };
    return { job, weight: 1 };
  });
  leave(ctx, env.HISTORY, JOBS_PER_MESSAGE_MAX, items);
}
