import { balanceOf, differencesOf, ledgerOf, messagesOf } from "../harness/books.ts";
import type { LedgerRow, MessageRow, Operated } from "../harness/books.ts";
import { historyRows } from "../harness/disk.ts";
import { call } from "../harness/http.ts";
import type { Reply } from "../harness/http.ts";
import { OPERATOR_TOKEN } from "../harness/service.mjs";
import { BASE } from "./settings.ts";

// The service's own books, read through the operator API and from D1's file.

export function operator(method: string, at: string, body?: object, key?: string): Promise<Reply> {
  const headers: Record<string, string> = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  if (key !== undefined) headers["idempotency-key"] = key;
  return call(`${BASE}/operator${at}`, { method, headers, ...(body && { body }) });
}

const SERVICE: Operated = { operator };

export interface AccountBooks {
  id: string;
  balance: number;
  ledger: LedgerRow[];
  messages: MessageRow[];
  differences: unknown;
}

export async function booksOf(id: string): Promise<AccountBooks> {
  return {
    id,
    balance: await balanceOf(SERVICE, id),
    ledger: await ledgerOf(SERVICE, id),
    messages: await messagesOf(SERVICE, id),
    differences: (await differencesOf(SERVICE, id)) ?? ["no answer"],
  };
}

const FINAL: ReadonlySet<string> = new Set(["delivered", "undelivered", "unconfirmed", "failed", "unknown"]);

const place = (account: string, request: string, to: string) => `${account} ${request} ${to}`;

/**
 * Counts messages that may still change without a receipt, and messages that are missing from history or in another
 * state there.
 */
export async function openWork(ids: string[], stateDir: string): Promise<{ open: number; missing: number }> {
  let open = 0;
  let missing = 0;
  const recorded = new Map(
    historyRows(stateDir).map((row) => [place(row.account_id, row.request_id, row.recipient), row] as const),
  );
  for (const id of ids) {
    for (const { request_id: request, to, state, attempts } of await messagesOf(SERVICE, id)) {
      const row = recorded.get(place(id, request, to));
      // A message of unknown outcome is refunded when its window ends.
      if (!FINAL.has(state) || (state === "unknown" && row?.refunded !== 1)) open += 1;
      if (row?.state !== state || row.attempts !== attempts) missing += 1;
    }
  }
  return { open, missing };
}
