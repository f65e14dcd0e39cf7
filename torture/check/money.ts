import type { Books, Entry, Evidence, Recorded } from "./evidence.ts";
import { isTold } from "./orders.ts";
import type { Case } from "./orders.ts";
import { Proof } from "./proof.ts";

// Money, recounted from the clients' orders and from the ledger.

const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
const coins = (units: number) => units / 10_000;

/** Each executed order has one debit of its price, however often it was repeated; each debit has its order. */
export function oneDebitEach({ books }: Evidence, cases: Case[]): Proof {
  const proof = new Proof(
    "one debit per order, of the contract's price for each recipient, and no debit without an order",
  );
  const orders = Map.groupBy(
    cases.filter(({ messages }) => messages.length > 0),
    ({ account }) => account.id,
  );
  for (const { id, ledger } of books) {
    const debits = Map.groupBy(
      ledger.filter(({ type }) => type === "debit"),
      ({ requestId }) => requestId,
    );
    const owned = new Set<string>();
    for (const { intention, meant, messages } of orders.get(id) ?? []) {
      const requests = new Set(messages.map(({ requestId }) => requestId));
      const own = [...requests].flatMap((request) => debits.get(request) ?? []);
      for (const request of requests) owned.add(request);
      const name = `order ${intention.id} ${intention.path}`;
      proof.holds(own.length === 1, () => `${name} has ${own.length} debits`);
      const due = meant.price * meant.recipients.length;
      const taken = -sum(own.map(({ amount }) => amount));
      proof.holds(taken === due, () => `${name} cost ${coins(taken)} coins instead of ${coins(due)}`);
      const charged = messages.every(({ charge }) => charge === meant.price);
      proof.holds(charged, () => `${name} has a message that was not charged ${coins(meant.price)}`);
    }
    for (const [request, [debit]] of debits) {
      const known = request !== null && owned.has(request);
      proof.holds(known, () => `account ${id}: debit ${debit?.seq} of ${request} belongs to no order`);
    }
  }
  return proof;
}

/** The ledger is an unbroken chain that ends in the balance, and every entry is explained. */
export function balancesAreExact({ books, accounts }: Evidence, cases: Case[]): Proof {
  const proof = new Proof(
    "balances are exact: opening + credits − debits + refunds, and every entry builds on the one before",
  );
  for (const account of books) {
    const { id, ledger, balance } = account;
    let [running, seq] = [0, 0];
    for (const entry of ledger) {
      running += entry.amount;
      const builds = entry.after === running && entry.seq > seq && entry.after >= 0;
      proof.holds(builds, () => `account ${id}: entry ${entry.seq} says ${coins(entry.after)} after ${coins(running)}`);
      [running, seq] = [entry.after, entry.seq];
    }
    proof.holds(balance === running, () => `account ${id} has ${coins(balance)}, its ledger ${coins(running)}`);
    const known = accounts.get(id);
    const credits = [...(known?.credits.values() ?? [])].filter(({ told }) => told).map(({ amount }) => amount);
    const done = cases.filter((one) => one.account.id === id && one.messages.length > 0);
    const spent = sum(done.map(({ meant }) => meant.price * meant.recipients.length));
    const back = sum(ledger.filter(({ type }) => type === "refund").map(({ amount }) => amount));
    const due = (known?.opening ?? 0) + sum(credits) - spent + back;
    proof.holds(balance === due, () => `account ${id} has ${coins(balance)}, its customer counts ${coins(due)}`);
  }
  return proof;
}

/** Each credit is in the ledger once, with its amount; all other entries are debits and refunds. */
export function creditsAreOnce({ books, accounts }: Evidence): Proof {
  const proof = new Proof("each credit stands once, however often it was asked for");
  for (const { id, ledger } of books) {
    const known = accounts.get(id);
    const wanted = new Map([
      ...(known?.credits ?? []),
      ["opening", { amount: known?.opening ?? 0, told: true }] as const,
    ]);
    const entries = Map.groupBy(
      ledger.filter(({ type }) => type !== "debit" && type !== "refund"),
      ({ reference }) => reference ?? "",
    );
    for (const [reference, { amount, told }] of wanted) {
      const own = entries.get(reference) ?? [];
      const right = own.length <= 1 && (own.length === 1 || !told) && own.every((entry) => entry.amount === amount);
      proof.holds(right, () => `account ${id}: credit ${reference} stands ${own.length} times`);
    }
    for (const reference of entries.keys()) {
      proof.holds(wanted.has(reference), () => `account ${id}: nobody gave the credit ${reference}`);
    }
  }
  return proof;
}

/** Whether this message is due a refund by its timeline: always, never, or depending on when a receipt arrived. */
function refundDue({ state, timeline }: Recorded): "yes" | "no" | "by time" {
  const was = new Set(timeline.map((one) => one.state));
  if (was.has("failed") || was.has("cancelled") || state === "unknown") return "yes";
  return was.has("unknown") ? "by time" : "no";
}

/** Whether a message of unknown outcome was refunded only after its window had ended. */
function isInTime({ timeline }: Recorded, { at }: Entry, windowMs: number): boolean {
  const attempt = timeline.findLast(({ state }) => state === "sending")?.at ?? Infinity;
  return at >= attempt + windowMs;
}

function refundsOfOne(proof: Proof, { ledger, messages }: Books, lives: Map<string, Recorded>, windowMs: number): void {
  const refunds = Map.groupBy(
    ledger.filter(({ type }) => type === "refund"),
    ({ messageId }) => messageId ?? "",
  );
  for (const message of messages) {
    const own = refunds.get(message.ref) ?? [];
    refunds.delete(message.ref);
    const life = lives.get(`${message.account} ${message.to}`);
    if (!life) continue;
    const due = refundDue(life);
    const name = `message ${message.ref} (${life.timeline.map(({ state }) => state).join(" → ")})`;
    const fits = due === "by time" ? own.length <= 1 : own.length === (due === "yes" ? 1 : 0);
    proof.holds(fits, () => `${name} has ${own.length} refunds`);
    const [refund] = own;
    if (!refund) continue;
    const right = refund.amount === message.charge && refund.reference === `refund:${message.ref}`;
    proof.holds(right, () => `${name} was refunded ${coins(refund.amount)} of ${coins(message.charge)} coins`);
    const failed = life.timeline.some(({ state }) => state === "failed" || state === "cancelled");
    proof.holds(failed || isInTime(life, refund, windowMs), () => `${name} was refunded before its window ended`);
  }
  for (const ref of refunds.keys()) proof.holds(false, () => `there is a refund for ${ref}, which is no message`);
}

/** A message that failed or stayed unknown is refunded once and in full; no other message is. */
export function refundsAreDue({ books, history, timers }: Evidence): Proof {
  const proof = new Proof("refunds exactly where due, once and whole: failed, or unknown until its window ended");
  const lives = new Map(history.map((row) => [`${row.account} ${row.to}`, row]));
  for (const account of books) refundsOfOne(proof, account, lives, timers.UNKNOWN_WINDOW_MS);
  proof.note = `${books.flatMap(({ ledger }) => ledger.filter(({ type }) => type === "refund")).length} refunds`;
  return proof;
}

/** Orders of unknown outcome, because they had no key: each may have been executed once or not at all. */
export const unknownOrders = (cases: Case[]) =>
  cases.filter(({ intention, meant }) => {
    const lost = intention.tries.some(({ status }) => status === null || status >= 500);
    return intention.means === "good" && lost && !isTold(intention) && meant.recipients.length > 0;
  });
