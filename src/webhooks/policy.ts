import type { Endpoint, Parked, Posted } from "../model/webhook.ts";

// What answers mean, and when what failed is tried again (contract §14). Pure: the clock and chance are arguments.

/** Attempts that an endpoint remembers. */
export const ATTEMPTS_KEPT = 50;

/** Events that are parked at once for one endpoint. Beyond them a refusal holds up the endpoint, so that nothing is lost. */
export const PARKED_MAX = 200;

/** A 5xx for one event so often in a row parks it, if the endpoint takes the next one. */
const REFUSED_MAX = 3;

/** The longest `Retry-After` that is kept, in ms. */
const RETRY_AFTER_MS_MAX = 3_600_000;

/** A `Retry-After` shortens the wait after several failures no further than to this, in ms. */
const RETRY_MS_MIN = 60_000;

/** How far a wait differs from the ladder's, as a share. */
const JITTER = 0.1;

/** What an answer means: taken; the endpoint waits; this post alone is refused; the endpoint is gone for good. */
export type Verdict = "taken" | "wait" | "park" | "gone";

const WAITING_4XX: ReadonlySet<number> = new Set([408, 425, 429]);

/** What a status means; null: no answer came. A redirect is a failure like any other. */
export function verdictOn(status: number | null): Verdict {
  if (status === null) return "wait";
  if (status >= 200 && status < 300) return "taken";
  if (status === 410) return "gone";
  return status >= 400 && status < 500 && !WAITING_4XX.has(status) ? "park" : "wait";
}

/** The settings of retries; `random` returns 0 to 1. */
export interface Rules {
  ladderMs: readonly number[];
  deadMs: number;
  random: () => number;
}

const is5xx = ({ attempt: { status } }: Posted): boolean => (status ?? 0) >= 500;

/**
 * Whether a run posts on after a result. After a third 5xx for the same event it tries the next one: only that tells a
 * refused event from an endpoint that is down.
 */
export function goesOn(endpoint: Endpoint, results: readonly Posted[]): boolean {
  const last = results.at(-1);
  if (!last) return true;
  const verdict = verdictOn(last.attempt.status);
  if (verdict === "gone") return false;
  if (last.kind === "parked") return verdict !== "wait" || is5xx(last);
  const before = results.at(-2);
  const isProbe = before !== undefined && before.kind !== "parked" && verdictOn(before.attempt.status) === "wait";
  if (isProbe) return verdict === "taken";
  return verdict !== "wait" || isDoubted(endpoint, last);
}

/** Whether a post's event was refused so often that the next one is to be tried. */
function isDoubted({ head }: Endpoint, post: Posted): boolean {
  return is5xx(post) && head?.seq === post.first && head.refused + 1 >= REFUSED_MAX;
}

/** The wait before the next attempt after so many failures in a row, in ms. */
export function waitMs({ ladderMs, random }: Rules, failures: number, retryAfterMs: number | null): number {
  const step = ladderMs[Math.min(failures, ladderMs.length) - 1] ?? 0;
  const jittered = Math.round(step * (1 - JITTER + 2 * JITTER * random()));
  if (retryAfterMs === null) return jittered;
  return Math.min(RETRY_AFTER_MS_MAX, Math.max(retryAfterMs, Math.min(step, RETRY_MS_MIN)));
}

/** An endpoint after a run, and its parked events that changed: `null` where one is settled. */
export interface Settled {
  endpoint: Endpoint;
  parked: Map<number, Parked | null>;
}

