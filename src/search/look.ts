import type { MessageView } from "../model/message.ts";
import type { MessagePlace } from "../model/ref.ts";
import type { Term } from "./terms.ts";

// One page of a message list: what is asked of an account, and what the account answers.

/** The direction in which a list is read: from newest to oldest, or back. */
export type Direction = "older" | "newer";

export interface Look {
  /** All must match; `key` terms are already replaced by `keys`. */
  terms: Term[];
  direction: Direction;
  /** Starts beyond this message; null starts at the newest one when reading older ones, else at the oldest. */
  from: MessagePlace | null;
  /** Messages at most. */
  limit: number;
}

/** What an account answers: the messages that may still be missing from history. */
export interface Fresh {
  rows: MessageView[];
  /** The place up to which the account looked; null when nothing more exists in that direction. */
  end: MessagePlace | null;
  /** History holds every job up to this one, except the late ones. */
  settledSeq: number;
  /** The number of the database that is the account's history; absent from an object of the version before. */
  historyDb?: number;
  late: number[];
  /** The range of jobs that `after:` and `before:` allow by time: from `low` (inclusive) to `high` (exclusive). */
  low: number;
  high: number;
}

/** Whether a message is beyond a place, in the direction of reading. */
export function isBeyond(row: MessagePlace, from: MessagePlace | null, direction: Direction): boolean {
  if (!from) return true;
  const distance = row.seq - from.seq || row.index - from.index;
  return direction === "older" ? distance < 0 : distance > 0;
}
