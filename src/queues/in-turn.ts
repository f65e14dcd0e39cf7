import type { Carrier } from "../carriers/carrier.ts";
import type { Config } from "../config/settings.ts";
import type { Attempt } from "../inbox/landing.ts";
import type { Lane } from "../model/lane.ts";
import type { Claimed, ClaimedJob, Offered, Outcome, Tried } from "../model/message.ts";
import type { AccountRef } from "../model/ref.ts";
import { alternatives, paceOf } from "./pace/clients.ts";
import { attemptOf, submit } from "./submit.ts";

// One claim of a message: its carriers are tried in turn, under one lease, as long as each certainly did not take it
// (contract §16.2). What one rejects, or may have, no other gets.

type Waits = Pick<ExecutionContext, "waitUntil">;

/** The longest wait for a permit that was given. */
const PERMIT_MS_MAX = 3_000;

/**
 * Whether the carrier may get a message now, which is no later than `untilMs`: where its limit was met lately, that takes
 * a permit. One that is of no use is given back.
 */
export async function isPermitted(
  env: Env,
  ctx: Waits,
  carrier: Carrier,
  { account, lane, hasOther, untilMs }: { account: string; lane: Lane; hasOther: boolean; untilMs: number },
): Promise<boolean> {
  if (Date.now() > untilMs) return false;
  if (!carrier.isPaced) return true;
  const pace = paceOf(env, carrier.name, carrier.tps);
  const standing = pace.standing(Date.now(), lane);
  // A bulk takes a permit wherever it goes.
  if (standing === "free" && lane !== "bulk") return true;
  const permits = await pace.take({ lane, account, max: 1, ...alternatives(carrier, hasOther) });
  const waitMs = (permits.atMs[0] ?? Infinity) - Date.now();
  if (waitMs > 0 && waitMs <= PERMIT_MS_MAX) await scheduler.wait(waitMs);
  if (waitMs <= PERMIT_MS_MAX && Date.now() <= untilMs && pace.quietMs(Date.now()) === 0) return true;
  pace.giveBack(ctx, permits, 0);
  return false;
}

/** A message to submit, and the carriers that may get it: the first one may now. */
export interface Turn {
  env: Env;
  ctx: Waits;
  config: Config;
  account: string;
  lane: Lane;
  ref: AccountRef;
  job: ClaimedJob;
  at: Claimed;
  carriers: readonly Carrier[];
  /** All that it may go to, with those that are passed over now: where none takes it, when one of these is back counts. */
  all: () => readonly Carrier[];
  /** Whether the claim left the choice of the first one open, too, so that the account has to be told. */
  isOpen: boolean;
  /** When the last submission may begin that its lease has time for. */
  untilMs: number;
}

/** What came of a claim; `carrier` is the last that was tried. */
export interface Turned {
  attempt: Attempt;
  carrier: Carrier;
}

const codeOf = (outcome: Outcome) => ("code" in outcome ? { code: outcome.code } : {});

/** How long a carrier is passed over yet, in ms; 0 where it may have a permit any moment. */
function awayMs(env: Env, { isPaced, name, tps }: Carrier, nowMs: number): number {
  if (!isPaced) return 0;
  const pace = paceOf(env, name, tps);
  return Math.max(pace.outMs(nowMs), pace.quietMs(nowMs));
}

/**
 * What the message is told after all of its carriers: the last one's outcome, where that is not certain; else "not now",
 * for as long as the soonest of them asks. `passedMs` is how long those are away that were not asked.
 */
export function leastWait(outcomes: readonly Outcome[], last: Outcome, passedMs: readonly number[]): Outcome {
  if (last.kind !== "not_accepted") return last;
  const waits = outcomes.map((one) => (one.kind === "not_accepted" ? (one.retryAfterMs ?? 0) : 0));
  const retryAfterMs = Math.min(...waits, ...passedMs);
  return { kind: "not_accepted", code: last.code, ...(retryAfterMs > 0 && { retryAfterMs }) };
}

/** Who watches a message on its way: `goesTo` is told each carrier that it waits for, `saw` each submission. */
export interface Watching {
  goesTo: (carrier: Carrier) => void;
  saw: (carrier: Carrier, outcome: Outcome, tookMs: number) => void;
}

/**
 * Submits a claimed message to its carriers in turn, each once. A carrier that may not get it now is passed over. Null
 * where there is no carrier. Never throws.
 */
export async function submitInTurn(turn: Turn, watching?: Watching): Promise<Turned | null> {
  const { env, ctx, config, account, lane, ref, job, at, carriers, all, untilMs } = turn;
  const tried: Tried[] = [];
  const outcomes: Outcome[] = [];
  let last: Turned | null = null;
  for (const [nth, carrier] of carriers.entries()) {
    const hasOther = nth < carriers.length - 1;
    watching?.goesTo(carrier);
    // The caller has seen to the first one's permit.
    if (nth > 0 && !(await isPermitted(env, ctx, carrier, { account, lane, hasOther, untilMs }))) continue;
    const atMs = Date.now();
    const attempt = await submit(carrier, config, ref, job, at);
    const { outcome } = attempt.news;
    if (carrier.isPaced) paceOf(env, carrier.name, carrier.tps).made(ctx, attempt, Date.now() - atMs);
    watching?.saw(carrier, outcome, Date.now() - atMs);
    tried.push({ carrier: carrier.name, at: atMs, ...codeOf(outcome) });
    outcomes.push(outcome);
    last = { attempt, carrier };
    if (outcome.kind !== "not_accepted") break;
  }
  if (!last) return null;
  const { attempt, carrier } = last;
  const offered: Offered = { tried, follow: carrier.lookup !== undefined, resubmits: carrier.resubmits };
  const hasNone = attempt.news.outcome.kind === "not_accepted";
  const passed = hasNone ? all().filter(({ name }) => !tried.some((one) => one.carrier === name)) : [];
  const passedMs = passed.map((one) => awayMs(env, one, Date.now()));
  const news = { ...attempt.news, outcome: leastWait(outcomes, attempt.news.outcome, passedMs) };
  const isUsual = tried.length === 1 && carrier.name === job.carrier && at.only === undefined;
  return { carrier, attempt: { ...attempt, news: { ...news, ...((!isUsual || turn.isOpen) && { offered }) } } };
}

/** A claim that is given back unused, to be made again after this time in ms. */
export const givenBack = (job: ClaimedJob, at: Claimed, afterMs = 0): Attempt =>
  attemptOf(job, at, null, afterMs > 0 ? { kind: "released", afterMs } : { kind: "released" });
