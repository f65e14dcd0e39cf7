import type { AskedOnce, Idempotency, Refusal, Replay } from "../../model/command.ts";
import { number, numberOrNull } from "../rows.ts";
import { untouchedJobs } from "./jobs.ts";

// Idempotency-Key (contract §8): a key is remembered in the transaction that does its request, and only when done.

/** How long a key is kept. */
export const KEPT_MS = 7 * 24 * 3_600_000;

/** A request that waits for R2 holds its key for this long; then it is taken for dead. */
export const RUNNING_MS = 60_000;

/** What this key stands for: null when it is new, the first outcome when it was done, or a refusal. */
export function recall(sql: SqlStorage, asked: AskedOnce | undefined, nowMs: number): Replay | Refusal | null {
  if (!asked) return null;
  const row = sql.exec("SELECT * FROM idempotency WHERE key = ? AND expires_at > ?", asked.key, nowMs).toArray()[0];
  if (!row) return null;
  const runningUntil = numberOrNull(row, "running_until");
  if (runningUntil !== null && runningUntil <= nowMs) return null;
  const fingerprint = new Uint8Array(row["fingerprint"] as ArrayBuffer);
  if (!fingerprint.every((byte, at) => byte === asked.fingerprint[at])) {
    return { ok: false, reason: "idempotency_mismatch" };
  }
  if (runningUntil !== null) return { ok: false, reason: "idempotency_in_progress" };
  return {
    ok: true,
    replayed: true,
    template: new Uint8Array(row["template"] as ArrayBuffer),
    spent: number(row, "spent"),
    balance: number(row, "balance"),
    seq: number(row, "seq"),
    jobs: untouchedJobs(sql, number(row, "seq")),
  };
}

/** Remembers a key with its outcome, or holds it while its request runs. */
export function remember(
  sql: SqlStorage,
  asked: Idempotency | undefined,
  outcome: { spent: number; balance: number; seq: number; runningUntil?: number },
  nowMs: number,
): void {
  if (!asked) return;
  sql.exec(
    `INSERT OR REPLACE INTO idempotency (key, fingerprint, template, spent, balance, seq, running_until, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    asked.key,
    asked.fingerprint,
    asked.template,
    outcome.spent,
    outcome.balance,
    outcome.seq,
    outcome.runningUntil ?? null,
    nowMs + KEPT_MS,
  );
}

/**
 * What an operator's command came to that was done under this key: null when the key is new. The outcome lies in the
 * place of a customer's reply, in plain JSON: it holds no secret.
 */
export function recallOutcome(
  sql: SqlStorage,
  asked: AskedOnce | undefined,
  nowMs: number,
): { ok: true; outcome: unknown } | { ok: false } | null {
  const known = recall(sql, asked, nowMs);
  if (!known) return null;
  if (!known.ok || !known.template) return { ok: false };
  return { ok: true, outcome: JSON.parse(new TextDecoder().decode(known.template)) as unknown };
}

/** Remembers what an operator's command came to, for `recallOutcome`. */
export function rememberOutcome(sql: SqlStorage, asked: AskedOnce | undefined, outcome: object, nowMs: number): void {
  if (!asked) return;
  const template = new TextEncoder().encode(JSON.stringify(outcome));
  remember(sql, { ...asked, template }, { spent: 0, balance: 0, seq: 0 }, nowMs);
}

/** Ends the running of a key. Whoever was slower than its hold, and lost the key to another, changes nothing. */
export function complete(sql: SqlStorage, asked: Idempotency | undefined, balance: number): void {
  if (!asked) return;
  const own = "key = ? AND template = ? AND running_until IS NOT NULL";
  sql.exec(`UPDATE idempotency SET running_until = NULL, balance = ? WHERE ${own}`, balance, asked.key, asked.template);
}

/** Lets go of a key whose request failed, if it still holds it: a failure is not remembered. */
export function release(sql: SqlStorage, asked: Idempotency | undefined): void {
  if (!asked) return;
  const own = "key = ? AND template = ? AND running_until IS NOT NULL";
  sql.exec(`DELETE FROM idempotency WHERE ${own}`, asked.key, asked.template);
}

/** Forgets keys whose time is over. */
export function forgetOld(sql: SqlStorage, nowMs: number): void {
  sql.exec("DELETE FROM idempotency WHERE expires_at <= ?", nowMs);
}
