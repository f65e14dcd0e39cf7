import type { Config } from "../config/settings.ts";
import type { DisputeRow } from "../db/money/disputes.ts";
import type { NoteRow } from "../db/money/tax-notes.ts";
import type { Debts } from "../model/paying/payment.ts";
import { objectOf } from "../objects.ts";
import { disputesOfOrders } from "./disputes.ts";
import { issueNote, notesOfOrders } from "./notes.ts";
import type { Order } from "./provider.ts";

// What went back of an account's orders, as the pages show it.

export interface MoneyBack {
  /** Newest first. */
  disputes: DisputeRow[];
  /** In the order of their issue. */
  notes: NoteRow[];
  debts: Debts;
}

/** Disputes and notes of some orders of an account, and what the account owes. */
export async function moneyBackOf(env: Env, accountId: string, orders: readonly Order[]): Promise<MoneyBack> {
  const [disputes, notes, debts] = await Promise.all([
    disputesOfOrders(env, orders),
    notesOfOrders(env, orders),
    objectOf(env, { accountId, mode: "live" }).debts() as Promise<Debts | null>,
  ]);
  return { disputes, notes, debts: debts ?? { owed: 0, debts: [], payments: [] } };
}

/** The same of one order, whose note is issued now if the refund was interrupted before that. */
export async function moneyBackOfOrder(env: Env, config: Config, order: Order, nowMs: number): Promise<MoneyBack> {
  const found = await moneyBackOf(env, order.accountId, [order]);
  if (order.refundedPaise === 0 || found.notes.some(({ source }) => source === "refund")) return found;
  await issueNote(env, config, { order, source: "refund", totalPaise: order.refundedPaise }, nowMs);
  return { ...found, notes: await notesOfOrders(env, [order]) };
}
