import type { Evidence, Message, Receipt, Recorded, Submission } from "./evidence.ts";
import type { Case } from "./orders.ts";
import { Proof } from "./proof.ts";
import { runningFaults } from "./requests.ts";

// What the gateway received, and what the service made of it.

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
    const right = to === message.to && operation === meant.operation && words && signed;
    proof.holds(
      right,
      () => `${ref} was submitted to ${to} as ${operation}, ${signed ? "" : "not signed, "}with: ${text}`,
    );
  }
  return proof;
}

/** An answer after which a message may certainly be submitted again. */
const isCertainNo = ({ tells, answered, decision }: Submission) =>
  (tells === "busy" && answered) || decision === "resets_unread";

/** A message is submitted again only after an answer that certainly did not accept it. */
export function againOnlyAfterNo({ submissions, books, timers }: Evidence): Proof {
  const proof = new Proof("submitted again only after a certain no, and never after an unknown outcome or a yes");
  const attempts = new Map(
    books.flatMap((one) => one.messages.map((message) => [message.ref, message.attempts] as const)),
  );
  let again = 0;
  for (const [ref, list] of Map.groupBy(submissions, (one) => one.ref)) {
    for (const before of list.slice(0, -1)) {
      again += 1;
      proof.holds(isCertainNo(before), () => `${ref} was submitted again after the gateway ${before.decision}`);
    }
    const most = Math.min(timers.ATTEMPTS_MAX, attempts.get(ref) ?? timers.ATTEMPTS_MAX);
    proof.holds(list.length <= most, () => `${ref} was submitted ${list.length} times, of ${most} attempts`);
  }
  proof.note = `${again} again`;
  return proof;
}

/** Faults that can lose the answer to a submission. */
const LOSING = ["kill", "term", "evict", "break_off"];

function statesByAnswer(evidence: Evidence, last: Submission | undefined): string[] {
  // Never submitted: given up, or the service died during an attempt.
  if (!last) return ["failed", "unknown"];
  const { decision, answered, at, tells } = last;
  const untilMs = at + evidence.timers.CARRIER_TIMEOUT_MS;
  const lost = runningFaults(evidence.faults, at, untilMs, LOSING).length > 0 || !answered ? ["unknown"] : [];
  if (decision === "resets_unread") return ["failed", "unknown"];
  // When the whole machine stalls, an answer that is meant to be too late may still be in time.
  if (decision === "answers_late") return ["unknown", "unconfirmed"];
  switch (tells) {
    case "taken":
      return [...(answered ? ["unconfirmed"] : []), ...lost];
    case "rejected":
      return [...(answered ? ["failed"] : []), ...lost];
    case "busy":
      // Later attempts may have been interrupted before they reached the gateway.
      return ["failed", "unknown"];
    case "nothing":
      return ["unknown"];
  }
}

/** The final states that a message may have, given the gateway's answers and the receipts that it sent. */
export function statesFor(evidence: Evidence, submissions: Submission[], receipts: Receipt[]): Set<string> {
  const genuine = receipts.filter(({ fault }) => fault === null);
  const taken = new Set(genuine.filter(({ statuses }) => statuses.includes(200)).map(({ state }) => state));
  const perhaps = new Set(genuine.filter(({ statuses }) => !statuses.includes(200)).map(({ state }) => state));
  if (taken.has("delivered")) return new Set(["delivered"]);
  let states = new Set(statesByAnswer(evidence, submissions.at(-1)));
  const raised = (news: ReadonlySet<string>) => {
    const ends = ["undelivered", "failed"].filter((state) => news.has(state));
    // Of two receipts that contradict each other, the first one applies.
    if (ends.length > 0) return new Set([...ends, ...(states.has("failed") ? ["failed"] : [])]);
    if (!news.has("submitted")) return states;
    return new Set([...states].map((state) => (state === "unknown" ? "unconfirmed" : state)));
  };
  states = raised(taken);
  if (perhaps.size > 0) states = new Set([...states, ...raised(perhaps)]);
  if (perhaps.has("delivered")) states.add("delivered");
  return states;
}

/**
 * How many messages may have timed out although the gateway answered: on a machine that stalls for a moment, answer and
 * timeout arrive together. The service is right to call that unknown.
 */
const TIMED_OUT = { share: 0.002, least: 3 };

/** Every message has a state that follows from the gateway's answers and receipts. */
export function statesFollow(evidence: Evidence): Proof {
  const proof = new Proof("every state follows from what the gateway answered and from its genuine receipts");
  const submissions = Map.groupBy(evidence.submissions, ({ ref }) => ref);
  const receipts = Map.groupBy(evidence.receipts, ({ ref }) => ref);
  const messages = evidence.books.flatMap((one) => one.messages);
  let slow = 0;
  for (const { ref, state, to, errorCode } of messages) {
    const own = submissions.get(ref) ?? [];
    const news = receipts.get(ref) ?? [];
    const may = statesFor(evidence, own, news);
    if (!may.has(state) && state === "unknown" && errorCode === "timeout") {
      slow += 1;
      continue;
    }
    proof.holds(may.has(state), () => {
      const seen = own.map(({ decision, answered }) => `${decision}${answered ? "" : " (unheard)"}`).join(", ");
      const told = news.map((one) => `${one.fault ?? ""} ${one.state} ${one.statuses.join("/")}`).join(", ");
      return `${ref} to ${to} is ${state}, not ${[...may].join(" or ")}: the gateway ${seen || "never saw it"}; receipts: ${told}`;
    });
  }
  const most = Math.max(TIMED_OUT.least, messages.length * TIMED_OUT.share);
  proof.holds(slow <= most, () => `${slow} messages timed out that the gateway had answered`);
  proof.note = `${slow} answered and timed out`;
  return proof;
}

