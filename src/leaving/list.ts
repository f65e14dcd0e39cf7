import { erasuresBefore, invoicesOf } from "../db/leaving.ts";
import type { ErasureRow, KeptInvoice } from "../db/leaving.ts";
import { invoiceNumber } from "../payments/invoices.ts";

// Accounts that leave, and those that left with what the law keeps of them, for the operator.

export type { ErasureRow } from "../db/leaving.ts";

/** An invoice that the law keeps. */
export interface ListedInvoice {
  orderId: string;
  number: string;
  issuedAt: number;
}

export type ListedErasure = ErasureRow & { invoices: ListedInvoice[] };

const listed = ({ orderId, issuedAt, ...row }: KeptInvoice): ListedInvoice => ({
  orderId,
  number: invoiceNumber(row),
  issuedAt,
});

/** An account that leaves, with the invoices that stay. */
export async function withInvoices(env: Env, rows: readonly ErasureRow[]): Promise<ListedErasure[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ accountId }) => accountId);
  const byAccount = Map.groupBy(await invoicesOf(env.DB, ids), ({ accountId }) => accountId);
  return rows.map((row) => ({ ...row, invoices: (byAccount.get(row.accountId) ?? []).map(listed) }));
}

/** Accounts of one page: each is a parameter of a query, of which D1 allows 100. */
export const ERASURES_PER_PAGE_MAX = 90;

/** A page of the accounts that leave, newest first; `next` is the `before` of the next page. */
export async function listErasures(
  env: Env,
  before: string | null,
  limit: number,
): Promise<{ rows: ListedErasure[]; next: string | null }> {
  const [, askedAt = "", accountId = ""] = /^([0-9]{1,15})\.(acc_\w{1,20})$/u.exec(before ?? "") ?? [];
  const place = accountId === "" ? null : { askedAt: Number(askedAt), accountId };
  const size = Math.min(limit, ERASURES_PER_PAGE_MAX);
  const rows = await erasuresBefore(env.DB, place, size + 1);
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  const next = rows.length > size && last ? `${last.askedAt}.${last.accountId}` : null;
  return { rows: await withInvoices(env, shown), next };
}
