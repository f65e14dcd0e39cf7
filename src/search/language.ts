import { INDIA_OFFSET_MS } from "../text/india.ts";
import type { MessageState } from "../model/message.ts";
import { OPERATIONS, OPERATION_NAMES, isCall } from "../model/operations.ts";
import type { Operation } from "../model/operations.ts";
import { unitsFromCoins } from "../money/money.ts";

// The search language for messages: words, operators with a value, and `-` for exclusion. All terms must match. What is
// not understood becomes a fault, from which the page explains what to write instead.

export const OPERATORS = ["to", "kind", "state", "key", "request", "text", "cost", "after", "before"] as const;
export type Operator = (typeof OPERATORS)[number];

/** The condition of one term. */
export type Test =
  /** Part of the number, of the request's id or, where it is known, of the text. */
  | { on: "word"; value: string }
  | { on: "to"; digits: string }
  | { on: "kind"; operations: Operation[] }
  /** In one of these states; with `refunded` also every refunded message. */
  | { on: "state"; states: MessageState[]; refunded: boolean }
  /** The key's id as shown, or its name. */
  | { on: "key"; value: string }
  | { on: "keys"; ids: number[] }
  | { on: "request"; id: string }
  | { on: "text"; value: string }
  /** Units, both ends included. */
  | { on: "cost"; least: number; most: number }
  | { on: "after"; atMs: number }
  | { on: "before"; atMs: number };

export type Term = Test & { not: boolean };

/** A part of a search that was not understood and is left out; words/search.ts has the sentence for it. */
export interface Fault {
  kind: "operator" | "value" | "empty" | "quote" | "long" | "key";
  operator: string;
  value: string;
}

export interface Search {
  terms: Term[];
  faults: Fault[];
}

/** The fields of a message that a search is matched against; only the inbox has the text. */
export interface Searched {
  to: string;
  requestId: string;
  operation: Operation;
  createdAt: number;
  state?: MessageState;
  refunded?: boolean;
  keyId?: number | null;
  /** Units. */
  charge?: number;
  text?: string;
}

/** Terms in one search: more than people type, and few enough for one statement of D1 (100 parameters). */
const TERMS_MAX = 20;

/** The longest search, in UTF-16 code units. */
export const SEARCH_LENGTH_MAX = 500;

const KINDS = new Map<string, Operation[]>([
  ...OPERATION_NAMES.map((operation): [string, Operation[]] => [OPERATIONS[operation].send, [operation]]),
  ["call", OPERATION_NAMES.filter(isCall)],
]);

/** Values of `state:`. The list shows "submitted" as "Sent", so both are accepted. */
const STATES = new Map<string, MessageState | "refunded">([
  ["queued", "queued"],
  ["sending", "sending"],
  ["submitted", "submitted"],
  ["sent", "submitted"],
  ["delivered", "delivered"],
  ["undelivered", "undelivered"],
  ["unconfirmed", "unconfirmed"],
  ["failed", "failed"],
  ["unknown", "unknown"],
  ["refunded", "refunded"],
]);

/** Values that `kind:` and `state:` accept. */
export const KIND_VALUES = [...KINDS.keys()];
export const STATE_VALUES = [...STATES.keys()].filter((value) => value !== "sent");

const DAY_MS = 86_400_000;
const SPANS = new Map([
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", DAY_MS],
  ["w", 7 * DAY_MS],
]);

function startOfDay(nowMs: number): number {
  return Math.floor((nowMs + INDIA_OFFSET_MS) / DAY_MS) * DAY_MS - INDIA_OFFSET_MS;
}

function dateOf(value: string): number | null {
  const [, date = "", time = "00:00", seconds = "00", zone] =
    /^(\d{4}-\d{2}-\d{2})(?:[Tt](\d{2}:\d{2})(?::(\d{2}))?([Zz])?)?$/u.exec(value) ?? [];
  const atMs = Date.parse(`${date}T${time}:${seconds}Z`);
  // Date.parse reads 30 February as 2 March, and 24:00 as the next day.
  const text = Number.isNaN(atMs) ? "" : new Date(atMs).toISOString();
  if (!text.startsWith(`${date}T${time}:${seconds}`)) return null;
  return zone === undefined ? atMs - INDIA_OFFSET_MS : atMs;
}

