import type { FeedEvent, Hook } from "./consumed.ts";
import type { Evidence } from "./evidence.ts";
import { Proof } from "./proof.ts";

// What the receivers of webhooks got.

const isFor = ({ types }: Hook, { type }: FeedEvent) =>
  types.includes("*") || types.some((one) => one === `${type.split(".")[0]}.*`);

/** A 5xx so often for one event lets the next ones go before it (contract §14). */
const PARKED_AFTER = 3;
/** Answers that are a 5xx, or may be one. */
const FAILURES = new Set(["fails", "busy"]);

/** An event without its id, which those of a batch do not have. */
const withoutId = (event: FeedEvent) => JSON.stringify({ ...event, id: undefined });

/** Events that were refused so often that others may have come before them. */
function parkedOf({ posts }: Hook): Set<number> {
  const refused = new Map<number, number>();
  for (const { seqs, answer } of posts) {
    if (FAILURES.has(answer)) for (const seq of seqs) refused.set(seq, (refused.get(seq) ?? 0) + 1);
  }
  return new Set([...refused].filter(([, times]) => times >= PARKED_AFTER).map(([seq]) => seq));
}

/**
 * Every webhook has each event that it asked for, as the feed has it: once, after what came again was dropped by its number,
 * and in order, but for an event that its receiver alone refused.
 */
export function webhooksAreWhole({ consumed: { feeds, hooks, kills } }: Evidence): Proof {
  const proof = new Proof(
    "webhooks come to the end of the feed: each event once, after dropping those that came again, and in order",
  );
  let [again, parked] = [0, 0];
  for (const hook of hooks) {
    const { account, by, events } = hook;
    const wanted = new Map((feeds.get(account) ?? []).filter((one) => isFor(hook, one)).map((one) => [one.seq, one]));
    const may = parkedOf(hook);
    const got = new Set<number>();
    let newest = 0;
    for (const event of events) {
      const { seq } = event;
      const known = wanted.get(seq);
      const same = known !== undefined && withoutId(known) === withoutId(event);
      proof.holds(same, () => `${by}: event ${JSON.stringify(event)} is ${JSON.stringify(known)} in the feed`);
      if (got.has(seq)) {
        again += 1;
        continue;
      }
      if (seq < newest) parked += 1;
      proof.holds(seq > newest || may.has(seq), () => `${by}: event ${seq} came after event ${newest}`);
      got.add(seq);
      newest = Math.max(newest, seq);
    }
    const lost = [...wanted.keys()].filter((seq) => !got.has(seq));
    proof.holds(
      lost.length === 0,
      () => `${by} of ${account} never had ${lost.length} events: ${lost.slice(0, 5).join(", ")}`,
    );
  }
  const posts = hooks.flatMap((one) => one.posts);
  const failed = posts.filter(({ answer }) => !answer.startsWith("takes")).length;
  // Receivers that are always well show nothing.
  if (failed === 0) proof.checked = 0;
  proof.note = `${posts.length} deliveries to ${hooks.length} webhooks, ${failed} of which failed; ${again} events came again, ${parked} late; ${kills} kills`;
  return proof;
}

/** Every delivery is signed by the published rule, has the id of its first event on each attempt, and follows no redirect. */
export function webhooksAreSigned({ consumed: { feeds, hooks, astray } }: Evidence): Proof {
  const proof = new Proof("every delivery is signed, has the id of its first event, and follows no redirect");
  for (const { account, by, posts } of hooks) {
    const ids = new Map((feeds.get(account) ?? []).map(({ seq, id }) => [seq, id]));
    for (const { webhookId, seqs, fault } of posts) {
      const [first = 0] = seqs;
      proof.holds(fault === null, () => `${by}: the delivery of ${first} is ${fault}`);
      proof.holds(ids.get(first) === webhookId, () => `${by}: ${first} was delivered as ${webhookId}`);
    }
  }
  for (const url of astray) proof.holds(false, () => `something was posted to ${url}`);
  return proof;
}
