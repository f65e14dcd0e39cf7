import { leapsOf, realTimesOf } from "./clock.ts";
import type { Evidence, Message, Recorded } from "./evidence.ts";
import { REACHES_MS } from "./held.ts";
import type { Case } from "./orders.ts";
import { Proof } from "./proof.ts";

// What the gateway received, and how the service's books tell each message's life.

/** Every submission belongs to an ordered message: under its one reference, to its number, with its text, signed. */
export function oneReferenceEach({ submissions, books }: Evidence, cases: Case[]): Proof {
  const proof = new Proof("one reference per message at the gateway, with the order's number and words, signed");
  const messages = new Map(books.flatMap((one) => one.messages.map((message) => [message.ref, message] as const)));
  const orders = new Map(cases.flatMap((one) => one.messages.map(({ ref }) => [ref, one] as const)));
  const refs = new Map<string, string>();
  for (const { ref, to, operation, text, signed } of submissions) {
    const [message, order] = [messages.get(ref), orders.get(ref)];
    proof.holds(message !== undefined && order !== undefined, () => `${ref} to ${to} was submitted and is no message`);
    if (to === null || !message || !order) continue;
    const known = refs.get(to) ?? ref;
    refs.set(to, ref);
    proof.holds(known === ref, () => `${to} was submitted under two references: ${known} and ${ref}`);
    const { meant } = order;
    // The service writes the text around a one-time password, so only the password is compared.
    const words = meant.operation === "otp" ? text?.includes(meant.text ?? "") === true : text === meant.text;
    // A carrier over SMPP is told no operation.
    const isOperation = operation === meant.operation || operation === null;
    const right = to === message.to && isOperation && words && signed;
    proof.holds(
      right,
      () => `${ref} was submitted to ${to} as ${operation}, ${signed ? "" : "not signed, "}with: ${text}`,
    );
  }
  return proof;
}

/** The books may date a refund this much before the gateway logs what was under way. */
const MOMENT_MS = 500;

/** What was refunded is not submitted any more. */
export function nothingAfterRefund({ submissions, books, faults }: Evidence): Proof {
  const proof = new Proof("nothing is submitted after its refund");
  const leaps = leapsOf(faults);
  const seen = new Map<string, number>();
  for (const { ref, at } of submissions) seen.set(ref, Math.max(at, seen.get(ref) ?? 0));
  for (const { messageId, type, at } of books.flatMap(({ ledger }) => ledger)) {
    if (type !== "refund" || messageId === null) continue;
    const last = seen.get(messageId) ?? -Infinity;
    // Where the clock leaps over the window of an attempt, it is refunded while it is on its way.
    if (leaps.some((leap) => last >= leap && last <= leap + REACHES_MS)) continue;
    const times = realTimesOf(faults, at);
    const right = times.length === 0 || times.some((realMs) => last <= realMs + MOMENT_MS);
    proof.holds(right, () => `${messageId} was submitted after its refund`);
  }
  return proof;
}

/**
 * Allowed transitions (contract §9). A step back is certain knowledge that nothing was sent: it comes in `sending`, or late,
 * when the attempt already counts as interrupted.
 */
const NEXT: Record<string, string[]> = {
  scheduled: ["queued", "cancelled"],
  queued: ["sending", "failed", "cancelled", "submitted", "delivered", "undelivered"],
  sending: ["queued", "unknown", "submitted", "failed", "delivered", "undelivered"],
  unknown: ["queued", "submitted", "failed", "delivered", "undelivered"],
  submitted: ["unconfirmed", "failed", "delivered", "undelivered"],
  unconfirmed: ["failed", "delivered", "undelivered"],
  undelivered: ["delivered"],
  failed: ["delivered"],
  cancelled: ["delivered"],
  delivered: [],
};

/** What a message begins with: it is for at once, or for later. */
const FIRST = ["queued", "scheduled"];

/** Every timeline has only transitions that the contract allows, and one `sending` per attempt. */
export function livesAreLegal({ history, dedupes }: Evidence): Proof {
  const proof = new Proof("every life goes the ways of the contract: ranks only rise, attempts are counted");
  for (const { to, state, attempts, timeline } of history) {
    const states = timeline.map((one) => one.state);
    const legal = states.every((one, at) =>
      at === 0 ? FIRST.includes(one) : NEXT[states[at - 1] ?? ""]?.includes(one),
    );
    const begun = states.filter((one) => one === "sending").length;
    // An attempt under a reference of unknown outcome leaves the state as it is.
    const counted = dedupes ? begun <= attempts : begun === attempts;
    const ends = states.at(-1) === state;
    proof.holds(legal && counted && ends, () => `${to}, ${state} after ${attempts} attempts: ${states.join(" → ")}`);
  }
  return proof;
}

const FINAL = ["delivered", "undelivered", "unconfirmed", "failed", "unknown", "cancelled"];

/** No message is still open. */
export function allIsFinal({ books }: Evidence): Proof {
  const proof = new Proof("every message is final");
  const states = new Map<string, number>();
  for (const { ref, to, state } of books.flatMap(({ messages }) => messages)) {
    states.set(state, (states.get(state) ?? 0) + 1);
    proof.holds(FINAL.includes(state), () => `${ref} to ${to} is still ${state}`);
  }
  proof.note = [...states].map(([state, count]) => `${count} ${state}`).join(", ");
  return proof;
}

const row = (account: string, refunded: boolean, one: Message | Recorded) =>
  JSON.stringify([
    account,
    one.requestId,
    one.to,
    one.state,
    one.charge,
    refunded,
    one.attempts,
    one.carrier,
    one.errorCode,
  ]);

/** History contains every message of the accounts exactly once, with their values; the archive has all others. */
export function historyIsComplete({ books, history }: Evidence): Proof {
  const proof = new Proof("history is complete, with what was archived, and equal to the accounts");
  const recorded = Map.groupBy(history, (one) => row(one.account, one.refunded, one));
  for (const { id, ledger, messages } of books) {
    const refunded = new Set(ledger.filter(({ type }) => type === "refund").map(({ messageId }) => messageId));
    for (const message of messages) {
      const wanted = row(id, refunded.has(message.ref), message);
      const count = recorded.get(wanted)?.length ?? 0;
      recorded.delete(wanted);
      proof.holds(count === 1, () => `history has ${count} times: ${wanted}`);
    }
  }
  for (const wanted of recorded.keys()) proof.holds(false, () => `only history has: ${wanted}`);
  return proof;
}
