import { forgetEvents, nextEventsMs } from "../events/seal.ts";
import type { Keeps, Turn } from "../turn.ts";
import { forgetTexts, nextTextsMs } from "./forget-texts.ts";

// What an account keeps for some days: texts and events.

/** When the next of it is to be forgotten, in ms since the epoch; null while there is none. */
export function nextAgedMs(sql: SqlStorage, { textMs, eventsMs }: Keeps): number | null {
  const times = [nextTextsMs(sql, textMs), nextEventsMs(sql, eventsMs)].filter((time) => time !== null);
  return times.length > 0 ? Math.min(...times) : null;
}

/** Forgets what is due, in one bounded slice; `nextAgedMs` then says whether more is. */
export function forgetAged(turn: Turn): void {
  forgetTexts(turn);
  forgetEvents(turn);
}
