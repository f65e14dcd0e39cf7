import { accountOfName } from "../crypto/ids.ts";
import { recordHistory } from "../db/history.ts";
import type { MessageView } from "../model/message.ts";
import { batcherPerBinding } from "./batcher.ts";

// Writes finished jobs to D1 from the invocation that reported them, several accounts in one batch. Where that fails,
// the account's alarm finds the jobs missing from D1 and sends them to the history queue.

/** Jobs that one batch records: with 100 messages each, that is a megabyte or two. */
const JOBS_PER_BATCH = 50;

interface Ended {
  account: string;
  messages: MessageView[];
}

const changesIn = ({ account, messages }: Ended) => ({ ...accountOfName(account), messages, profile: null });

const batcherOf = batcherPerBinding(
  "history",
  (binding: D1Database, jobs: Ended[]) => recordHistory(binding, jobs.map(changesIn)),
  { itemsMax: JOBS_PER_BATCH, messagesIn: ({ messages }) => messages.length },
);

/** Records the messages of ended jobs. Never throws, and the caller does not wait for it. */
export function recordEnded(
  ctx: Pick<ExecutionContext, "waitUntil">,
  { DB }: Pick<Env, "DB">,
  account: string,
  ended: MessageView[][],
): void {
  batcherOf(DB).add(
    ctx,
    ended.map((messages) => ({ account, messages })),
  );
}
