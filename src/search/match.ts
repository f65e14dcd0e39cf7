import type { MessageState } from "../model/message.ts";
import type { Operation } from "../model/operations.ts";
import type { Term, Test } from "./terms.ts";

// Whether a message matches; db/activity.ts says the same in SQL.

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
