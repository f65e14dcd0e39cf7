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

/** All messages of all account objects. */
export function storedMessages(state: string): StoredMessage[] {
  return databasesIn(path.join(state, "v3", "do", "dastak-Account")).flatMap((file) => {
    const isAccount = rowsOf(file, "SELECT 1 FROM sqlite_master WHERE name = 'job'").length > 0;
    const rows = isAccount ? rowsOf<{ messages: string }>(file, "SELECT messages FROM job") : [];
    return rows.flatMap(({ messages }) => JSON.parse(messages) as StoredMessage[]);
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
}

/** All messages in history (D1), with all columns. */
export function historyRows(state: string): HistoryRow[] {
  const [file = ""] = databasesIn(path.join(state, "v3", "d1", "miniflare-D1DatabaseObject"));
  return rowsOf<HistoryRow>(file, "SELECT * FROM message");
}
