import { leapsOf, realTimesOf } from "./clock.ts";
import { validityOf } from "./evidence.ts";
import { GATEWAY } from "./evidence.ts";
import type { Evidence, Receipt, Submission } from "./evidence.ts";
import { askedBack } from "./cancels.ts";
import type { Case } from "./orders.ts";
import { Proof } from "./proof.ts";
import { cameTooLate, mayBeUntold } from "./receipts.ts";
import { runningFaults } from "./faults.ts";

// What the gateway answered, and what the service did with it.

/** Faults that can lose the answer to a submission before the account has it. */
const LOSING = ["kill", "term", "rotate", "deploy", "rollback", "evict", "break_off", "interrupt"];

/** `submitted` of a single message is held back, to be reported together with others; a bulk's with its next round. */
const HELD_MS = { single: 20_000, bulk: 6_000 };

/** The references of single messages. */
export function singlesOf(cases: Case[]): Set<string> {
  const single = cases.filter(({ meant }) => meant.recipients.length === 1);
  return new Set(single.flatMap(({ messages }) => messages.map(({ ref }) => ref)));
}

/** Whether the answer to a submission may have been lost in the service. */
function mayBeLost({ faults, timers }: Evidence, { ref, at }: Submission, singles: Set<string>): boolean {
  const heldMs = timers.CARRIER_TIMEOUT_MS + (singles.has(ref) ? HELD_MS.single : HELD_MS.bulk);
  return runningFaults(faults, at, at + heldMs, LOSING).length > 0;
}

/** An answer after which a message may certainly be submitted again. */
export const isCertainNo = ({ tells, answered, decision }: Submission) =>
  (tells === "busy" && answered) || decision === "resets_unread";

/**
 * How many messages may have timed out although the gateway answered: on a machine that stalls for a moment, answer and
 * timeout arrive together. The service is right to call that unknown.
 */
const TIMED_OUT = { share: 0.002, least: 3 };
const timedOutMax = (of: number) => Math.max(TIMED_OUT.least, of * TIMED_OUT.share);

/**
 * A message is submitted again only after an answer that certainly did not accept it, and not before that answer; where
 * the gateway recognises references, also after an outcome that the service does not know.
 */
export function againOnlyAfterNo(evidence: Evidence, cases: Case[]): Proof {
  const proof = new Proof("submitted again only after a certain no, and never after an unknown outcome or a yes");
  const { submissions, timers } = evidence;
  const singles = singlesOf(cases);
  let [again, slow] = [0, 0];
  for (const [ref, list] of Map.groupBy(submissions, (one) => one.ref)) {
    for (const [at, next] of list.slice(1).entries()) {
      const before = list[at];
      if (!before) continue;
      again += 1;
      const { decision, answered, answeredAt, tells, carrier } = before;
      // Of the carriers of a run, the gateway alone recognises references, and only its own.
      const dedupes = evidence.dedupes && carrier === GATEWAY && next.carrier === GATEWAY;
      const afterNo = isCertainNo(before) && (!answered || answeredAt <= next.at);
      const isUnknown = tells === "nothing" || !answered || mayBeLost(evidence, before, singles);
      const timedOut = dedupes && !afterNo && !isUnknown && next.at - before.at >= timers.CARRIER_TIMEOUT_MS;
      if (timedOut) slow += 1;
      const may = afterNo || (dedupes && isUnknown) || timedOut;
      proof.holds(may, () => `${ref} was submitted again after ${carrier} ${decision}`);
    }
  }
  proof.holds(slow <= timedOutMax(submissions.length), () => `${slow} were submitted again after an answer in time`);
  proof.note = `${again} again`;
  return proof;
}

/** The states of a message of which the gateway did not take anything; `asked`: somebody wanted to take it back. */
const waiting = (asked: boolean) => ["failed", "unknown", ...(asked ? ["cancelled"] : [])];

function statesByAnswer(
  evidence: Evidence,
  last: Submission | undefined,
  singles: Set<string>,
  asked: boolean,
): string[] {
  // Never submitted: its validity ended, or the service died during an attempt.
  if (!last) return waiting(asked);
  const { decision, answered, tells } = last;
  const lost = mayBeLost(evidence, last, singles) || !answered ? ["unknown"] : [];
  if (decision === "resets_unread") return waiting(asked);
  // When the whole machine stalls, an answer that is meant to be too late may still be in time.
  if (decision === "answers_late") return ["unknown", "unconfirmed"];
  switch (tells) {
    case "taken":
      return [...(answered ? ["unconfirmed"] : []), ...lost];
    case "rejected":
      return [...(answered ? ["failed"] : []), ...lost];
    case "busy":
      // Later attempts may have been interrupted before they reached the gateway.
      return waiting(asked);
    case "nothing":
      return ["unknown"];
  }
}

