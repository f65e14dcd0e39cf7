import type { Carrier, Outgoing } from "../carriers/carrier.ts";
import { carrierNamed } from "../carriers/table.ts";
import type { Config } from "../config/settings.ts";
import { messageId, objectName } from "../crypto/ids.ts";
import { unseal } from "../crypto/seal.ts";
import type { Attempt } from "../inbox/landing.ts";
import { logProblem } from "../log.ts";
import type { DltFields } from "../model/carrier/carrier.ts";
import type { Claimed, ClaimedJob, Outcome } from "../model/message.ts";
import type { AccountRef } from "../model/ref.ts";
import { recordingPath } from "../recordings/signed-address.ts";
import { outgoingText } from "../text/otp-text.ts";

// One attempt: from a claimed message to its outcome.

const dltOf = ({ entityId, templateId, category }: DltFields): DltFields => ({ entityId, templateId, category });

function outgoing(config: Config, ref: AccountRef, job: ClaimedJob, at: Claimed): Outgoing {
  const audioPath = recordingPath(config, job.content);
  return {
    ref: messageId(config.KEY_SECRET, ref, job.operation, { ...job, index: at.index }),
    operation: job.operation,
    to: at.to,
    attempt: at.attempt,
    mode: ref.mode,
    text: job.text && outgoingText(unseal(config.SEAL_SECRET, objectName(ref), job.text), job.content.otp),
    content: job.content,
    audioUrl: audioPath && config.CONSOLE_URL + audioPath,
    ...(job.content.dlt && { dlt: dltOf(job.content.dlt) }),
  };
}

/** The carrier of a job: the one for which it was claimed first, if this version knows it. */
export function carrierOfJob(config: Config, job: ClaimedJob, otherwise: Carrier): Carrier {
  return carrierNamed(config, job.carrier) ?? otherwise;
}

/** An attempt with this outcome; `ref` is null where there was no message to submit. */
export function attemptOf(job: ClaimedJob, at: Claimed, ref: string | null, outcome: Outcome): Attempt {
  const { seq, carrier } = job;
  return {
    job,
    to: at.to,
    ref,
    carrier,
    news: { kind: "outcome", seq, index: at.index, attempt: at.attempt, outcome },
  };
}

/** Submits a claimed message once. Never throws: what fails before anything left is `not_sent`, later `unknown`. */
export async function submit(
  carrier: Carrier,
  config: Config,
  ref: AccountRef,
  job: ClaimedJob,
  at: Claimed,
): Promise<Attempt> {
  let message: Outgoing;
  try {
    message = outgoing(config, ref, job, at);
  } catch (problem) {
    logProblem("outgoing message", problem);
    return attemptOf(job, at, null, { kind: "not_sent", code: "internal_error" });
  }
  return { ...attemptOf(job, at, message.ref, await outcomeOf(carrier, message)), carrier: carrier.name };
}

/** The outcome of a submission; `unknown` when our own code fails, since the carrier may have the message by then. */
async function outcomeOf(carrier: Carrier, message: Outgoing): Promise<Outcome> {
  try {
    return await carrier.submit(message);
  } catch (problem) {
    logProblem("carrier", problem);
    return { kind: "unknown", code: "internal_error" };
  }
}
