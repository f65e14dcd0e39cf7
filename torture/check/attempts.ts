import { LEAP_MS, hadFault, jumpsOf, realTimesOf } from "./clock.ts";
import type { Evidence, Fault, Submission } from "./evidence.ts";
import { runningFaults } from "./faults.ts";
import { EARLY_MS, reachOf } from "./held.ts";
import type { Begun } from "./held.ts";
import { Proof } from "./proof.ts";
import { wasAnyUnbound } from "./routed/binds.ts";

// What the service calls an attempt, compared with what the gateway saw.

/** Faults in which an attempt ends before the gateway has seen it: the service dies, or cannot connect. */
const UNSEEN = ["kill", "term", "rotate", "deploy", "rollback", "break_off", "interrupt", "carrier_away"];

/**
 * The attempts that the gateway did not see. Each submission is given to the last attempt that it may belong to, so that
 * those before it are the ones that found no connection.
 */
export function unseenOf<One extends Begun>(faults: Fault[], begun: One[], submissions: Submission[]): One[] {
  const times = submissions.map(({ at }) => at).toSorted((one, other) => one - other);
  return begun.toReversed().filter((one) => {
    const real = realTimesOf(faults, one.at);
    const seen = times.findLastIndex((at) => real.some((from) => at >= from - EARLY_MS && at <= from + one.reachMs));
    if (seen >= 0) times.splice(seen, 1);
    return seen < 0;
  });
}

/**
 * Whether the clock leapt over the window of an unknown outcome while the attempt waited for its permit: the lease and the
 * window are over in one moment, so the message is `unknown` and refunded, and is not submitted any more.
 */
function wasLeaptOver({ faults, timers }: Evidence, { at: serviceMs, reachMs }: Begun): boolean {
  const begun = realTimesOf(faults, serviceMs);
  return jumpsOf(faults).some(
    ({ at, byMs }) =>
      byMs >= timers.UNKNOWN_WINDOW_MS - reachMs &&
      byMs > LEAP_MS &&
      begun.some((from) => at >= from && at <= from + reachMs),
  );
}

/** What a consumer did is told this much later, at most. */
const TOLD_MS = 20_000;

/** Whether this is a further carrier of a claim whose consumer died: of that the account knows one attempt, with no end. */
function wasNotTold({ faults }: Evidence, { carrier, at }: Submission, before: Submission | undefined): boolean {
  if (!before || before.carrier === carrier) return false;
  return runningFaults(faults, at, at + TOLD_MS, UNSEEN).length > 0;
}

/**
 * A message was attempted as often as the gateway saw it, and once more for each attempt that a fault cut off. So a 200
 * whose message the gateway never saw is `unknown` only where a fault lies in its time, and a claim that was given back
 * counts nowhere.
 */
export function attemptsAreSeen(evidence: Evidence): Proof {
  const proof = new Proof("the gateway saw every attempt that no fault cut off, and each submission is an attempt");
  const submissions = Map.groupBy(evidence.submissions, ({ ref }) => ref);
  const lives = new Map(evidence.history.map((row) => [`${row.account} ${row.to}`, row]));
  const reach = reachOf(evidence);
  let cutOff = 0;
  for (const { account, ref, to, attempts } of evidence.books.flatMap(({ messages }) => messages)) {
    const own = submissions.get(ref) ?? [];
    const lost = own.filter((one, at) => wasNotTold(evidence, one, own[at - 1])).length;
    proof.holds(
      attempts >= own.length - lost,
      () => `${ref} to ${to} was seen ${own.length} times, of ${attempts} attempts`,
    );
    const life = lives.get(`${account} ${to}`);
    if (attempts <= own.length || !life) continue;
    cutOff += attempts - own.length;
    const begun = life.timeline
      .filter(({ state }) => state === "sending")
      .map(({ at }) => ({ at, reachMs: reach(account, at) }));
    const unseen = unseenOf(evidence.faults, begun, own);
    const { faults, routing } = evidence;
    const explained = unseen.every(
      (one) =>
        hadFault(faults, one.at, one.reachMs, UNSEEN) ||
        wasLeaptOver(evidence, one) ||
        (routing !== null && wasAnyUnbound(faults, routing, one)),
    );
    // An attempt under a reference of unknown outcome leaves no mark in the timeline.
    proof.holds(explained && (unseen.length > 0 || evidence.dedupes), () => {
      const states = life.timeline.map(({ state }) => state).join(" → ");
      return `${ref} to ${to} has ${attempts} attempts without a fault (${states}), and was seen ${own.length} times`;
    });
  }
  proof.note = `${cutOff} cut off`;
  return proof;
}