/** A time as people write it: a date, a date with a time, today, yesterday, or an age such as 7d; otherwise null. */
function timeOf(value: string, nowMs: number): number | null {
  const word = value.toLowerCase();
  if (word === "today") return startOfDay(nowMs);
  if (word === "yesterday") return startOfDay(nowMs) - DAY_MS;
  const [, count = "", unit = ""] = /^(\d{1,4})([mhdw])$/u.exec(word) ?? [];
  const span = SPANS.get(unit);
  return span === undefined ? dateOf(value) : nowMs - Number(count) * span;
}

const AMOUNT = "₹?(\\d{1,9}(?:\\.\\d{1,4})?)";
const COMPARED = new RegExp(`^(>=|<=|>|<|=)?${AMOUNT}$`, "u");
const BETWEEN = new RegExp(`^${AMOUNT}\\.\\.${AMOUNT}$`, "u");

const unitsOf = (text: string | undefined) => (text === undefined ? null : unitsFromCoins(Number(text)));

/** The range of amounts that a value of `cost:` means, in units; null when it is not valid. */
function costOf(value: string): { least: number; most: number } | null {
  const between = BETWEEN.exec(value);
  const compared = COMPARED.exec(value);
  const low = unitsOf(between?.[1] ?? compared?.[2]);
  if (low === null) return null;
  if (between) {
    const high = unitsOf(between[2]);
    return high === null || high < low ? null : { least: low, most: high };
  }
  switch (compared?.[1]) {
    case ">":
      return { least: low + 1, most: Number.MAX_SAFE_INTEGER };
    case ">=":
      return { least: low, most: Number.MAX_SAFE_INTEGER };
    case "<":
      return { least: 0, most: low - 1 };
    case "<=":
      return { least: 0, most: low };
    default:
      return { least: low, most: low };
  }
}

/** The table's entries for comma-separated values; null when one of them is missing from it. */
function allOf<T>(value: string, table: ReadonlyMap<string, T>): T[] | null {
  const found = value
    .toLowerCase()
    .split(",")
    .map((part) => table.get(part));
  return found.every((one) => one !== undefined) ? found : null;
}

function stateTest(value: string): Test | null {
  const found = allOf(value, STATES);
  return (
    found && {
      on: "state",
      states: found.filter((one) => one !== "refunded"),
      refunded: found.includes("refunded"),
    }
  );
}

function testOf(operator: Operator, value: string, nowMs: number): Test | null {
  switch (operator) {
    case "to": {
      const digits = value.replaceAll(/[\s+().-]/gu, "");
      return /^\d{1,15}$/u.test(digits) ? { on: "to", digits } : null;
    }
    case "kind": {
      const operations = allOf(value, KINDS)?.flat();
      return operations ? { on: "kind", operations } : null;
    }
    case "state":
      return stateTest(value);
    case "key":
      return { on: "key", value };
    case "request":
      return { on: "request", id: value };
    case "text":
      return { on: "text", value };
    case "cost": {
      const cost = costOf(value);
      return cost && { on: "cost", ...cost };
    }
    case "after":
    case "before": {
      const atMs = timeOf(value, nowMs);
      return atMs === null ? null : { on: operator, atMs };
    }
  }
}

