import { isCertainNo } from "../answers.ts";
import type { Evidence } from "../evidence.ts";
import { GATEWAY } from "../evidence.ts";
import { Proof } from "../proof.ts";
import { outsOf } from "./breakers.ts";
import type { Routing } from "./routing.ts";

// What a run with several carriers must have had occasion to show.

/** The least number of changes of the routes. */
const CHANGES_MIN = 6;
/** Messages that another carrier took than the first, at least. */
const FALLBACKS_MIN = 2;

/** The carriers beside the gateway. */
const othersOf = ({ submissions }: Evidence) =>
  new Set(submissions.map(({ carrier }) => carrier).filter((carrier) => carrier !== GATEWAY));

/** How many messages were taken by another carrier after a certain no of the first. */
function fallbacksIn({ submissions }: Evidence): number {
  const lists = [...Map.groupBy(submissions, ({ ref }) => ref).values()];
  return lists.filter((list) => {
    const taker = list.find(({ tells }) => tells === "taken");
    return taker && list.some((one) => one.at < taker.at && one.carrier !== taker.carrier && isCertainNo(one));
  }).length;
}

/** How often a carrier was out, and up again later. */
function cyclesOf({ standings }: Routing, carrier: string): number {
  return outsOf(standings, carrier).filter(({ to }) =>
    standings.some(({ at, states }) => at > to && states[carrier] === "up"),
  ).length;
}

/** Routes changed, messages went on to other carriers, breakers opened and closed, and each carrier took and told. */
export function routesWereExercised(evidence: Evidence, routing: Routing): Proof {
  const proof = new Proof(
    "routes changed, messages fell back, breakers opened and closed, each kind of carrier took messages",
  );
  const { submissions, receipts } = evidence;
  const others = othersOf(evidence);
  const changed = routing.sets.filter(({ doneAt }) => doneAt !== Infinity);
  const fallbacks = fallbacksIn(evidence);
  const cycles = [...others].map((carrier) => cyclesOf(routing, carrier));
  const took = (carrier: string) =>
    submissions.some((one) => one.carrier === carrier && one.tells === "taken" && one.answered) &&
    receipts.some((one) => one.carrier === carrier && one.fault === null && one.statuses.includes(200));
  const had = {
    "three carriers": others.size >= 2 && [GATEWAY, ...others].every(took),
    "changes of routes": changed.length >= CHANGES_MIN,
    "routes removed": changed.some(({ routes }) => routes.length === 0),
    "messages that fell back": fallbacks >= FALLBACKS_MIN,
    "a breaker of each": cycles.length >= 2 && cycles.every((count) => count > 0),
    "receipts of strangers": receipts.some(({ fault, statuses }) => fault === "foreign" && statuses.includes(200)),
    timelines: routing.timelines.length > 0,
  };
  const lacking = Object.entries(had).flatMap(([what, isThere]) => (isThere ? [] : [what]));
  proof.checked = lacking.length === 0 ? changed.length + fallbacks : 0;
  const counts = `${changed.length} changes, ${fallbacks} fallbacks, breakers opened and closed ${cycles.join(" and ")} times`;
  proof.note = lacking.length === 0 ? counts : `${counts}; lacking: ${lacking.join(", ")}`;
  return proof;
}
