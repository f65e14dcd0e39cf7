import type { SendBulkSmsBody } from "../../index.ts";
import { columnOf } from "../csv.ts";
import { fileText } from "../input.ts";
import { indianNumber } from "../numbers.ts";
import { LATER, SENDING, laterIn, textIn } from "../sending.ts";
import type { Order } from "../order.ts";
import { counted } from "../reply.ts";
import { Stop, usage } from "../stop.ts";
import { sending } from "./sends.ts";

/** Rows that are named when several numbers are wrong. */
const NAMED_MAX = 5;

/** The numbers of a list; throws a `Stop` that names the rows that are wrong. */
async function numbersIn(file: string, column: string): Promise<{ numbers: string[]; note: string | undefined }> {
  const read = columnOf(await fileText(file), column);
  if (!read.ok) throw usage(read.problem, read.hint);
  const mended = read.cells.map(({ row, value }) => ({ row, ...indianNumber(value) }));
  const wrong = mended.flatMap((cell) => (cell.ok ? [] : [{ row: cell.row, problem: cell.problem }]));
  const [first] = wrong;
  if (first) {
    const named = wrong.slice(0, NAMED_MAX).map(({ row, problem }) => `Row ${row}: ${problem}`);
    const rest = wrong.length > NAMED_MAX ? ` And ${counted(wrong.length - NAMED_MAX, "more row")}.` : "";
    throw new Stop("usage", "invalid_numbers", named.join("\n") + rest, "Nothing was sent.", { rows: wrong });
  }
  const all = mended.flatMap((cell) => (cell.ok ? [cell.number] : []));
  if (all.length === 0) throw usage(`The column ${column} has no number.`);
  const numbers = [...new Set(all)];
  const notes = [
    all.length > numbers.length ? `${counted(all.length - numbers.length, "duplicate")} left out` : "",
    read.empty > 0 ? `${counted(read.empty, "row")} without a number` : "",
  ].filter((text) => text !== "");
  return { numbers, note: notes.length === 0 ? undefined : `${notes.join(", ")}.` };
}

/** `dastak bulk`: one text to the numbers of a file. */
export const bulk = sending({
  name: "bulk",
  about: "Send one text to the Indian mobiles in a CSV file",
  more: "All or nothing: one wrong number refuses the list. A number that stands twice is sent once.",
  options: {
    csv: {
      type: "string",
      value: "FILE",
      need: true,
      about: "A file with titles in its first line; - reads standard input",
    },
    column: { type: "string", value: "TITLE", about: "The column of the numbers; else phone" },
    text: { type: "string", need: true, about: "The text; - reads standard input" },
    sender: { type: "string", about: "What the receiver sees as sender" },
    ...LATER,
    ...SENDING,
  },
  examples: ["dastak bulk --csv people.csv --column mobile --text 'Shop opens at ten.' --dry-run"],
  async order(given) {
    if (given.text("csv") === "-" && given.text("text") === "-") throw usage("Standard input is either list or text.");
    const { numbers: recipients, note } = await numbersIn(given.need("csv"), given.text("column") ?? "phone");
    const message = await textIn(given);
    const body: SendBulkSmsBody = { recipients, message, senderId: given.text("sender"), ...laterIn(given) };
    const send: Order["send"] = (client, options) => client.sendBulkSms(body, options);
    return {
      asked: { operation: "bulk", ...body },
      base: "sms",
      path: "/send-bulk-sms",
      body,
      send,
      ...(note !== undefined && { note }),
    };
  },
});
