import { recordHistory } from "./db/history.ts";
import type { MessageView } from "./durable/account-types.ts";
import { accountOfName } from "./ids.ts";
import { logProblem } from "./log.ts";
import { Outbox } from "./outbox.ts";

// From whoever brought the news into D1: messages whose job has come to its end are written by the one who reported it,
// those of several accounts in one batch. What fails here, the account's alarm finds missing and names to the queue.

/** Jobs that one batch records: with 100 messages each, that is a megabyte or two. */
const JOBS_PER_BATCH = 50;

interface Ended {
  account: string;
  messages: MessageView[];
}

const outboxes = new WeakMap<D1Database, Outbox<Ended>>();

function outboxOf(binding: D1Database): Outbox<Ended> {
  let outbox = outboxes.get(binding);
  if (!outbox) {
    const take = async (jobs: Ended[]) => {
      try {
        await recordHistory(
          binding,
          jobs.map(({ account, messages }) => ({ ...accountOfName(account), messages, profile: null })),
        );
      } catch (problem) {
        logProblem("history", problem);
      }
    };
    outbox = new Outbox(take, JOBS_PER_BATCH);
    outboxes.set(binding, outbox);
  }
  return outbox;
}

/** Records the messages of ended jobs. Never throws, and nobody waits for it. */
export function recordEnded(
  ctx: Pick<ExecutionContext, "waitUntil">,
  { DB }: Pick<Env, "DB">,
  account: string,
  ended: MessageView[][],
): void {
  outboxOf(DB).leave(
    ctx,
    ended.map((messages) => ({ account, messages })),
  );
}
