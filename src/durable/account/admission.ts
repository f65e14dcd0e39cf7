import type { Caller, Refusal, Replay, WindowView } from "../../model/command.ts";
import { PLANS } from "../../money/plans.ts";
import type { Plan } from "../../money/plans.ts";
import { number } from "../rows.ts";
import { recall } from "./idempotency.ts";
import { touchKey } from "./keys.ts";
import { readAccount } from "./profile.ts";
import type { AccountRow } from "./profile.ts";
import type { Turn } from "./turn.ts";
import { WINDOW_MS, admit, stillCounting } from "./window.ts";

// The door of the account: the order of refusals in contract §3, from the revoked key to the rate limit.

/** Reads the window back: the times that were written down, and after them each request by its first job's time. */
function loadTimes(turn: Turn, account: AccountRow): number[] {
  const { sql, nowMs } = turn;
  const times: number[] = JSON.parse(account.admitted) as number[];
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const query = "SELECT seq, created_at, debit FROM job WHERE seq < ? AND seq > ? ORDER BY seq DESC LIMIT 200";
    const rows = sql.exec(query, before, account.admittedSeq).toArray();
    for (const row of rows) if (row["debit"] !== null) times.push(number(row, "created_at"));
    const last = rows.at(-1);
    if (!last || number(last, "created_at") <= nowMs - WINDOW_MS) break;
    before = number(last, "seq");
  }
  const counting = stillCounting(times, nowMs).toSorted((one, other) => one - other);
  // The clock was set back: these count from now on, and not anew after each time that memory is lost.
  if (times.some((time) => time > nowMs)) writeTimes(turn, counting);
  return counting;
}

/** The window as the headers show it, without counting anything. */
function viewOf(plan: Plan, remaining: number, resetSec: number): WindowView {
  return { plan, limit: PLANS[plan].requestsPerMinute, remaining, resetSec };
}

export interface Admitted {
  ok: true;
  replayed: false;
  account: AccountRow;
  window: WindowView;
}

/**
 * Decides whether a request comes in: key, then idempotency, then window, then standing. An admitted request counts
 * whatever follows. `leavesJob` says that the caller writes a job, whose own time then counts; where it turns out not
 * to, the caller writes the times down with `writeTimes`.
 */
export function admitRequest(turn: Turn, caller: Caller): Admitted | Replay | Refusal {
  const { sql, window, nowMs } = turn;
  if (!touchKey(turn, caller.keyId)) return { ok: false, reason: "unauthorized" };
  const account = readAccount(sql);
  const limit = PLANS[account.plan].requestsPerMinute;
  const counting = stillCounting(window.times ?? loadTimes(turn, account), nowMs);
  window.times = counting;
  const verdict = admit(counting, limit, nowMs);
  const unchanged = viewOf(account.plan, Math.max(0, limit - counting.length), verdict.resetSec);
  const known = recall(turn, caller.idempotency);
  if (known) return { ...known, window: unchanged };
  if (!verdict.admitted) {
    return { ok: false, reason: "rate_limited", limit, retryAfterSec: verdict.retryAfterSec, window: unchanged };
  }
  counting.push(nowMs);
  const view = viewOf(account.plan, verdict.remaining, verdict.resetSec);
  if (account.status === "suspended") {
    writeTimes(turn);
    return { ok: false, reason: "account_suspended", window: view };
  }
  return { ok: true, replayed: false, account, window: view };
}

/** Writes the whole window down, for a request that leaves no job behind. */
export function writeTimes({ sql, window }: Turn, times: readonly number[] = window.times ?? []): void {
  const newest = "(SELECT coalesce(max(seq), 0) FROM job)";
  sql.exec(`UPDATE account SET admitted = ?, admitted_seq = ${newest}`, JSON.stringify(times));
}
