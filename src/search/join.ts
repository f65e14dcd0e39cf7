import type { MessageView } from "../model/message.ts";
import type { MessagePlace } from "../model/ref.ts";
import { isBeyond } from "./look.ts";
import type { Direction } from "./look.ts";

// Several parts of one message list, each in the list's order and complete up to an end, become one list.

/** A part of the list, complete up to `end`; null when nothing follows in this direction. */
export interface Stretch {
  rows: MessageView[];
  end: MessagePlace | null;
}

/** The nearer of two ends: both parts are complete only up to there. */
function nearer(one: MessagePlace | null, other: MessagePlace | null, direction: Direction): MessagePlace | null {
  if (!one || !other) return one ?? other;
  return isBeyond(one, other, direction) ? other : one;
}

/** Merges two parts of the list in its order, up to where both are complete. */
export function join(one: Stretch, other: Stretch, direction: Direction, limit: number): Stretch {
  const end = nearer(one.end, other.end, direction);
  const byPlace = new Map<string, MessageView>();
  for (const row of [...one.rows, ...other.rows]) {
    if (end && isBeyond(row, end, direction)) continue;
    const place = `${row.seq}.${row.index}`;
    const known = byPlace.get(place);
    if (!known || row.rev > known.rev) byPlace.set(place, row);
  }
  const rows = [...byPlace.values()].toSorted((a, b) => (isBeyond(a, b, direction) ? 1 : -1));
  if (rows.length <= limit) return { rows, end };
  rows.length = limit;
  const last = rows.at(-1);
  return { rows, end: last ? { seq: last.seq, index: last.index } : end };
}
