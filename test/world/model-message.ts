import type { Lane } from "../../src/model/lane.ts";
import type { MessageState } from "../../src/model/message.ts";

// Messages, requests and quotes of the plain model.

/** Contract §9: a state is replaced only by one of a higher rank. */
const ORDER: MessageState[][] = [
  ["queued"],
  ["sending"],
  ["unknown"],
  ["submitted"],
  ["unconfirmed"],
  ["undelivered", "failed", "cancelled"],
  ["delivered"],
];
export const rank = (state: MessageState) => ORDER.findIndex((states) => states.includes(state));

export interface ModelMessage {
  seq: number;
  index: number;
  /** The first job of its request. */
  first: number;
  lane: Lane;
  /** The last two digits of a steered number, or 0. */
  scenario: number;
  state: MessageState;
  /** Units. */
  charge: number;
  refunded: boolean;
  /** The number of its last claim, and how many claims were given back. */
  claims: number;
  released: number;
  /** Answers of "not now" in a row, and failures of the service itself. */
  busy: number;
  faults: number;
  attemptAt: number;
  /** For when it was ordered; null: for at once. */
  sendAt: number | null;
  expiresAt: number;
  /** In `queued`, when it may be claimed; else the end of its lease or window. */
  dueAt: number;
  /** In `unknown`, when it may be submitted again; null: never. */
  againAt: number | null;
  /** Whether it is `unknown` because a lease ended, and not by what its consumer reported. */
  isInterrupted: boolean;
  /** Whether the last attempt at a message that is `unknown` may still be reported. */
  isAskedAgain: boolean;
}

/** One attempt that a consumer holds. */
export interface Held {
  message: ModelMessage;
  attempt: number;
}

/** What can be seen of a message. */
export type Seen = Pick<ModelMessage, "state" | "refunded">;

/** A request, and the messages that it makes. */
export interface Asked {
  base: string;
  path: string;
  body: object;
}
export interface Made {
  lane: Lane;
  scenarios: readonly number[];
  /** Units for each message. */
  charge: number;
}

/** A request as a preflight is asked for it. */
export interface Quotable extends Asked, Made {
  operation: string;
}

/** The quote of a price. */
export interface Quoted {
  asked: Quotable;
  text: string;
  untilMs: number;
  isUsed: boolean;
}
