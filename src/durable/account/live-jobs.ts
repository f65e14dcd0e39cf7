import { accountOfName, messageId } from "../../crypto/ids.ts";
import { unseal } from "../../crypto/seal.ts";
import type { Secrets } from "../../crypto/secrets.ts";
import { logProblem } from "../../log.ts";
import type { LiveJob } from "../../model/live.ts";
import type { MessageState, Operation } from "../../model/message.ts";
import { maskOtp, otpText, outgoingText, readOtpText } from "../../text/otp-text.ts";
import { stateOf } from "./message/views.ts";
import type { Job } from "./jobs.ts";
import { sealedText } from "./retention/text-keys.ts";

// A job as the live feed sends it. OTP codes of live accounts are masked here, before they leave the object.

/** Characters of a text that a list shows. */
const PREVIEW_MAX = 60;

/** What this file needs besides the job: the object's storage and name, and the secrets. */
export interface Shown {
  sql: SqlStorage;
  name: string;
  keySecret: Secrets;
  sealSecret: Secrets;
}

/** A text with the code in it masked; empty for an OTP in which the code cannot be found. */
function withoutCode(text: string, { operation, content }: Job): string {
  const sent = readOtpText(text);
  if (!sent) return operation === "otp" ? "" : text;
  const { code, brand } = maskOtp(sent);
  return otpText(brand, code, content.otp);
}

/** The beginning of a job's text in one line; empty where the job has no text any more or it cannot be unsealed. */
function previewOf(job: Job, { sql, name, sealSecret }: Shown): string {
  try {
    const sealed = sealedText(sql, job.storedText);
    if (!sealed) return "";
    const text = unseal(sealSecret, name, sealed);
    const shown = accountOfName(name).mode === "live" ? withoutCode(text, job) : outgoingText(text, job.content.otp);
    const letters = [...shown.replaceAll(/\s+/gu, " ")];
    return letters.length > PREVIEW_MAX ? `${letters.slice(0, PREVIEW_MAX - 1).join("")}…` : letters.join("");
  } catch (problem) {
    logProblem("preview", problem);
    return "";
  }
}

/** A job as a list of the console shows it. */
export function liveJob(job: Job, shown: Shown): LiveJob<MessageState, Operation> {
  const [first] = job.messages;
  if (!first) throw new Error("a job has a message");
  const nowMs = Date.now();
  const { requestId, seq, operation, charge, debit, createdAt, keyId, secretId } = job;
  return {
    requestId,
    seq,
    operation,
    to: first.to,
    recipients: job.messages.length,
    total: debit === null || charge === 0 ? null : debit / charge,
    states: [...Map.groupBy(job.messages, (message) => stateOf(message, job, nowMs))].map(
      ([state, { length: count }]) => ({
        state,
        count,
      }),
    ),
    refunded: job.messages.filter((message) => message.refunded).length,
    charge,
    debit,
    createdAt,
    preview: previewOf(job, shown),
    messageId: messageId(shown.keySecret, accountOfName(shown.name), operation, { seq, index: 0, secretId }),
    keyId,
  };
}
