import type { MessageView } from "../model/message.ts";
import type { MessagePlace } from "../model/ref.ts";
import type { Term } from "./language.ts";

/** Which way a list is read: from newest to oldest, or back. */
export type Direction = "older" | "newer";

export interface Look {
  /** All must hold; `key` has become `keys`. */
  terms: Term[];
  direction: Direction;
  /** Begins beyond this message; null begins at the list's end. */
  from: MessagePlace | null;
  /** Messages at most. */
  limit: number;
}

/** What an account knows that history may lack. */
export interface Fresh {
  rows: MessageView[];
  /** Up to where it looked; null when there is nothing more that way. */
  end: MessagePlace | null;
  /** History has all jobs up to this one, but for the late ones. */
  settledSeq: number;
  late: number[];
  /** Jobs whose time lies within what `after:` and `before:` ask: from `low` on, and before `high`. */
  low: number;
  high: number;
}

/** Whether a message stands beyond a place, the way that a list is read. */
export function isBeyond(row: MessagePlace, from: MessagePlace | null, direction: Direction): boolean {
  if (!from) return true;
  const distance = row.seq - from.seq || row.index - from.index;
  return direction === "older" ? distance < 0 : distance > 0;
}
