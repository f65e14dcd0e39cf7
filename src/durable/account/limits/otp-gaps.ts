import { JOB_NOT_REFUNDED } from "../billing/ledger.ts";
import type { Refusal } from "../../../model/command.ts";
import type { OtpDefaults } from "../../../model/rules/rules.ts";
import { number, text } from "../../rows.ts";
import { firstJobSince } from "../jobs.ts";
import type { Turn } from "../turn.ts";
import type { SentOtp } from "../window.ts";
import { HOUR_MS, JOBS_MAX, isKnown } from "./known-numbers.ts";

// How often one number, and the numbers of one prefix, get codes from this account. Traffic that is made for its price
// asks for many codes for the same number, or for codes for many numbers of one range. Beyond a count in the last hour,
// the gap to the next code grows, and ends growing: a limit that ends is no lock. Who asks for codes for another's number
// delays its next one by GAP_MS_MAX at most, only at this account, and while the codes that were sent still arrive. In a
// range under attack a number that never got a code shares one code for each gap with the others that ask; one that got a
// code, lately or before (limits/known-numbers.ts), waits for its own gap alone. A refused request counts nowhere, so asking on lengthens nothing; a code
// that was refunded never went out, and does not count. Whether a code was used is nothing that the service is told, so
// no share of used ones can be asked for. The hour is kept in memory and made again from its jobs after an eviction: no
// row, and nothing where no limit is.

/** The first gap, which doubles with each further code, and the longest one; in ms. */
export const GAP_MS = 30_000;
export const GAP_MS_MAX = 600_000;

/** Digits at the end of a number that its prefix leaves out: ranges are given to operators in such blocks. */
const BLOCK_DIGITS = 4;

/** The codes of the last hour, oldest first, that were not refunded: as many as the rate limit admits in an hour at most. */
function sentLately({ sql, nowMs }: Turn): SentOtp[] {
  const query = `
    SELECT seq, created_at, messages ->> '$[0]' AS number
      FROM (SELECT seq, operation, created_at, messages FROM job WHERE seq >= ? ORDER BY seq DESC LIMIT ${JOBS_MAX}) AS job
     WHERE operation = 'otp' AND created_at > ?
       AND ${JOB_NOT_REFUNDED}
     ORDER BY seq`;
  // An hour earlier: where the clock was set back, jobs are not in order of time.
  const from = firstJobSince(sql, nowMs - 2 * HOUR_MS);
  const rows = sql.exec(query, from, nowMs - HOUR_MS).toArray();
  return rows.map((row) => ({ seq: number(row, "seq"), atMs: number(row, "created_at"), to: text(row, "number") }));
}

/** How long the next code must wait after the last of so many, in ms. */
const gapMs = (count: number, free: number) => (count < free ? 0 : Math.min(GAP_MS_MAX, GAP_MS * 2 ** (count - free)));

/** How long to wait now, in ms, where so many count and the last was at `lastMs`; 0 or less: not at all. */
const waitMs = (nowMs: number, times: readonly number[], free: number) =>
  free === 0 || times.length === 0 ? 0 : Math.max(...times) + gapMs(times.length, free) - nowMs;

const prefixOf = (to: string) => to.slice(0, -BLOCK_DIGITS);

/** When each number of a prefix got its first code of the hour; empty where this number is among them. */
function firstTimes(sent: readonly SentOtp[], to: string): number[] {
  const prefix = prefixOf(to);
  const first = new Map<string, number>();
  for (const one of sent) {
    if (prefixOf(one.to) === prefix && !first.has(one.to)) first.set(one.to, one.atMs);
  }
  return first.has(to) ? [] : [...first.values()];
}

/** Refuses a code that comes too soon; null where it may be sent. Changes nothing. */
export function overOtps(turn: Turn, { perNumber, perPrefix }: OtpDefaults, to: string): Refusal | null {
  const { window, nowMs } = turn;
  if (perNumber === 0 && perPrefix === 0) {
    window.otps = undefined;
    window.known = undefined;
    return null;
  }
  window.otps ??= sentLately(turn);
  // A time in the future, where the clock was set back, counts as now.
  window.otps = window.otps
    .filter(({ atMs }) => atMs > nowMs - HOUR_MS)
    .map((one) => (one.atMs > nowMs ? { ...one, atMs: nowMs } : one));
  const times = window.otps.filter((one) => one.to === to).map(({ atMs }) => atMs);
  const byNumber = waitMs(nowMs, times, perNumber);
  const ofPrefix = waitMs(nowMs, firstTimes(window.otps, to), perPrefix);
  const byPrefix = ofPrefix > 0 && isKnown(turn, to) ? 0 : ofPrefix;
  const wait = Math.max(byNumber, byPrefix);
  if (wait <= 0) return null;
  const of = byNumber >= byPrefix ? ("number" as const) : ("prefix" as const);
  return { ok: false, reason: "otp_limited", of, retryAfterSec: Math.ceil(wait / 1000) };
}
