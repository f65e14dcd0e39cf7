import type { Lane } from "./lane.ts";
import type { DltFields } from "./carrier/carrier.ts";
import type { OtpPiece } from "./carrier/dlt.ts";
import type { Operation } from "./operations.ts";

// Messages and recordings, in the forms that several areas share.

/** A position in the list of recordings: the page continues after the recording that was added then. */
export type RecordingPlace = Pick<RecordingView, "createdAt" | "fileId">;

export type { Operation } from "./operations.ts";

/** Languages in which a call can speak, in the order in which they are offered (contract §5.5). */
export const LANGUAGES = ["EN", "HI", "TE", "TA", "KN", "ML", "BN", "GU", "MR", "PA"] as const;
export type Language = (typeof LANGUAGES)[number];

/** What a carrier needs besides the number and the text. */
export interface Content {
  sender?: string;
  flash?: boolean;
  language?: Language;
  accent?: string;
  gender?: 1 | 2;
  rate?: number;
  /** The recording's key in R2 and its media type. */
  recording?: { objectKey: string; mime: string };
  /** Of an Indian message that was matched (contract §17), with what it was warned of. */
  dlt?: DltFields & { warning?: string };
  /** The text that the account's one-time passwords have, where that is not the service's own. */
  otp?: OtpPiece[];
  /** Only of a request in Twilio's form. No carrier gets it. */
  twilio?: TwilioTerms;
}

/** What a request in Twilio's form has besides (contract §15): its replies show it again. */
export interface TwilioTerms {
  /** The account's SID in its address. */
  account: string;
  /** Its `From`, also where that is no sender of ours. */
  from?: string;
  /** Its `MessagingServiceSid`. */
  service?: string;
  /** Where changes of the message's state are posted. */
  callback?: string;
}

/** A recording that was validated at the edge. */
export interface Recording {
  fileId: string;
  name: string;
  objectKey: string;
  mime: string;
  sizeBytes: number;
  durationMs: number;
}

/** A recording whose bytes are about to be stored. */
export interface Upload extends Recording {
  /** SHA-256 of the bytes, in hex. */
  content: string;
}

/** The key in R2 of a recording as telephones play it, beside its own: it is made for calls, and deleted with it. */
export const telephoneKey = (objectKey: string): string => `${objectKey}.8k`;

/** The folders in R2 of texts that were made into sound; each account has one of its own in it, by its object's name. */
export const SPEECH_FOLDER = "speech";

/** What an account may keep in one mode. Removed recordings count until their bytes are deleted. */
export interface RecordingQuota {
  recordings: number;
  bytes: number;
}

/** A recording in the account's list. */
export interface RecordingView extends Recording {
  createdAt: number;
}

/** The states of contract §9. `scheduled` is no stored state: it is `queued` before its time (`timelineOf`). */
export type MessageState =
  | "scheduled"
  | "queued"
  | "sending"
  | "submitted"
  | "delivered"
  | "undelivered"
  | "unconfirmed"
  | "failed"
  | "unknown"
  | "cancelled";

/** A state and when it was entered, in ms; of an attempt or a receipt also its carrier, of its end also the reason. */
export interface Entered {
  state: MessageState;
  at: number;
  /** Counts from 1, over all carriers. */
  attempt?: number;
  carrier?: string;
  code?: string;
}

/**
 * Every state that a message has been in, from those that were `entered` after the first: it was `queued` when it was
 * ordered or, where it was ordered for later, `scheduled` until its time came.
 */
export function timelineOf(
  { createdAt, sendAt }: { createdAt: number; sendAt?: number | null | undefined },
  entered: readonly Entered[],
  nowMs: number,
): Entered[] {
  if (typeof sendAt !== "number") return [{ state: "queued", at: createdAt }, ...entered];
  const hasCome = (entered[0]?.at ?? nowMs) >= sendAt;
  const due: Entered[] = hasCome ? [{ state: "queued", at: sendAt }] : [];
  return [{ state: "scheduled", at: createdAt }, ...due, ...entered];
}

/** States that a receipt says, or the answer to a submission. */
const SAID: ReadonlySet<MessageState> = new Set(["submitted", "delivered", "undelivered", "failed", "unknown"]);

/**
 * The states after the first, with the attempts and carriers that follow from their order: each `sending` begins one, and
 * what comes after it is its end. Entries may name their carrier (`by`) where it is not `own`; empty: it is not known. The
 * last has the message's own `code`.
 */
export function attemptsIn(
  entered: readonly (Entered & { by?: string | undefined })[],
  own: string | null,
  code: string | null,
): Entered[] {
  let attempt = 0;
  let current = own ?? "";
  return entered.map(({ state, at, by, code: why }, place): Entered => {
    const before = entered[place - 1]?.state;
    if (state === "sending") {
      attempt += 1;
      current = by ?? own ?? "";
    }
    const isAttempt = state === "sending" || before === "sending";
    const isSaid = isAttempt || by !== undefined || (SAID.has(state) && before !== "queued" && attempt > 0);
    const carrier = by ?? current;
    const reason = why ?? (place === entered.length - 1 && state !== "sending" ? code : null);
    return {
      state,
      at,
      ...(isAttempt && { attempt }),
      ...(isSaid && carrier !== "" && { carrier }),
      ...(reason !== null && reason !== undefined && { code: reason }),
    };
  });
}

