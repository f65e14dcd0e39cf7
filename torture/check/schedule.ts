import { serviceTimes } from "./clock.ts";
import { validityOf } from "./evidence.ts";
import type { Evidence, Message, Recorded } from "./evidence.ts";
import { reachOf } from "./held.ts";
import { sendAtOf } from "./orders.ts";
import type { Case } from "./orders.ts";
import { Proof } from "./proof.ts";

// Messages that are ordered for later.

interface Scheduled {
  message: Message;
  life: Recorded;
  /** By the service's clock. */
  sendAt: number;
}

/** The messages that were ordered for a time that was to come. */
function scheduledIn({ history }: Evidence, cases: Case[]): Scheduled[] {
  const lives = new Map(history.map((row) => [`${row.account} ${row.to}`, row]));
  return cases.flatMap(({ intention, messages }) => {
    const sendAt = sendAtOf(intention);
    if (sendAt === null) return [];
    return messages.flatMap((message) => {
      const life = lives.get(`${message.account} ${message.to}`);
      return life && (life.timeline[0]?.at ?? 0) < sendAt ? [{ message, life, sendAt }] : [];
    });
  });
}

/** The clocks of the logs and of the service agree to within this. */
const EARLY_MS = 500;

/**
 * Nothing that was ordered for later is attempted, or reaches the gateway, before its time has come. Once it has, the clock
 * may be set back before a further attempt.
 */
export function nothingIsEarly(evidence: Evidence, cases: Case[]): Proof {
  const proof = new Proof("what is ordered for later goes to no gateway before its time");
  const submissions = Map.groupBy(evidence.submissions, ({ ref }) => ref);
  const reach = reachOf(evidence);
  let sent = 0;
  for (const { message, life, sendAt } of scheduledIn(evidence, cases)) {
    const { ref, to } = message;
    const begunAt = life.timeline.find(({ state }) => state === "sending")?.at ?? Infinity;
    proof.holds(begunAt >= sendAt, () => `${ref} to ${to} was attempted ${sendAt - begunAt} ms before its time`);
    const [first] = submissions.get(ref) ?? [];
    if (!first) continue;
    sent += 1;
    // Between its beginning and then, the clock may have been set back.
    const latest = serviceTimes(evidence.faults, first.at - reach(message.account, begunAt), first.at).last;
    const told = () => `${ref} to ${to} reached the gateway ${sendAt - latest} ms before its time`;
    proof.holds(latest >= sendAt - EARLY_MS, told);
  }
  proof.note = `${sent} messages reached the gateway`;
  // Where none did, it does not show that any waited.
  if (sent === 0) proof.checked = 0;
  return proof;
}

/** What is ordered for later is scheduled until then, and afterwards it is attempted, or its validity ends; unless it was taken back. */
export function everyTimeComes(evidence: Evidence, cases: Case[]): Proof {
  const proof = new Proof("what is ordered for later is attempted after its time, or its validity from then on ends");
  for (const { message, life, sendAt } of scheduledIn(evidence, cases)) {
    const { ref, to, operation } = message;
    const states = life.timeline.map(({ state }) => state);
    const ended = life.timeline.find(({ state }) => state === "failed")?.at ?? -Infinity;
    const isOver = states.includes("sending") || ended >= sendAt + validityOf(evidence, operation);
    const fits = states[0] === "scheduled" && (isOver || states.includes("cancelled"));
    proof.holds(fits, () => `${ref} to ${to}, for ${new Date(sendAt).toISOString()}: ${JSON.stringify(life.timeline)}`);
  }
  return proof;
}
