import type { Offered, ReceiptState } from "../../../model/message.ts";
import { carrierOf, noted, wasGiven } from "./states.ts";
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

/** The message with each carrier that it was offered to, and what all but the last said, in place of its last attempt. */
export function offeredTold(message: Message, { tried }: Offered, own: string | null, nowMs: number): Message {
  const log = message.log ?? [];
  const place = log.findLastIndex(([state]) => state === "sending");
  const [began, first, last] = [log[place], tried[0], tried.at(-1)];
  if (!began || !first || !last) return message;
  // What came after the attempt was told already; only who has the message is news.
  if (place < log.length - 1) return noted(message, last.carrier, own, "sending");
  const entries: [StoredState, number, Note?][] = [["sending", began[1], ...noteOf(first.carrier, own)]];
  let atMs = began[1];
  for (const [nth, { carrier, at }] of tried.slice(1).entries()) {
    // The consumer's clock may differ from the account's.
    atMs = Math.min(Math.max(at, atMs), Math.max(nowMs, began[1]));
    const code = tried[nth]?.code;
    entries.push(["queued", atMs, ...(code === undefined ? [] : [{ code }])] as [StoredState, number, Note?]);
    entries.push(["sending", atMs, ...noteOf(carrier, own)]);
  }
  const fallbacks = (message.fallbacks ?? 0) + tried.length - 1;
  return { ...message, log: [...log.slice(0, place), ...entries], ...(fallbacks > 0 && { fallbacks }) };
}

/**
 * Whether a receipt counts, with the message as it is then: the carrier that it names had it. One that may have it is kept
 * with the message until the outcome is known.
 */
export function received(
  message: Message,
  { state, code, carrier }: Received,
  own: string | null,
): { counts: boolean; message: Message; carrier: string | null } {
  const given = carrier === undefined ? "yes" : wasGiven(message, own, carrier);
  if (given === "no") return { counts: false, message, carrier: null };
  if (given === "perhaps" && carrier !== undefined) {
    const early = message.early ?? [];
    const isKnown = early.some(([name, kept]) => name === carrier && kept === state);
    if (isKnown || early.length >= EARLY_MAX) return { counts: false, message, carrier: null };
    const next: Early = code === undefined ? [carrier, state] : [carrier, state, code];
    return { counts: false, message: { ...message, early: [...early, next] }, carrier: null };
  }
  const { plan, early: _early, ...known } = message;
  if (plan === undefined) return { counts: true, message, carrier: carrierOf(message, own) };
  const told = carrier === undefined ? known : noted(known, carrier, own, "sending");
  return { counts: true, message: told, carrier: carrierOf(told, own) };
}
