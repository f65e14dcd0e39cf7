import type { MessageState } from "../model/message.ts";
import { OPERATIONS, OPERATION_NAMES, isCall } from "../model/operations.ts";
import type { Operation } from "../model/operations.ts";

// The search language for messages: words, operators with a value, and `-` for exclusion. All terms must match. What is
// not understood becomes a fault, from which the page explains what to write instead.

export const OPERATORS = ["to", "kind", "state", "key", "request", "text", "cost", "after", "before"] as const;
export type Operator = (typeof OPERATORS)[number];

/** The condition of one term. */
export type Test =
  /** Part of the number, of the request's id or, where it is known, of the text. */
  | { on: "word"; value: string }
  | { on: "to"; digits: string }
  | { on: "kind"; operations: Operation[] }
  /** In one of these states; with `refunded` also every refunded message. */
  | { on: "state"; states: MessageState[]; refunded: boolean }
  /** The key's id as shown, or its name. */
  | { on: "key"; value: string }
  | { on: "keys"; ids: number[] }
  | { on: "request"; id: string }
  | { on: "text"; value: string }
  /** Units, both ends included. */
  | { on: "cost"; least: number; most: number }
  | { on: "after"; atMs: number }
  | { on: "before"; atMs: number };

export type Term = Test & { not: boolean };

/** A part of a search that was not understood and is left out; words/search.ts has the sentence for it. */
export interface Fault {
  kind: "operator" | "value" | "empty" | "quote" | "long" | "key";
  operator: string;
  value: string;
}

export interface Search {
  terms: Term[];
  faults: Fault[];
}

/** The longest search, in UTF-16 code units. */
export const SEARCH_LENGTH_MAX = 500;

/** Values of `kind:`. */
export const KINDS = new Map<string, Operation[]>([
  ...OPERATION_NAMES.map((operation): [string, Operation[]] => [OPERATIONS[operation].send, [operation]]),
  ["call", OPERATION_NAMES.filter(isCall)],
]);

/** Values of `state:`. The list shows "submitted" as "Sent", so both are accepted. */
export const STATES = new Map<string, MessageState | "refunded">([
  ["scheduled", "scheduled"],
  ["queued", "queued"],
  ["sending", "sending"],
  ["submitted", "submitted"],
  ["sent", "submitted"],
  ["delivered", "delivered"],
  ["undelivered", "undelivered"],
  ["unconfirmed", "unconfirmed"],
  ["failed", "failed"],
  ["unknown", "unknown"],
  ["cancelled", "cancelled"],
  ["refunded", "refunded"],
]);

/** Values that `kind:` and `state:` accept. */
export const KIND_VALUES = [...KINDS.keys()];
export const STATE_VALUES = [...STATES.keys()].filter((value) => value !== "sent");
