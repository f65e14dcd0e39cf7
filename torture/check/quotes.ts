import { serviceTimes } from "./clock.ts";
import type { Evidence, Try } from "./evidence.ts";
import { units } from "./evidence.ts";
import { meantBy, recordingsOf, sendAtOf } from "./orders.ts";
import type { Case } from "./orders.ts";
import { Proof } from "./proof.ts";
import { quotesOf } from "./quoted.ts";
import type { Quote } from "./quoted.ts";

// Prices that were asked first.

/** Where a preflight's order is sent to. */
const PATHS: Record<string, string> = {
  sms: "/send-sms",
  bulk: "/send-bulk-sms",
  sms_international: "/send-international-sms",
  otp: "/send-otp",
  tts: "/api/tts-call",
  voice: "/api/make-voice-call",
};

const ITALY = "+39";
/** Coins per segment abroad, where the rate card does not say another price. */
const USUAL_COINS = 5;

/** The prices that a preflight may name for each recipient, in units. */
function pricesOf(evidence: Evidence, { intention, account }: Quote, recordings: Map<string, number>): number[] {
  const known = evidence.accounts.get(account);
  if (!known) return [];
  const path = PATHS[String(intention.body["operation"])] ?? "";
  const { price } = meantBy({ ...intention, path }, known, recordings);
  if (!String(intention.body["phone"]).startsWith(ITALY)) return [price];
  return evidence.prices.map(({ coins }) => (price / USUAL_COINS) * coins);
}

/** Whether the rate card had another price by the time at which a quote was used. */
function isOutdated({ prices }: Evidence, { intention: { body }, price }: Quote, { intention, meant }: Case): boolean {
  if (!String(body["phone"]).startsWith(ITALY)) return false;
  const sentAt = Math.min(...intention.tries.map((one) => one.sentAt));
  const { coins = USUAL_COINS } = prices.findLast(({ at }) => at < sentAt) ?? {};
  return price !== coins * 10_000 * segmentsIn(meant);
}

/** The texts whose price is asked first are short. */
const segmentsIn = ({ text }: Case["meant"]) => Math.ceil((text ?? "").length / 160);

const usesOf = (cases: Case[]) =>
  Map.groupBy(
    cases.filter(({ intention }) => intention.quote !== null && intention.means === "good"),
    ({ intention }) => intention.quote ?? "",
  );

/** A quote's order costs what the quote says, whatever the rate card says by then, and there is one such order. */
export function quotesAreKept(evidence: Evidence, cases: Case[]): Proof {
  const proof = new Proof("a quote names a price of the contract, and is charged exactly at it, once");
  const recordings = recordingsOf(evidence);
  const uses = usesOf(cases);
  const debits = Map.groupBy(
    evidence.books.flatMap(({ ledger }) => ledger.filter(({ type }) => type === "debit")),
    ({ requestId }) => requestId,
  );
  let [used, outdated] = [0, 0];
  const all = quotesOf(evidence);
  for (const quote of all.values()) {
    const { text, price, recipients } = quote;
    const named = pricesOf(evidence, quote, recordings).includes(price);
    if (!named) proof.against.push(`${text.slice(0, 20)} of ${quote.intention.id} names ${price / 10_000} coins each`);
    const done = (uses.get(text) ?? []).filter(({ messages }) => messages.length > 0);
    used += done.length;
    outdated += done.filter((one) => isOutdated(evidence, quote, one)).length;
    if (done.length === 0) continue;
    const names = () =>
      `${text.slice(0, 20)} of ${quote.intention.id}, used by ${done.map((one) => one.intention.id).join(", ")}`;
    proof.holds(done.length === 1, names);
    for (const { messages } of done) {
      const requests = new Set(messages.map(({ requestId }) => requestId));
      const own = [...requests].flatMap((id) => debits.get(id) ?? []);
      const taken = -own.reduce((sum, { amount }) => sum + amount, 0);
      proof.holds(taken === price * recipients, () => `${names()}: ${taken / 10_000} coins instead of ${units(price)}`);
    }
  }
  proof.note = `${all.size} quotes, ${used} used, ${outdated} of them when the rate card had another price`;
  return proof;
}

/** Whether another order with the quote was done, or may have been done by then. */
const isSpentBy = (others: Case[]) => others.some(({ messages }) => messages.length > 0);

/** Whether another order with the quote was known to be done before this try began. */
const wasSpent = (others: Case[], { sentAt }: Try) =>
  others.some(({ intention }) => intention.tries.some(({ status, endedAt }) => status === 200 && endedAt < sentAt));

/** A quote that was used, has expired or is for something else is refused, and no other one is. */
export function uselessQuotesAreRefused(evidence: Evidence, cases: Case[]): Proof {
  const proof = new Proof("a quote that was used, has expired or is for something else is refused, and no other is");
  const quotes = quotesOf(evidence);
  let [spent, expired, other] = [0, 0, 0];
  for (const { intention } of cases) {
    const { quote: text, means, id } = intention;
    if (means !== "wrong" || text === null) continue;
    for (const { status } of intention.tries) {
      if (status === null || status === 429 || status >= 500) continue;
      other += 1;
      proof.holds(status === 400, () => `order ${id} with another order's quote was answered ${status}`);
    }
  }
  for (const [text, list] of usesOf(cases)) {
    const untilMs = quotes.get(text)?.untilMs ?? -Infinity;
    for (const one of list) {
      const { intention } = one;
      const others = list.filter((two) => two !== one);
      for (const attempt of intention.tries) {
        const { status, replayed, sentAt, endedAt, body } = attempt;
        const times = serviceTimes(evidence.faults, sentAt, endedAt);
        if (status === 400) {
          const sendAt = sendAtOf(intention);
          if (sendAt !== null && times.last >= sendAt + 60_000) continue;
          const [isLate, isSpent] = [times.last > untilMs, isSpentBy(others)];
          if (isSpent) spent += 1;
          else if (isLate) expired += 1;
          const fits = body.includes("invalid_quote") && (isLate || isSpent);
          proof.holds(fits, () => `order ${intention.id} was refused with a good quote: ${body}`);
        } else if (status === 200 && !replayed) {
          const good = times.first <= untilMs && !wasSpent(others, attempt);
          if (!good) proof.against.push(`order ${intention.id} was taken with a quote that was used or had expired`);
        }
      }
    }
  }
  proof.note = `${spent} used, ${expired} expired, ${other} for something else`;
  return proof;
}
