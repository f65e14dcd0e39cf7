import type { Config } from "../../../config/settings.ts";
import type { ArchiveState } from "../../../model/archive.ts";
import type { Mode } from "../../../model/ref.ts";
import { number, numberOrNull, textOrNull } from "../../rows.ts";
import type { Turn } from "../turn.ts";
import { firstRowMs } from "./rows.ts";

// When an account is archived: once a day at most, at night in India, and each account at its own moment.

const DAY_MS = 24 * 3_600_000;

/** The shortest time between the end of a run and the next one, in ms. */
const REST_MS = 20 * 3_600_000;

/** The night: from 01:00 to 05:30 in India, in ms since midnight, UTC. */
const NIGHT_FROM_MS = 19.5 * 3_600_000;
const NIGHT_MS = 4.5 * 3_600_000;

/** The gaps after failures, in ms: they double from the first to the second. */
const GAP_MS = 10 * 60_000;
const GAP_MS_MAX = DAY_MS;

/** Retention of this many days and more ends with a whole calendar month. */
const MONTH_DAYS = 31;

/** A time within the current night, or within the next one; `share`, from 0 to 1, of what is left of it. */
export function nightMs(nowMs: number, share: number): number {
  const fromMs = nowMs - (nowMs % DAY_MS) + NIGHT_FROM_MS;
  const begins = fromMs + NIGHT_MS <= nowMs ? fromMs + DAY_MS : Math.max(fromMs, nowMs);
  const ends = begins >= fromMs + DAY_MS ? fromMs + DAY_MS + NIGHT_MS : fromMs + NIGHT_MS;
  return Math.round(begins + share * (ends - begins));
}

/** The calendar month, UTC, of a time, as 2026-11; and when it ends, in ms since the epoch. */
export function monthOf(ms: number): { month: string; endMs: number } {
  const date = new Date(ms);
  return { month: date.toISOString().slice(0, 7), endMs: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) };
}

/** How long an account keeps what it sent, in days. */
export const keptDays = (config: Config, mode: Mode) => (mode === "test" ? config.TEST_DAYS : config.HISTORY_DAYS);

/** What was written before this time leaves the account; in ms since the epoch. */
export function leavesBeforeMs(config: Config, mode: Mode, nowMs: number): number {
  const days = keptDays(config, mode);
  const beforeMs = nowMs - days * DAY_MS;
  return mode === "live" && days >= MONTH_DAYS ? Date.parse(`${monthOf(beforeMs).month}-01T00:00:00Z`) : beforeMs;
}

/** How archiving is going. */
export function archiveState(sql: SqlStorage): ArchiveState {
  const row = sql.exec("SELECT archive_at, archived_at, archive_failures, archive_problem FROM account").one();
  return {
    archivedAt: number(row, "archived_at"),
    nextAt: numberOrNull(row, "archive_at"),
    failures: number(row, "archive_failures"),
    problem: textOrNull(row, "archive_problem"),
  };
}

/** Plans the next run where something is old enough and none is planned yet. Returns how archiving is going. */
export function plan(turn: Turn, beforeMs: number, isTrial: boolean): ArchiveState {
  const { sql, nowMs, random } = turn;
  const state = archiveState(sql);
  const isRested = isTrial || nowMs >= state.archivedAt + REST_MS || nowMs < state.archivedAt;
  const firstMs = state.nextAt === null && isRested ? firstRowMs(sql) : null;
  if (firstMs === null || firstMs >= beforeMs) return state;
  const nextAt = isTrial ? nowMs : nightMs(nowMs, random());
  sql.exec("UPDATE account SET archive_at = ?", nextAt);
  return { ...state, nextAt };
}

/** Notes that a step of a run succeeded; `more`: the next one follows at once, else the run is over. */
export function noteStep({ sql, nowMs }: Turn, more: boolean): void {
  if (more) sql.exec("UPDATE account SET archive_at = ?, archive_failures = 0, archive_problem = NULL", nowMs);
  else {
    sql.exec(
      "UPDATE account SET archive_at = NULL, archived_at = ?, archive_failures = 0, archive_problem = NULL",
      nowMs,
    );
  }
}

/** Notes that a step failed, and when it is tried again. */
export function noteFailure({ sql, nowMs }: Turn, problem: string): void {
  const { failures } = archiveState(sql);
  const gapMs = Math.min(GAP_MS_MAX, GAP_MS * 2 ** Math.min(failures, 20));
  sql.exec(
    "UPDATE account SET archive_at = ?, archive_failures = ?, archive_problem = ?",
    nowMs + gapMs,
    failures + 1,
    problem,
  );
}
