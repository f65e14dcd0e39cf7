import { isCertainNo } from "../answers.ts";
import type { Evidence } from "../evidence.ts";
import { Proof } from "../proof.ts";
import { CLAIM_MS, namedFor, setsBetween } from "./in-force.ts";
import type { Routing } from "./routing.ts";

// Where each message was submitted, of several carriers.

/**
 * One carrier for each message: another one gets it only when all that had it before certainly did not take it, and had
 * said so.
 */
export function oneCarrierEach({ submissions }: Evidence): Proof {
  const proof = new Proof(
    "another carrier gets a message only after a certain no of each before, and one at most takes it",
  );
  let more = 0;
  for (const [ref, list] of Map.groupBy(submissions, (one) => one.ref)) {
    for (const [at, next] of list.entries()) {
      const others = list.slice(0, at).filter(({ carrier }) => carrier !== next.carrier);
      if (others.length > 0) more += 1;
      for (const before of others) {
        const afterNo = isCertainNo(before) && (!before.answered || before.answeredAt <= next.at);
        proof.holds(afterNo, () => `${ref} went to ${next.carrier} after ${before.carrier} ${before.decision}`);
      }
    }
    const takers = new Set(list.filter(({ tells }) => tells === "taken").map(({ carrier }) => carrier));
    proof.holds(takers.size <= 1, () => `${ref} was taken by ${[...takers].join(" and ")}`);
  }
  proof.note = `${more} at another carrier`;
  return proof;
}

/** Without routes, a message stays with the carrier of its first claim, which may be this old, in ms. */
const FIRST_CLAIM_MS = 120_000;

/** Every carrier of a message is one that routes named for it, by those in force since its claim. */
export function attemptsAreRouted({ submissions, books }: Evidence, routing: Routing): Proof {
  const proof = new Proof("a message goes to the carriers that the routes in force name for it, and to no other");
  const messages = new Map(books.flatMap((one) => one.messages.map((message) => [message.ref, message] as const)));
  const counts = new Map<string, number>();
  const before = new Set<string>();
  for (const { ref, carrier, at } of submissions) {
    const message = messages.get(ref);
    if (!message) continue;
    counts.set(carrier, (counts.get(carrier) ?? 0) + 1);
    const sets = setsBetween(routing, at - CLAIM_MS, at);
    const earlier = sets.some((routes) => routes.length === 0) ? setsBetween(routing, at - FIRST_CLAIM_MS, at) : [];
    const isNamed = [...sets, ...earlier].some((routes) => namedFor(routes, message).has(carrier));
    // A message of unknown outcome stays with its carrier, whatever the routes say by then.
    const may = isNamed || before.has(`${ref} ${carrier}`);
    before.add(`${ref} ${carrier}`);
    proof.holds(may, () => `${ref} (${message.operation}) to ${message.to} went to ${carrier}, which no route named`);
  }
  for (const { carrier } of routing.astray) {
    proof.holds(false, () => `${carrier} was given a message, and is in no route`);
  }
  proof.note = [...counts].map(([carrier, count]) => `${count} to ${carrier}`).join(", ");
  return proof;
}
