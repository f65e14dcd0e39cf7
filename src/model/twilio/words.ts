import type { MessageState } from "../message.ts";

// Twilio's words for what we know of a message (contract §15).

/** The states of messages as Twilio names them. */
export type TwilioStatus =
  "scheduled" | "queued" | "sending" | "sent" | "delivered" | "undelivered" | "failed" | "canceled";

const STATUS: Record<MessageState, TwilioStatus> = {
  scheduled: "scheduled",
  queued: "queued",
  sending: "sending",
  submitted: "sent",
  delivered: "delivered",
  undelivered: "undelivered",
  unconfirmed: "sent",
  failed: "failed",
  unknown: "sending",
  cancelled: "canceled",
};

/** A message's state in Twilio's words. What was refunded because nothing ever came to be known of it has failed. */
export const twilioStatus = ({ state, refunded }: { state: MessageState; refunded: boolean }): TwilioStatus =>
  state === "unknown" && refunded ? "failed" : STATUS[state];

/** The states of which a status callback tells, beside those that Twilio has no word for. */
const TOLD: ReadonlySet<MessageState> = new Set(["submitted", "delivered", "undelivered", "failed", "cancelled"]);

/** Whether a status callback tells of a state. */
export const isTold = (state: MessageState): boolean => TOLD.has(state);

/** Twilio's numbers for reasons that it has one for; any other is 30008, "unknown error". */
const ERROR_CODE: Readonly<Record<string, number>> = {
  absent_subscriber: 30003,
  rejected_by_carrier: 30007,
  validity_ended: 30036,
};

/** Why a message did not arrive, as Twilio's number; null while nothing says that it did not. */
export function twilioErrorCode(status: TwilioStatus, errorCode: string | null): number | null {
  return status === "failed" || status === "undelivered" ? (ERROR_CODE[errorCode ?? ""] ?? 30_008) : null;
}

/** The version in addresses and bodies. */
export const TWILIO_VERSION = "2010-04-01";