/** The final states that a message may have, given the gateway's answers and the receipts that it sent. */
function statesFor(
  evidence: Evidence,
  submissions: Submission[],
  receipts: Receipt[],
  singles: Set<string>,
  { archivedAt, asked }: { archivedAt: number | null; asked: boolean },
): Set<string> {
  const genuine = receipts.filter(({ fault }) => fault === null);
  // One that was acknowledged too late may have come before, without an answer.
  const isTaken = (one: Receipt) =>
    one.statuses.includes(200) && !cameTooLate(one, archivedAt) && !mayBeUntold(evidence, one, submissions);
  const taken = new Set(genuine.filter(isTaken).map(({ state }) => state));
  const perhaps = new Set(genuine.filter((one) => !isTaken(one)).map(({ state }) => state));
  if (taken.has("delivered")) return new Set(["delivered"]);
  let states = new Set(statesByAnswer(evidence, submissions.at(-1), singles, asked));
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

/** Every message has a state that follows from the gateway's answers and receipts. */
export function statesFollow(evidence: Evidence, cases: Case[]): Proof {
  const proof = new Proof("every state follows from what the gateway answered and from its genuine receipts");
  const submissions = Map.groupBy(evidence.submissions, ({ ref }) => ref);
  const receipts = Map.groupBy(evidence.receipts, ({ ref }) => ref);
  const messages = evidence.books.flatMap((one) => one.messages);
  const singles = singlesOf(cases);
  const wanted = askedBack(cases);
  let slow = 0;
  for (const { ref, state, to, errorCode, archivedAt } of messages) {
    const own = submissions.get(ref) ?? [];
    const news = receipts.get(ref) ?? [];
    const may = statesFor(evidence, own, news, singles, { archivedAt, asked: wanted.has(ref) });
    if (!may.has(state) && state === "unknown" && errorCode === "timeout") {
      slow += 1;
      continue;
    }
    proof.holds(may.has(state), () => {
      const seen = own
        .map(({ carrier, decision, answered }) => `${carrier} ${decision}${answered ? "" : " (unheard)"}`)
        .join(", ");
      const told = news
        .map((one) => `${one.carrier} ${one.fault ?? ""} ${one.state} ${one.statuses.join("/")}`)
        .join(", ");
      return `${ref} to ${to} is ${state}, not ${[...may].join(" or ")}: the gateway ${seen || "never saw it"}; receipts: ${told}`;
    });
  }
  proof.holds(slow <= timedOutMax(messages.length), () => `${slow} messages timed out that the gateway had answered`);
  proof.note = `${slow} answered and timed out`;
  return proof;
}

/** Times in which the gateway takes less than is sent, so that messages wait. */
export const BUSY_FAULTS = ["carrier_away", "carrier_limit", "carrier_busy", "carrier_trouble"];

/** How soon the service asks again for an outcome that it does not know. */
const ASKED_AGAIN_MS = 15_000;

/** Where the gateway recognises references, an unknown outcome is submitted again until it is known. */
export function unknownIsAskedAgain(evidence: Evidence): Proof {
  const { submissions, books, faults, dedupes, history } = evidence;
  const proof = new Proof("where the gateway recognises references, an unknown outcome is submitted again", {
    needsNone: true,
  });
  if (!dedupes) return proof;
  const leaps = leapsOf(faults);
  const seen = Map.groupBy(submissions, ({ ref }) => ref);
  const lives = new Map(history.map((row) => [`${row.account} ${row.to}`, row]));
  for (const { account, ref, to, state, operation } of books.flatMap(({ messages }) => messages)) {
    const [first, ...more] = seen.get(ref) ?? [];
    if (!first || [first, ...more].some(({ carrier }) => carrier !== GATEWAY)) continue;
    const untilMs = first.at + ASKED_AGAIN_MS;
    const created = realTimesOf(faults, lives.get(`${account} ${to}`)?.timeline[0]?.at ?? Infinity);
    const hindered =
      !created.some((at) => at + validityOf(evidence, operation) > untilMs) ||
      // A leap between the order and its submission, too, ends the validity early.
      leaps.some((at) => at >= Math.min(first.at, ...created) && at <= untilMs) ||
      runningFaults(faults, first.at, untilMs, [...BUSY_FAULTS, ...LOSING]).length > 0;
    const asked = state !== "unknown" || more.length > 0 || hindered;
    proof.holds(asked, () => `${ref} to ${to} is unknown, and was submitted only once`);
  }
  return proof;
}
