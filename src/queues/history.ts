import { accountOfName } from "../crypto/ids.ts";
import { recordHistory } from "../db/history.ts";
import type { AccountChanges } from "../db/history.ts";
import { logProblem } from "../log.ts";
import { historyJob } from "./jobs.ts";

// The history consumer: fetches the newest state from the accounts and writes it to D1 in one batch.

const RETRY_DELAY_SEC_MAX = 300;

/** Jobs fetched and recorded at once: with 100 messages each, that is a few megabytes. */
const JOBS_PER_WAVE = 50;

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

/** Jobs of one account in one call. */
interface Piece extends Wanted {
  account: string;
}

/** What is wanted, in waves of at most `JOBS_PER_WAVE` jobs, which keeps calls, memory and statements in bounds. */
function* wavesOf(wanted: Map<string, Wanted>): Generator<Piece[]> {
  let wave: Piece[] = [];
  let room = JOBS_PER_WAVE;
  for (const [account, { seqs, profile }] of wanted) {
    const all = [...seqs];
    let first = true;
    while (first || all.length > 0) {
      const piece = { account, seqs: new Set(all.splice(0, room)), profile: profile && first };
      wave.push(piece);
      room -= Math.max(1, piece.seqs.size);
      first = false;
      if (room > 0) continue;
      yield wave;
      wave = [];
      room = JOBS_PER_WAVE;
    }
  }
  if (wave.length > 0) yield wave;
}

async function changesOf(env: Env, { account, seqs, profile }: Piece): Promise<AccountChanges> {
  const stub = env.ACCOUNT.getByName(account);
  const messages = (await stub.changes([...seqs])) ?? [];
  return { ...accountOfName(account), messages, profile: profile ? await stub.view() : null };
}

/** Records one wave; returns the accounts that did not answer, whose failure does not hold up the others. */
async function recordWave(env: Env, wave: Piece[]): Promise<string[]> {
  const missing: string[] = [];
  const changes = await Promise.all(
    wave.map(async (piece) => {
      try {
        return [await changesOf(env, piece)];
      } catch (problem) {
        logProblem("history of an account", problem);
        missing.push(piece.account);
        return [];
      }
    }),
  );
  await recordHistory(env.DB, changes.flat());
  return missing;
}

/** Consumes a batch of the history queue. While D1 is down the batch is retried; the accounts keep the truth. */
export async function consumeHistory(batch: MessageBatch, env: Env): Promise<void> {
  const missing = new Set<string>();
  let recorded = false;
  try {
    for (const wave of wavesOf(wantedBy(batch))) for (const name of await recordWave(env, wave)) missing.add(name);
    recorded = true;
  } catch (problem) {
    logProblem("history", problem);
  }
  for (const message of batch.messages) {
    const job = historyJob.safeParse(message.body);
    if (recorded && !(job.success && missing.has(job.data.account))) message.ack();
    else message.retry({ delaySeconds: Math.min(RETRY_DELAY_SEC_MAX, 2 ** message.attempts) });
  }
}
