import type { AskedOnce, Idempotency, Refusal, Replay } from "../../model/command.ts";
import { bytesOrNull, number, numberOrNull, textOrNull } from "../rows.ts";
import { waitingLane } from "./jobs.ts";
import type { Turn } from "./turn.ts";

// Idempotency-Key (contract §8): stored in the transaction that carries out the request, and never for a refused one.

/** A request that waits for R2 holds its key for this long, in ms; after that it counts as failed. */
export const RUNNING_MS = 60_000;

/**
 * The row of an earlier request, done or running, and the MACs by which it is known: those of the present secret, or of one
 * that was the present one when it came.
 */
function findRow(sql: SqlStorage, { others = [], ...asked }: AskedOnce, nowMs: number) {
  for (const given of [asked, ...others]) {
    const query = "SELECT * FROM idempotency WHERE key = ? AND expires_at > ?";
    const row = sql.exec(query, given.key, nowMs).toArray()[0];
    const isDead = row && (numberOrNull(row, "running_until") ?? Infinity) <= nowMs;
    if (row && !isDead) return { row, given };
  }
  return null;
}

/**
 * The secret of the public ids of a request whose first job has this number, and what it was warned of; nothing for a
 * request without one.
 */
function ofFirstJob(sql: SqlStorage, seq: number): Pick<Replay, "idSecret" | "dltWarning"> {
  const query = "SELECT secret_id, content ->> '$.dlt.warning' AS warning FROM job WHERE seq = ?";
  const row = sql.exec(query, seq).toArray()[0];
  if (!row) return {};
  const warning = textOrNull(row, "warning");
  return { idSecret: number(row, "secret_id"), ...(warning !== null && { dltWarning: warning }) };
}

/** The earlier request with this key: null when there was none, its result when it was done, else a refusal. */
export function recall(turn: Turn, asked: AskedOnce | undefined): Replay | Refusal | null {
  const { sql, nowMs } = turn;
  if (!asked) return null;
  const found = findRow(sql, asked, nowMs);
  if (!found) return null;
  const { row, given } = found;
  const fingerprint = new Uint8Array(row["fingerprint"] as ArrayBuffer);
  if (!fingerprint.every((byte, at) => byte === given.fingerprint[at])) {
    return { ok: false, reason: "idempotency_mismatch" };
  }
  if (numberOrNull(row, "running_until") !== null) return { ok: false, reason: "idempotency_in_progress" };
  return {
    ok: true,
    replayed: true,
    template: new Uint8Array(row["template"] as ArrayBuffer),
    spent: number(row, "spent"),
    balance: number(row, "balance"),
    seq: number(row, "seq"),
    ...ofFirstJob(sql, number(row, "seq")),
    claimed: [],
    waiting: waitingLane(turn, number(row, "seq")),
  };
}

/** Stores a key with the result of its request, or holds it while the request runs. */
export function remember(
  { sql, nowMs, keeps }: Turn,
  asked: Idempotency | undefined,
  outcome: { spent: number; balance: number; seq: number; runningUntil?: number },
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
    nowMs + keeps.idempotencyMs,
  );
}

/**
 * The outcome of an operator's earlier command with this Idempotency-Key; null when the key is new. It is stored in the
 * place of a customer's reply, as plain JSON: it contains no secret.
 */
export function recallOutcome(
  turn: Turn,
  asked: AskedOnce | undefined,
): { ok: true; outcome: unknown } | { ok: false } | null {
  const known = recall(turn, asked);
  if (!known) return null;
  if (!known.ok || !known.template) return { ok: false };
  return { ok: true, outcome: JSON.parse(new TextDecoder().decode(known.template)) as unknown };
}

/** Stores the outcome of an operator's command, for `recallOutcome`. */
export function rememberOutcome(turn: Turn, asked: AskedOnce | undefined, outcome: object): void {
  if (!asked) return;
  const template = new TextEncoder().encode(JSON.stringify(outcome));
  remember(turn, { ...asked, template }, { spent: 0, balance: 0, seq: 0 });
}

/** Marks a held key as done. A request that outlived its hold and lost the key to another one changes nothing. */
export function complete({ sql }: Turn, asked: Idempotency | undefined, balance: number): void {
  if (!asked) return;
  const own = "key = ? AND template = ? AND running_until IS NOT NULL";
  sql.exec(`UPDATE idempotency SET running_until = NULL, balance = ? WHERE ${own}`, balance, asked.key, asked.template);
}

/** Deletes the key of a request that failed, if that request still holds it: failures are not stored. */
export function release({ sql }: Turn, asked: Idempotency | undefined): void {
  if (!asked) return;
  const own = "key = ? AND template = ? AND running_until IS NOT NULL";
  sql.exec(`DELETE FROM idempotency WHERE ${own}`, asked.key, asked.template);
}

/** Keys that one slice of the deletion looks at. */
const FORGET_SLICE = 1_000;

/** The shortest time between two deletions of expired keys, in ms. */
const FORGET_MS = 24 * 3_600_000;

/**
 * When expired keys are deleted next, in ms since the epoch; null while there are no keys. `pruned_at` is such that this
 * is a day after it.
 */
export function nextForgetMs(sql: SqlStorage): number | null {
  if (sql.exec("SELECT 1 FROM idempotency LIMIT 1").toArray().length === 0) return null;
  return number(sql.exec("SELECT pruned_at FROM account").one(), "pruned_at") + FORGET_MS;
}

/** A pass over all keys, in slices: the key after which it goes on, null at its end, and the next expiry met so far. */
export interface ForgetPass {
  after: Uint8Array | null;
  earliestMs: number;
}

/** The beginning of a pass. */
export const FORGET_FROM_START: ForgetPass = { after: new Uint8Array(), earliestMs: Number.MAX_SAFE_INTEGER };

/** Deletes the expired keys of one slice; after the last one, stores when the next pass is due. */
export function forgetOld({ sql, nowMs }: Turn, { after, earliestMs }: ForgetPass): ForgetPass {
  const query = `SELECT key, expires_at FROM idempotency WHERE key > ? ORDER BY key LIMIT ${FORGET_SLICE}`;
  const rows = sql.exec(query, after).toArray();
  let nextMs = earliestMs;
  for (const row of rows) {
    const expiresMs = number(row, "expires_at");
    if (expiresMs <= nowMs) sql.exec("DELETE FROM idempotency WHERE key = ?", row["key"]);
    else nextMs = Math.min(nextMs, expiresMs);
  }
  const last = rows.length === FORGET_SLICE ? rows.at(-1) : undefined;
  if (last) return { after: bytesOrNull(last, "key"), earliestMs: nextMs };
  // At the next expiry, but not before tomorrow, and tomorrow where no key is left.
  const prunedAt = nextMs === Number.MAX_SAFE_INTEGER ? nowMs : Math.max(nowMs, nextMs - FORGET_MS);
  sql.exec("UPDATE account SET pruned_at = ?", prunedAt);
  return { after: null, earliestMs: nextMs };
}
