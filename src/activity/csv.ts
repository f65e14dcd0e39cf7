import { showKeyId } from "../crypto/api-key.ts";
import { messageId } from "../crypto/ids.ts";
import type { GivenSecrets } from "../crypto/secrets.ts";
import type { KeyView } from "../model/account.ts";
import type { MessageView } from "../model/message.ts";
import { coins } from "../money/money.ts";
import type { Term } from "../search/terms.ts";
import { groupedPhone } from "../text/phones.ts";
import { stretches } from "./list.ts";
import type { Source } from "./list.ts";

// Exports a search as CSV (RFC 4180, UTF-8 with a byte order mark, so that Excel detects the encoding).

/** Messages per read; more are read only when the client has taken these. */
const ROWS_PER_PULL = 1_000;

const COLUMNS = [
  "time",
  "message_id",
  "request_id",
  "kind",
  "to",
  "state",
  "cost_rupees",
  "refunded",
  "key",
  "carrier",
  "attempts",
  "error_code",
  "updated",
];

/** A text that a spreadsheet may run: = + - @, also in full width, behind anything that it leaves out or does not show. */
const FORMULA = /^[\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

/**
 * A cell. An apostrophe is put before a text that a spreadsheet may run as a formula. Phone numbers stay unchanged: +
 * and digits are only ever a number, and other programs must be able to find them.
 */
export function csvCell(value: string | number): string {
  const text = String(value);
  const guarded = FORMULA.test(text) && !/^\+\d{1,15}$/u.test(text) ? `'${text}` : text;
  return /[",\r\n]/u.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

/**
 * A number in E.164 as a cell that every spreadsheet keeps as text, such as (+91) 98765 43210: digits alone are rounded to
 * 9.2E+11, and a + in front begins a formula. Forms and lists read it as the same number.
 */
export const phoneCell = (number: string): string => groupedPhone(number).replace(/^\+\d+/u, "($&)");

/** Units as rupees for programs: no currency sign, no commas, at least two decimals. */
function amount(units: number): string {
  const text = String(coins(units));
  return /\.\d{2,}$/u.test(text) ? text : coins(units).toFixed(2);
}

const time = (ms: number) => new Date(ms).toISOString();

/**
 * The rows of a search as a stream, which reads a page when it is pulled and never holds all rows in memory: what stands
 * before them, and a line for each.
 */
export function streamOf(
  source: Source,
  terms: Term[],
  head: string,
  lineFor: (row: MessageView) => string,
): ReadableStream {
  const pages = stretches(source, { terms, direction: "older", from: null, limit: ROWS_PER_PULL });
  const encoder = new TextEncoder();
  let begun = false;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (!begun) {
      begun = true;
      if (head !== "") return controller.enqueue(encoder.encode(head));
    }
    // A pull that enqueues nothing is not repeated, so stretches without rows are skipped here.
    for (;;) {
      const { value, done } = await pages.next();
      if (done) return controller.close();
      if (value.rows.length === 0) continue;
      return controller.enqueue(encoder.encode(value.rows.map(lineFor).join("")));
    }
  };
  const cancel = async () => {
    await pages.return(undefined);
  };
  return new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 });
}

/** A line of CSV. */
export const csvLine = (cells: readonly (string | number)[]): string => `${cells.map(csvCell).join(",")}\r\n`;

/** The rows of a search as a CSV file for people. */
export function activityCsv(
  source: Source,
  secret: GivenSecrets,
  terms: Term[],
  keys: readonly KeyView[],
): ReadableStream {
  const names = new Map(keys.map(({ keyId, name }) => [keyId, name]));
  const cells = (row: MessageView) =>
    csvLine([
      time(row.createdAt),
      messageId(secret, source.ref, row.operation, row),
      row.requestId,
      row.operation,
      phoneCell(row.to),
      row.state,
      amount(row.charge),
      row.refunded ? "yes" : "no",
      row.keyId === null ? "" : (names.get(row.keyId) ?? showKeyId(row.keyId)),
      row.carrier ?? "",
      row.attempts,
      row.errorCode ?? "",
      time(row.updatedAt),
    ]);
  return streamOf(source, terms, `\ufeff${csvLine(COLUMNS)}`, cells);
}
