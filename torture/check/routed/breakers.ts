import type { Evidence, Submission } from "../evidence.ts";
import { runningFaults } from "../faults.ts";
import { Proof } from "../proof.ts";
import { CLAIM_MS, namedFor, setsBetween } from "./in-force.ts";
import type { Routing, Standing } from "./routing.ts";

// Carriers that the service took out.

/** Until all of the service knows that a carrier is out, what was permitted or sent before may still arrive. */
const SPREADS_MS = 1_500;
/** Without an answer of the operator's for so long, nothing is known. */
const ASKED_MS_MAX = 2_000;
/** Faults after which the service has forgotten that a carrier is out, or believes that its time is over. */
const FORGETTING = ["kill", "term", "rotate", "deploy", "rollback", "pace", "clock"];
/** Another carrier that is in trouble is none. */
const AWAY = ["carrier_away", "carrier_busy", "carrier_limit", "carrier_trouble"];

export interface Out {
  from: number;
  to: number;
}

/** The times in which a carrier was seen to be out, from the first to the last answer that says so. */
export function outsOf(standings: Standing[], carrier: string): Out[] {
  const outs: Out[] = [];
  let before: Standing | null = null;
  for (const one of standings) {
    const last = outs.at(-1);
    const isOut = one.states[carrier] === "out";
    // Between two times of being out, a message tried the carrier.
    const isSame = before?.states[carrier] === "out" && before.since[carrier] === one.since[carrier];
    const goesOn = isSame && one.askedAt - (before?.at ?? 0) < ASKED_MS_MAX;
    if (isOut && goesOn && last) last.to = one.askedAt;
    else if (isOut) outs.push({ from: one.at, to: one.askedAt });
    before = one;
  }
  return outs;
}

/** Whether another carrier that may get a message was well at a time, as far as is known. */
function isWell({ faults, submissions }: Evidence, { standings }: Routing, carrier: string, at: number): boolean {
  const near = standings.filter((one) => Math.abs(one.at - at) < SPREADS_MS);
  if (near.length === 0 || near.some(({ states }) => states[carrier] !== "up")) return false;
  const isQuiet = submissions.some(
    (one) =>
      one.carrier === carrier && one.quietMs !== null && at >= one.at && at <= one.answeredAt + one.quietMs + 500,
  );
  const own = faults.filter((fault) => (fault.carrier ?? "http") === carrier);
  return !isQuiet && runningFaults(own, at - SPREADS_MS, at, AWAY).length === 0;
}

/** Whether a submission to a carrier that is out had another carrier that was well. */
function hadOther(evidence: Evidence, routing: Routing, { ref, carrier, at }: Submission): boolean {
  const message = evidence.books.flatMap(({ messages }) => messages).find((one) => one.ref === ref);
  if (!message) return false;
  const sets = setsBetween(routing, at - CLAIM_MS, at).map((routes) => namedFor(routes, message));
  // By whichever routes it went, another one of them could have got it.
  return sets
    .filter((names) => names.has(carrier))
    .every((names) => [...names].some((name) => name !== carrier && isWell(evidence, routing, name, at)));
}

/** Nothing that has another carrier goes to one that is out. */
export function breakersHold(evidence: Evidence, routing: Routing): Proof {
  const proof = new Proof("what has another carrier does not go to one that is out", { needsNone: true });
  const { submissions, faults } = evidence;
  const carriers = new Set(routing.standings.flatMap(({ states }) => Object.keys(states)));
  const notes: string[] = [];
  for (const carrier of carriers) {
    const outs = outsOf(routing.standings, carrier);
    const own = submissions.filter((one) => one.carrier === carrier);
    // The gateway's repetitions of what is unknown have no other carrier.
    const seen = new Set<string>();
    for (const one of own) {
      const isAgain = seen.has(one.ref);
      seen.add(one.ref);
      const out = outs.find(({ from, to }) => one.at > from + SPREADS_MS && one.at < to);
      if (!out || (isAgain && evidence.dedupes)) continue;
      if (runningFaults(faults, out.from, one.at, FORGETTING).length > 0) continue;
      const told = () => `${one.ref} went to ${carrier} ${one.at - out.from} ms after it was taken out`;
      proof.holds(!hadOther(evidence, routing, one), told);
    }
    proof.checked += outs.length;
    if (outs.length > 0) notes.push(`${carrier} ${outs.length} times`);
  }
  proof.note = notes.join(", ");
  return proof;
}
