import type { Note, NoteData, NoteType } from "../../../model/event.ts";
import type { Turn } from "../turn.ts";
import { feedOf } from "./memory.ts";

/** Notes an event that is not of a message, with the wire's data; nothing while the feed is off. */
export function noteEvent<Type extends NoteType>(turn: Turn, type: Type, data: NoteData[Type]): void {
  if (!feedOf(turn.sql).isOn) return;
  // TypeScript cannot follow the type parameter into the union.
  turn.changes.events.notes.push({ type, at: turn.nowMs, data } as Note);
}

/** Notes that the balance changed, in units. What counts is how the transaction leaves it. */
export function noteBalance({ changes: { events } }: Turn, from: number, to: number): void {
  events.balance = { from: events.balance?.from ?? from, to };
}

/** Remembers what is noted so far. The function that it returns forgets what came after: that part was rolled back. */
export function markNoted({ changes: { events } }: Turn): () => void {
  const { balance, told, notes } = events;
  const [tolds, noted] = [told.length, notes.length];
  return () => {
    told.length = tolds;
    notes.length = noted;
    events.balance = balance;
  };
}
