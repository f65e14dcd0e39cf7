import { GATEWAY } from "./evidence.ts";
import type { Books, Evidence, Receipt, Submission } from "./evidence.ts";

// Reads the carriers' log: what they were given, how they answered, and their receipts.

type Line = Record<string, unknown> & { t: string; at: number };

const text = (value: unknown) => (typeof value === "string" ? value : "");
const textOrNull = (value: unknown) => (typeof value === "string" ? value : null);

/** A carrier that is told no reference is known by the number of the message: each is used once. */
export function readCarriers(lines: Line[], books: Books[]): Pick<Evidence, "submissions" | "receipts"> {
  const refs = new Map(books.flatMap(({ messages }) => messages.map(({ to, ref }) => [to, ref] as const)));
  const submissions: Submission[] = [];
  const numbered = new Map<unknown, Submission>();
  const receipts = new Map<string, Receipt>();
  for (const line of lines) {
    const ref = text(line["ref"]) || (refs.get(text(line["to"])) ?? "");
    const carrier = text(line["carrier"]) || GATEWAY;
    const id = text(line["id"]);
    if (line.t === "submission") {
      const { at, decision, tells } = line as unknown as Submission;
      const [to, operation] = [textOrNull(line["to"]), textOrNull(line["operation"])];
      const quietMs = typeof line["quietMs"] === "number" ? line["quietMs"] : null;
      const answer = { answered: false, answeredAt: Infinity, quietMs };
      const words = { text: textOrNull(line["text"]), signed: line["signed"] === true };
      const submission: Submission = { carrier, ref, at, to, operation, decision, tells, ...words, ...answer };
      submissions.push(submission);
      numbered.set(line["n"], submission);
    } else if (line.t === "answered") {
      const submission = numbered.get(line["n"]);
      if (submission) Object.assign(submission, { answered: true, answeredAt: line.at });
    } else if (line.t === "receipt") {
      const fault = textOrNull(line["fault"]);
      receipts.set(id, {
        carrier,
        ref,
        state: text(line["state"]),
        at: line.at,
        takenAt: Infinity,
        fault,
        statuses: [],
      });
    } else if (line.t === "receipt-reply") {
      const receipt = receipts.get(id);
      if (!receipt) continue;
      receipt.statuses.push(line["status"] as number | null);
      if (line["status"] === 200) receipt.takenAt = Math.min(receipt.takenAt, line.at);
    }
  }
  return { submissions, receipts: [...receipts.values()] };
}
