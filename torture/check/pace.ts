import { leapsOf } from "./clock.ts";
import { GATEWAY } from "./evidence.ts";
import type { Evidence, Fault, Submission } from "./evidence.ts";
import type { Case } from "./orders.ts";
import { Proof } from "./proof.ts";
import { runningFaults } from "./faults.ts";

// How fast, and in what order, submissions reach the gateway.

/** Until all of the service knows of a demand for silence, what it had dated or sent before may still arrive. */
const SPREADS_MS = 1_000;
/** The service counts from when the answer reached it, on a clock of its own. */
const ENDS_EARLY_MS = 150;
/** Faults after which the service has forgotten a demand for silence, or believes that its time is over. */
const FORGETTING = ["kill", "term", "rotate", "deploy", "rollback", "pace", "clock"];

/** Nothing reaches the gateway while its `Retry-After` runs. */
export function silenceIsKept({ submissions, faults }: Evidence): Proof {
  const proof = new Proof("silence while a Retry-After of a carrier runs", { needsNone: true });
  for (const own of Map.groupBy(submissions, ({ carrier }) => carrier).values()) silenceOf(proof, own, faults);
  return proof;
}

/** Of one carrier. */
function silenceOf(proof: Proof, submissions: Submission[], faults: Fault[]): void {
  const times = submissions.map(({ at }) => at).toSorted((one, other) => one - other);
  let first = 0;
  for (const { at, answered, answeredAt, quietMs } of submissions) {
    if (quietMs === null || !answered) continue;
    const [from, to] = [answeredAt + SPREADS_MS, answeredAt + quietMs - ENDS_EARLY_MS];
    while (first < times.length && (times[first] ?? Infinity) < at) first += 1;
    const within = times.slice(first, first + 5_000).filter((one) => one > from && one < to);
    const broken = within.filter((one) => runningFaults(faults, at, one, FORGETTING).length === 0);
    const told = () =>
      `${broken.length} submissions ${(broken[0] ?? 0) - answeredAt} ms after a demand for ${quietMs} ms`;
    proof.holds(broken.length === 0, told);
  }
}

/** The windows in which a set rate is counted, and how much more than the rate they may hold: a second's worth besides. */
const RATED_MS = 10_000;
const RATE_MARGIN = 1.2;

/** A rate that was set for the gateway is kept, while no fault moves the clock or the pacing object. */
export function rateIsKept({ submissions, faults, tps, rates }: Evidence): Proof {
  const proof = new Proof("the rate set for a carrier is kept", { needsNone: true });
  const notes: string[] = [];
  for (const [carrier, perSec] of Object.entries({ [GATEWAY]: tps, ...rates })) {
    if (perSec === null) continue;
    const own = submissions.filter((one) => one.carrier === carrier);
    const peak = rateOf(proof, own, faults, perSec);
    notes.push(`${carrier} at most ${peak} in ${RATED_MS / 1000} s, at ${perSec} a second`);
  }
  proof.note = notes.join(", ");
  return proof;
}

/** Of one carrier; the most in a window. */
function rateOf(proof: Proof, submissions: Submission[], faults: Fault[], tps: number): number {
  const most = ((tps * RATED_MS) / 1000) * RATE_MARGIN;
  const times = submissions.map(({ at }) => at).toSorted((one, other) => one - other);
  let [from, peak] = [0, 0];
  for (const [at, time] of times.entries()) {
    while (time - (times[from] ?? time) > RATED_MS) from += 1;
    if (runningFaults(faults, time - RATED_MS, time, FORGETTING).length > 0) continue;
    peak = Math.max(peak, at - from + 1);
    proof.holds(at - from + 1 <= most, () => `${at - from + 1} submissions in ${RATED_MS} ms, at ${tps} a second`);
  }
  return peak;
}

