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
interface More {
  released?: number;
  /** Attempts beyond the first of a claim: at the next carriers of a route. */
  fallbacks?: number;
  /** What entries of the path say besides, by their places: the carrier, where that is not the job's; empty: not known. */
  notes?: [place: number, note: { by?: string }][];
  code?: string;
  refunded?: true;
  cancelled?: true;
}
type Life = [rev: number, claims: number, path: string, more?: More];
const namesOf = (letters: string) => new Map(letters.split(" ").map((one) => one.split(":") as [string, string]));

/** The columns of a job's row that hold its messages. */
export interface StoredJob {
  messages: string;
  lives: string | null;
}

/** What a job's row says of one of its messages. */
interface JobMessage extends StoredMessage {
  /** Attempts that were made, at whatever carrier: claims that were given back do not count. */
  attempts: number;
  /** The carrier that was tried last; null: the job's. */
  carrier: string | null;
  code: string | null;
  refunded: boolean;
  /** A letter for each state after the first, each with its time in ms since the job was stored. */
  path: string;
  /** It was taken back, which is written as failed, with this mark. */
  cancelled: boolean;
}

/** The messages of a job: their numbers, and for each the place of its life among those that differ. */
export function messagesOfJob({ messages, lives }: StoredJob): JobMessage[] {
  const [which, all] = JSON.parse(lives ?? "[[],[]]") as [number[], Life[]];
  const names = namesOf(JOB_LETTERS);
  return (JSON.parse(messages) as string[]).map((to, at) => {
    const [, claims = 0, path = "", more = {}] = all[which[at] ?? -1] ?? [];
    const { released = 0, fallbacks = 0, notes = [], code = null, refunded = false, cancelled = false } = more;
    const known = new Map(notes);
    const offered = [...path.matchAll(/([a-z])-?\d+/gu)].flatMap(([, one], place) =>
      one === "s" ? [known.get(place)?.by ?? null] : [],
    );
    const carrier = offered.findLast((name) => name !== "") ?? null;
    const letter = /[a-z](?=-?\d+$)/u.exec(path)?.[0] ?? "q";
    const state = letter === "f" && cancelled ? "cancelled" : (names.get(letter) ?? letter);
    return { to, state, attempts: claims - released + fallbacks, carrier, code, refunded, path, cancelled };
  });
}

/**
 * Every state that a message of a job has been in, with its time in ms; JSON, as in history. `sendAt`: it was ordered for
 * that time, at which it was queued unless it was taken back before.
 */
export function timelineOfLife(
  { path, cancelled }: Pick<JobMessage, "path" | "cancelled">,
  createdAt: number,
  sendAt: number | null,
): string {
  const names = namesOf(JOB_LETTERS);
  if (cancelled) names.set("f", "cancelled");
  const later = [...path.matchAll(/([a-z])(-?\d+)/gu)].map(([, letter = "", ms]) => ({
    state: names.get(letter) ?? letter,
    at: createdAt + Number(ms),
  }));
  if (sendAt === null) return JSON.stringify([{ state: "queued", at: createdAt }, ...later]);
  const due = (later[0]?.at ?? sendAt) >= sendAt ? [{ state: "queued", at: sendAt }] : [];
  return JSON.stringify([{ state: "scheduled", at: createdAt }, ...due, ...later]);
}

/** All messages of all account objects, as the jobs' rows have them; receipts of bulks may still be in their journal. */
export function storedMessages(state: string): StoredMessage[] {
  return databasesIn(path.join(state, "v3", "do", "dastak-Account")).flatMap((file) => {
    const isAccount = rowsOf(file, "SELECT 1 FROM sqlite_master WHERE name = 'job'").length > 0;
    const query = "SELECT messages, lives FROM job";
    const rows = isAccount ? rowsOf<StoredJob>(file, query) : [];
    return rows.flatMap(messagesOfJob);
  });
}

export interface HistoryRow {
  account_id: string;
  mode: "live" | "test";
  request_id: string;
  recipient: string;
  /** The number of its job. */
  seq: number;
  /** Whether its job is a row of its own in history; single messages share one. */
  is_bulk: boolean;
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
  kind: 0 | 1;
  seq: number;
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
    const [job = Number.NaN, , kind = -1, standing = -1, , created = Number.NaN, ...steps] = entry;
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
    const of = { account_id, mode, request_id, recipient: recipients[at] ?? "", seq: row.seq + job };
    return { ...of, is_bulk: row.kind === 1, state, ...more };
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

/** When each object of the R2 buckets was stored, in ms, by its key. */
export function storedAt(state: string): Map<string, number> {
  const files = databasesIn(path.join(state, "v3", "r2", "miniflare-R2BucketObject"));
  const query = "SELECT key, uploaded FROM _mf_objects";
  const rows = files.flatMap((file) => rowsOf<{ key: string; uploaded: number }>(file, query));
  return new Map(rows.map(({ key, uploaded }) => [key, uploaded]));
}