/** Minus, operator with its colon, then a quoted value (its closing quote may be missing) or a value without spaces. */
const TOKEN = /(-?)(?:([A-Za-z]+):)?(?:"((?:[^"\\]|\\.)*)("?)|(\S+))?/suy;

/** Quotes a value so that it is read as one value, whatever characters it contains. */
export function quoted(value: string): string {
  return `"${value.replaceAll(/["\\]/gu, String.raw`\$&`)}"`;
}

interface Rules {
  /** The time to which `today` and `7d` are relative, in ms. */
  nowMs: number;
  operators: readonly Operator[];
}

function readTerm(match: RegExpExecArray, { nowMs, operators }: Rules): Term | Fault {
  const [whole, minus, operator = "", inQuotes, end, bare] = match;
  const value = inQuotes?.replaceAll(/\\(.)/gsu, "$1") ?? bare ?? "";
  if (inQuotes !== undefined && end !== '"') return { kind: "quote", operator, value: whole };
  const not = minus === "-";
  if (operator === "") {
    return value.trim() === "" ? { kind: "empty", operator, value: whole } : { on: "word", value: value.trim(), not };
  }
  const known = operators.find((name) => name === operator.toLowerCase());
  if (!known) return { kind: "operator", operator: operator.toLowerCase(), value: whole };
  if (value.trim() === "") return { kind: "empty", operator: known, value: whole };
  const test = testOf(known, value.trim(), nowMs);
  return test ? { ...test, not } : { kind: "value", operator: known, value };
}

/** Parses a search. Never throws: each part that is not understood is left out and becomes a fault. */
export function parseSearch(text: string, rules: Rules): Search {
  const terms: Term[] = [];
  const faults: Fault[] = [];
  // A control character can end a text in SQLite's functions, and half of a surrogate pair equals nothing.
  const whole = text
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, " ")
    .trim();
  const asked = whole.slice(0, SEARCH_LENGTH_MAX).toWellFormed();
  if (asked.length < whole.length) faults.push({ kind: "long", operator: "", value: whole.slice(SEARCH_LENGTH_MAX) });
  const token = new RegExp(TOKEN);
  for (let at = 0; ;) {
    while (/\s/u.test(asked.charAt(at))) at += 1;
    if (at >= asked.length) break;
    token.lastIndex = at;
    const match = token.exec(asked);
    if (!match || match[0] === "") break;
    at += match[0].length;
    const read = readTerm(match, rules);
    if ("kind" in read) faults.push(read);
    else if (terms.length < TERMS_MAX) terms.push(read);
    else faults.push({ kind: "long", operator: "", value: match[0] });
  }
  return { terms, faults };
}

/** Lower case as SQLite's lower() makes it: only ASCII letters. */
const lower = (text: string) => text.replaceAll(/[A-Z]+/gu, (letters) => letters.toLowerCase());

/** The digits of a word that may be a number or part of one; empty for any other word. */
export function digitsOf(word: string): string {
  return /^[\d\s+().-]+$/u.test(word) ? word.replaceAll(/\D/gu, "") : "";
}

function holds(test: Test, row: Searched): boolean {
  switch (test.on) {
    case "word": {
      const digits = digitsOf(test.value);
      if (digits !== "" && row.to.includes(digits)) return true;
      if (lower(row.requestId).includes(lower(test.value))) return true;
      return row.text?.toLowerCase().includes(test.value.toLowerCase()) === true;
    }
    case "to":
      return row.to.includes(test.digits);
    case "kind":
      return test.operations.includes(row.operation);
    case "state":
      return (row.state !== undefined && test.states.includes(row.state)) || (test.refunded && row.refunded === true);
    case "key":
      return false;
    case "keys":
      return typeof row.keyId === "number" && test.ids.includes(row.keyId);
    case "request":
      return row.requestId === test.id;
    case "text":
      return row.text?.toLowerCase().includes(test.value.toLowerCase()) === true;
    case "cost":
      return row.charge !== undefined && row.charge >= test.least && row.charge <= test.most;
    case "after":
      return row.createdAt >= test.atMs;
    case "before":
      return row.createdAt < test.atMs;
  }
}

/** Whether a message matches all terms; `key` terms must have been replaced by `keys` before (activity/list.ts). */
export function matches(terms: readonly Term[], row: Searched): boolean {
  return terms.every((term) => holds(term, row) !== term.not);
}
