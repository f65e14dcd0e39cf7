import type { MessageState, MessageView } from "../model/message.ts";
import { isCall } from "../model/operations.ts";

// What became of a message, in one English sentence for people (contract §13).

/** What an explanation depends on. */
export type Explained = Pick<MessageView, "state" | "errorCode" | "refunded" | "operation">;

/** A message as the sentences name it. */
const nameOf = ({ operation }: Explained) => (isCall(operation) ? "call" : "message");

/** The meaning of each code that this service or its simulator gives, as the end of a sentence after "because". */
const BECAUSE: Readonly<Record<string, string>> = {
  validity_ended: "its validity ended before the carrier accepted it",
  attempt_interrupted: "the service was interrupted while it was handing it to the carrier",
  internal_error: "something failed in this service while it was handing it to the carrier",
  inbox_unavailable: "the simulator's inbox could not be reached",
  not_configured: "no gateway is configured for its carrier",
  connect_timeout: "the carrier did not accept a connection in time",
  connection_refused: "no connection to the carrier could be made",
  connection_broken: "the connection to the carrier broke before an answer came",
  timeout: "the carrier did not answer in time",
  busy: "the carrier was busy",
  rejected_by_carrier: "the carrier rejected it",
  carrier_failed: "the carrier reported that it did not send it",
  absent_subscriber: "the phone was switched off or out of coverage for too long",
  answer_unreadable: "the carrier's answer could not be read",
  no_bind: "the connection to the carrier was down",
  bind_refused: "the carrier refused this service's login",
  window_full: "the carrier had not answered what it was given before",
  no_voice: "the carrier has no voice for the call",
  operation_not_offered: "the carrier does not offer this operation",
  speech_unavailable: "its words could not be made into speech",
  unfit_address: "the carrier's address cannot carry its text",
};

/** Codes whose meanings are known, beside those of HTTP statuses. */
export const EXPLAINED_CODES: readonly string[] = Object.keys(BECAUSE);

/** Codes that this service itself gives; every other one is a carrier's word. */
const OWN_CODES: ReadonlySet<string> = new Set([
  "validity_ended",
  "attempt_interrupted",
  "internal_error",
  "inbox_unavailable",
  "not_configured",
  "no_bind",
  "no_voice",
  "operation_not_offered",
  "unfit_address",
]);

/** What making a call's speech came to. */
const isSpeech = (code: string): boolean => code.startsWith("speech_");

const isOwn = (code: string): boolean => OWN_CODES.has(code) || isSpeech(code);

/** The carrier's word in a code, or null where the code is this service's own. */
export const carrierCode = (code: string | null): string | null => (code === null || isOwn(code) ? null : code);

/** A code that is quoted is short and on one line, whatever the carrier wrote. */
const CODE_LENGTH_MAX = 60;
const quoted = (code: string) =>
  code
    .replaceAll(/[\p{C}\s]+/gu, " ")
    .slice(0, CODE_LENGTH_MAX)
    .toWellFormed();

/** ` because …`, or nothing where there is no code. */
function because(code: string | null): string {
  if (code === null) return "";
  const status = /^http_(\d{3})$/u.exec(code)?.[1];
  if (status !== undefined) return ` because the carrier's gateway answered with HTTP status ${status}`;
  const meant = isSpeech(code) ? "speech_unavailable" : code;
  const known = Object.hasOwn(BECAUSE, meant) ? BECAUSE[meant] : undefined;
  return ` because ${known ?? `the carrier gave the code ${quoted(code)}`}`;
}

const refund = ({ refunded }: Explained) => (refunded ? ", and its cost was refunded" : "");

/** One sentence for each state. A state without one does not compile. */
const SENTENCES: Record<MessageState, (of: Explained) => string> = {
  scheduled: (of) => `The ${nameOf(of)} waits for the time that it was scheduled for, and can be cancelled until then.`,
  queued: (of) =>
    of.errorCode === null
      ? `The ${nameOf(of)} waits for its turn at the carrier.`
      : `The ${nameOf(of)} waits to be tried again${because(of.errorCode)}.`,
  sending: (of) => `The ${nameOf(of)} is being handed to the carrier right now.`,
  submitted: (of) => `The carrier has accepted the ${nameOf(of)} and has not reported its end yet.`,
  delivered: (of) => `The carrier reports that the ${nameOf(of)} reached the phone.`,
  undelivered: (of) =>
    of.errorCode === null
      ? `The carrier reports that the ${nameOf(of)} did not reach the phone${refund(of)}.`
      : `The ${nameOf(of)} did not reach the phone${because(of.errorCode)}${refund(of)}.`,
  unconfirmed: (of) =>
    `The carrier has accepted the ${nameOf(of)} and never reported whether it reached the phone, so the charge stands.`,
  failed: (of) => `The ${nameOf(of)} was not sent${because(of.errorCode)}${refund(of)}.`,
  unknown: (of) =>
    of.refunded
      ? `Whether the carrier took the ${nameOf(of)} never became known${because(of.errorCode)}${refund(of)}.`
      : `Whether the carrier took the ${nameOf(of)} is not known yet${because(of.errorCode)}, and it is not sent twice.`,
  cancelled: (of) => `The ${nameOf(of)} was cancelled before it was sent${refund(of)}.`,
};

/** What became of a message, or is becoming of it, in one English sentence for people. */
export const explain = (of: Explained): string => SENTENCES[of.state](of);
