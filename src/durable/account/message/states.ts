import type { MessageState, ReceiptState } from "../../../model/message.ts";
import { NEVER } from "./retry.ts";

// A message of a job, its states (contract §9), and the steps between them.

/** The states that a message is stored in: one that is scheduled is queued, with the time from which it may be claimed. */
export type StoredState = Exclude<MessageState, "scheduled">;

/** A message of a job; an absent field means that nothing of the kind has happened. */
export interface Message {
  to: string;
  /** The revision of its job at its last change; absent: the first. */
  rev?: number;
  state: StoredState;
  /** Claims, the last of which has this number: outcomes are recognised by it. */
  attempts: number;
  /** Claims that were given back unused. */
  released?: number;
  /** Answers in a row that were "not now", or none: the gap before the next attempt grows with them. */
  busy?: number;
  /** Attempts in which the service's own code failed. */
  faults?: number;
  /** In `queued`, when it can be claimed (absent: at once); else the end of its lease or window. */
  dueMs?: number;
  /** In `unknown`, when it can be claimed to be submitted again; absent: never. */
  againMs?: number;
  /** In `unknown`, whether the last claim has no outcome yet, at a carrier that recognises references. */
  inFlight?: true;
  /** Whether the carrier of the last claim recognises references. */
  resubmits?: true;
  /** When to look it up at its carrier next. */
  pollMs?: number;
  /** The reason for its state, where there is one. */
  code?: string;
  refunded?: true;
  /** Attempts beyond the first of each claim: it was offered to further carriers. */
  fallbacks?: number;
  /**
   * Of a claim without an outcome: the carriers that may have the message, besides the one that its log names. Of these
   * the outcome says which, and which were tried, also where it comes late.
   */
  plan?: string[];
  /** Receipts of carriers that may have the message, which came before the outcome did. */
  early?: Early[];
  /** States after `queued`, with their times. */
  log?: [StoredState, number, Note?][];
}

/** A receipt that is kept until it is known who had the message. */
export type Early = [carrier: string, state: ReceiptState, code?: string];

/**
 * What an entry of the log says besides: the carrier of an attempt or receipt, where it is not the job's, and the reason.
 * `by` is empty for an attempt of which no report came: its consumer alone knew who got the message.
 */
export interface Note {
  by?: string;
  code?: string;
}

/** The result of a step: the message to store, and whether its charge must be refunded. */
export interface Step {
  message: Message;
  refund: boolean;
}

/** The code of a message whose attempt was cut off: its outcome may still arrive. */
export const INTERRUPTED = "attempt_interrupted";

/** Contract §9: a state is replaced only by one of a higher rank. */
export const RANK: Record<StoredState, number> = {
  queued: 0,
  sending: 1,
  unknown: 2,
  submitted: 3,
  unconfirmed: 4,
  undelivered: 5,
  failed: 5,
  cancelled: 5,
  delivered: 6,
};

const FINAL: ReadonlySet<StoredState> = new Set(["delivered", "undelivered", "unconfirmed", "failed", "cancelled"]);

/** Whether only a late receipt can still change this message. */
export function isFinal(message: Message): boolean {
  return FINAL.has(message.state) || (message.state === "unknown" && message.refunded === true);
}

/** Attempts that were made: claims that were given back do not count. */
export function attemptsMade({ attempts, released = 0, fallbacks = 0 }: Message): number {
  return attempts - released + fallbacks;
}

/** An attempt as the log tells it. */
interface Attempted {
  /** Empty: its consumer alone knew. */
  carrier: string | null;
  /** Whether the carrier certainly did not take the message. */
  isRefused: boolean;
}

/** Its attempts, in order; `own` is its job's carrier. */
export function attemptsOf({ log = [] }: Message, own: string | null): Attempted[] {
  const attempts: Attempted[] = [];
  for (const [state, , note] of log) {
    const last = attempts.at(-1);
    if (state === "sending") attempts.push({ carrier: note?.by ?? own, isRefused: false });
    else if (state === "queued" && last) last.isRefused = true;
  }
  return attempts;
}

