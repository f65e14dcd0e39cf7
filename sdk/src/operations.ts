// Made from the API's document by `npm run sdk:operations`; do not edit.

import type { CallOptions, Keyed, Reply, SendOptions, Sent } from "./options.ts";
import type { OperationRoute } from "./route.ts";

export interface Balance {
  success: true;
  /** Coins that are left. */
  balance: number;
  currency: "coins";
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
};
