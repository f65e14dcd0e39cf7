import { readFileSync } from "node:fs";
import path from "node:path";
import { realTimesOf } from "./clock.ts";
import { readConsumed } from "./consumed.ts";
import type { FeedRow } from "./consumed.ts";
import { units } from "./evidence.ts";
import { readCarriers } from "./read-carriers.ts";
import { readRouting } from "./routed/routing.ts";
import type { TimelineRow } from "./routed/routing.ts";
import type { Books, Entry, Evidence, Fault, Intention, Message, Plan, Recorded, Sample, Try } from "./evidence.ts";

// Reads the evidence from the files of a run: three logs, the settings and the books.

type Line = Record<string, unknown> & { t: string; at: number };

const text = (value: unknown) => (typeof value === "string" ? value : "");
const textOrNull = (value: unknown) => (typeof value === "string" ? value : null);

/** Lines of a log. */
function linesOf(directory: string, name: string): Line[] {
  const lines = readFileSync(path.join(directory, name), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Line);
}

/** The price that holds until the operator changes it. */
const FIRST_PRICE = 5;

function readClients(lines: Line[]): Pick<Evidence, "accounts" | "intentions" | "prices"> {
  const accounts: Evidence["accounts"] = new Map();
  const intentions = new Map<string, Intention>();
  const tries = new Map<string, Try>();
  const prices = [{ at: -Infinity, coins: FIRST_PRICE }];
  for (const line of lines) {
    const { at } = line;
    const [id, account] = [text(line["id"]), text(line["account"])];
    switch (line.t) {
      case "account":
        accounts.set(id, { id, plan: line["plan"] as Plan, opening: units(line["opening"]), credits: new Map() });
        break;
      case "credit":
        accounts.get(account)?.credits.set(text(line["reference"]), { amount: units(line["amount"]), told: false });
        break;
      case "credited": {
        const credit = accounts.get(account)?.credits.get(text(line["reference"]));
        if (credit && line["status"] === 200) credit.told = true;
        break;
      }
      case "price":
        prices.push({ at, coins: Number(line["price"]) });
        break;
      case "intend": {
        const { method, path: at, means } = line as unknown as Intention;
        const body = (line["body"] ?? {}) as Intention["body"];
        const [key, quote] = [textOrNull(line["key"]), textOrNull(line["quote"])];
        intentions.set(id, { id, account, key, method, path: at, body, means, quote, tries: [] });
        break;
      }
      case "attempt": {
        // The end of an attempt is a later line, if there is one.
        const one = { sentAt: at, endedAt: Infinity, status: null, replayed: false, requestId: "", body: "" };
        tries.set(text(line["try"]), one);
        intentions.get(id)?.tries.push(one);
        break;
      }
      case "reply":
      case "broken": {
        const one = tries.get(text(line["try"]));
        if (!one) break;
        one.endedAt = at;
        if (line.t === "broken") break;
        const { status, replayed, requestId, body } = line as unknown as Try;
        Object.assign(one, { status, replayed, requestId, body });
      }
    }
  }
  return { accounts, intentions: [...intentions.values()], prices };
}

function readFaults(lines: Line[]): Fault[] {
  const faults = new Map<unknown, Fault>();
  for (const line of lines) {
    const fault = faults.get(line["id"]);
    if (line.t === "end" && fault) fault.to = line.at;
    if (line.t !== "begin") continue;
    const how = `${text(line["queue"])} ${text(line["how"])}`.trim();
    faults.set(line["id"], {
      kind: text(line["kind"]),
      how,
      carrier: textOrNull(line["carrier"]),
      from: line.at,
      to: Infinity,
      clockMs: Number(line["toMs"] ?? 0),
    });
  }
  return [...faults.values()];
}

type Row = Record<string, unknown>;

function readEntry(row: Row): Entry {
  return {
    seq: Number(row["seq"]),
    type: text(row["type"]),
    amount: units(row["amount"]),
    after: units(row["balance_after"]),
    messageId: textOrNull(row["message_id"]),
    requestId: textOrNull(row["request_id"]),
    reference: textOrNull(row["reference"]),
    at: Date.parse(text(row["at"])),
  };
}

function readMessage(account: string, archivedAt: number | null, row: Row): Message {
  return {
    account,
    ref: text(row["message_id"]),
    requestId: text(row["request_id"]),
    operation: text(row["operation"]),
    to: text(row["to"]),
    state: text(row["state"]),
    charge: units(row["charge"]),
    attempts: Number(row["attempts"]),
    carrier: textOrNull(row["carrier"]),
    errorCode: textOrNull(row["error_code"]),
    archivedAt,
  };
}

