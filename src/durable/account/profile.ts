import type { AccountView, Amendment, Credited, Opened, Opening } from "../../model/account.ts";
import type { AskedOnce } from "../../model/command.ts";
import { PLANS } from "../../money/plans.ts";
import type { Plan } from "../../money/plans.ts";
import { number, numberOrNull, text, textOrNull } from "../rows.ts";
import { checkpointOf } from "./archive/checkpoint.ts";
import { owed } from "./billing/debt.ts";
import { recallOutcome, rememberOutcome } from "./idempotency.ts";
import { addKey } from "./keys.ts";
import { appendEntry, entryByReference, ledgerHead } from "./billing/ledger.ts";
import { noteProfile } from "./turn.ts";
import type { Turn } from "./turn.ts";

// Opens, changes and credits the account (contract §10).

export interface AccountRow {
  name: string;
  status: "active" | "suspended";
  plan: Plan;
  otpRate: number | null;
  createdAt: number;
  admitted: string;
  admittedSeq: number;
  settledSeq: number;
  lookedSeq: number;
  rev: number;
  recordedRev: number;
  prunedAt: number;
  /** The number of the database that has the account's history. */
  historyDb: number;
  /** When it is erased, in ms; null while it is not closing. */
  closesAt: number | null;
  /** The balance below which `balance.low` is reported (contract §13), in units; null: never. */
  balanceLowAt: number | null;
  /** What is allowed to it (limits/rules.ts), as JSON; null: nothing was set. */
  rules: string | null;
}

/** The row of the account. */
export function readAccount(sql: SqlStorage): AccountRow {
  const row = sql.exec("SELECT * FROM account").one();
  return {
    name: text(row, "name"),
    status: text(row, "status") as AccountRow["status"],
    plan: text(row, "plan") as Plan,
    otpRate: numberOrNull(row, "otp_rate"),
    createdAt: number(row, "created_at"),
    admitted: text(row, "admitted"),
    admittedSeq: number(row, "admitted_seq"),
    settledSeq: number(row, "settled_seq"),
    lookedSeq: number(row, "looked_seq"),
    rev: number(row, "rev"),
    recordedRev: number(row, "recorded_rev"),
    prunedAt: number(row, "pruned_at"),
    historyDb: number(row, "history_db"),
    closesAt: numberOrNull(row, "closes_at"),
    balanceLowAt: numberOrNull(row, "balance_low_at"),
    rules: textOrNull(row, "rules"),
  };
}

/** Units that one OTP costs this account now. */
export function otpRateOf(account: AccountRow): number {
  return account.otpRate ?? PLANS[account.plan].otpUnits;
}

function lastMessageAt(sql: SqlStorage): number | null {
  const row = sql.exec("SELECT created_at FROM job ORDER BY seq DESC LIMIT 1").toArray()[0];
  return row ? number(row, "created_at") : checkpointOf(sql).jobAtMs;
}

/** The account as the operator sees it. */
export function accountView(sql: SqlStorage): AccountView {
  const account = readAccount(sql);
  const { seq, balance } = ledgerHead(sql);
  return {
    name: account.name,
    status: account.closesAt === null ? account.status : "closing",
    closesAt: account.closesAt,
    plan: account.plan,
    balance,
    otpRate: otpRateOf(account),
    ownOtpRate: account.otpRate,
    requestsPerMinute: PLANS[account.plan].requestsPerMinute,
    createdAt: account.createdAt,
    owed: owed(sql),
    rev: account.rev,
    seq,
    lastMessageAt: lastMessageAt(sql),
    historyDb: account.historyDb,
    balanceLowAt: account.balanceLowAt,
  };
}

/** Sets the balance below which `balance.low` is reported, in units; null: never. */
export function setBalanceLow({ sql }: Turn, units: number | null): void {
  sql.exec("UPDATE account SET balance_low_at = ?", units);
}

/** The ledger reference of the opening balance (contract §10). */
const OPENING_REFERENCE = "opening";

/**
 * Opens the account once; a repeated opening answers the same, a different one is refused. Plan and rate may have changed
 * since, so they are compared by the Idempotency-Key of the opening, as long as that is kept.
 */
export function openAccount(turn: Turn, opening: Opening): Opened {
  const { sql, nowMs, changes } = turn;
  const known = sql.exec("SELECT 1 FROM account").toArray().length > 0;
  if (known) {
    if (recallOutcome(turn, opening.once)?.ok === false) return "other";
    const given = entryByReference(sql, OPENING_REFERENCE)?.amount ?? 0;
    return readAccount(sql).name === opening.name && given === opening.balance ? "repeated" : "other";
  }
  sql.exec(
    `INSERT INTO account (id, name, status, plan, otp_rate, created_at, rev, history_db)
     VALUES (1, ?, 'active', ?, ?, ?, 1, ?)`,
    opening.name,
    opening.plan,
    opening.otpRate,
    nowMs,
    opening.historyDb ?? 1,
  );
  changes.account = true;
  changes.profile = true;
  addKey(turn, opening, opening.keyName);
  if (opening.balance > 0) {
    const entry = { type: "credit" as const, amount: opening.balance, reference: OPENING_REFERENCE };
    appendEntry(turn, ledgerHead(sql), entry);
  }
  rememberOutcome(turn, opening.once, {});
  return "opened";
}

/** Changes the account; effective for the next request. */
export function amendAccount(turn: Turn, change: Amendment): void {
  const { sql } = turn;
  const account = readAccount(sql);
  sql.exec(
    "UPDATE account SET status = ?, plan = ?, otp_rate = ?",
    change.status ?? account.status,
    change.plan ?? account.plan,
    change.otpRate === undefined ? account.otpRate : change.otpRate,
  );
  noteProfile(turn);
}

type CreditedOnce = Extract<Credited, { ok: true }>;

export interface CreditAsked {
  /** Units, signed. */
  amount: number;
  reference: string;
  requestId: string;
  note?: string;
  once?: AskedOnce;
}

/** Credits the account, or adjusts it downwards, once per Idempotency-Key and per reference (contract §8 and §10). */
export function credit(turn: Turn, asked: CreditAsked): Credited {
  const first = recallOutcome(turn, asked.once);
  if (first) {
    if (!first.ok) return { ok: false, reason: "idempotency_mismatch" };
    return { ok: true, ...(first.outcome as Omit<CreditedOnce, "ok" | "repeated">), repeated: true };
  }
  const credited = creditByReference(turn, asked);
  if (credited.ok) {
    const { entry, replayed, balance } = credited;
    rememberOutcome(turn, asked.once, { entry, replayed, balance });
  }
  return credited;
}

function creditByReference(turn: Turn, asked: CreditAsked): Credited {
  const { sql } = turn;
  const reference = `operator:${asked.reference}`;
  const known = entryByReference(sql, reference);
  const head = ledgerHead(sql);
  if (known) {
    return known.amount === asked.amount
      ? { ok: true, entry: known, replayed: true, balance: head.balance, repeated: false }
      : { ok: false, reason: "reference_mismatch" };
  }
  if (head.balance + asked.amount < 0) return { ok: false, reason: "below_zero" };
  if (!Number.isSafeInteger(head.balance + asked.amount)) return { ok: false, reason: "above_limit" };
  const type = asked.amount < 0 ? ("adjustment" as const) : ("credit" as const);
  const after = appendEntry(turn, head, { ...asked, reference, type });
  const entry = entryByReference(sql, reference);
  if (!entry) throw new Error("an entry that was just written is not there");
  return { ok: true, entry, replayed: false, balance: after.balance, repeated: false };
}
