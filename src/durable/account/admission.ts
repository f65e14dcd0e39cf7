import type { BalanceView, Caller, Refusal, Replay, WindowView } from "../../model/command.ts";
import { PLANS } from "../../money/plans.ts";
import type { Plan } from "../../money/plans.ts";
import { number } from "../rows.ts";
import { recall } from "./idempotency.ts";
import { touchKey } from "./keys.ts";
import { ledgerHead } from "./billing/ledger.ts";
import { overDay } from "./limits/daily-recipients.ts";
import { readAccount } from "./profile.ts";
import type { AccountRow } from "./profile.ts";
import type { Turn } from "./turn.ts";
import { WINDOW_MS, admit, stillCounting } from "./window.ts";

// Admission of a request: the refusals of contract §3, in their order, from the revoked key to the suspended account.

/** Rebuilds the window from storage: the stored times, then for each later request the time of its first job. */
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
  // The clock was set back: store these times as now, or each later rebuild would move them to its own now again.
  if (times.some((time) => time > nowMs)) writeTimes(turn, counting);
  return counting;
}

/** The window as the reply's headers show it. */
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
 * Admits a request or refuses it: checks the key, then the idempotency key, the rate window, the recipients
 * of the day and the account's status. A
 * request within the window counts, whatever follows. Unless the caller then writes a job, whose own time counts, it
 * must store the times with `writeTimes`.
 */
export function admitRequest(turn: Turn, caller: Caller): Admitted | Replay | Refusal {
  const { sql, window, nowMs } = turn;
  if (!touchKey(turn, caller)) return { ok: false, reason: "unauthorized" };
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
  const refused = caller.daily && overDay(turn, caller.daily);
  if (refused) return { ...refused, window: unchanged };
  counting.push(nowMs);
  const view = viewOf(account.plan, verdict.remaining, verdict.resetSec);
  if (account.status === "suspended") {
    writeTimes(turn);
    return { ok: false, reason: "account_suspended", window: view };
  }
  return { ok: true, replayed: false, account, window: view };
}

/** Stores the times of the whole window, for a request that writes no job. */
export function writeTimes({ sql, window }: Turn, times: readonly number[] = window.times ?? []): void {
  const newest = "(SELECT coalesce(max(seq), 0) FROM job)";
  sql.exec(`UPDATE account SET admitted = ?, admitted_seq = ${newest}`, JSON.stringify(times));
}

/** The balance, as a customer's request that counts in the rate window. */
export function admitBalance(turn: Turn, caller: Caller): BalanceView | Refusal {
  const admitted = admitRequest(turn, caller);
  if (!admitted.ok) return admitted;
  writeTimes(turn);
  if (admitted.replayed) throw new Error("reading a balance has no Idempotency-Key");
  return { ok: true, balance: ledgerHead(turn.sql).balance, window: admitted.window };
}
