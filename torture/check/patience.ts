import { BUSY_FAULTS } from "./answers.ts";
import { leapsOf, serviceTimes } from "./clock.ts";
import { validityOf } from "./evidence.ts";
import type { Evidence, Intention, Message, Recorded, Submission } from "./evidence.ts";
import { sendAtOf } from "./orders.ts";
import type { Case } from "./orders.ts";
import { Proof } from "./proof.ts";
import { runningFaults } from "./faults.ts";

// What ends a message that was not accepted: never a gateway that is busy.

/** The codes of failures of the service itself. */
const OWN_CODES = new Set(["internal_error", "not_configured"]);

/** Why a message may have failed; null if nothing explains it. */
function reasonOf(evidence: Evidence, message: Message, life: Recorded, seen: Submission[]): string | null {
  if (seen.at(-1)?.tells === "rejected") return "rejected";
  const [queued = Infinity, failed = -Infinity] = ["queued", "failed"].map(
    (wanted) => life.timeline.find(({ state }) => state === wanted)?.at,
  );
  const isOver = failed >= queued + validityOf(evidence, message.operation);
  const saysSo = message.state !== "failed" || message.errorCode === "validity_ended";
  if (isOver && saysSo) return "validity ended";
  const isOwn = OWN_CODES.has(message.errorCode ?? "") && message.attempts >= evidence.timers.ATTEMPTS_MAX;
  return isOwn ? "own fault" : null;
}

