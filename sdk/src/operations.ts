// Made from the API's document by `npm run sdk:operations`; do not edit.

import type { Listing } from "./listing.ts";
import type { CallOptions, Keyed, Reply, SendOptions, Sent } from "./options.ts";
import type { OperationRoute } from "./route.ts";

export interface Balance {
  success: true;
  /** Coins that are left. */
  balance: number;
  currency: "coins";
}

export interface CaughtMessage {
  /** Names one message or call. */
  id: string;
  /** The `X-Request-Id` of the request that made it. */
  request_id: string;
  /** E.164. */
  to: string;
  operation: "sms" | "sms_international" | "otp" | "tts" | "voice";
  sender: string | null;
  /** The text of a message or call; null for a recording. */
  text: string | null;
  /** The one-time password in the text, if it has one. */
  code: string | null;
  flash: boolean;
  /** Where the recording of a call plays. */
  audio_url: string | null;
  at: string;
}

export interface CaughtMessageList {
  success: true;
  data: CaughtMessage[];
  /** Whether another page follows. */
  has_more: boolean;
  /** The `after` of the next page; null on the last one. */
  next: string | null;
}

export interface CaughtMessageOrNone {
  success: true;
  /** Null: none came in time. */
  message: CaughtMessage | null;
}

export interface CaughtMessageReply {
  success: true;
  message: CaughtMessage;
}

export interface Deleted {
  success: true;
  /** How many were deleted. */
  deleted: number;
}

export interface OtpQueued {
  success: true;
  message: string;
  details: {
    /** The number, as it was given. */
    phone: string;
    brand: string;
    otp_sent: string;
    /** Coins that this cost. */
    cost: number;
    /** Coins that are left. */
    new_balance: number;
  };
}

export interface Queued {
  success: true;
  /** What was done, for people. */
  message: string;
  /** Whole coins that this cost. */
  coins_used: number;
  /** Whole coins that are left, rounded down. */
  coins_remaining: number;
}

export interface QueuedCall {
  success: true;
  /** Names the call. */
  callId: string;
  /** What was done, for people. */
  message: string;
  /** Whole coins that this cost. */
  coins_used: number;
  /** Whole coins that are left, rounded down. */
  coins_remaining: number;
}

export interface Recording {
  id: string;
  name: string;
  /** Its media type. */
  type: string;
  size_bytes: number;
  duration_ms: number;
  /** Where it plays, for a day. */
  audio_url: string | null;
  created_at: string;
}

export interface RecordingList {
  success: true;
  data: Recording[];
  /** Whether another page follows. */
  has_more: boolean;
  /** The `after` of the next page; null on the last one. */
  next: string | null;
}

export interface RecordingReply {
  success: true;
  recording: Recording;
}

export interface Uploaded {
  success: true;
  /** Names the recording, for calls. */
  fileId: string;
  message: string;
}

/** What `sendBulkSms` takes. */
export interface SendBulkSmsBody {
  /** Indian mobiles: ten digits each, without country code. */
  recipients: readonly string[];
  /** The text. It is billed by segments: 160 characters of GSM-7, or 70 of any other script. */
  message: string;
  /** The sender that the receiver sees. */
  senderId?: string | undefined;
}

/** What `sendInternationalSms` takes. */
export interface SendInternationalSmsBody {
  /** The number with + and its country code (E.164), possible in its country. */
  phone: string;
  /** The text. It is billed by segments: 160 characters of GSM-7, or 70 of any other script. */
  message: string;
  /** Whether it is shown at once and not stored. */
  isFlash?: boolean | undefined;
  /** The sender that the receiver sees. */
  senderId?: string | undefined;
}

/** What `sendSms` takes. */
export interface SendSmsBody {
  /** An Indian mobile: ten digits, without country code. */
  phone: string;
  /** The text. It is billed by segments: 160 characters of GSM-7, or 70 of any other script. */
  message: string;
  /** The sender that the receiver sees. */
  senderId?: string | undefined;
}

/** What `sendOtp` takes. */
export interface SendOtpBody {
  /** An Indian mobile: ten digits, without country code. */
  phone: string;
  /** Your one-time password; leading zeros are kept. */
  otp: string;
  /** The name in the text; without it, that of the service. */
  brandName?: string | undefined;
}

