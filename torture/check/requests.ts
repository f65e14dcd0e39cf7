import { serviceTimes } from "./clock.ts";
import type { Evidence, Fault, Intention, Try } from "./evidence.ts";
import { units } from "./evidence.ts";
import { runningFaults } from "./faults.ts";
import { isOwn, isTold, mayBeDone, sendAtOf } from "./orders.ts";
import type { Case } from "./orders.ts";
import { Proof } from "./proof.ts";

// The replies that clients received.

const tellTry = ({ status, requestId }: Try) => `${status ?? "no answer"} ${requestId}`;

/** Every recipient of every acknowledged send has exactly one message. */
export function nothingLost(cases: Case[]): Proof {
  const proof = new Proof("no acknowledged send is lost: each recipient of each 200 has exactly one message");
  for (const { intention, meant, messages } of cases) {
    if (!isTold(intention)) continue;
    for (const to of meant.recipients) {
      const count = messages.filter((message) => message.to === to).length;
      proof.holds(count === 1, () => `order ${intention.id} was acknowledged and has ${count} messages to ${to}`);
    }
  }
  return proof;
}

/** Nothing is sent without an order, and nothing for a refused order. */
export function nothingUnasked(cases: Case[], strangers: Case["messages"]): Proof {
  const proof = new Proof("no message without an order, and none of a refused one");
  for (const { ref, to } of strangers) proof.holds(false, () => `message ${ref} to ${to} belongs to no order`);
  for (const { intention, messages } of cases) {
    const refused = !mayBeDone(intention);
    const said = () => intention.tries.map(tellTry).join(", ");
    proof.holds(!refused || messages.length === 0, () => `order ${intention.id} was refused (${said()}) and was sent`);
  }
  return proof;
}

/** Allowed statuses by kind of order; 0 means no reply. */
const ALLOWED: Record<string, ReadonlySet<number>> = {
  good: new Set([0, 200, 403, 409, 429]),
  wrong: new Set([0, 400, 429]),
  forged: new Set([0, 401]),
  other: new Set([0, 422]),
};

/** A cancel may be too late, and what was archived is not there any more (both are judged by what became of it). */
const CANCELS: ReadonlySet<number> = new Set([0, 200, 404, 409, 429]);
const PREFLIGHTS: ReadonlySet<number> = new Set([0, 200, 429]);

/** A time for which an order is may have passed by this much. */
const SEND_LATE_MS = 60_000;

/** Whether an order may be refused for its time, or for its quote, which is judged elsewhere. */
function mayBeRefused(faults: Fault[], intention: Intention, { sentAt, endedAt }: Try): boolean {
  if (intention.quote !== null) return true;
  const sendAt = sendAtOf(intention);
  return sendAt !== null && serviceTimes(faults, sentAt, endedAt).last >= sendAt + SEND_LATE_MS;
}

function allowedFor(faults: Fault[], intention: Intention, one: Try): ReadonlySet<number> {
  if (isOwn(intention)) return intention.method === "DELETE" ? CANCELS : PREFLIGHTS;
  const usual = ALLOWED[intention.means] ?? new Set();
  return intention.means === "good" && mayBeRefused(faults, intention, one) ? new Set([...usual, 400]) : usual;
}

/** Only accounts with at most this opening balance may run out of credit. */
const POOR_UNITS_MAX = 1_000_000;

/** Each reply has a status that the contract allows for the kind of order. */
export function answersFit({ faults }: Evidence, cases: Case[]): Proof {
  const proof = new Proof("each order is answered as its kind is: wrong 400, forged 401, poor 403, other body 422");
  for (const { intention, account } of cases) {
    for (const one of intention.tries) {
      const { status } = one;
      if (status !== null && status >= 500) continue;
      const poor = account.opening <= POOR_UNITS_MAX;
      const fits = allowedFor(faults, intention, one).has(status ?? 0) && (status !== 403 || poor);
      proof.holds(
        fits,
        () => `${intention.means} order ${intention.id} ${intention.path} was answered ${tellTry(one)}`,
      );
    }
  }
  return proof;
}

/** Replies under one key are identical to the byte; only the first is not marked as a replay. */
export function replaysAreSame(cases: Case[]): Proof {
  const proof = new Proof("replies to one key are the same to the byte, and every replay says that it is one");
  let replays = 0;
  for (const { intention } of cases) {
    // What sends nothing has no key.
    if (intention.method === "GET" || isOwn(intention)) continue;
    const told = intention.tries.filter(({ status }) => status === 200);
    if (told.length === 0) continue;
    const { id } = intention;
    const first = told.filter(({ replayed }) => !replayed);
    replays += told.length - first.length;
    proof.holds(
      first.length <= 1,
      () => `order ${id} was done ${first.length} times: ${first.map(tellTry).join(", ")}`,
    );
    const lost = intention.tries.some(({ status }) => status === null || status >= 500);
    proof.holds(first.length === 1 || lost, () => `order ${id} was only ever replayed`);
    const same = told.every(({ body }) => body === told[0]?.body);
    proof.holds(same, () => `order ${id} was told different things: ${told.map(({ body }) => body).join(" ≠ ")}`);
    const firstEnd = Math.min(...told.map(({ endedAt }) => endedAt));
    const after = intention.tries.find(
      ({ sentAt, status }) => sentAt > firstEnd && status !== null && status < 500 && status !== 200,
    );
    proof.holds(!after, () => `order ${id} was done, and then refused: ${after && tellTry(after)}`);
  }
  proof.note = `${replays} replays`;
  return proof;
}

