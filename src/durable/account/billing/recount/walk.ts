// Where a recount stands: a few numbers in place of everything that it has read. The caller carries them from page to
// page as an opaque text, and the account keeps those of the last place up to which all agreed.

/** A recount, after the entry or job with number `seq`. Amounts in units. */
export interface Walk {
  seq: number;
  /** The balance after `seq`, recounted. */
  sum: number;
  /** What refunds of payments could not take so far, and what refunds of messages paid of it. */
  shortfall: number;
  paid: number;
  /** Differences found so far. */
  found: number;
  /** The last segment of the journal that was checked. */
  segment: number;
  /** The request whose jobs were read last, until it ends: what it took, and what its messages were charged. */
  request: { id: string; debit: number; charged: number } | null;
}

/** A walk's numbers, in the order in which its text has them. */
const NUMBERS = ["seq", "sum", "shortfall", "paid", "found", "segment"] as const;

const FORM = /^(-?\d{1,16}(?:\.-?\d{1,16}){5})(?:\.(-?\d{1,16})\.(\d{1,16})\.(.{1,100}))?$/u;

/** The walk as a text. */
export function walkText(walk: Walk): string {
  const { request } = walk;
  const numbers = NUMBERS.map((name) => String(walk[name]));
  if (request) numbers.push(String(request.debit), String(request.charged), request.id);
  return numbers.join(".");
}

/** Reads the text of a walk; null where it is none. */
export function readWalk(text: string): Walk | null {
  const [, numbers, debit, charged, id] = FORM.exec(text) ?? [];
  if (numbers === undefined) return null;
  const [seq = 0, sum = 0, shortfall = 0, paid = 0, found = 0, segment = 0] = numbers.split(".").map(Number);
  const request = id === undefined ? null : { id, debit: Number(debit), charged: Number(charged) };
  return { seq, sum, shortfall, paid, found, segment, request };
}