/** How long after its validity, or after its order without a reply, a message may still be given up. */
const GIVEN_UP_MS = 5_000;

/** A jump of the clock that may end a validity, or delay the next look at a message. */
const LEAP_MS = 10_000;

/**
 * Messages that the queues lose are found again: without a jump of the clock no message expires unsent.
 */
export function nothingIsForgotten({ faults, timers, books }: Evidence, cases: Case[]): Proof {
  const proof = new Proof("nothing is forgotten: what expired before its first attempt had a clock that leapt");
  const clocks = faults.filter(({ kind }) => kind === "clock");
  const leaps = clocks
    .filter(({ clockMs }, at) => Math.abs(clockMs - (clocks[at - 1]?.clockMs ?? 0)) > LEAP_MS)
    .map(({ from }) => from);
  const validity = (operation: string) => {
    if (operation === "otp") return timers.VALIDITY_OTP_MS;
    return operation.startsWith("sms") ? timers.VALIDITY_SMS_MS : timers.VALIDITY_CALL_MS;
  };
  for (const { intention, messages } of cases) {
    const sentAt = Math.min(...intention.tries.map((one) => one.sentAt));
    const told = intention.tries.filter(({ status }) => status === 200);
    const endedAt = told.length > 0 ? Math.min(...told.map((one) => one.endedAt)) : sentAt + GIVEN_UP_MS;
    for (const { ref, to, state, attempts, operation } of messages) {
      const jumped = leaps.some((at) => at >= sentAt && at <= endedAt + validity(operation) + GIVEN_UP_MS);
      const unsent = state === "failed" && attempts === 0;
      if (!jumped) proof.holds(!unsent, () => `${ref} to ${to} was never handed to the gateway, and was given up`);
    }
  }
  const all = books.flatMap(({ messages }) => messages);
  proof.note = `${all.filter(({ state, attempts }) => state === "failed" && attempts === 0).length} expired unsent`;
  return proof;
}

/** Forged, stale and malformed receipts are refused; all others are accepted in the end. */
export function receiptsAreJudged({ receipts }: Evidence): Proof {
  const proof = new Proof("forged and stale receipts are refused with 401, senseless ones with 400");
  const answers: Record<string, number> = { forged: 401, stale: 401, no_state: 400, unknown_ref: 200 };
  for (const { ref, fault, statuses } of receipts) {
    if (fault === null) continue;
    const answered = statuses.filter((status) => status !== null && status < 500);
    // A jump of the clock at this moment makes any signature stale.
    const right = answered.every((status) => status === answers[fault] || status === 401);
    proof.holds(right, () => `a receipt for ${ref} that was ${fault} was answered ${statuses.join(", ")}`);
  }
  return proof;
}

/** Allowed transitions (contract §9); `sending` is the only state with a step back. */
const NEXT: Record<string, string[]> = {
  queued: ["sending", "failed", "submitted", "delivered", "undelivered"],
  sending: ["queued", "unknown", "submitted", "failed", "delivered", "undelivered"],
  unknown: ["submitted", "failed", "delivered", "undelivered"],
  submitted: ["unconfirmed", "failed", "delivered", "undelivered"],
  unconfirmed: ["failed", "delivered", "undelivered"],
  undelivered: ["delivered"],
  failed: ["delivered"],
  delivered: [],
};

/** Every timeline has only transitions that the contract allows, and one `sending` per attempt. */
export function livesAreLegal({ history }: Evidence): Proof {
  const proof = new Proof("every life goes the ways of the contract: ranks only rise, attempts are counted");
  for (const { to, state, attempts, timeline } of history) {
    const states = timeline.map((one) => one.state);
    const legal = states.every((one, at) => (at === 0 ? one === "queued" : NEXT[states[at - 1] ?? ""]?.includes(one)));
    const counted = states.filter((one) => one === "sending").length === attempts && states.at(-1) === state;
    proof.holds(legal && counted, () => `${to}, ${state} after ${attempts} attempts: ${states.join(" → ")}`);
  }
  return proof;
}

const FINAL = ["delivered", "undelivered", "unconfirmed", "failed", "unknown"];

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

/** History contains every message exactly once, with the account's values. */
export function historyIsComplete({ books, history }: Evidence): Proof {
  const proof = new Proof("history is complete and equal to the accounts");
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
