import type { Offered, ReceiptState } from "../../../model/message.ts";
import { attemptsOf, carrierOf, noted } from "./states.ts";
import type { Early, Message, Note, StoredState } from "./states.ts";

// To which carriers a message was offered under one claim, and which receipts count therefore (contract §16.2).

/** A carrier's receipt, without its name where it was asked. */
export interface Received {
  state: ReceiptState;
  code?: string | undefined;
  carrier?: string | undefined;
}

/** Receipts that are kept for one claim at most: each carrier of its plan sends one or two. */
const EARLY_MAX = 20;

/** The note of an entry of this carrier, or with this reason; nothing where it is the job's carrier, `own`. */
const noteOf = (carrier: string, own: string | null): [Note?] => (carrier === own ? [] : [{ by: carrier }]);

/**
 * The message with each carrier that it was offered to, and what all but the last said, in place of its last attempt. What
 * has come after that attempt stays.
 */
export function offeredTold(message: Message, { tried }: Offered, own: string | null, nowMs: number): Message {
  const log = message.log ?? [];
  const place = log.findLastIndex(([state]) => state === "sending");
  const [began, first, last] = [log[place], tried[0], tried.at(-1)];
  if (!began || !first || !last) return message;
  const after = log.slice(place + 1);
  // Of an attempt that was told already, only who has the message is news.
  if (after.length > 0 && message.plan === undefined) return noted(message, last.carrier, own, "sending");
  const endMs = Math.max(after[0]?.[1] ?? nowMs, began[1]);
  const entries: [StoredState, number, Note?][] = [["sending", began[1], ...noteOf(first.carrier, own)]];
  let atMs = began[1];
  for (const [nth, { carrier, at }] of tried.slice(1).entries()) {
    // The consumer's clock may differ from the account's.
    atMs = Math.min(Math.max(at, atMs), endMs);
    const code = tried[nth]?.code;
    entries.push(["queued", atMs, ...(code === undefined ? [] : [{ code }])] as [StoredState, number, Note?]);
    entries.push(["sending", atMs, ...noteOf(carrier, own)]);
  }
  const fallbacks = (message.fallbacks ?? 0) + tried.length - 1;
  return { ...message, log: [...log.slice(0, place), ...entries, ...after], ...(fallbacks > 0 && { fallbacks }) };
}

/**
 * What a receipt is worth: it counts where its carrier has the message. While an attempt is open that may end at another
 * carrier, it is kept until the outcome is known; only the delivery by the carrier that got the message first counts at
 * once. A carrier that refused the message knows of it, so once another may have it, only its delivery counts.
 */
function worthOf(message: Message, own: string | null, carrier: string, state: ReceiptState) {
  const attempts = attemptsOf(message, own);
  const { plan = [] } = message;
  const isOpen = message.state === "sending" && plan.length > 0;
  if (isOpen && plan.includes(carrier)) return "kept";
  const isDelivered = state === "delivered";
  if (isOpen && !isDelivered && attempts.at(-1)?.carrier === carrier) return "kept";
  const mine = attempts.filter((one) => one.carrier === carrier);
  if (plan.includes(carrier) || mine.some(({ isRefused }) => !isRefused)) return "counts";
  if (mine.length === 0) return "nothing";
  if (attempts.every(({ isRefused }) => isRefused)) return "counts";
  return isDelivered ? "delivered" : "nothing";
}

/** The message with a receipt that is kept until the outcome of its attempt is known. */
function keeping(message: Message, receipt: Early): Message {
  const { early = [] } = message;
  const isKnown = early.some(([name, state]) => name === receipt[0] && state === receipt[1]);
  return isKnown || early.length >= EARLY_MAX ? message : { ...message, early: [...early, receipt] };
}

/**
 * Whether a receipt counts, with the message as it is then, and the carrier that has it where that is known. One that may
 * count is kept with the message until the outcome is known.
 */
export function received(
  message: Message,
  { state, code, carrier }: Received,
  own: string | null,
): { counts: boolean; message: Message; carrier: string | null } {
  const worth = carrier === undefined ? "counts" : worthOf(message, own, carrier, state);
  if (worth === "nothing") return { counts: false, message, carrier: null };
  if (worth === "kept" && carrier !== undefined) {
    const kept = keeping(message, code === undefined ? [carrier, state] : [carrier, state, code]);
    return { counts: false, message: kept, carrier: null };
  }
  const { plan, early: _early, ...known } = message;
  const told = plan === undefined ? message : { ...known, plan: [] };
  if (worth === "delivered") return { counts: true, message: told, carrier: null };
  const isNews = plan !== undefined && carrier !== undefined;
  const named = isNews ? noted(told, carrier, own, "sending") : told;
  return { counts: true, message: named, carrier: carrierOf(named, own) };
}

/** The order in which receipts are believed where no outcome will come: who has a message, before who has it no more. */
const BELIEVED: readonly ReceiptState[] = ["delivered", "submitted", "undelivered", "failed"];

/** The receipts that were kept, the most credible ones first: of several carriers, one has the message. */
export const believed = (early: readonly Early[]): Early[] =>
  early.toSorted(([, one], [, other]) => BELIEVED.indexOf(one) - BELIEVED.indexOf(other));
