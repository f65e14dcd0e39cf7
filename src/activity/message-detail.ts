import type { Config } from "../config.ts";
import { messageId, objectName } from "../crypto/ids.ts";
import { unseal } from "../crypto/seal.ts";
import { logProblem } from "../log.ts";
import type { MessageDetail } from "../model/message-detail.ts";
import type { AccountRef } from "../model/ref.ts";
import { VOICE_BLOCK_MS } from "../money/pricing.ts";
import { TTS_REPLY, VOICE_REPLY, bulkReply, otpReply, smsReply } from "../sending/replies.ts";
import { fillTemplate } from "../sending/reply-template.ts";
import type { ReplyTemplate } from "../sending/reply-template.ts";
import { maskOtp, otpText, readOtpText } from "../text/otp-text.ts";
import type { OtpParts } from "../text/otp-text.ts";
import { countSegments } from "../text/segments.ts";

// What the console shows of one message: its text, the request as a command that repeats it, the API's reply, and how
// the price was computed. All of it is reconstructed from what the account stores.

/** Shown in place of a one-time password that is masked or was deleted. */
const HIDDEN = "••••••";

/** A message's text as the console shows it. */
export interface ShownText {
  /** Null for a recording, and after the text was deleted. */
  text: string | null;
  /** Why there is no text, or why it is shown masked. */
  why: "recording" | "forgotten" | "masked" | null;
  otp: OtpParts | null;
}

function textOf(config: Config, ref: AccountRef, story: MessageDetail): string | null {
  if (story.text === null) return null;
  try {
    return unseal(config.SEAL_SECRET, objectName(ref), story.text);
  } catch (problem) {
    // SEAL_SECRET was changed since the text was sealed.
    logProblem("text of a message", problem);
    return null;
  }
}

/** The text; in live mode the one-time password is masked, because the console must not reveal it (contract §5.8). */
export function shownText(config: Config, ref: AccountRef, story: MessageDetail): ShownText {
  const { operation } = story.message;
  if (operation === "voice") return { text: null, why: "recording", otp: null };
  const text = textOf(config, ref, story);
  if (operation !== "otp") return { text, why: text === null ? "forgotten" : null, otp: null };
  const sent = readOtpText(text ?? "");
  if (!sent) return { text: null, why: "forgotten", otp: null };
  if (ref.mode === "test") return { text, why: null, otp: sent };
  const otp = maskOtp(sent);
  return { text: otpText(otp.brand, otp.code), why: "masked", otp };
}

/** A request as a client would send it. */
export interface ApiRequest {
  url: string;
  /** The header for the key, without the key. */
  auth: string;
  body: Record<string, unknown>;
}

const BEARER = "Authorization: Bearer ";

/** Ten digits, for operations that take no country code. */
const withoutCountry = (to: string) => to.replace(/^\+91/u, "");

function smsRequest(config: Config, { message, content, request }: MessageDetail, text: string | null): ApiRequest {
  const words = { message: text ?? HIDDEN };
  const sender = content.sender === undefined ? {} : { senderId: content.sender };
  const base = { url: `${config.SMS_URL}/send-sms`, auth: BEARER };
  if (content.flash !== undefined) {
    const body = { phone: message.to, ...words, isFlash: content.flash, ...sender };
    return { ...base, url: `${config.SMS_URL}/send-international-sms`, body };
  }
  if (request.count === 1) return { ...base, body: { phone: withoutCountry(message.to), ...words, ...sender } };
  const recipients = request.recipients.map(withoutCountry);
  return { ...base, url: `${config.SMS_URL}/send-bulk-sms`, body: { recipients, ...words, ...sender } };
}

