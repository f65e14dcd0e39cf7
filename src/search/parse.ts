import { INDIA_OFFSET_MS } from "../text/india.ts";
import { asciiDigits, mobileOf } from "../text/phones.ts";
import { unitsFromCoins } from "../money/money.ts";
import { KINDS, SEARCH_LENGTH_MAX, STATES } from "./terms.ts";
import type { Fault, Operator, Search, Term, Test } from "./terms.ts";

// Reads what a person typed: the terms, and a fault for each part that is not understood.

/** Terms in one search: more than people type, and few enough for one statement of D1 (100 parameters). */
const TERMS_MAX = 20;

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
      const typed = asciiDigits(value).replaceAll(/[\s+().-]/gu, "");
      // No stored number has the trunk 0 that people write before a whole one.
      const digits = typed.startsWith("0") ? (mobileOf(value) ?? typed) : typed;
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