/** A file of the archive, and the rows in it. */
interface ArchiveRow {
  name: string;
  first: number;
  last: number;
  balance_before: number;
  balance_after: number;
  stored_at: number | null;
  problems: string[];
  ledger: Row[];
  messages: Row[];
  history: Row[];
}

const archivesIn = (account: Row) => account["archives"] as ArchiveRow[];

/** `realMs`: the real time for one of the storage's clock. */
function readBooks(account: Row, realMs: (ms: number) => number): Books {
  const id = text(account["id"]);
  const archives = archivesIn(account);
  const [first, ...more] = (account["ledger"] as Row[]).map(readEntry);
  const checkpoint = first?.type === "checkpoint" ? first : null;
  const listed = [...(first && !checkpoint ? [first] : []), ...more];
  const archived = archives.flatMap(({ stored_at: ms, messages }) => {
    const at = ms === null ? Infinity : realMs(ms);
    return messages.map((row) => readMessage(id, at, row));
  });
  return {
    id,
    balance: units(account["balance"]),
    ledger: [...archives.flatMap(({ ledger }) => ledger.map(readEntry)), ...listed],
    messages: [...archived, ...(account["messages"] as Row[]).map((row) => readMessage(id, null, row))],
    differences: account["differences"] as unknown[],
    archives: archives.map(({ name, first: from, last, problems, balance_before: before, balance_after: after }) => {
      return { name, first: from, last, problems, before: units(before), after: units(after) };
    }),
    checkpoint: { seq: checkpoint?.seq ?? 0, balance: checkpoint?.after ?? 0 },
    listed: listed.map(({ seq }) => seq),
  };
}

function readHistory(row: Row): Recorded {
  return {
    account: text(row["account_id"]),
    seq: Number(row["seq"]),
    isBulk: row["is_bulk"] === true,
    requestId: text(row["request_id"]),
    to: text(row["recipient"]),
    state: text(row["state"]),
    charge: Number(row["charge"]),
    refunded: row["refunded"] === 1,
    attempts: Number(row["attempts"]),
    carrier: textOrNull(row["carrier"]),
    errorCode: textOrNull(row["error_code"]),
    timeline: JSON.parse(text(row["timeline"])) as Recorded["timeline"],
  };
}

/** The lives of all messages: those of the archive, and of history what was not archived. */
function livesIn(accounts: Row[], database: Recorded[]): Recorded[] {
  const archived = accounts.flatMap(archivesIn).flatMap(({ history }) => history.map(readHistory));
  const known = new Set(archived.map(({ account, to }) => `${account} ${to}`));
  return [...archived, ...database.filter(({ account, to }) => !known.has(`${account} ${to}`))];
}

/** Reads everything in a run's directory. */
export function readEvidence(directory: string): Evidence {
  const lines = (name: string) => linesOf(directory, name);
  const json = (name: string) => JSON.parse(readFileSync(path.join(directory, name), "utf8")) as Row;
  const books = json("books.json");
  const config = json("config.json") as unknown as Pick<
    Evidence,
    "seed" | "minutes" | "clock" | "dedupes" | "tps" | "rates" | "timers"
  > & { carriers?: number };
  const faults = readFaults(linesOf(directory, "faults.jsonl"));
  // Only a clock of the whole machine that jumps is that of the storage, too.
  const realMs = (ms: number) => (config.clock === "runtime" ? ms : Math.min(...realTimesOf(faults, ms)));
  const accounts = books["accounts"] as Row[];
  const read = accounts.map((account) => readBooks(account, realMs));
  const timelines = (books["timelines"] ?? []) as TimelineRow[];
  const database = (books["history"] as Row[]).map(readHistory);
  return {
    ...config,
    rates: config.rates ?? {},
    ...readClients(linesOf(directory, "clients.jsonl")),
    ...readCarriers(lines("carrier.jsonl"), read),
    routing: (config.carriers ?? 1) > 1 ? readRouting(lines("routing.jsonl"), lines("carrier.jsonl"), timelines) : null,
    consumed: readConsumed(linesOf(directory, "events.jsonl"), books["feeds"] as FeedRow[]),
    faults,
    memory: linesOf(directory, "memory.jsonl") as unknown as Sample[],
    books: read,
    history: livesIn(accounts, database),
    database,
  };
}
