import { runInDurableObject } from "cloudflare:test";
import type { Difference } from "../../src/model/account.ts";
import type { Account } from "../../src/durable/account.ts";
import type { World } from "./world.ts";

// Accounts that are large, and recounts of them page by page.

/** Adds single messages that were delivered, each charged so many units, after what the account has. */
export async function addDelivered({ stub }: Pick<World, "stub">, count: number, units = 10_000): Promise<void> {
  await runInDurableObject(stub, (_, { storage: { sql } }) => {
    const heads = ["job", "ledger_entry"].map(
      (table) => sql.exec(`SELECT seq, balance_after FROM ${table} ORDER BY seq DESC LIMIT 1`).toArray()[0],
    );
    const head = heads.toSorted((a, b) => Number(b?.["seq"] ?? 0) - Number(a?.["seq"] ?? 0))[0];
    sql.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
       INSERT INTO job (seq, request_id, operation, debit, balance_after, charge, created_at, expires_at, content,
                        carrier, messages, rev, lane, lives)
       SELECT ?2 + i, 'req_added' || CAST(?2 + i AS INTEGER), 'sms', ?4, ?3 - i * ?4, ?4, ?5, ?5 + 86400000, '{}', 'http',
              '["+919876543210"]', 4, 'single', '[[0],[[4,1,"s10t20d900"]]]'
         FROM n`,
      count,
      Number(head?.["seq"] ?? 0),
      Number(head?.["balance_after"] ?? 0),
      units,
      Date.now(),
    );
  });
}

/** What an account's storage read and wrote, in rows. */
export interface Reads {
  read: number;
  written: number;
}

/** Counts the rows that one call of an account reads and writes, also those that it steps over one by one. */
export function readsOf<T>(
  { stub }: Pick<World, "stub">,
  work: (account: Account) => T,
): Promise<Reads & { result: T }> {
  return runInDurableObject(stub, (account: Account, { storage: { sql } }) => {
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    const exec = sql.exec.bind(sql);
    Object.assign(sql, {
      exec(query: string, ...bindings: unknown[]) {
        const cursor = exec(query, ...bindings);
        cursors.push(cursor);
        return cursor;
      },
    });
    const result = work(account);
    Object.assign(sql, { exec });
    const sum = (of: "rowsRead" | "rowsWritten") => cursors.reduce((total, cursor) => total + cursor[of], 0);
    return { result, read: sum("rowsRead"), written: sum("rowsWritten") };
  });
}

/** One page of a recount, and what it read. */
async function pageOf(world: Pick<World, "stub">, cursor: string | null, full: boolean) {
  const { result: page, ...reads } = await readsOf(world, (account) => account.recount({ cursor, full }));
  if (page === null || page === "unreadable") throw new Error(`no page after ${cursor}: ${page}`);
  return { ...page, ...reads };
}

/** Recounts an account to its end; `eachPage` runs after every page but the last. Returns what it found and read. */
export async function recountPages(
  world: Pick<World, "stub">,
  more: { full?: boolean; cursor?: string; eachPage?: () => Promise<void> } = {},
): Promise<{ differences: Difference[]; pages: Reads[] }> {
  const differences: Difference[] = [];
  const pages: Reads[] = [];
  for (let cursor = more.cursor ?? null; ;) {
    const page = await pageOf(world, cursor, more.full ?? true);
    differences.push(...page.differences);
    pages.push(page);
    if (page.next === null) return { differences, pages };
    cursor = page.next;
    await more.eachPage?.();
  }
}

/** What a recount finds. */
export const recountAll = async (...asked: Parameters<typeof recountPages>): Promise<Difference[]> =>
  (await recountPages(...asked)).differences;

/** Whether the account keeps no place where its next recount begins. */
export const isUnverified = ({ stub }: Pick<World, "stub">): Promise<boolean> =>
  runInDurableObject(
    stub,
    (_, { storage: { sql } }) => sql.exec("SELECT verified FROM account").one()["verified"] === null,
  );
