import type { Config } from "../../config/settings.ts";
import { showKeyId } from "../../crypto/api-key.ts";
import { messageId, objectName } from "../../crypto/ids.ts";
import { unseal } from "../../crypto/seal.ts";
import { logProblem } from "../../log.ts";
import type { ExportedJob } from "../../model/export.ts";
import type { MessageView } from "../../model/message.ts";
import { contentOf } from "../../model/operations.ts";
import type { AccountRef } from "../../model/ref.ts";
import { coins } from "../../money/money.ts";
import { maskOtp, otpText, readOtpText } from "../../text/otp-text.ts";

// Messages as the export of an account writes them: one line of JSON for each.

const timeOf = (ms: number) => new Date(ms).toISOString();

/** A job's text, with its code masked if it has one; null for a recording, and after the text was forgotten. */
function textOf(config: Config, ref: AccountRef, { text, content, messages: [first] }: ExportedJob): string | null {
  if (text === null || !first) return null;
  let plain: string;
  try {
    plain = unseal(config.SEAL_SECRET, objectName(ref), text);
  } catch (problem) {
    logProblem("text of an export", problem);
    return null;
  }
  const sent = readOtpText(plain);
  if (contentOf(first.operation) !== "code" && !sent) return plain;
  const masked = sent && maskOtp(sent);
  return masked && otpText(masked.brand, masked.code, content.otp);
}

function lineOf(config: Config, ref: AccountRef, message: MessageView, more: { text: string | null; sender?: string }) {
  return JSON.stringify({
    message_id: messageId(config.KEY_SECRET, ref, message.operation, message),
    seq: message.seq,
    request_id: message.requestId,
    key_id: message.keyId === null ? null : showKeyId(message.keyId),
    operation: message.operation,
    to: message.to,
    ...more,
    state: message.state,
    charge: coins(message.charge),
    refunded: message.refunded,
    carrier: message.carrier,
    attempts: message.attempts,
    error_code: message.errorCode,
    created_at: timeOf(message.createdAt),
    timeline: message.timeline.map(({ at, ...entry }) => ({ ...entry, at: timeOf(at) })),
  });
}

/** The lines of some jobs, one for each message. */
export function linesOf(config: Config, ref: AccountRef, jobs: readonly ExportedJob[]): string {
  const lines = jobs.flatMap((job) => {
    const { sender } = job.content;
    const more = { text: textOf(config, ref, job), ...(sender !== undefined && { sender }) };
    return job.messages.map((message) => lineOf(config, ref, message, more));
  });
  return lines.map((line) => `${line}\n`).join("");
}
