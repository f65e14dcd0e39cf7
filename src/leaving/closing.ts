import { ownAccountId } from "../accounts/open.ts";
import { configOf } from "../config/config.ts";
import { askClosing, erasureOf, moveErasure } from "../db/leaving.ts";
import type { ErasureRow } from "../db/leaving.ts";
import { personBy } from "../db/people.ts";
import type { ClosingView, Hindrance } from "../model/leaving.ts";
import { bothOf } from "../objects.ts";
import { codeSenderRef } from "../sign-in/code-sender.ts";
import { advance, sendAgain, stopSending } from "./advance.ts";
import { hindranceOf } from "./hindrance.ts";

// Closing an account, taking that back, and erasing it now, as customers and operators ask for it.

const DAY_MS = 86_400_000;

/** A closing that was interrupted before the objects knew it is completed after this. */
const COMPLETED_AFTER_MS = 5 * 60_000;

/** A closing as it is asked for. */
export interface ClosingAsked {
  accountId: string;
  by: "customer" | "operator";
  /** By default the setting CLOSE_GRACE_DAYS. */
  graceDays?: number;
  /** Units: the balance that is given up, which must be the present one; null gives up none. */
  givesUp: number | null;
}

type Refused =
  | { ok: false; reason: "unknown" | "own" | "erasing" }
  /** `balance`: what would have to be given up, in units. */
  | { ok: false; reason: "other_balance"; balance: number };

export type Closed = { ok: true; row: ErasureRow } | Refused;

/** The service's own accounts, which send the codes and show the demo, are never closed. */
async function isOwn(env: Env, accountId: string): Promise<boolean> {
  const config = configOf(env);
  if (accountId === ownAccountId(config, "demo")) return true;
  return accountId === (await codeSenderRef(env, config)).accountId;
}

/** Closes an account: it sends nothing from now on, and is erased when its time is over. Asking again sets it anew. */
export async function closeAccount(env: Env, asked: ClosingAsked): Promise<Closed> {
  const { accountId, by, graceDays = configOf(env).CLOSE_GRACE_DAYS, givesUp } = asked;
  const view: ClosingView | null = await bothOf(env, accountId).live.closing();
  if (!view) return { ok: false, reason: "unknown" };
  if (await isOwn(env, accountId)) return { ok: false, reason: "own" };
  if (givesUp !== null && givesUp !== view.balance) {
    return { ok: false, reason: "other_balance", balance: view.balance };
  }
  const nowMs = Date.now();
  const person = await personBy(env.DB, { accountId });
  const wanted = {
    accountId,
    personId: person?.id ?? null,
    by,
    givenUpMax: givesUp === null ? 0 : view.balance + view.openUnits,
    askedAt: nowMs,
    closesAt: nowMs + Math.round(graceDays * DAY_MS),
    checkAt: nowMs + COMPLETED_AFTER_MS,
  };
  if (!(await askClosing(env.DB, wanted))) return { ok: false, reason: "erasing" };
  const row = await erasureOf(env.DB, accountId);
  if (!row) throw new Error("a closing that was just noted is not there");
  await stopSending(env, row);
  return { ok: true, row: { ...row, state: "closing", checkAt: row.closesAt } };
}

/** Opens objects again that close although no closing is noted: it was taken back while it was being asked for. */
async function healKept(env: Env, accountId: string): Promise<boolean> {
  const { live, test } = bothOf(env, accountId);
  const view: ClosingView | null = await live.closing();
  const closesAt = view?.closesAt ?? null;
  if (closesAt === null) return false;
  await test.keep(closesAt);
  await live.keep(closesAt);
  return true;
}

/** Takes a closing back, up to the moment when the erasure begins; false where there is none, or it has begun. */
export async function keepAccount(env: Env, accountId: string): Promise<boolean> {
  const row = await erasureOf(env.DB, accountId);
  if (!row) return healKept(env, accountId);
  const checkAt = Date.now() + COMPLETED_AFTER_MS;
  if (!(await moveErasure(env.DB, row, ["asked", "closing", "kept"], { state: "kept", checkAt }))) return false;
  await sendAgain(env, row);
  return true;
}

export type Erased = { ok: true; row: ErasureRow } | Refused | { ok: false; reason: Hindrance; balance: number };

/** The row of an account whose erasure has begun; null for every other account. */
async function leftOf(env: Env, accountId: string): Promise<ErasureRow | null> {
  const row = await erasureOf(env.DB, accountId);
  return row && !["asked", "closing", "kept"].includes(row.state) ? row : null;
}

/**
 * Erases an account now, as far as one request comes; the periodic work does the rest. Refused, without any change, while
 * something is in its way. Repeating it for an account that is being erased, or was, changes nothing.
 */
export async function eraseAccount(env: Env, asked: Omit<ClosingAsked, "graceDays">): Promise<Erased> {
  const { accountId, givesUp } = asked;
  const left = await leftOf(env, accountId);
  if (left) return { ok: true, row: (await advance(env, accountId, Date.now())) ?? left };
  const known = await erasureOf(env.DB, accountId);
  const view: ClosingView | null = await bothOf(env, accountId).live.closing();
  if (!view) return { ok: false, reason: "unknown" };
  if (await isOwn(env, accountId)) return { ok: false, reason: "own" };
  if (givesUp !== null && givesUp !== view.balance) {
    return { ok: false, reason: "other_balance", balance: view.balance };
  }
  const hindrance = await hindranceOf(env, accountId, givesUp ?? known?.givenUpMax ?? 0, Date.now());
  if (hindrance) return { ok: false, reason: hindrance, balance: view.balance };
  // What the customer gave up when asking for it stays given up.
  const closed = await closeAccount(env, { ...asked, graceDays: 0, givesUp: view.balance === 0 ? null : view.balance });
  if (!closed.ok) return closed;
  const row = await advance(env, accountId, Math.max(Date.now(), closed.row.closesAt));
  return { ok: true, row: row ?? closed.row };
}

/** The closing of an account while it can be taken back; null for none. */
export async function closingOf(env: Env, accountId: string): Promise<ErasureRow | null> {
  const row = await erasureOf(env.DB, accountId);
  return row && (row.state === "asked" || row.state === "closing") ? row : null;
}
