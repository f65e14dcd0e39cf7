import { recordHistory } from "../db/history.ts";
import type { AccountChanges } from "../db/history.ts";
import { accountOfName } from "../ids.ts";
import { logProblem } from "../log.ts";
import { historyJob } from "./jobs.ts";

// The history consumer (design §2): fetches the newest state from the accounts and writes it to D1 in one batch.

const RETRY_DELAY_SEC_MAX = 300;

/** Jobs in one call to an account: with 100 messages each, its answer stays a few megabytes. */
const JOBS_PER_CALL = 50;

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

/** The newest state of what one account wants recorded, in pieces that a call and a statement can carry. */
async function changesOf(env: Env, name: string, { seqs, profile }: Wanted): Promise<AccountChanges[]> {
  const stub = env.ACCOUNT.getByName(name);
  const ref = accountOfName(name);
  const all = [...seqs];
  const pieces: AccountChanges[] = [{ ...ref, messages: [], profile: profile ? await stub.view() : null }];
  for (let at = 0; at < all.length; at += JOBS_PER_CALL) {
    const messages = await stub.changes(all.slice(at, at + JOBS_PER_CALL));
    pieces.push({ ...ref, messages, profile: null });
  }
  return pieces;
}

/** Consumes a batch of the history queue. While D1 is away the batch comes again; the accounts keep the truth. */
export async function consumeHistory(batch: MessageBatch, env: Env): Promise<void> {
  try {
    const changes = await Promise.all([...wantedBy(batch)].map(([name, of]) => changesOf(env, name, of)));
    await recordHistory(env.DB, changes.flat());
    batch.ackAll();
  } catch (problem) {
    logProblem("history", problem);
    for (const message of batch.messages) {
      message.retry({ delaySeconds: Math.min(RETRY_DELAY_SEC_MAX, 2 ** message.attempts) });
    }
  }
}