/** The request that created a message. Of a long list of recipients it has only the first. */
export function requestOf(config: Config, story: MessageDetail, { text, otp }: ShownText): ApiRequest {
  const { message, content, recording } = story;
  switch (message.operation) {
    case "sms":
    case "sms_international":
      return smsRequest(config, story, text);
    case "otp": {
      const { code, brand } = otp ?? { code: HIDDEN, brand: HIDDEN };
      const body = { phone: withoutCountry(message.to), otp: code, brandName: brand };
      return { url: `${config.OTP_URL}/send-otp`, auth: BEARER, body };
    }
    case "tts": {
      const { language, accent, gender, rate } = content;
      const voice = { language, accent, ssmlGender: gender, speakingRate: rate };
      const body = { callee: withoutCountry(message.to), text: text ?? HIDDEN, ...voice };
      return { url: `${config.TTS_URL}/api/tts-call`, auth: "X-Api-Key: ", body };
    }
    case "voice": {
      const body = { callee: message.to.slice(1), fileId: recording?.fileId ?? HIDDEN };
      return { url: `${config.VOICE_URL}/api/make-voice-call`, auth: "X-Api-Key: ", body };
    }
  }
}

/** A text quoted as one word of a POSIX shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** JSON in which characters that change the text direction are escaped. */
function plainJson(body: unknown): string {
  return JSON.stringify(body).replaceAll(
    /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
    (letter) => String.raw`\u` + letter.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

/** The request as a curl command, which reads the key from the variable DASTAK_KEY. */
export function curlOf({ url, auth, body }: ApiRequest): string {
  return [
    `curl ${shellWord(url)}`,
    `-H "${auth}$DASTAK_KEY"`,
    "-H 'Content-Type: application/json'",
    `-d ${shellWord(plainJson(body))}`,
  ].join(" \\\n  ");
}

function templateOf({ message, request }: MessageDetail, { text, otp }: ShownText): ReplyTemplate {
  switch (message.operation) {
    case "sms":
    case "sms_international": {
      const { segments } = countSegments(text ?? "");
      return request.count > 1 ? bulkReply(request.count, segments, 0) : smsReply(segments);
    }
    case "otp": {
      const phone = withoutCountry(message.to);
      const { code, brand } = otp ?? { code: HIDDEN, brand: HIDDEN };
      return otpReply(phone, brand, code);
    }
    case "tts":
      return TTS_REPLY;
    case "voice":
      return VOICE_REPLY;
  }
}

/** The API's reply to the request. */
export function replyOf(
  config: Config,
  ref: AccountRef,
  story: MessageDetail,
  shown: ShownText,
): Record<string, unknown> {
  const { message, request } = story;
  return fillTemplate(templateOf(story, shown), {
    spent: request.spent,
    balance: request.balance,
    messageId: () => messageId(config.KEY_SECRET, ref, message.operation, { seq: request.seq, index: 0 }),
  });
}

/** How a price is computed: parts × price per part × recipients. */
export interface Price {
  part: "segment" | "otp" | "call" | "block" | "message";
  parts: number;
  /** Units. */
  each: number;
  recipients: number;
  total: number;
  /** Length of the recording, or null. */
  durationMs: number | null;
}

/** How the price of a request was computed. */
export function priceOf(story: MessageDetail, { text }: ShownText): Price {
  const { message, request, recording } = story;
  const of = (part: Price["part"], parts: number): Price => {
    // If the charge is not a multiple of the parts, show one total.
    const whole = parts > 0 && message.charge % parts === 0;
    return {
      part: whole ? part : "message",
      parts: whole ? parts : 1,
      each: whole ? message.charge / parts : message.charge,
      recipients: request.count,
      total: request.spent,
      durationMs: recording?.durationMs ?? null,
    };
  };
  switch (message.operation) {
    case "sms":
    case "sms_international":
      return text === null ? of("message", 1) : of("segment", countSegments(text).segments);
    case "otp":
      return of("otp", 1);
    case "tts":
      return of("call", 1);
    case "voice":
      return recording ? of("block", Math.ceil(recording.durationMs / VOICE_BLOCK_MS)) : of("call", 1);
  }
}
