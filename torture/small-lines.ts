import { T0, TO, refOf } from "./small-books.ts";
import type { Row } from "./small-books.ts";

// Lines of the logs of the small world.

let tries = 0;

/**
 * The log lines of an order: the order itself, and each attempt with its reply; an attempt without a status has no
 * reply.
 */
export function order(
  id: string,
  path: string,
  body: Row | null,
  means: string,
  replies: [number | null, Row?, string?][],
  account = "acc",
  more: Row = {},
): Row[] {
  const method = body ? "POST" : "GET";
  const key = body && means !== "unkeyed" ? { key: means === "other" ? "key-1" : `key-${id}` } : {};
  const meaning = means === "unkeyed" ? "good" : means;
  const lines: Row[] = [
    { t: "intend", at: T0, id, account, method, path, ...(body && { body }), means: meaning, ...key, ...more },
  ];
  for (const [at, [status, reply = {}, requestId = `r${id}`]] of replies.entries()) {
    const one = { id, try: `try-${(tries += 1)}`, at: T0 + 1_000 * (at + 1) };
    lines.push({ t: "attempt", ...one });
    if (status === null) lines.push({ t: "broken", ...one, why: "reset" });
    else {
      // The first 200 comes from the original request and later ones are replays, even if the client did not get the
      // first.
      const told = { status, replayed: status === 200 && at > 0, requestId, body: JSON.stringify(reply) };
      lines.push({ t: "reply", ...one, ...told, at: one.at + 10 });
    }
  }
  return lines;
}

const OPERATIONS: Record<string, { operation: string; text?: string }> = {
  [TO.sms]: { operation: "sms", text: "One" },
  [TO.bulkOne]: { operation: "sms", text: "Two" },
  [TO.bulkTwo]: { operation: "sms", text: "Two" },
  [TO.otp]: { operation: "otp", text: "123456 is your one-time password." },
  [TO.limited]: { operation: "sms", text: "Four" },
  [TO.expired]: { operation: "sms", text: "Eleven" },
  [TO.twice]: { operation: "sms", text: "Twelve" },
  [TO.voice]: { operation: "voice" },
  [TO.left]: { operation: "sms", text: "Left" },
  [TO.leftAndFailed]: { operation: "sms", text: "Left" },
};

let submissions = 0;

/** A submission as the gateway logs it, with a line for its answer unless that conveyed nothing. */
export function submission(to: string, decision: string, tells: string, atMs = 1_150, quietMs?: number): Row[] {
  const [n, ref] = [(submissions += 1), refOf(to)];
  const words = OPERATIONS[to] ?? { operation: "sms", text: "Buy" };
  const quiet = quietMs === undefined ? {} : { quietMs };
  const line = { t: "submission", at: T0 + atMs, n, ref, to, ...words, decision, tells, signed: true, ...quiet };
  return tells === "nothing" ? [line] : [line, { t: "answered", at: T0 + atMs + 40, n, ref }];
}

let receipts = 0;

/** A receipt and its status. */
export function receipt(to: string, state: string, status: number, fault?: string, atMs = 1_400): Row[] {
  const id = `receipt-${(receipts += 1)}`;
  const line = { t: "receipt", at: T0 + atMs, id, ref: refOf(to), state, ...(fault !== undefined && { fault }) };
  return [line, { t: "receipt-reply", at: T0 + atMs + 100, id, status }];
}
