import type { Reply } from "./http.ts";

// An account as the operator API shows it (contract §10).

export interface MessageRow {
  message_id: string;
  request_id: string;
  operation: string;
  to: string;
  state: string;
  charge: number;
  carrier: string | null;
  attempts: number;
  error_code: string | null;
}

export interface LedgerRow {
  seq: number;
  /** `checkpoint` stands for all that was archived. */
  type: "debit" | "refund" | "credit" | "adjustment" | "checkpoint";
  amount: number;
  message_id: string | null;
  request_id: string | null;
  reference: string | null;
  balance_after: number;
}

type Mode = "live" | "test";

/** A file of the archive as the operator lists it. */
export interface ArchiveRow {
  name: string;
  first: number;
  last: number;
}

/** A service that takes requests as its operator. */
export interface Operated {
  operator(method: string, at: string, body?: object): Promise<Reply>;
}

async function allRows<Row>(service: Operated, at: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after = ""; ;) {
    const { status, body } = await service.operator("GET", `${at}&limit=500${after}`);
    if (status !== 200) throw new Error(`${at}: ${status} ${body.error}`);
    rows.push(...((body.data ?? []) as Row[]));
    if (!body.has_more) return rows;
    after = `&after=${encodeURIComponent(body.next ?? "")}`;
  }
}

export function messagesOf(service: Operated, id: string, mode: Mode = "live"): Promise<MessageRow[]> {
  return allRows<MessageRow>(service, `/accounts/${id}/messages?mode=${mode}`);
}

export function ledgerOf(service: Operated, id: string, mode: Mode = "live"): Promise<LedgerRow[]> {
  return allRows<LedgerRow>(service, `/accounts/${id}/ledger?mode=${mode}`);
}

/** The files of an account's archive, oldest first. */
export function archivesOf(service: Operated, id: string, mode: Mode = "live"): Promise<ArchiveRow[]> {
  return allRows<ArchiveRow>(service, `/accounts/${id}/archives?mode=${mode}`);
}

export async function balanceOf(service: Operated, id: string, mode: Mode = "live"): Promise<number> {
  const { body } = await service.operator("GET", `/accounts/${id}?mode=${mode}`);
  return body.balance ?? Number.NaN;
}

/** An amount in units of 1/10,000 coin, so that sums are exact. */
export const units = (coins: number) => Math.round(coins * 10_000);

export const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + units(amount), 0);

/** Differences found by the service's reconciliation, to its last page; empty if the books are right. */
export async function differencesOf(service: Operated, id: string): Promise<unknown> {
  const found: unknown[] = [];
  for (let after = ""; ;) {
    const { body } = await service.operator("GET", `/reconcile?account=${id}${after}`);
    if (!Array.isArray(body.differences)) return body.differences;
    found.push(...body.differences);
    if (!body.has_more) return found;
    after = `&after=${encodeURIComponent(body.next ?? "")}`;
  }
}
