import type { ExportedJob } from "../../../model/export.ts";
import { messageViews } from "../message/views.ts";
import { jobsAfter } from "../open-jobs.ts";
import { sealedText } from "../retention/text-keys.ts";

/** Jobs after a number, oldest first, until they have this many messages; at least one while any is left. */
export function exportPage(sql: SqlStorage, after: number, messagesMax: number): ExportedJob[] {
  const page: ExportedJob[] = [];
  let messages = 0;
  for (const job of jobsAfter(sql, after)) {
    page.push({
      seq: job.seq,
      content: job.content,
      text: sealedText(sql, job.storedText),
      messages: messageViews(job, Date.now()),
    });
    messages += job.messages.length;
    if (messages >= messagesMax) break;
  }
  return page;
}
