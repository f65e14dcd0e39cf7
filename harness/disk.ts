import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

// Reads the database files in a state directory directly, without the service.

/** The rows of a query on a copy of the file, so that the service and the test do not disturb each other. */
function rowsOf<Row>(file: string, query: string): Row[] {
  const directory = mkdtempSync(path.join(os.tmpdir(), "dastak-disk-"));
  const copy = path.join(directory, "copy.sqlite");
  try {
    for (const part of ["", "-wal"]) {
      if (existsSync(file + part)) copyFileSync(file + part, copy + part);
    }
    const database = new DatabaseSync(copy);
    try {
      return database.prepare(query).all() as Row[];
    } finally {
      database.close();
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function databasesIn(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite")
    .map((name) => path.join(directory, name));
}

export interface StoredMessage {
  to: string;
  state: string;
}

/** The letters of states in a job's row and in history, which have one for each. */
const JOB_LETTERS = "q:queued s:sending t:submitted d:delivered n:undelivered c:unconfirmed f:failed u:unknown";
const HISTORY_LETTERS =
  "w:scheduled q:queued s:sending a:submitted d:delivered u:undelivered c:unconfirmed f:failed k:unknown x:cancelled";
type Life = [rev: number, claims: number, states: string, more?: { cancelled?: true }];
const namesOf = (letters: string) => new Map(letters.split(" ").map((one) => one.split(":") as [string, string]));

/** The state that a life ends with; what was taken back is written as failed, with a mark. */
function stateIn(life: Life | undefined, names: ReadonlyMap<string, string>): string {
  const letter = life?.[2].match(/[a-z](?=-?\d+$)/u)?.[0] ?? "q";
  return letter === "f" && life?.[3]?.cancelled === true ? "cancelled" : (names.get(letter) ?? letter);
}

/** The messages of a job: their numbers, and for each the place of its life among those that differ. */
function messagesOfJob({ messages, lives }: { messages: string; lives: string | null }): StoredMessage[] {
  const [which, all] = JSON.parse(lives ?? "[[],[]]") as [number[], Life[]];
  const names = namesOf(JOB_LETTERS);
  return (JSON.parse(messages) as string[]).map((to, at) => {
    return { to, state: stateIn(all[which[at] ?? -1], names) };
  });
}

/** All messages of all account objects, as the jobs' rows have them; receipts of bulks may still be in their journal. */
export function storedMessages(state: string): StoredMessage[] {
  return databasesIn(path.join(state, "v3", "do", "dastak-Account")).flatMap((file) => {
    const isAccount = rowsOf(file, "SELECT 1 FROM sqlite_master WHERE name = 'job'").length > 0;
    const query = "SELECT messages, lives FROM job";
    const rows = isAccount ? rowsOf<{ messages: string; lives: string | null }>(file, query) : [];
    return rows.flatMap(messagesOfJob);
  });
}

export interface HistoryRow {
  account_id: string;
  mode: "live" | "test";
  request_id: string;
  recipient: string;
  state: string;
  charge: number;
  refunded: number;
  attempts: number;
  carrier: string | null;
  error_code: string | null;
  /** JSON: every state that it has been in, with its time in ms. */
  timeline: string;
}

interface GroupRow {
  account_id: string;
  mode: "live" | "test";
  first_at: number;
  kinds: string;
  states: string;
  recipients: string;
  requests: string;
  messages: string;
}

/** The messages of one row of history, read by the description in src/db/history-schema.ts alone. */
function messagesOfGroup(row: GroupRow): HistoryRow[] {
  const kinds = JSON.parse(row.kinds) as [string, number, number | null, string | null][];
  const states = JSON.parse(row.states) as [string, 0 | 1, string | null, number, string][];
  const [recipients, requests] = [row.recipients.split(" "), row.requests.split(" ")];
  const names = namesOf(HISTORY_LETTERS);
  return (JSON.parse(row.messages) as number[][]).map((entry, at) => {
    const [, , kind = -1, standing = -1, , created = Number.NaN, ...steps] = entry;
    const [, charge = Number.NaN, , carrier = null] = kinds[kind] ?? [];
    const [state = "", refunded = 0, code = null, attempts = Number.NaN, path = ""] = states[standing] ?? [];
    let time = row.first_at + created;
    const later = [...path].map((letter, step) => ({ state: names.get(letter), at: (time += steps[step] ?? 0) }));
    // What was ordered for later has that time first, at which it is queued unless it was taken back before.
    const from = path.startsWith("w") ? "scheduled" : "queued";
    const [first, next] = later;
    if (first && from === "scheduled") {
      if (next && next.at >= first.at) first.state = "queued";
      else later.shift();
    }
    const timeline = JSON.stringify([{ state: from, at: row.first_at + created }, ...later]);
    const { account_id, mode } = row;
    const request_id = (requests.length === 1 ? requests[0] : requests[at]) ?? "";
    const more = { charge, refunded, attempts, carrier, error_code: code, timeline };
    return { account_id, mode, request_id, recipient: recipients[at] ?? "", state, ...more };
  });
}

/** Whether a file of D1 is a database of history: DB still has a table of that name, and others besides. */
function isHistory(file: string): boolean {
  const names = rowsOf<{ name: string }>(
    file,
    "SELECT name FROM sqlite_master WHERE name IN ('message_group', 'person')",
  );
  return names.length === 1 && names[0]?.name === "message_group";
}

/** All messages in history (D1). */
export function historyRows(state: string): HistoryRow[] {
  return databasesIn(path.join(state, "v3", "d1", "miniflare-D1DatabaseObject"))
    .filter(isHistory)
    .flatMap((file) => rowsOf<GroupRow>(file, "SELECT * FROM message_group").flatMap(messagesOfGroup));
}
