import type { Config } from "../config/settings.ts";
import { messageId, objectName } from "../crypto/ids.ts";
import { unseal } from "../crypto/seal.ts";
import { logProblem } from "../log.ts";
import type { MessageDetail } from "../model/message-detail.ts";
import { ENDPOINTS, OPERATIONS, contentOf } from "../model/operations.ts";
import type { BilledBy, SendKind } from "../model/operations.ts";
import type { AccountRef } from "../model/ref.ts";
import { VOICE_BLOCK_MS } from "../money/pricing.ts";
import { OTP_PLACE, keyHeader, reachableUrl } from "../sending/curl.ts";
import type { ApiRequest } from "../sending/curl.ts";
import { bulkReply, otpReply, smsReply, timeText, ttsReply, voiceReply } from "../sending/replies.ts";
import type { Reply } from "../sending/replies.ts";
import { fillTemplate } from "../sending/reply-template.ts";
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
  /** Why there is no text, or why it is shown masked. `unreadable`: it is there, and the secret has changed since. */
  why: "recording" | "forgotten" | "unreadable" | "masked" | null;
  /** For how many days texts are kept. */
  keptDays: number;
  otp: OtpParts | null;
}

function textOf(config: Config, ref: AccountRef, story: MessageDetail): string | null {
  if (story.text === null) return null;
  try {
    return unseal(config.SEAL_SECRET, objectName(ref), story.text);
  } catch (problem) {
    // SEAL_SECRET does not list the secret any more that sealed the text.
    logProblem("text of a message", problem);
    return null;
  }
}

/** The text; in live mode the one-time password is masked, because the console must not reveal it (contract §5.8). */
export function shownText(config: Config, ref: AccountRef, story: MessageDetail): ShownText {
  const { operation } = story.message;
  const content = contentOf(operation);
  const keptDays = config.TEXT_DAYS;
  if (content === "recording") return { text: null, why: "recording", otp: null, keptDays };
  const text = textOf(config, ref, story);
  const sent = readOtpText(text ?? "");
  const pieces = story.content.otp;
  // A code to another country is an SMS with the text of an OTP (contract §15).
  const isCode = content === "code" || (sent !== null && ref.mode === "live");
  if (!isCode) {
    const missing = story.text === null ? "forgotten" : "unreadable";
    return { text, why: text === null ? missing : null, otp: null, keptDays };
  }
  if (!sent) return { text: null, why: "forgotten", otp: null, keptDays };
  if (ref.mode === "test") return { text: otpText(sent.brand, sent.code, pieces), why: null, otp: sent, keptDays };
  const otp = maskOtp(sent);
  return { text: otpText(otp.brand, otp.code, pieces), why: "masked", otp, keptDays };
}

/** Ten digits, for operations that take no country code. */
const withoutCountry = (to: string) => to.replace(/^\+91/u, "");

/** How a message was sent: the kind of send, its body, and the reply with placeholders for its numbers. */
interface Sent {
  kind: SendKind;
  body: Record<string, unknown>;
  reply: Reply;
}

function smsSent({ message, content, request }: MessageDetail, text: string | null): Sent {
  const words = { message: text ?? HIDDEN };
  const sender = content.sender === undefined ? {} : { senderId: content.sender };
  const { segments } = countSegments(text ?? "");
  if (content.flash !== undefined) {
    return {
      kind: "international",
      body: { phone: message.to, ...words, isFlash: content.flash, ...sender },
      reply: smsReply(segments, message.sendAt),
    };
  }
  if (request.count === 1) {
    return {
      kind: "sms",
      body: { phone: withoutCountry(message.to), ...words, ...sender },
      reply: smsReply(segments, message.sendAt),
    };
  }
  const body = { recipients: request.recipients.map(withoutCountry), ...words, ...sender };
  return { kind: "bulk", body, reply: bulkReply(request.count, segments, 0, message.sendAt) };
}

function sentOf(story: MessageDetail, { text, otp }: ShownText): Sent {
  const { message, content, recording } = story;
  switch (message.operation) {
    case "sms":
    case "sms_international":
      return smsSent(story, text);
    case "otp": {
      const phone = withoutCountry(message.to);
      const { code, brand } = otp ?? { code: HIDDEN, brand: HIDDEN };
      return { kind: "otp", body: { phone, otp: code, brandName: brand }, reply: otpReply(phone, brand, code) };
    }
    case "tts": {
      const { language, accent, gender, rate } = content;
      const voice = { language, accent, ssmlGender: gender, speakingRate: rate };
      const body = { callee: withoutCountry(message.to), text: text ?? HIDDEN, ...voice };
      return { kind: "tts", body, reply: ttsReply(message.sendAt) };
    }
    case "voice": {
      const body = { callee: message.to.slice(1), fileId: recording?.fileId ?? HIDDEN };
      return { kind: "voice", body, reply: voiceReply(message.sendAt) };
    }
  }
}

/** A body whose code the page does not show: the reader sets a code, and a brand that was deleted with it is left out. */
function withOwnCode(body: Record<string, unknown>, { otp }: ShownText): Record<string, unknown> {
  if (!otp) return { phone: body["phone"], otp: OTP_PLACE };
  return { ...body, otp: OTP_PLACE, brandName: otp.brand.replaceAll(otp.code, OTP_PLACE) };
}

/**
 * The request that created a message; of a long list of recipients it has only the first. Null when the text or the
 * recording is no longer there, so that no request can repeat it.
 */
export function requestOf(config: Config, story: MessageDetail, shown: ShownText): ApiRequest | null {
  const { kind, body: sent } = sentOf(story, shown);
  const isGone = kind === "voice" ? !story.recording : kind !== "otp" && shown.text === null;
  if (isGone) return null;
  const { sendAt, state } = story.message;
  // A time that has passed would be refused.
  const later = state === "scheduled" && sendAt !== undefined ? { sendAt: timeText(sendAt) } : {};
  const body = kind === "otp" && shown.why !== null ? withOwnCode(sent, shown) : { ...sent, ...later };
  const endpoint = ENDPOINTS[kind];
  return { url: reachableUrl(config, endpoint), auth: keyHeader(endpoint), body };
}

/** The API's reply to the request. */
export function replyOf(
  config: Config,
  ref: AccountRef,
  story: MessageDetail,
  shown: ShownText,
): Record<string, unknown> {
  const { message, request } = story;
  return fillTemplate(sentOf(story, shown).reply.template, {
    spent: request.spent,
    balance: request.balance,
    messageId: () =>
      messageId(config.KEY_SECRET, ref, message.operation, {
        ...message,
        seq: request.seq,
        index: 0,
      }),
  });
}

/** How a price is computed: parts × price per part × recipients. */
export interface PriceParts {
  part: BilledBy | "message";
  parts: number;
  /** Units. */
  each: number;
  recipients: number;
  total: number;
  /** Length of the recording, or null. */
  durationMs: number | null;
}

/** How the price of a request was computed. */
export function priceOf(story: MessageDetail, { text }: ShownText): PriceParts {
  const { message, request, recording } = story;
  const of = (part: PriceParts["part"], parts: number): PriceParts => {
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
  const { billedBy } = OPERATIONS[message.operation];
  switch (billedBy) {
    case "segment":
      return text === null ? of("message", 1) : of("segment", countSegments(text).segments);
    case "block":
      return recording ? of("block", Math.ceil(recording.durationMs / VOICE_BLOCK_MS)) : of("call", 1);
    case "otp":
    case "call":
      return of(billedBy, 1);
  }
}