/** What `ttsCall` takes. */
export interface TtsCallBody {
  /** An Indian mobile or landline: ten digits, without country code or 0. */
  callee: string;
  /** What the call says. */
  text: string;
  /** The language of the text. */
  language?: "EN" | "HI" | "TE" | "TA" | "KN" | "ML" | "BN" | "GU" | "MR" | "PA" | undefined;
  /** Of English voices: Indian, US, UK or Australian. */
  accent?: "1" | "44" | "61" | "91" | undefined;
  /** A male voice (1) or a female one (2). */
  ssmlGender?: 1 | 2 | undefined;
  /** How fast it speaks: 0.8 is slow, 1.2 fast. */
  speakingRate?: number | undefined;
}

/** What `makeVoiceCall` takes. */
export interface MakeVoiceCallBody {
  /** Country code and number, digits only, possible in its country. */
  callee: string;
  /** The `fileId` of a recording that was uploaded. */
  fileId: string;
}

/** What `uploadVoice` takes. */
export interface UploadVoiceBody {
  /** A bare name that ends in .wav or .mp3, as the bytes are. */
  fileName: string;
  /** The file in standard Base64. */
  base64Data: string;
}

/** What `listRecordings` takes. */
export interface ListRecordingsQuery {
  /** How many rows a page has. */
  limit?: number | undefined;
  /** The `next` of the page before. */
  after?: string | undefined;
}

/** What `renameRecording` takes. */
export interface RenameRecordingBody {
  /** Its new name: a bare name, without a path. */
  name: string;
}

/** What `listTestInbox` takes. */
export interface ListTestInboxQuery {
  /** A search: words, and `to:`, `kind:`, `text:`, `request:`, `before:`, `after:` with a value. */
  q?: string | undefined;
  /** Messages to this number: E.164, or ten digits of an Indian one. */
  to?: string | undefined;
  /** Messages after this ISO time, or after the message with this id. */
  since?: string | undefined;
  /** How many rows a page has. */
  limit?: number | undefined;
  /** The `next` of the page before. */
  after?: string | undefined;
}

/** What `clearTestInbox` takes. */
export interface ClearTestInboxQuery {
  /** A search: words, and `to:`, `kind:`, `text:`, `request:`, `before:`, `after:` with a value. */
  q?: string | undefined;
  /** Messages to this number: E.164, or ten digits of an Indian one. */
  to?: string | undefined;
  /** Messages after this ISO time, or after the message with this id. */
  since?: string | undefined;
}

/** What `waitInTestInbox` takes. */
export interface WaitInTestInboxQuery {
  /** How many seconds to wait. */
  timeout?: number | undefined;
  /** A search: words, and `to:`, `kind:`, `text:`, `request:`, `before:`, `after:` with a value. */
  q?: string | undefined;
  /** Messages to this number: E.164, or ten digits of an Indian one. */
  to?: string | undefined;
  /** Messages after this ISO time, or after the message with this id. */
  since?: string | undefined;
}