interface Told {
  coins_used?: number;
  coins_remaining?: number;
  callId?: string;
  balance?: number;
  details?: { phone: string; otp_sent: string; cost: number; new_balance: number };
}

/** Amounts and ids in a 200 are those of the books. */
export function repliesAreTrue(evidence: Evidence, cases: Case[]): Proof {
  const proof = new Proof(
    "replies tell the truth: coins used and left, costs, call ids and balances are those of the ledger",
  );
  const books = new Map(evidence.books.map((one) => [one.id, one]));
  for (const { intention, account, meant, messages } of cases) {
    const ledger = books.get(account.id)?.ledger ?? [];
    const told = intention.tries.filter(({ status }) => status === 200);
    for (const one of intention.path === "/account-balance" ? told : told.slice(0, 1)) {
      const said = JSON.parse(one.body) as Told;
      const wrong = (what: string) => () => `order ${intention.id}: ${what} in ${one.body}`;
      if (said.balance !== undefined) {
        const was = ledger.some(({ after }) => after === units(said.balance));
        proof.holds(was, wrong("a balance that never was"));
      }
      const [message] = messages;
      if (!message) continue;
      const debit = ledger.find(({ type, requestId }) => type === "debit" && requestId === message.requestId);
      const [used, after] = [meant.price * meant.recipients.length, debit?.after ?? Number.NaN];
      const first = told.find(({ replayed }) => !replayed);
      proof.holds(!first || first.requestId === message.requestId, wrong("another request's message"));
      if (said.details) {
        const { phone, otp_sent: otp, cost, new_balance: left } = said.details;
        const echoed = phone === intention.body["phone"] && otp === intention.body["otp"];
        proof.holds(
          echoed && units(cost) === used && units(left) === after,
          wrong("a wrong cost, balance or password"),
        );
      } else {
        const right = units(said.coins_used) === used && said.coins_remaining === Math.floor(after / 10_000);
        proof.holds(right, wrong(`other coins than ${used / 10_000} used and ${after / 10_000} left`));
      }
      if (said.callId !== undefined) proof.holds(said.callId === message.ref, wrong(`not ${message.ref}`));
    }
  }
  return proof;
}

/** The service answers 503 only during a fault, and 500 only when an object was broken off. */
export function failuresHaveCauses({ faults }: Evidence, cases: Case[]): Proof {
  const proof = new Proof("no 5xx without a fault that was running, and 500 only where an object was broken off", {
    needsNone: true,
  });
  for (const { intention } of cases) {
    for (const one of intention.tries) {
      const { status, sentAt, endedAt } = one;
      if (status === null || status < 500) continue;
      const cause = runningFaults(faults, sentAt, endedAt, status === 500 ? ["break_off", "interrupt"] : undefined);
      const known = status === 500 || status === 503;
      proof.holds(
        known && cause.length > 0,
        () => `order ${intention.id} ${intention.path}: ${tellTry(one)} ${one.body}`,
      );
    }
  }
  return proof;
}

const LIMIT = { starter: 10, business: 60, premium: 200 } as const;
const WINDOW_MS = 60_000;

/** The earliest end of a window that begins at this time: a clock that jumps forward shortens it. */
function endOfWindow(faults: Fault[], beginsAt: number): number {
  let [end, clockMs] = [beginsAt + WINDOW_MS, 0];
  for (const { kind, from, clockMs: toMs } of faults) {
    if (kind !== "clock" || from >= end) continue;
    if (from >= beginsAt) end = Math.max(from, end - Math.max(0, toMs - clockMs));
    clockMs = toMs;
  }
  return end;
}

/** No account is admitted more often than its plan allows, across restarts and evictions. */
export function limitsHold({ faults, accounts }: Evidence, cases: Case[]): Proof {
  const proof = new Proof("no window of 60 s lets in more requests than the plan allows");
  const admitted = new Map<string, Try[]>([...accounts.keys()].map((id) => [id, []]));
  let refused = 0;
  for (const { intention } of cases) {
    if (isOwn(intention)) continue;
    const counts = intention.tries.filter(({ status, replayed }) => (status === 200 && !replayed) || status === 403);
    admitted.get(intention.account)?.push(...counts);
    refused += intention.tries.filter(({ status }) => status === 429).length;
  }
  for (const [id, tries] of admitted) {
    const limit = LIMIT[accounts.get(id)?.plan ?? "starter"];
    const sorted = tries.toSorted((one, other) => one.sentAt - other.sentAt);
    for (const [at, { sentAt }] of sorted.entries()) {
      const end = endOfWindow(faults, sentAt);
      const within = sorted.slice(at, at + 2 * limit + 50).filter((one) => one.endedAt < end);
      const told = () => `account ${id}: ${within.length} of ${limit} were let in within 60 s from ${sentAt}`;
      proof.holds(within.length <= limit, told);
    }
  }
  proof.note = `${refused} were told to wait`;
  return proof;
}
