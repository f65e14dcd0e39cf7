import { createHash, createHmac } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { messagesOfJob, timelineOfLife } from "./disk.ts";
import type { HistoryRow, StoredJob } from "./disk.ts";
import type { LedgerRow, MessageRow } from "./books.ts";

// Reads the files of an account's archive by their description in docs/data.md alone, without the service's code, and
// finds what is wrong with them.

/** Secrets by their ids, with which public ids of messages are made. */
export type Secrets = ReadonlyMap<number, string>;

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const UNITS = 10_000;

/** Bytes in base 62, of the width that the largest value of so many bytes takes. */
function base62(bytes: Buffer): string {
  let value = BigInt(`0x${bytes.toString("hex")}`);
  let text = "";
  for (let left = Math.ceil((bytes.length * 8) / Math.log2(62)); left > 0; left -= 1) {
    text = ALPHABET.charAt(Number(value % 62n)) + text;
    value /= 62n;
  }
  return text;
}

const ACCOUNT_SIZE = 8;

function accountBytes(account: string): Buffer {
  const digits = [...account.replace(/^acc_/u, "")].map((letter) => BigInt(ALPHABET.indexOf(letter)));
  const value = digits.reduce((sum, digit) => sum * 62n + digit, 0n);
  return Buffer.from(value.toString(16).padStart(2 * ACCOUNT_SIZE, "0"), "hex");
}

interface Place {
  account: string;
  operation: string;
  seq: number;
  index: number;
  secretId: number;
}

/** The public id of a message of a live account: secret, account, number and index, with a MAC of eight bytes. */
export function messageIdOf({ account, operation, seq, index, secretId }: Place, secrets: Secrets): string {
  const place = Buffer.alloc(8);
  place.writeUInt8(secretId * 2, 0);
  place.writeUIntBE(seq, 1, 5);
  place.writeUInt16BE(index, 6);
  const body = Buffer.concat([place.subarray(0, 1), accountBytes(account), place.subarray(1)]);
  const prefix = operation === "tts" || operation === "voice" ? "call_" : "msg_";
  const purpose = Buffer.from(`dastak/message/v1/${prefix}\0`);
  const mac = createHmac("sha256", secrets.get(secretId) ?? "")
    .update(purpose)
    .update(body)
    .digest();
  return prefix + base62(Buffer.concat([body, mac.subarray(0, 8)]));
}

/** A file of the archive as it was downloaded, with its manifest. */
export interface Downloaded {
  name: string;
  file: Buffer;
  manifest: Buffer;
}

interface Manifest {
  account: string;
  mode: string;
  month: string;
  first: number;
  last: number;
  lines: Record<string, number>;
  units: Record<string, number>;
  balanceBefore: number;
  balanceAfter: number;
  ndjson: { bytes: number; sha256: string };
  file: { bytes: number; sha256: string };
}

type Row = Record<string, string | number | null>;

interface Line {
  kind: string;
  row: Row;
}

/** What a file holds, in the form of the operator API and of history, and what is wrong with it. */
export interface ArchivedFile {
  name: string;
  first: number;
  last: number;
  /** Coins, before its first line and after its last. */
  balance_before: number;
  balance_after: number;
  problems: string[];
  ledger: (LedgerRow & { at: string })[];
  messages: MessageRow[];
  history: HistoryRow[];
}

const digestOf = (bytes: Buffer) => ({
  bytes: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
});

const same = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other);
const number = (row: Row, column: string) => Number(row[column] ?? Number.NaN);

/** What is wrong with the lines of a file by its manifest: each number has one line, and each balance follows. */
function problemsOf({ name, file }: Downloaded, ndjson: Buffer, lines: Line[], manifest: Manifest): string[] {
  const problems: string[] = [];
  const check = (isRight: boolean, problem: string) => void (isRight || problems.push(problem));
  check(same(digestOf(file), manifest.file), "its hash is not that of its manifest");
  check(same(digestOf(ndjson), manifest.ndjson), "the hash of its lines is not that of its manifest");
  check(name === `${manifest.month}-${manifest.first}.ndjson.gz`, "its name is not that of its manifest");
  let [seq, balance] = [manifest.first - 1, manifest.balanceBefore];
  const counts: Record<string, number> = { job: 0, ledger_entry: 0 };
  const units: Record<string, number> = { debit: 0, refund: 0, credit: 0, adjustment: 0 };
  for (const { kind, row } of lines) {
    check(number(row, "seq") === seq + 1, `line ${row["seq"]} follows line ${seq}`);
    const isDebit = kind === "job" && row["debit"] !== null;
    const amount = isDebit ? -number(row, "debit") : kind === "job" ? 0 : number(row, "amount");
    const type = isDebit ? "debit" : String(row["type"]);
    if (amount !== 0 || kind !== "job") units[type] = (units[type] ?? 0) + amount;
    counts[kind] = (counts[kind] ?? 0) + 1;
    check(number(row, "balance_after") === balance + amount, `the balance of line ${row["seq"]} does not follow`);
    check(!("text" in row), `line ${row["seq"]} has a text`);
    [seq, balance] = [number(row, "seq"), number(row, "balance_after")];
  }
  check(seq === manifest.last, `it ends at ${seq} and not at ${manifest.last}`);
  check(balance === manifest.balanceAfter, "its last balance is not that of its manifest");
  check(same(counts, manifest.lines), "it has another number of lines than its manifest says");
  check(same(units, manifest.units), "its sums are not those of its manifest");
  return problems;
}