/** A claimed message: only the consumer that claimed it may submit it, once, until the lease ends. */
export interface Claimed {
  index: number;
  to: string;
  /** The number of this claim, unique for the message: its outcome is recognised by it. */
  attempt: number;
  /** The carrier that may have it from an earlier attempt: no other gets it. Absent: the job's, or none has it. */
  only?: string;
}

/** The claimed messages of one job, with what they share. */
export interface ClaimedJob {
  seq: number;
  /** The carrier of the job: the one for which it was claimed first. */
  carrier: string;
  requestId: string;
  operation: Operation;
  content: Content;
  text: Uint8Array | null;
  /** The id of the secret that makes its messages' references; 1 where it is absent. */
  secretId?: number;
  messages: Claimed[];
}

/** The outcome of one attempt (contract §9). */
export type Outcome =
  | { kind: "submitted" }
  | { kind: "rejected"; code: string }
  /** The carrier certainly did not take it ("not now"). It uses no attempt up, and is tried again while it is valid. */
  | { kind: "not_accepted"; code: string; retryAfterMs?: number }
  /** The service's own code failed before anything left: counts towards `ATTEMPTS_MAX`. */
  | { kind: "not_sent"; code: string }
  /** The claim is given back unused: the message waits as before it, or for so long; the claim counts nowhere. */
  | { kind: "released"; afterMs?: number }
  | { kind: "unknown"; code: string; retryAfterMs?: number };

export type ReceiptState = "submitted" | "delivered" | "undelivered" | "failed";

/** A carrier that was offered a message, when, in ms, and its answer's code where it has one. */
export interface Tried {
  carrier: string;
  at: number;
  code?: string;
}

/** Which carriers a message was offered to under one claim: each but the last said that it did not take it. */
export interface Offered {
  tried: Tried[];
  /** Whether the last of them can be asked for the state of a message, and whether it recognises references. */
  follow: boolean;
  resubmits: boolean;
}

/**
 * A report on one message: the outcome of an attempt, or a carrier's receipt. `offered` is absent where only the carrier
 * got it for which it was claimed, a receipt's `carrier` where it was asked and is known to have the message.
 */
export type News = { seq: number; index: number } & (
  | { kind: "outcome"; attempt: number; outcome: Outcome; offered?: Offered }
  | { kind: "receipt"; state: ReceiptState; code?: string; carrier?: string }
);

/** What a consumer asks for: messages of one lane, for one attempt each. */
export interface ClaimAsked {
  lane: Lane;
  /** Messages at most. */
  max: number;
  /** The name of the carrier that will get them. */
  carrier: string;
  /** Where routes choose for each message: every carrier that may get one of them, until its outcome says which. */
  plan?: string[];
  /** With a plan: those that recognise references. */
  dedupes?: string[];
  /** For how long no other consumer gets them, in ms. */
  leaseMs: number;
}

/** One round of a consumer: what became of its last claims, and what it wants next. */
export interface WorkAsked {
  news: News[];
  /** Whether the carrier can be asked for the state of a message. */
  follow: boolean;
  /** Whether the carrier recognises references, so that an unknown message can be submitted again (contract §9). */
  resubmits: boolean;
  claim: ClaimAsked | null;
}

/** The answer to one round. */
export interface WorkDone {
  jobs: ClaimedJob[];
  /**
   * When the next message of the lane can be claimed, in ms from now; null when none waits. The alarm sends a token for
   * it then, so a consumer that got nothing need not wait.
   */
  againMs: number | null;
  /** When the oldest of these jobs was created, in ms since the epoch. */
  oldestMs?: number;
}

/** A message to look up at its carrier. */
export interface Followed {
  seq: number;
  index: number;
  attempt: number;
  /** Whether its last attempt was interrupted, so that the outcome is unknown. */
  unknown: boolean;
  operation: Operation;
  to: string;
  carrier: string;
  /** The id of the secret that makes its reference; 1 where it is absent. */
  secretId?: number;
}

/** One message as history and the operator see it. */
export interface MessageView {
  seq: number;
  index: number;
  /** The id of the secret that makes its public id; 1 where it is absent. */
  secretId?: number;
  /** Rises with every change of the message; history keeps the highest. */
  rev: number;
  requestId: string;
  /** Null for messages from before keys were recorded. */
  keyId: number | null;
  operation: Operation;
  to: string;
  state: MessageState;
  charge: number;
  /** Segments of an SMS; absent for calls, and for messages from before this was stored. */
  segments?: number;
  refunded: boolean;
  carrier: string | null;
  /** Attempts made; claims that were given back unused do not count. */
  attempts: number;
  errorCode: string | null;
  createdAt: number;
  updatedAt: number;
  /** For when it was ordered, in ms; absent: for at once. */
  sendAt?: number;
  /** Every state that it has been in, with the time in ms. */
  timeline: Entered[];
}
