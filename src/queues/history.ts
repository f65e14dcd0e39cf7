import { recordHistory } from "../db/history.ts";
import type { AccountChanges } from "../db/history.ts";
import { accountOfName } from "../ids.ts";
import { logProblem } from "../log.ts";
import { historyJob } from "./jobs.ts";

// The history consumer (design §2): fetches the newest state from the accounts and writes it to D1 in one batch.

const RETRY_DELAY_SEC_MAX = 300;

interface Wanted {
  seqs: Set<number>;
  profile: boolean;
}

function wantedBy(batch: MessageBatch): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  for (const message of batch.messages) {
    const parsed = historyJob.safeParse(message.body);
    if (!parsed.success) {
      logProblem("history queue", new Error("a message that is no job was dropped"));
      continue;
    }
    const { account, seqs, profile } = parsed.data;
    const of = wanted.get(account) ?? { seqs: new Set(), profile: false };
    for (const seq of seqs) of.seqs.add(seq);
    of.profile ||= profile === true;
    wanted.set(account, of);
  }
  return wanted;
}

async function changesOf(env: Env, name: string, of: Wanted): Promise<AccountChanges> {
  const stub = env.ACCOUNT.getByName(name);
  const messages = await stub.changes([...of.seqs]);
  const profile = of.profile ? await stub.view() : null;
  return { ...accountOfName(name), messages, profile };
}

/** Consumes a batch of the history queue. While D1 is away the batch comes again; the accounts keep the truth. */
export async function consumeHistory(batch: MessageBatch, env: Env): Promise<void> {
  try {
    const changes = await Promise.all([...wantedBy(batch)].map(([name, of]) => changesOf(env, name, of)));
    await recordHistory(env.DB, changes);
    batch.ackAll();
  } catch (problem) {
    logProblem("history", problem);
    for (const message of batch.messages) {
      message.retry({ delaySeconds: Math.min(RETRY_DELAY_SEC_MAX, 2 ** message.attempts) });
    }
  }
}