/** For so long a one-time password may wait for a free slot, while what was permitted before it goes. */
const FREE_SLOT_MS = 900;
/** Bulk messages of others that may then go before it: those that were on their way. */
const BEFORE_OTP_MAX = 60;
/** After a fault, the service may take this long until it finds what was lost. */
const RECOVERS_MS = 5_000;
/** Faults that delay a single message for themselves. */
const DELAYING = [
  "kill",
  "term",
  "rotate",
  "deploy",
  "rollback",
  "evict",
  "break_off",
  "interrupt",
  "clock",
  "carrier_away",
  "pace",
];

const delays = ({ kind, how }: Fault) => DELAYING.includes(kind) || (kind === "queue" && /^(?:otp|lanes) /u.test(how));

/**
 * A submission that takes this long holds up the others of its lane: a local queue delivers one batch at a time. Meanwhile
 * the pace of a run, 150 a second, lets as many bulks pass as may go before a one-time password.
 */
const HOLDS_UP_MS = 400;

/** The times in which the lane of one-time passwords waited for the gateway's answer to one of them. */
function heldUpBy({ submissions, timers }: Evidence): { from: number; to: number }[] {
  const ends = submissions
    .filter(({ operation }) => operation === "otp")
    .map(({ at, answeredAt }) => ({ from: at, to: Math.min(answeredAt, at + timers.CARRIER_TIMEOUT_MS) }));
  return ends.filter(({ from, to }) => to - from >= HOLDS_UP_MS);
}

/** The bulk messages at their carriers, outside of the times in which the service recovers or the gateway holds up the lane. */
function bulksAtCarriers(evidence: Evidence, cases: Case[]): { at: number; account: string; carrier: string }[] {
  const { submissions, faults } = evidence;
  const owners = new Map<string, string>();
  for (const { meant, messages, account } of cases) {
    if (meant.recipients.length < 2) continue;
    for (const { ref } of messages) owners.set(ref, account.id);
  }
  const heldUp = heldUpBy(evidence);
  const hindering = [...faults.filter(delays).map(({ from, to }) => ({ from, to: to + RECOVERS_MS })), ...heldUp];
  return submissions.flatMap(({ ref, at, carrier }) => {
    const account = owners.get(ref);
    if (account === undefined) return [];
    return hindering.some(({ from, to }) => at >= from && at <= to) ? [] : [{ at, account, carrier }];
  });
}

/** A one-time password reaches the gateway before the bulks of other accounts that wait. */
export function otpsGoFirst(evidence: Evidence, cases: Case[]): Proof {
  const proof = new Proof("a one-time password does not wait behind the bulks of other accounts");
  const { submissions, faults, timers } = evidence;
  const bulks = bulksAtCarriers(evidence, cases).toSorted((one, other) => one.at - other.at);
  const seen = new Map<string, Submission>();
  for (const one of submissions) if (!seen.has(one.ref)) seen.set(one.ref, one);
  const leaps = leapsOf(faults);
  let most = 0;
  for (const { intention, account, meant, messages } of cases) {
    const told = intention.tries.filter(({ status }) => status === 200).map(({ endedAt }) => endedAt);
    const [message] = messages;
    if (meant.operation !== "otp" || told.length === 0 || !message) continue;
    const acceptedAt = Math.min(...told);
    const first = seen.get(message.ref);
    const seenAt = first?.at ?? acceptedAt + timers.VALIDITY_OTP_MS;
    // An attempt that a fault cut off did not wait, and what was taken back waits no longer.
    if (!first && (message.attempts > 0 || message.state === "cancelled")) continue;
    if (leaps.some((at) => at >= acceptedAt && at <= seenAt)) continue;
    const fromMs = acceptedAt + FREE_SLOT_MS;
    const isBefore = (one: (typeof bulks)[number]) =>
      one.at > fromMs && one.at < seenAt && one.account !== account.id && (!first || one.carrier === first.carrier);
    const before = bulks.filter(isBefore);
    most = Math.max(most, before.length);
    proof.holds(
      before.length <= BEFORE_OTP_MAX,
      () => `${message.ref} waited ${seenAt - acceptedAt} ms behind ${before.length} messages of others' bulks`,
    );
  }
  proof.note = `at most ${most} went before one`;
  return proof;
}
