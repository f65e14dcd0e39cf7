import { configOf } from "../config/config.ts";
import { storeObserved } from "../db/health/observed.ts";
import type { Observed } from "../db/health/observed.ts";
import { logProblem } from "../log.ts";
import { WITHIN_SEC } from "../model/delivery.ts";
import type { Tally } from "../model/delivery.ts";
import type { JobGroup, LongWait } from "../model/history.ts";
import type { MessageView } from "../model/message.ts";
import type { AccountRef } from "../model/ref.ts";

// What the history consumer sees on its way, for the operator's health page: how messages ended, by carrier, and which
// accounts have messages that wait long. An isolate gathers it for some seconds and stores it with one batch of D1: a row
// for each carrier, and nothing when messages are sent.

export type Waits = Pick<ExecutionContext, "waitUntil">;

/** An isolate gathers for so long, in ms; the platform gives an invocation 30 s after its end. */
const GATHER_MS = 15_000;

/** What one account gave to record. */
interface Seen extends AccountRef {
  /** The jobs that the queue message named; others come along in their bucket, and were counted before. */
  seqs: readonly number[];
  groups: readonly JobGroup[];
  /** Null where the account's version does not say. */
  waits: readonly LongWait[] | null;
}

/**
 * Ends that are older than so many sweeps were counted when they were recorded first, or are left out: passes are 20
 * sweeps apart, and a job that is recorded again, or history that is written anew, would count them twice.
 */
const COUNTED_SWEEPS = 24;

function tallyOf(message: MessageView): Tally {
  const { state, createdAt, updatedAt, sendAt, carrier, timeline } = message;
  const isDelivered = state === "delivered";
  const deliveredAt = timeline.findLast((entry) => entry.state === "delivered")?.at ?? updatedAt;
  const tookMs = Math.max(0, deliveredAt - (sendAt ?? createdAt));
  const within = WITHIN_SEC.map((sec) => (isDelivered && tookMs <= sec * 1_000 ? 1 : 0));
  return {
    carrier: carrier ?? "",
    delivered: isDelivered ? 1 : 0,
    undelivered: state === "undelivered" ? 1 : 0,
    // An unknown message that was refunded counts as failed: its window ended.
    failed: state === "failed" || state === "unknown" ? 1 : 0,
    unconfirmed: state === "unconfirmed" ? 1 : 0,
    sumMs: isDelivered ? tookMs : 0,
    within,
  };
}

/** Whether a carrier's part in a message is over; one that was taken back had none. */
const isOver = ({ state, refunded }: MessageView) =>
  !["scheduled", "queued", "sending", "submitted", "cancelled"].includes(state) && (state !== "unknown" || refunded);

/** The sums of tallies, by carrier. */
function summed(tallies: readonly Tally[]): Tally[] {
  return [...Map.groupBy(tallies, ({ carrier }) => carrier).values()].map((same) =>
    same.reduce((sum, one) => ({
      carrier: sum.carrier,
      delivered: sum.delivered + one.delivered,
      undelivered: sum.undelivered + one.undelivered,
      failed: sum.failed + one.failed,
      unconfirmed: sum.unconfirmed + one.unconfirmed,
      sumMs: sum.sumMs + one.sumMs,
      within: sum.within.map((count, at) => count + (one.within[at] ?? 0)),
    })),
  );
}

/** What a wave shows: test accounts are left out, since they send through the simulator. */
export function observedIn(seen: readonly Seen[], sinceMs: number, nowMs: number): Observed {
  const live = seen.filter(({ mode }) => mode === "live");
  const tallies = live.flatMap(({ groups, seqs }) => {
    const named = new Set(seqs);
    return groups
      .flatMap(({ messages }) => messages)
      .filter((message) => named.has(message.seq) && isOver(message) && message.updatedAt >= sinceMs)
      .map(tallyOf);
  });
  const said = live.filter(({ waits }) => waits !== null);
  return {
    tallies: summed(tallies),
    accounts: said.map(({ accountId }) => accountId),
    waits: said.flatMap(({ accountId, waits }) => (waits ?? []).map((wait) => ({ accountId, ...wait, seenAt: nowMs }))),
  };
}

/** All of it as one: of an account that was seen twice the later word counts. */
function merged(all: readonly Observed[]): Observed {
  const lastSaid = new Map(all.flatMap(({ accounts }, at) => accounts.map((account) => [account, at] as const)));
  return {
    tallies: summed(all.flatMap(({ tallies }) => tallies)),
    accounts: [...lastSaid.keys()],
    waits: all.flatMap(({ waits }, at) => waits.filter(({ accountId }) => lastSaid.get(accountId) === at)),
  };
}

/** What this isolate has gathered and not stored yet, by the database that it goes to. */
const gathered = new WeakMap<D1Database, Observed[]>();

async function storeGathered(env: Env, gatherMs: number): Promise<void> {
  await scheduler.wait(gatherMs);
  const all = gathered.get(env.DB) ?? [];
  gathered.delete(env.DB);
  await storeObserved(env.DB, merged(all), Date.now());
}

/**
 * Gathers what a wave shows, to store it soon. Never throws: without it the operator sees less, and nothing else changes;
 * an isolate that ends meanwhile loses it.
 */
export function observe(env: Env, ctx: Waits, seen: readonly Seen[], nowMs: number, gatherMs = GATHER_MS): void {
  const sinceMs = nowMs - COUNTED_SWEEPS * configOf(env).SWEEP_MS;
  const observed = observedIn(seen, sinceMs, nowMs);
  const held = gathered.get(env.DB);
  if (held) held.push(observed);
  else if (observed.accounts.length + observed.tallies.length > 0) {
    gathered.set(env.DB, [observed]);
    ctx.waitUntil(
      storeGathered(env, gatherMs).catch((problem: unknown) => logProblem("health of deliveries", problem)),
    );
  }
}