/** Applies the results of a run in their order. */
export function settleRun(
  before: Endpoint,
  parkedBefore: readonly Parked[],
  results: readonly Posted[],
  nowMs: number,
  rules: Rules,
): Settled {
  const endpoint = { ...before };
  const parked = new Map<number, Parked | null>();
  let room = PARKED_MAX - parkedBefore.length;
  let isHeld = false;
  for (const [at, result] of results.entries()) {
    const verdict = verdictOn(result.attempt.status);
    if (result.kind === "parked") {
      settleParked(endpoint, parked, { before: parkedBefore, result, nowMs, rules });
    } else if (!isHeld) {
      const next = results[at + 1];
      const isAlone = verdict === "wait" && next !== undefined && next.kind === result.kind && isTaken(next);
      const size = seqsOf(result).length;
      if (verdict === "taken") {
        advance(endpoint, result);
        succeed(endpoint);
      } else if ((verdict === "park" || isAlone) && size <= room) {
        room -= size;
        park(parked, result, nowMs, rules);
        advance(endpoint, result);
        endpoint.failingSince ??= result.attempt.at;
        endpoint.lastError = result.attempt.error;
      } else {
        isHeld = true;
        hold(endpoint, result, nowMs, rules);
      }
    }
    if (verdict === "gone") endpoint.disabled = "gone";
  }
  const { failingSince } = endpoint;
  if (failingSince !== null && nowMs - failingSince >= rules.deadMs) endpoint.disabled ??= "failures";
  if (endpoint.disabled !== null) endpoint.nextAt = null;
  return { endpoint, parked };
}

/** The numbers of the events of a post. */
const seqsOf = ({ first, last, seqs }: Posted): number[] =>
  seqs ?? Array.from({ length: last - first + 1 }, (_, at) => first + at);

const isTaken = ({ attempt }: Posted): boolean => verdictOn(attempt.status) === "taken";

function succeed(endpoint: Endpoint): void {
  Object.assign(endpoint, { failures: 0, failingSince: null, nextAt: null, lastError: null });
}

/** Moves the cursor of a settled post. */
function advance(endpoint: Endpoint, { kind, first, last, through }: Posted): void {
  if (endpoint.head?.seq === first) endpoint.head = null;
  if (kind === "live") endpoint.acked = Math.max(endpoint.acked, through);
  else if (endpoint.replay && last >= endpoint.replay.next) {
    endpoint.replay = through >= endpoint.replay.to ? null : { ...endpoint.replay, next: through + 1 };
  }
}

/** The endpoint waits, and begins with this post again. */
function hold(endpoint: Endpoint, result: Posted, nowMs: number, rules: Rules): void {
  const { first, last, attempt, retryAfterMs } = result;
  const refused = endpoint.head?.seq === first ? endpoint.head.refused : 0;
  endpoint.head = { seq: first, last, refused: is5xx(result) ? refused + 1 : refused };
  wait(endpoint, attempt.at, attempt.error, nowMs + waitMs(rules, endpoint.failures + 1, retryAfterMs));
}

function wait(endpoint: Endpoint, at: number, error: string | null, nextAt: number): void {
  endpoint.failures += 1;
  endpoint.failingSince ??= at;
  endpoint.lastError = error;
  endpoint.nextAt = nextAt;
}

/** Parks each event of a post. What came in a batch is tried one by one, at once: only one of them may be refused. */
function park(parked: Settled["parked"], result: Posted, nowMs: number, rules: Rules): void {
  const isOne = result.first === result.last;
  for (const seq of seqsOf(result)) {
    parked.set(seq, { seq, failures: isOne ? 1 : 0, nextAt: isOne ? nowMs + waitMs(rules, 1, null) : nowMs });
  }
}

interface ParkedResult {
  before: readonly Parked[];
  result: Posted;
  nowMs: number;
  rules: Rules;
}

/** A parked event goes its own way up the ladder, and is given up at its end. */
function settleParked(
  endpoint: Endpoint,
  parked: Settled["parked"],
  { before, result, nowMs, rules }: ParkedResult,
): void {
  const { first, attempt, retryAfterMs } = result;
  const verdict = verdictOn(attempt.status);
  if (verdict === "taken") {
    parked.set(first, null);
    return succeed(endpoint);
  }
  // No connection or "not now" says nothing of the event: the endpoint waits.
  if (verdict === "wait" && !is5xx(result)) {
    return wait(endpoint, attempt.at, attempt.error, nowMs + waitMs(rules, endpoint.failures + 1, retryAfterMs));
  }
  const failures = (before.find(({ seq }) => seq === first)?.failures ?? 0) + 1;
  endpoint.failingSince ??= attempt.at;
  const nextAt = nowMs + waitMs(rules, failures, retryAfterMs);
  parked.set(first, failures > rules.ladderMs.length ? null : { seq: first, failures, nextAt });
}
