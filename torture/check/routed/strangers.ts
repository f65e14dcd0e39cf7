import type { Evidence } from "../evidence.ts";
import { Proof } from "../proof.ts";
import type { Routing } from "./routing.ts";

// Receipts that must change nothing, although they are proved as their carrier's.

const STRANGE: ReadonlySet<string> = new Set(["foreign", "untold", "unknown_ref"]);

/**
 * A receipt of a carrier that was not given the message, or under an id that no answer had, is taken and changes nothing:
 * the timeline has no entry of its carrier, and no failure that nothing else explains.
 */
export function strangersChangeNothing({ receipts, submissions, books }: Evidence, routing: Routing): Proof {
  const proof = new Proof(
    "receipts of a carrier that never had the message, or under ids that no answer had, change nothing",
  );
  const timelines = new Map(routing.timelines.map(({ ref, entries }) => [ref, entries] as const));
  const messages = new Map(books.flatMap((one) => one.messages.map((message) => [message.ref, message] as const)));
  const news = Map.groupBy(receipts, ({ ref }) => ref);
  const seen = Map.groupBy(submissions, ({ ref }) => ref);
  let told = 0;
  for (const { ref, carrier, fault, state, statuses } of receipts) {
    if (fault === null || !STRANGE.has(fault) || !statuses.includes(200)) continue;
    const message = messages.get(ref);
    if (!message || fault !== "foreign") continue;
    told += 1;
    const isNamed = timelines.get(ref)?.some((entry) => entry.carrier === carrier) === true;
    const others = (news.get(ref) ?? []).filter((one) => one.fault === null && one.state === state);
    const isRejected = (seen.get(ref) ?? []).some(({ tells }) => tells === "rejected");
    const isExplained = others.length > 0 || isRejected || message.errorCode === "validity_ended";
    const fits = !isNamed && (message.state !== state || isExplained);
    proof.holds(fits, () => `${ref} is ${message.state} after ${carrier}, which never had it, told that it ${state}`);
  }
  proof.note = `${told} of carriers that never had the message`;
  return proof;
}
