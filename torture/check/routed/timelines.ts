import { unseenOf } from "../attempts.ts";
import { hadFault, leapsOf, realTimesOf } from "../clock.ts";
import type { Evidence, Submission } from "../evidence.ts";
import { GATEWAY } from "../evidence.ts";
import { runningFaults } from "../faults.ts";
import { reachOf } from "../held.ts";
import type { Begun } from "../held.ts";
import { Proof } from "../proof.ts";
import { wasUnbound } from "./binds.ts";
import type { Routing, TimelineEntry } from "./routing.ts";

// Each attempt in the timelines that customers read, and each that the carriers saw.

/** Faults in which a consumer ends before it has told what it did. */
const LOSING = ["kill", "term", "rotate", "deploy", "rollback", "evict", "break_off", "interrupt"];
/** Faults in which a carrier cannot be reached. */
const AWAY = ["carrier_away", "carrier_trouble"];
/** What a consumer did may be told this much later. */
const TOLD_MS = 20_000;
/** The service's books and the logs agree on a moment to within this. */
const MOMENT_MS = 500;

const isOf = (carrier: string) => (one: { carrier: string | null }) => (one.carrier ?? GATEWAY) === carrier;

/** Why an attempt that its carrier did not see may be in the timeline; false: nothing explains it. */
function isExplained(evidence: Evidence, routing: Routing, carrier: string, begun: Begun): boolean {
  const { faults } = evidence;
  const { at, reachMs } = begun;
  const own = faults.filter((fault) => AWAY.includes(fault.kind) && isOf(carrier)(fault));
  const real = realTimesOf(faults, at);
  if (real.some((ms) => runningFaults(own, ms - MOMENT_MS, ms + reachMs).length > 0)) return true;
  if (hadFault(faults, at, reachMs, LOSING)) return true;
  const isLeapt = real.some((ms) => leapsOf(faults).some((leap) => Math.abs(leap - ms) < reachMs));
  return isLeapt || wasUnbound(faults, routing, carrier, begun);
}

/** Submissions that no attempt of the timeline is of. */
function untoldOf(begun: TimelineEntry[], own: Submission[]): Submission[] {
  const left = begun.map(({ carrier }) => carrier);
  return own.toReversed().filter((one) => {
    const named = left.indexOf(one.carrier);
    const place = named >= 0 ? named : left.indexOf(null);
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
}

/**
 * Each attempt in a timeline reached its carrier, or that was not to be reached; each submission is an attempt in the
 * timeline, with its carrier; and what a carrier tells is of a carrier that was given the message.
 */
export function timelinesAreSeen(evidence: Evidence, routing: Routing): Proof {
  const proof = new Proof("every attempt in the timelines happened at its carrier, and each that happened is in them");
  const { submissions, faults, dedupes } = evidence;
  const seen = Map.groupBy(submissions, ({ ref }) => ref);
  const owners = new Map(evidence.books.flatMap(({ messages }) => messages.map(({ ref, account }) => [ref, account])));
  const reach = reachOf(evidence);
  let [attempts, untold, unseen] = [0, 0, 0];
  for (const { ref, entries } of routing.timelines) {
    const own = seen.get(ref) ?? [];
    const account = owners.get(ref) ?? "";
    const begun = entries.filter(({ state }) => state === "sending");
    attempts += begun.length;
    const told = () =>
      entries.map(({ state, carrier, code }) => [state, carrier, code].filter(Boolean).join(" ")).join(" → ");
    const isNumbered = begun.every(({ attempt }, at) => attempt === at + 1);
    proof.holds(isNumbered, () => `${ref}: the attempts are not numbered from 1: ${told()}`);
    for (const one of untoldOf(begun, own)) {
      untold += 1;
      // An attempt under a reference of unknown outcome leaves no mark in the timeline.
      const isAgain =
        dedupes && one.carrier === GATEWAY && own.some((other) => other !== one && other.carrier === GATEWAY);
      const may = isAgain || runningFaults(faults, one.at, one.at + TOLD_MS, LOSING).length > 0;
      proof.holds(may, () => `${ref} was given to ${one.carrier}, and its timeline does not say so: ${told()}`);
    }
    for (const [name, list] of Map.groupBy(begun, ({ carrier }) => carrier)) {
      // The attempt of a consumer that died may lack its carrier.
      const at = name === null ? own : own.filter(isOf(name));
      const lost = unseenOf(
        faults,
        list.map(({ at: ms }) => ({ at: ms, reachMs: reach(account, ms) })),
        at,
      ).slice(0, Math.max(0, list.length - at.length));
      unseen += lost.length;
      for (const one of lost) {
        const may = isExplained(evidence, routing, name ?? GATEWAY, one);
        proof.holds(may, () => `${ref} was not given to ${name} without a fault: ${told()}`);
      }
    }
    const given = new Set([...begun.map(({ carrier }) => carrier), ...own.map(({ carrier }) => carrier)]);
    const stranger = entries.find(({ carrier }) => carrier !== null && !given.has(carrier));
    proof.holds(!stranger, () => `${ref} is ${stranger?.state} by ${stranger?.carrier}, which never had it: ${told()}`);
  }
  proof.note = `${attempts} attempts of ${routing.timelines.length} messages; ${unseen} reached no carrier, ${untold} were not told`;
  return proof;
}
