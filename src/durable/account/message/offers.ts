import type { Offered, ReceiptState } from "../../../model/message.ts";
import { RANK, attemptsOf, carrierOf, noted } from "./states.ts";
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
  if (after.length > 0 && message.plan === undefined) {
    return carrierOf(message, own) === last.carrier ? message : noted(message, last.carrier, own, "sending");
  }
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

/** The message once it is known who got it. */
export function withoutDoubt(message: Message): Message {
  if (message.plan === undefined && message.early === undefined) return message;
  const { plan: _plan, early: _early, ...known } = message;
  return known;
}

/**
 * What a receipt is worth: it counts where its carrier has the message. While an attempt is open that may end at another
 * carrier, it is kept until the outcome is known; only the delivery by the carrier that got the message first counts at
 * once. Of a carrier that refused, only a delivery counts, once another was offered the message. Where a consumer died,
 * the first of its plan to say something has the message, unless another one delivers it.
 */
function worthOf(message: Message, own: string | null, carrier: string, state: ReceiptState) {
  const attempts = attemptsOf(message, own);
  const mine = attempts.filter((one) => one.carrier === carrier);
  const isNamed = mine.some(({ isRefused }) => !isRefused);
  const isPlanned = message.plan?.includes(carrier) === true;
  if (mine.length === 0 && !isPlanned) return "nothing";
  const isDelivered = state === "delivered";
  const isOpen = message.state === "sending" && message.plan !== undefined;
  if (isOpen) return isNamed && isDelivered ? "counts" : "kept";
  if (isNamed || isDelivered) return "counts";
  const isItsOwn = isPlanned ? message.state === "unknown" : mine.length === attempts.length;
  return isItsOwn ? "counts" : "nothing";
}

/** The message with a receipt that is kept; the same where its carrier has said as much already. */
function keeping(message: Message, receipt: Early): Message {
  const { early = [] } = message;
  const [carrier, state] = receipt;
  if (early.some(([name, kept]) => name === carrier && RANK[kept] >= RANK[state])) return message;
  return early.length >= EARLY_MAX && state !== "delivered" ? message : { ...message, early: [...early, receipt] };
}

/**
 * Whether a receipt counts, with the message as it is then, and its carrier where the log goes on to name it. One that may
 * count is kept with the message until the outcome is known, or the lease ends.
 */
export function received(
  message: Message,
  { state, code, carrier }: Received,
  own: string | null,
): { counts: boolean; message: Message; carrier: string | null } {
  if (carrier === undefined) return { counts: true, message, carrier: null };
  const worth = worthOf(message, own, carrier, state);
  if (worth === "nothing") return { counts: false, message, carrier: null };
  if (worth === "kept") {
    const kept = keeping(message, code === undefined ? [carrier, state] : [carrier, state, code]);
    return { counts: false, message: kept, carrier: null };
  }
  const { early: _early, ...known } = message;
  const { plan } = message;
  if (plan === undefined) return { counts: true, message, carrier: carrierOf(message, own) };
  if (!plan.includes(carrier)) return { counts: true, message: known, carrier: null };
  // The log names it from now on, and the one that it named before may have the message in its stead.
  const before = attemptsOf(message, own).at(-1)?.carrier;
  const others = new Set([...plan, ...(before ? [before] : [])]);
  others.delete(carrier);
  return { counts: true, message: noted({ ...known, plan: [...others] }, carrier, own, "sending"), carrier: null };
}

/** The order in which receipts are believed where no outcome will come: who has a message, before who has it no more. */
const BELIEVED: readonly ReceiptState[] = ["delivered", "submitted", "undelivered", "failed"];

/** The receipts that were kept, the most credible ones first: of several carriers, one has the message. */
export const believed = (early: readonly Early[]): Early[] =>
  early.toSorted(([, one], [, other]) => BELIEVED.indexOf(one) - BELIEVED.indexOf(other));
