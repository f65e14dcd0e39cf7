import { number, text } from "../../../rows.ts";
import { receiptsIn } from "../../receipts/journal.ts";
import type { Page } from "./page.ts";

// Checks of the journal of receipts: what waits there must be for a message that exists.

/** Checks that the receipts of a segment are for messages of the account. */
function recountSegment(page: Page, segment: number, lines: string): void {
  const highest = new Map<number, number>();
  for (const { seq, indexes } of receiptsIn(lines)) highest.set(seq, Math.max(highest.get(seq) ?? 0, ...indexes));
  for (const [seq, index] of highest) {
    // A segment may outlive what it was written for, until the next receipts need its row.
    if (seq <= page.checkpointSeq) continue;
    const row = page.look("SELECT json_array_length(messages) AS messages FROM job WHERE seq = ?", seq);
    if (!row) page.note("journal", `segment ${segment} has receipts of job ${seq}, which is missing`);
    else if (index >= number(row, "messages")) {
      page.note("journal", `segment ${segment} has a receipt of message ${seq}.${index}, which is missing`);
    }
  }
}

/** Checks the segments after the walk's place, until the page is full; true once there is no other. */
export function recountJournal(page: Page): boolean {
  for (;;) {
    if (page.isFull) return false;
    const next = "SELECT segment, lines FROM receipt_journal WHERE segment > ? ORDER BY segment LIMIT 1";
    const row = page.look(next, page.walk.segment);
    if (!row) return true;
    page.walk.segment = number(row, "segment");
    try {
      recountSegment(page, page.walk.segment, text(row, "lines"));
    } catch (problem) {
      page.note("journal", `segment ${page.walk.segment} cannot be read: ${String(problem)}`);
    }
  }
}
