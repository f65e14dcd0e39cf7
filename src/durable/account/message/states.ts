import type { MessageState } from "../../../model/message.ts";
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
  /** States after `queued`, with their times. */
  log?: [StoredState, number][];
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
export function attemptsMade({ attempts, released = 0 }: Message): number {
  return attempts - released;
}

/** The message in another state, without the times and the code of the one before. */
export function enter(message: Message, state: StoredState, nowMs: number, more: Partial<Message> = {}): Message {
  const { dueMs: _due, pollMs: _poll, code: _code, againMs: _again, inFlight: _claim, ...kept } = message;
  if (RANK[state] >= RANK.submitted) {
    // The counters that space attempts out serve no purpose any more.
    delete kept.busy;
    delete kept.faults;
    delete kept.resubmits;
  }
  return { ...kept, state, log: [...(message.log ?? []), [state, nowMs]], ...more };
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
