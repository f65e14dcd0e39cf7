import { DatabaseSync } from "node:sqlite";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { OPERATOR_TOKEN } from "../harness/service.mjs";
import { call } from "../test/process/http.ts";
import type { Reply } from "../test/process/http.ts";
import { BASE } from "./settings.ts";

// The service's own books, read through the operator API and from D1's file.

export function operator(method: string, at: string, body?: object, key?: string): Promise<Reply> {
  const headers: Record<string, string> = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  if (key !== undefined) headers["idempotency-key"] = key;
  return call(`${BASE}/operator${at}`, { method, headers, ...(body && { body }) });
}

async function allRows(at: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (let after = ""; ;) {
    const { status, body } = await operator("GET", `${at}?limit=500${after}`);
    if (status !== 200) throw new Error(`${at}: ${status} ${body.error}`);
    rows.push(...((body.data ?? []) as Record<string, unknown>[]));
    if (!body.has_more) return rows;
    after = `&after=${encodeURIComponent(body.next ?? "")}`;
  }
}

export const messagesOf = (id: string) => allRows(`/accounts/${id}/messages`);

export interface AccountBooks {
  id: string;
  balance: number;
  ledger: Record<string, unknown>[];
  messages: Record<string, unknown>[];
  differences: unknown[];
}

export async function booksOf(id: string): Promise<AccountBooks> {
  const { body } = await operator("GET", `/accounts/${id}`);
  const recount = await operator("GET", `/reconcile?account=${id}`);
  return {
    id,
    balance: body.balance ?? Number.NaN,
    ledger: await allRows(`/accounts/${id}/ledger`),
    messages: await messagesOf(id),
    differences: recount.body.differences ?? ["no answer"],
  };
}

/** Every row of history, from a copy of D1's file, so that the service and this reader do not disturb each other. */
export function historyOf(stateDir: string): Record<string, unknown>[] {
  const directory = path.join(stateDir, "v3", "d1", "miniflare-D1DatabaseObject");
  const name = readdirSync(directory).find((one) => one.endsWith(".sqlite") && one !== "metadata.sqlite") ?? "";
  const copies = mkdtempSync(path.join(os.tmpdir(), "dastak-history-"));
  try {
    for (const part of ["", "-wal"]) {
      const file = path.join(directory, name + part);
      if (existsSync(file)) copyFileSync(file, path.join(copies, `copy${part}`));
    }
    const database = new DatabaseSync(path.join(copies, "copy"));
    const rows = database.prepare("SELECT * FROM message").all();
    database.close();
    return rows;
  } finally {
    rmSync(copies, { recursive: true });
  }
}

const FINAL: ReadonlySet<unknown> = new Set(["delivered", "undelivered", "unconfirmed", "failed", "unknown"]);

const place = (account: unknown, request: unknown, to: unknown) =>
  `${String(account)} ${String(request)} ${String(to)}`;

/** Counts messages that are not final, and messages that are missing from history or in another state there. */
export async function openWork(ids: string[], stateDir: string): Promise<{ open: number; missing: number }> {
  let open = 0;
  let missing = 0;
  const recorded = new Map(
    historyOf(stateDir).map((row) => [place(row["account_id"], row["request_id"], row["recipient"]), row["state"]]),
  );
  for (const id of ids) {
    for (const { request_id: request, to, state } of await messagesOf(id)) {
      if (!FINAL.has(state)) open += 1;
      if (recorded.get(place(id, request, to)) !== state) missing += 1;
    }
  }
  return { open, missing };
}
