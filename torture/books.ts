import { readArchives } from "../harness/archive.ts";
import type { ArchivedFile, Downloaded } from "../harness/archive.ts";
import { archivesOf, balanceOf, differencesOf, ledgerOf, messagesOf } from "../harness/books.ts";
import type { LedgerRow, MessageRow, Operated } from "../harness/books.ts";
import { historyRows, storedAt } from "../harness/disk.ts";
import type { HistoryRow } from "../harness/disk.ts";
import { call } from "../harness/http.ts";
import type { Reply } from "../harness/http.ts";
import { OPERATOR_TOKEN } from "../harness/service.mjs";
import { BASE, secretsOfRotation } from "./settings.ts";

// The service's own books, read through the operator API, from the archive's files, and from D1's file.

export function operator(method: string, at: string, body?: object, key?: string): Promise<Reply> {
  const headers: Record<string, string> = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  if (key !== undefined) headers["idempotency-key"] = key;
  return call(`${BASE}/operator${at}`, { method, headers, ...(body && { body }) });
}

const SERVICE: Operated = { operator };

/** A file of an account's archive. */
export interface Archived extends ArchivedFile {
  /** When its manifest was stored, in ms by the clock of the storage; null: it is not in the bucket. */
  stored_at: number | null;
}

export interface AccountBooks {
  id: string;
  balance: number;
  ledger: LedgerRow[];
  messages: MessageRow[];
  differences: unknown;
  archives: Archived[];
}

/** Bytes of a file of the archive; throws where the operator API does not have it. */
async function download(id: string, name: string): Promise<Buffer> {
  const { status, bytes } = await operator("GET", `/accounts/${id}/archives/${name}`);
  if (status !== 200) throw new Error(`the archive has no ${name} of ${id}: ${status}`);
  return bytes;
}

/** All files of an account's archive, downloaded and read. */
async function archiveOf(id: string, stateDir: string): Promise<Archived[]> {
  const files: Downloaded[] = [];
  for (const { name } of await archivesOf(SERVICE, id)) {
    const manifest = await download(id, name.replace(/ndjson\.gz$/u, "json"));
    files.push({ name, file: await download(id, name), manifest });
  }
  const stored = storedAt(stateDir);
  return readArchives(id, files, secretsOfRotation("KEY_SECRET")).map((file) => {
    const key = file.name.replace(/^(\d{4}-\d{2})-(\d+)\.ndjson\.gz$/u, `${id}/$1/$2.json`);
    return { ...file, stored_at: stored.get(key) ?? null };
  });
}

export async function booksOf(id: string, stateDir: string): Promise<AccountBooks> {
  return {
    id,
    balance: await balanceOf(SERVICE, id),
    ledger: await ledgerOf(SERVICE, id),
    messages: await messagesOf(SERVICE, id),
    differences: (await differencesOf(SERVICE, id)) ?? ["no answer"],
    archives: await archiveOf(id, stateDir),
  };
}

const FINAL: ReadonlySet<string> = new Set([
  "delivered",
  "undelivered",
  "unconfirmed",
  "failed",
  "unknown",
  "cancelled",
]);

const place = (account: string, request: string, to: string) => `${account} ${request} ${to}`;

/**
 * Counts messages that may still change without a receipt, messages that are missing from history or in another state
 * there, and what a file of the archive holds and the account still has. What was archived is none of these.
 */
export async function openWork(
  ids: string[],
  stateDir: string,
): Promise<{ open: number; missing: number; undeleted: number }> {
  let [open, missing, undeleted] = [0, 0, 0];
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
    const sealed = (await archivesOf(SERVICE, id)).at(-1)?.last ?? 0;
    const [first] = await ledgerOf(SERVICE, id);
    if (sealed > 0 && (first?.type !== "checkpoint" || first.seq < sealed)) undeleted += 1;
  }
  return { open, missing, undeleted };
}

/** The job numbers in one row of single messages in history; such a row stays until the checkpoint is beyond all of them. */
const BUCKET_JOBS = 64;

/** Messages in history that left their accounts, other than those in the rows in which the checkpoints are. */
export async function uncleared(ids: string[], stateDir: string): Promise<HistoryRow[]> {
  const checkpoints = new Map<string, number>();
  for (const id of ids) {
    const [first] = await ledgerOf(SERVICE, id);
    if (first?.type === "checkpoint") checkpoints.set(id, first.seq);
  }
  return historyRows(stateDir).filter(({ account_id: account, seq, is_bulk: isBulk }) => {
    const last = isBulk ? seq : seq - (seq % BUCKET_JOBS) + BUCKET_JOBS - 1;
    return last <= (checkpoints.get(account) ?? 0);
  });
}