/** A message fails only by a rejection, a receipt, the end of its validity, or the service's own faults. */
export function failuresHaveReasons(evidence: Evidence): Proof {
  const proof = new Proof("a gateway's “not now” ends no message before its validity: each failure has its reason");
  const submissions = Map.groupBy(evidence.submissions, ({ ref }) => ref);
  const lives = new Map(evidence.history.map((row) => [`${row.account} ${row.to}`, row]));
  const byReceipt = new Set(
    evidence.receipts.filter(({ fault, state }) => fault === null && state === "failed").map(({ ref }) => ref),
  );
  const reasons = new Map<string, number>();
  for (const message of evidence.books.flatMap(({ messages }) => messages)) {
    const life = lives.get(`${message.account} ${message.to}`);
    if (!life?.timeline.some(({ state }) => state === "failed")) continue;
    const seen = submissions.get(message.ref) ?? [];
    const reason = byReceipt.has(message.ref) ? "by receipt" : reasonOf(evidence, message, life, seen);
    if (reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    proof.holds(reason !== null, () => {
      const answers = seen.map(({ decision }) => decision).join(", ");
      return `${message.ref} to ${message.to} failed as ${message.errorCode} in its validity: the gateway ${answers || "never saw it"}`;
    });
  }
  proof.note = [...reasons].map(([reason, count]) => `${count} ${reason}`).join(", ");
  return proof;
}

/** How long after its validity, or after its order without a reply, a message may still be given up. */
const GIVEN_UP_MS = 5_000;

/** For so long after the gateway was short, messages may wait for what came before them. */
const CONGESTED_MS = 20_000;

/** So many messages of the same account and lane may overtake one: consumers work side by side. */
const OVERTAKEN_MAX = 120;

const sentAtOf = ({ tries }: Intention) => Math.min(...tries.map(({ sentAt }) => sentAt));

/** How long after it was sent an order is due, in ms; 0 for one that is for now. */
function aheadMs({ faults }: Evidence, intention: Intention): number {
  const sendAt = sendAtOf(intention);
  const sentAt = sentAtOf(intention);
  return sendAt === null ? 0 : Math.max(0, sendAt - serviceTimes(faults, sentAt, sentAt).first);
}

/** When the order was acknowledged; without a reply, a little after it was sent. */
function answeredAt(intention: Intention): number {
  const told = intention.tries.filter(({ status }) => status === 200);
  return told.length > 0 ? Math.min(...told.map(({ endedAt }) => endedAt)) : sentAtOf(intention) + GIVEN_UP_MS;
}

/** Whether the clock leapt while a message of this order was valid. */
function leapsOver(evidence: Evidence, intention: Intention, operation: string): boolean {
  const dueAt = answeredAt(intention) + aheadMs(evidence, intention);
  const untilMs = dueAt + validityOf(evidence, operation) + GIVEN_UP_MS;
  return leapsOf(evidence.faults).some((at) => at >= sentAtOf(intention) && at <= untilMs);
}

const laneOf = (operation: string, recipients: number) =>
  recipients > 1 ? "bulk" : operation === "otp" ? "otp" : "one";

/** When each message was ordered and first submitted, by account and lane. */
function queuesOf(evidence: Evidence, cases: Case[]): Map<string, { orderedAt: number; seenAt: number }[]> {
  const seen = new Map<string, number>();
  for (const { ref, at } of evidence.submissions) if (!seen.has(ref)) seen.set(ref, at);
  const all = cases.flatMap(({ account, intention, meant, messages }) =>
    messages.map(({ ref, operation }) => ({
      queue: `${account.id} ${laneOf(operation, meant.recipients.length)}`,
      orderedAt: sentAtOf(intention) + aheadMs(evidence, intention),
      seenAt: seen.get(ref) ?? Infinity,
    })),
  );
  return Map.groupBy(all, ({ queue }) => queue);
}

/**
 * Messages that the queues lose are found again: none expires unsent without a jump of the clock, unless the gateway took
 * less than was ordered; and then its account's later messages did not overtake it by more than consumers side by side
 * explain.
 */
export function nothingIsForgotten(evidence: Evidence, cases: Case[]): Proof {
  // In a short run, one jump of the clock may lie in the life of every message.
  const name = "nothing is forgotten: what expired before its first attempt had its turn, or a clock leapt";
  const proof = new Proof(name, { needsNone: true });
  const { faults, books } = evidence;
  const queues = queuesOf(evidence, cases);
  for (const { account, intention, meant, messages } of cases) {
    const endedAt = answeredAt(intention) + aheadMs(evidence, intention);
    for (const { ref, to, state, attempts, operation } of messages) {
      if (leapsOver(evidence, intention, operation)) continue;
      const untilMs = endedAt + validityOf(evidence, operation) + GIVEN_UP_MS;
      const queue = queues.get(`${account.id} ${laneOf(operation, meant.recipients.length)}`) ?? [];
      const isUnsent = state === "failed" && attempts === 0;
      const isShort =
        isUnsent && runningFaults(faults, sentAtOf(intention) - CONGESTED_MS, untilMs, BUSY_FAULTS).length > 0;
      const overtook = isShort
        ? queue.filter((other) => other.orderedAt > endedAt && other.seenAt < untilMs - GIVEN_UP_MS).length
        : 0;
      proof.holds(
        !isUnsent || (isShort && overtook <= OVERTAKEN_MAX),
        () => `${ref} to ${to} was never handed to the gateway, and was given up; ${overtook} overtook it`,
      );
    }
  }
  const all = books.flatMap(({ messages }) => messages);
  proof.note = `${all.filter(({ state, attempts }) => state === "failed" && attempts === 0).length} expired unsent`;
  return proof;
}

/** The share of messages that reach a gateway which is short for seconds now and then; below so many, it says nothing. */
const SENT_SHARE = 0.8;
const SENT_OF = 100;
/** In a shorter run, in minutes, the seconds in which the gateway is short are much of it. */
const LONG_MINUTES = 1;

/**
 * The gateway is never short for long, so most messages reach it: what is learned from its refusals is unlearned as
 * quickly.
 */
export function mostIsSent(evidence: Evidence, cases: Case[]): Proof {
  const proof = new Proof("most messages reach a gateway that is short for seconds now and then", { needsNone: true });
  const valid = cases.flatMap(({ intention, messages }) =>
    messages.filter(({ operation, state }) => state !== "cancelled" && !leapsOver(evidence, intention, operation)),
  );
  const sent = valid.filter(({ attempts }) => attempts > 0).length;
  const told = () => `${sent} of ${valid.length} messages were attempted before their validity ended`;
  const isLong = evidence.minutes >= LONG_MINUTES && valid.length >= SENT_OF;
  proof.holds(!isLong || sent >= valid.length * SENT_SHARE, told);
  proof.checked = valid.length;
  proof.note = `${sent} attempted`;
  return proof;
}