/** The carrier that was tried last, where that is known; else its job's. */
export const carrierOf = (message: Message, own: string | null): string | null =>
  attemptsOf(message, own).findLast(({ carrier }) => carrier !== "")?.carrier ?? own;

/** The message in another state, without the times and the code of the one before. */
export function enter(message: Message, state: StoredState, nowMs: number, more: Partial<Message> = {}): Message {
  const { dueMs: _due, pollMs: _poll, code: _code, againMs: _again, inFlight: _claim, ...kept } = message;
  if (RANK[state] >= RANK.submitted) {
    // The counters that space attempts out serve no purpose any more.
    delete kept.busy;
    delete kept.faults;
    delete kept.resubmits;
  }
  return { ...kept, state, log: [...explained(message), [state, nowMs]], ...more };
}

/** The log of a message that leaves its state: the reason of that goes with its entry. An attempt's is not known before its end. */
function explained({ state, code, log = [] }: Message): NonNullable<Message["log"]> {
  const last = log.at(-1);
  if (code === undefined || state === "sending" || last?.[0] !== state) return log;
  return [...log.slice(0, -1), [last[0], last[1], { ...last[2], code }]];
}

/** A log whose last entry is the message's state again, so that its reason is the message's. */
export function unexplained(log: NonNullable<Message["log"]>, code: string | undefined): NonNullable<Message["log"]> {
  const last = log.at(-1);
  if (code === undefined || last?.[2]?.code !== code) return log;
  const { code: _code, ...note } = last[2];
  return [...log.slice(0, -1), Object.keys(note).length > 0 ? [last[0], last[1], note] : [last[0], last[1]]];
}

/** The message with the last of its entries of one state, or of any, told to be this carrier's; `own` is its job's. */
export function noted(message: Message, carrier: string, own: string | null, state?: StoredState): Message {
  const log = message.log ?? [];
  const place = log.findLastIndex(([entered]) => state === undefined || entered === state);
  const entry = log[place];
  if (!entry) return message;
  const { by: _by, ...others } = entry[2] ?? {};
  const note = carrier === own ? others : { ...others, by: carrier };
  const hasNote = Object.keys(note).length > 0;
  return { ...message, log: log.with(place, hasNote ? [entry[0], entry[1], note] : [entry[0], entry[1]]) };
}

/** A step that refunds nothing. */
export const unchanged = (message: Message): Step => ({ message, refund: false });

/** Ends a message that was never sent; its charge is refunded, once. */
export function failWithRefund(message: Message, code: string, nowMs: number): Step {
  const refund = message.refunded !== true;
  return { message: enter(message, "failed", nowMs, { code, refunded: true }), refund };
}

/**
 * Takes a message back that waits and is not claimed; its charge is refunded, once. Any other message stays as it is: a
 * carrier has it, or may have it, or it is over.
 */
export function takeBack(message: Message, nowMs: number): Step {
  if (message.state !== "queued") return unchanged(message);
  return { message: enter(message, "cancelled", nowMs, { refunded: true }), refund: message.refunded !== true };
}

/** When the last attempt began. */
export function attemptedAt(message: Message, nowMs: number): number {
  return message.log?.findLast(([state]) => state === "sending")?.[1] ?? nowMs;
}

/** What a message's job says of when it can be claimed. */
interface Claimable {
  createdAt: number;
  expiresAt: number;
  sendAt: number | null;
}

/** When a message can be claimed next, or null when it never can. A time that has passed means: now. */
export function readyOf(message: Message, { createdAt, expiresAt, sendAt }: Claimable) {
  const readyMs =
    message.state === "queued"
      ? (message.dueMs ?? sendAt ?? createdAt)
      : message.state === "unknown" && message.refunded !== true
        ? (message.againMs ?? NEVER)
        : NEVER;
  return readyMs < expiresAt ? readyMs : null;
}