/** The operations of the service, each a method of the client. */
export interface Operations {
  /**
   * Send one text to many Indian mobiles.
   *
   * All or nothing: one number that is wrong refuses the whole list, and `param` names it. A number that stands
   * twice is sent and charged once.
   */
  sendBulkSms(body: SendBulkSmsBody, options?: SendOptions): Promise<Sent<Queued>>;
  /**
   * Send one SMS abroad.
   *
   * Costs by segment and country. `permission_denied` where a country is not offered. An Indian mobile is priced as
   * in `sendSms`.
   */
  sendInternationalSms(body: SendInternationalSmsBody, options?: SendOptions): Promise<Sent<Queued>>;
  /**
   * Send one SMS to an Indian mobile.
   *
   * Costs one coin for each segment, by the usual rate card. The reply comes before the SMS is delivered.
   */
  sendSms(body: SendSmsBody, options?: SendOptions): Promise<Sent<Queued>>;
  /**
   * Send a one-time password.
   *
   * Costs the plan's price of one OTP. The password is in this reply, and in no log or list.
   */
  sendOtp(body: SendOtpBody, options?: SendOptions): Promise<Sent<OtpQueued>>;
  /**
   * Make a call that speaks a text.
   *
   * Costs two coins, by the usual rate card.
   */
  ttsCall(body: TtsCallBody, options?: SendOptions): Promise<Sent<Queued>>;
  /**
   * Make a call that plays a recording.
   *
   * Costs two coins for each started 30 s of the recording, by the usual rate card.
   */
  makeVoiceCall(body: MakeVoiceCallBody, options?: SendOptions): Promise<Sent<QueuedCall>>;
  /**
   * Upload a recording.
   *
   * WAV (PCM, µ-law, A-law) or MP3, up to 10 minutes. Nothing is billed, and the rate limit counts it.
   */
  uploadVoice(body: UploadVoiceBody, options?: SendOptions): Promise<Keyed<Uploaded>>;
  /** Get the balance. */
  accountBalance(options?: CallOptions): Promise<Reply<Balance>>;
  /** List the recordings, newest first. */
  listRecordings(query?: ListRecordingsQuery, options?: CallOptions): Listing<Reply<RecordingList>>;
  /** Show a recording. */
  getRecording(file: string, options?: CallOptions): Promise<Reply<RecordingReply>>;
  /** Rename a recording. */
  renameRecording(file: string, body: RenameRecordingBody, options?: CallOptions): Promise<Reply<RecordingReply>>;
  /**
   * Delete a recording.
   *
   * Calls that were made before still play it.
   */
  deleteRecording(file: string, options?: CallOptions): Promise<Reply<Deleted>>;
  /**
   * List what the simulator caught, newest first.
   *
   * Needs a test key.
   */
  listTestInbox(query?: ListTestInboxQuery, options?: CallOptions): Listing<Reply<CaughtMessageList>>;
  /** Delete the messages that fit. */
  clearTestInbox(query?: ClearTestInboxQuery, options?: CallOptions): Promise<Reply<Deleted>>;
  /**
   * Wait for a message.
   *
   * Answers with the first message that fits; without `since`, also with one of the last 10 s. Null when none came.
   */
  waitInTestInbox(query?: WaitInTestInboxQuery, options?: CallOptions): Promise<Reply<CaughtMessageOrNone>>;
  /** Show one message. */
  getTestMessage(id: string, options?: CallOptions): Promise<Reply<CaughtMessageReply>>;
  /** Delete one message. */
  deleteTestMessage(id: string, options?: CallOptions): Promise<Reply<Deleted>>;
}

/** How each becomes a request. */
export const OPERATIONS: Readonly<Record<keyof Operations, OperationRoute>> = {
  sendBulkSms: { method: "POST", base: "sms", path: "/send-bulk-sms", keyed: true, takes: "body" },
  sendInternationalSms: { method: "POST", base: "sms", path: "/send-international-sms", keyed: true, takes: "body" },
  sendSms: { method: "POST", base: "sms", path: "/send-sms", keyed: true, takes: "body" },
  sendOtp: { method: "POST", base: "otp", path: "/send-otp", keyed: true, takes: "body" },
  ttsCall: { method: "POST", base: "tts", path: "/api/tts-call", key: "x-api-key", keyed: true, takes: "body" },
  makeVoiceCall: {
    method: "POST",
    base: "voice",
    path: "/api/make-voice-call",
    key: "x-api-key",
    keyed: true,
    takes: "body",
  },
  uploadVoice: {
    method: "POST",
    base: "voice",
    path: "/api/upload-voice",
    key: "x-api-key",
    keyed: true,
    takes: "body",
  },
  accountBalance: { method: "GET", base: "sms", path: "/account-balance" },
  listRecordings: { method: "GET", base: "console", path: "/v1/recordings", takes: "query", gives: "list" },
  getRecording: { method: "GET", base: "console", path: "/v1/recordings/{file}" },
  renameRecording: { method: "PATCH", base: "console", path: "/v1/recordings/{file}", takes: "body" },
  deleteRecording: { method: "DELETE", base: "console", path: "/v1/recordings/{file}" },
  listTestInbox: { method: "GET", base: "console", path: "/v1/test/inbox", takes: "query", gives: "list" },
  clearTestInbox: { method: "DELETE", base: "console", path: "/v1/test/inbox", takes: "query" },
  waitInTestInbox: {
    method: "GET",
    base: "console",
    path: "/v1/test/inbox/wait",
    takes: "query",
    held: { by: "timeout", usualSec: 30 },
  },
  getTestMessage: { method: "GET", base: "console", path: "/v1/test/inbox/{id}" },
  deleteTestMessage: { method: "DELETE", base: "console", path: "/v1/test/inbox/{id}" },
};
