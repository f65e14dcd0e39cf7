import { auditService } from "../audit/audit.ts";
import { dropKept, dueErasures, erasureOf, eraseBuyers, invoicesOf, moveErasure } from "../db/leaving.ts";
import type { ErasureChange, ErasureRow } from "../db/leaving.ts";
import { logProblem } from "../log.ts";
import type { ClosingSettled, Hindrance, LeavingState } from "../model/leaving.ts";
import { coins } from "../money/money.ts";
import { bothOf } from "../objects.ts";
import { hindranceOf } from "./hindrance.ts";
import { keptUntil } from "./kept.ts";
import { runSteps } from "./steps.ts";

// Carries closings to their end. The state of each account is one row of D1, and every change of it is conditional on the
// state before, so that a closing that is taken back and an erasure that begins exclude each other, however late they
// are. What follows a state may be repeated.

/** A closing that could not begin, or was interrupted, is looked at again after this. */
const AGAIN_MS = 3_600_000;
const INTERRUPTED_MS = 5 * 60_000;

/**
 * The second pass of deletions comes this long after the first: by then, every invocation that had read from the account
 * before it was erased has ended (a consumer of a queue runs 15 minutes at most), with all that it wrote.
 */
export const SWEEP_AGAIN_MS = 20 * 60_000;

/** Accounts that one run of the housekeeping takes further. */
const PER_RUN_MAX = 20;

type Move = (from: readonly LeavingState[], change: ErasureChange) => Promise<boolean>;

const moverOf =
  (env: Env, row: ErasureRow): Move =>
  (from, change) =>
    moveErasure(env.DB, row, from, change);

/** Makes the objects stop sending, and only then notes that they do. */
export async function stopSending(env: Env, row: ErasureRow): Promise<void> {
  const { live, test } = bothOf(env, row.accountId);
  await live.close(row.closesAt);
  await test.close(row.closesAt);
  await moveErasure(env.DB, row, ["asked"], { state: "closing", checkAt: row.closesAt });
}

/** Lets the objects send again, and then forgets the closing. */
export async function sendAgain(env: Env, row: ErasureRow): Promise<void> {
  const { live, test } = bothOf(env, row.accountId);
  await test.keep(row.closesAt);
  await live.keep(row.closesAt);
  await dropKept(env.DB, row.accountId);
}

const wait = (move: Move, from: LeavingState, hindrance: Hindrance, nowMs: number) =>
  move([from], { state: "closing", hindrance, checkAt: nowMs + AGAIN_MS });

/** Begins the erasure of a closing account whose time is over, unless something is in its way. */
async function begin(env: Env, row: ErasureRow, move: Move, nowMs: number): Promise<void> {
  await stopSending(env, row);
  const hindrance = await hindranceOf(env, row.accountId, row.givenUpMax, nowMs);
  if (hindrance) {
    await wait(move, "closing", hindrance, nowMs);
    return;
  }
  // From here on, the account cannot be taken back.
  await move(["closing"], { state: "erasing", hindrance: null, checkAt: nowMs });
}

/** Settles the account and deletes what it has, as far as one run comes. */
async function erase(env: Env, row: ErasureRow, move: Move, nowMs: number): Promise<void> {
  // Null: the object was erased by an earlier run.
  const settled: ClosingSettled | null = await bothOf(env, row.accountId).live.settleClosing(row.givenUpMax);
  if (row.beganAt === null) {
    if (settled?.ok === false) {
      await wait(move, "erasing", settled.hindrance, nowMs);
      return;
    }
    // From here on nothing is asked any more: the person may be gone already when a run is repeated.
    await move(["erasing"], { beganAt: nowMs });
  }
  if (settled?.ok && settled.given > 0) {
    const details = { amount: 0 - coins(settled.given), mode: "live", reference: "given up at closing" };
    const act = { action: "money.adjusted", accountId: row.accountId, details, once: "closing" } as const;
    await auditService(env, "closing", act);
  }
  const isDone = await runSteps(env, row);
  await move(["erasing"], isDone ? { state: "sweeping", checkAt: nowMs + SWEEP_AGAIN_MS } : { checkAt: nowMs });
}

/** Deletes what arrived while the account was erased, and ends the erasure. */
async function sweep(env: Env, row: ErasureRow, move: Move, nowMs: number): Promise<void> {
  if (!(await runSteps(env, row))) return;
  const { accountId } = row;
  const newest = (await invoicesOf(env.DB, [accountId]))[0];
  const until = newest ? keptUntil(newest.issuedAt) : null;
  await auditService(env, "closing", { action: "account.erased", accountId, once: "erased" });
  await move(["sweeping"], { state: "erased", erasedAt: nowMs, keptUntil: until, checkAt: until });
}

/** Deletes the buyers on invoices that the law no longer keeps. */
async function forgetInvoices(env: Env, row: ErasureRow, move: Move): Promise<void> {
  await eraseBuyers(env.DB, row.accountId, "all");
  await move(["erased"], { state: "over", checkAt: null });
}

/** Takes an account one state further, if its time has come. */
async function step(env: Env, row: ErasureRow, nowMs: number): Promise<void> {
  const move = moverOf(env, row);
  if (row.checkAt === null || row.checkAt > nowMs) return;
  switch (row.state) {
    case "asked":
      return stopSending(env, row);
    case "kept":
      return sendAgain(env, row);
    case "closing":
      return row.closesAt <= nowMs ? begin(env, row, move, nowMs) : undefined;
    case "erasing":
      return erase(env, row, move, nowMs);
    case "sweeping":
      return sweep(env, row, move, nowMs);
    case "erased":
      return forgetInvoices(env, row, move);
    case "over":
  }
}

/** States that follow one another in one run: each of the others waits for its time. */
const STATES_PER_RUN = 3;

/** Takes an account as far as one run comes; returns its row, or null where it no longer leaves. */
export async function advance(env: Env, accountId: string, nowMs: number): Promise<ErasureRow | null> {
  let row = await erasureOf(env.DB, accountId);
  for (let states = 0; row && states < STATES_PER_RUN; states += 1) {
    const { state } = row;
    await step(env, row, nowMs);
    row = await erasureOf(env.DB, accountId);
    if (row?.state === state) break;
  }
  return row;
}

/** Carries the closings that are due further; the scheduled handler calls it. */
export async function carryErasures(env: Env, nowMs: number): Promise<void> {
  for (const { accountId, ...row } of await dueErasures(env.DB, nowMs, PER_RUN_MAX)) {
    try {
      await advance(env, accountId, nowMs);
    } catch (problem) {
      logProblem("erasure", problem);
      // One that fails again and again must not keep the others from their turn.
      await moveErasure(env.DB, { accountId, closesAt: row.closesAt }, [row.state], {
        checkAt: nowMs + INTERRUPTED_MS,
      });
    }
  }
}