/** Jobs of the files so far, by number: a refund may be in a later file than its message. */
type Jobs = Map<number, Row>;

function ledgerOf(account: string, { kind, row }: Line, jobs: Jobs, secrets: Secrets): ArchivedFile["ledger"] {
  const seq = number(row, "seq");
  const common = {
    seq,
    request_id: row["request_id"] === null ? null : String(row["request_id"]),
    balance_after: number(row, "balance_after") / UNITS,
    at: new Date(number(row, "created_at")).toISOString(),
  };
  if (kind === "job") {
    if (row["debit"] === null) return [];
    return [{ ...common, type: "debit", amount: -number(row, "debit") / UNITS, message_id: null, reference: null }];
  }
  const entry = { ...common, type: row["type"] as LedgerRow["type"], amount: number(row, "amount") / UNITS };
  const reference = String(row["reference"]);
  if (entry.type !== "refund") {
    return [{ ...entry, message_id: null, reference: reference.replace(/^operator:/u, "") }];
  }
  const [, job = 0, index = 0] = (/^refund:(\d+)\.(\d+)$/u.exec(reference) ?? []).map(Number);
  const operation = String(row["operation"] ?? jobs.get(job)?.["operation"]);
  const secretId = Number(row["secret_id"] ?? jobs.get(job)?.["secret_id"]);
  const id = messageIdOf({ account, operation, seq: job, index, secretId }, secrets);
  return [{ ...entry, message_id: id, reference: `refund:${id}` }];
}

function messagesIn(account: string, row: Row, secrets: Secrets): { message: MessageRow; life: HistoryRow }[] {
  const operation = String(row["operation"]);
  const [seq, createdAt, charge] = [number(row, "seq"), number(row, "created_at"), number(row, "charge")];
  const jobs = messagesOfJob(row as unknown as StoredJob);
  return jobs.map((one, index) => {
    const common = {
      request_id: String(row["request_id"]),
      state: one.state,
      carrier: one.carrier ?? (row["carrier"] as string | null),
      attempts: one.attempts,
      error_code: one.code,
    };
    const place = { account, operation, seq, index, secretId: number(row, "secret_id") };
    const message = {
      ...common,
      message_id: messageIdOf(place, secrets),
      operation,
      to: one.to,
      charge: charge / UNITS,
    };
    const timeline = timelineOfLife(one, createdAt, (row["send_at"] ?? null) as number | null);
    const of = { account_id: account, mode: "live" as const, recipient: one.to, seq, is_bulk: jobs.length > 1 };
    return { message, life: { ...common, ...of, charge, refunded: one.refunded ? 1 : 0, timeline } };
  });
}

/** Reads the files of a live account, oldest first. */
export function readArchives(account: string, files: Downloaded[], secrets: Secrets): ArchivedFile[] {
  const jobs: Jobs = new Map();
  return files.map((one) => {
    const manifest = JSON.parse(one.manifest.toString()) as Manifest;
    const ndjson = gunzipSync(one.file);
    const lines = ndjson
      .toString()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Line);
    const problems = problemsOf(one, ndjson, lines, manifest);
    if (manifest.account !== account || manifest.mode !== "live") problems.push("it belongs to another account");
    const rows = lines.filter(({ kind }) => kind === "job").map(({ row }) => row);
    for (const row of rows) jobs.set(number(row, "seq"), row);
    const messages = rows.flatMap((row) => messagesIn(account, row, secrets));
    return {
      name: one.name,
      first: manifest.first,
      last: manifest.last,
      balance_before: manifest.balanceBefore / UNITS,
      balance_after: manifest.balanceAfter / UNITS,
      problems,
      ledger: lines.flatMap((line) => ledgerOf(account, line, jobs, secrets)),
      messages: messages.map(({ message }) => message),
      history: messages.map(({ life }) => life),
    };
  });
}
