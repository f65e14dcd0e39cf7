import { readFileSync } from "node:fs";
import path from "node:path";

// The checker's evidence: the clients' log, the gateway's log, when each fault was active, and the service's books as
// read at the end. Amounts are in units of 1/10,000 coin, so that sums are exact.

export type Plan = "premium" | "business" | "starter";

export interface Account {
  id: string;
  plan: Plan;
  opening: number;
  /** Credits that the operator intended, by reference; `told` is true once one was acknowledged. */
  credits: Map<string, { amount: number; told: boolean }>;
}

/** One attempt at a request. Without a status its outcome is unknown to the client. */
export interface Try {
  sentAt: number;
  endedAt: number;
  status: number | null;
  replayed: boolean;
  requestId: string;
  body: string;
}

/** A client's order, logged before it was sent. */
export interface Intention {
  id: string;
  account: string;
  key: string | null;
  method: string;
  path: string;
  body: Record<string, unknown>;
  means: "good" | "wrong" | "forged" | "other";
  tries: Try[];
}

export interface Submission {
  ref: string;
  at: number;
  /** Null if the gateway broke off before it had read anything. */
  to: string | null;
  operation: string | null;
  text: string | null;
  decision: string;
  tells: "taken" | "rejected" | "busy" | "nothing";
  signed: boolean;
  /** The gateway sent its answer completely. */
  answered: boolean;
}

export interface Receipt {
  ref: string;
  state: string;
  /** Why the service must refuse it. */
  fault: string | null;
  statuses: (number | null)[];
}

export interface Fault {
  kind: string;
  how: string;
  from: number;
  to: number;
  /** Offset to which a clock was set, relative to the real one. */
  clockMs: number;
}

export interface Message {
  account: string;
  ref: string;
  requestId: string;
  operation: string;
  to: string;
  state: string;
  charge: number;
  attempts: number;
  carrier: string | null;
  errorCode: string | null;
}

export interface Entry {
  seq: number;
  type: string;
  amount: number;
  after: number;
  messageId: string | null;
  requestId: string | null;
  reference: string | null;
  at: number;
}

export interface Books {
  id: string;
  balance: number;
  ledger: Entry[];
  messages: Message[];
  differences: unknown[];
}

/** A message as recorded in history. */
export interface Recorded {
  account: string;
  requestId: string;
  to: string;
  state: string;
  charge: number;
  refunded: boolean;
  attempts: number;
  carrier: string | null;
  errorCode: string | null;
  timeline: { state: string; at: number }[];
}

export interface Sample {
  at: number;
  life: number;
  kb: number;
}

/** Settings of the service that affect what is correct. */
const TIMERS = [
  "ATTEMPTS_MAX",
  "CARRIER_TIMEOUT_MS",
  "UNKNOWN_WINDOW_MS",
  "VALIDITY_SMS_MS",
  "VALIDITY_OTP_MS",
  "VALIDITY_CALL_MS",
] as const;

export interface Evidence {
  seed: string;
  minutes: number;
  clock: string;
  timers: Record<(typeof TIMERS)[number], number>;
  accounts: Map<string, Account>;
  intentions: Intention[];
  submissions: Submission[];
  receipts: Receipt[];
  faults: Fault[];
  memory: Sample[];
  books: Books[];
  history: Recorded[];
}

type Line = Record<string, unknown> & { t: string; at: number };

export const units = (coins: unknown) => Math.round(Number(coins) * 10_000);

const text = (value: unknown) => (typeof value === "string" ? value : "");
const textOrNull = (value: unknown) => (typeof value === "string" ? value : null);

/** Lines of a log. */
function linesOf(directory: string, name: string): Line[] {
  const lines = readFileSync(path.join(directory, name), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Line);
}

function readClients(lines: Line[]): Pick<Evidence, "accounts" | "intentions"> {
  const accounts: Evidence["accounts"] = new Map();
  const intentions = new Map<string, Intention>();
  const tries = new Map<string, Try>();
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
      case "intend": {
        const { method, path: at, means } = line as unknown as Intention;
        const body = (line["body"] ?? {}) as Intention["body"];
        intentions.set(id, { id, account, key: textOrNull(line["key"]), method, path: at, body, means, tries: [] });
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
  return { accounts, intentions: [...intentions.values()] };
}

function readCarrier(lines: Line[]): Pick<Evidence, "submissions" | "receipts"> {
  const submissions: Submission[] = [];
  const last = new Map<string, Submission>();
  const receipts = new Map<string, Receipt>();
  for (const line of lines) {
    const ref = text(line["ref"]);
    const id = text(line["id"]);
    if (line.t === "submission") {
      const { at, decision, tells } = line as unknown as Submission;
      const [to, operation] = [textOrNull(line["to"]), textOrNull(line["operation"])];
      const rest = { text: textOrNull(line["text"]), signed: line["signed"] === true, answered: false };
      const submission: Submission = { ref, at, to, operation, decision, tells, ...rest };
      submissions.push(submission);
      last.set(ref, submission);
    } else if (line.t === "answered") {
      const submission = last.get(ref);
      if (submission) submission.answered = true;
    } else if (line.t === "receipt") {
      receipts.set(id, { ref, state: text(line["state"]), fault: textOrNull(line["fault"]), statuses: [] });
    } else if (line.t === "receipt-reply") {
      receipts.get(id)?.statuses.push(line["status"] as number | null);
    }
  }
  return { submissions, receipts: [...receipts.values()] };
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
      from: line.at,
      to: Infinity,
      clockMs: Number(line["toMs"] ?? 0),
    });
  }
  return [...faults.values()];
}

type Row = Record<string, unknown>;

function readBooks(account: Row): Books {
  const id = text(account["id"]);
  const ledger = (account["ledger"] as Row[]).map((row) => ({
    seq: Number(row["seq"]),
    type: text(row["type"]),
    amount: units(row["amount"]),
    after: units(row["balance_after"]),
    messageId: textOrNull(row["message_id"]),
    requestId: textOrNull(row["request_id"]),
    reference: textOrNull(row["reference"]),
    at: Date.parse(text(row["at"])),
  }));
  const messages = (account["messages"] as Row[]).map((row) => ({
    account: id,
    ref: text(row["message_id"]),
    requestId: text(row["request_id"]),
    operation: text(row["operation"]),
    to: text(row["to"]),
    state: text(row["state"]),
    charge: units(row["charge"]),
    attempts: Number(row["attempts"]),
    carrier: textOrNull(row["carrier"]),
    errorCode: textOrNull(row["error_code"]),
  }));
  return { id, balance: units(account["balance"]), ledger, messages, differences: account["differences"] as unknown[] };
}

function readHistory(row: Row): Recorded {
  return {
    account: text(row["account_id"]),
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

/** Reads everything in a run's directory. */
export function readEvidence(directory: string): Evidence {
  const json = (name: string) => JSON.parse(readFileSync(path.join(directory, name), "utf8")) as Row;
  const books = json("books.json");
  const config = json("config.json") as unknown as Pick<Evidence, "seed" | "minutes" | "clock" | "timers">;
  return {
    ...config,
    ...readClients(linesOf(directory, "clients.jsonl")),
    ...readCarrier(linesOf(directory, "carrier.jsonl")),
    faults: readFaults(linesOf(directory, "faults.jsonl")),
    memory: linesOf(directory, "memory.jsonl") as unknown as Sample[],
    books: (books["accounts"] as Row[]).map(readBooks),
    history: (books["history"] as Row[]).map(readHistory),
  };
}
