import { accountOfName } from "../crypto/ids.ts";
import { recordHistory } from "../db/history.ts";
import type { MessageView } from "../model/message.ts";
import { outboxPerBinding } from "./batcher.ts";

// From whoever brought the news into D1: messages whose job has come to its end are written by the one who reported it,
// those of several accounts in one batch. What fails here, the account's alarm finds missing and names to the queue.

/** Jobs that one batch records: with 100 messages each, that is a megabyte or two. */
const JOBS_PER_BATCH = 50;

interface Ended {
  account: string;
  messages: MessageView[];
}

const changesIn = ({ account, messages }: Ended) => ({ ...accountOfName(account), messages, profile: null });

const outboxOf = outboxPerBinding(
  "history",
  (binding: D1Database, jobs: Ended[]) => recordHistory(binding, jobs.map(changesIn)),
  { itemsMax: JOBS_PER_BATCH, messagesIn: ({ messages }) => messages.length },
);

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
