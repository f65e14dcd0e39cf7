import type { Said } from "../model/said.ts";
import { slot } from "./reply-template.ts";
import type { ReplyTemplate } from "./reply-template.ts";

// The reply of each operation, with its numbers left open (contract §5). The route sends it, and the console shows it
// again beside the message.

/** A reply with its numbers left open, and what it reports as code and values. */
export interface Reply {
  said: Said;
  template: ReplyTemplate;
}

const COINS = { coins_used: slot("spent"), coins_remaining: slot("remaining") };

/** A time as replies name it: UTC, without a fraction of 0 (RFC 3339). */
export const timeText = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z");

/** What becomes of an order at once: it is queued, or it is scheduled for a time (ms; contract §13). */
const isQueued = (sendAtMs: number | undefined) =>
  sendAtMs === undefined ? "is queued" : `is scheduled for ${timeText(sendAtMs)}`;

/** Contract §5.1 and §5.3: one SMS, with the number of segments if there are several. */
export function smsReply(segments: number, sendAtMs?: number): Reply {
  const template = { success: true, message: `The SMS ${isQueued(sendAtMs)}${inSegments(segments)}.`, ...COINS };
  return { said: { id: "sms", segments, sendAtMs }, template };
}

/** Contract §5.2. `recipients` counts each number once; `duplicates` counts the numbers that were listed repeatedly. */
export function bulkReply(recipients: number, segments: number, duplicates: number, sendAtMs?: number): Reply {
  const whom = plural(recipients, "recipient", "recipients");
  const size = segments > 1 && recipients > 1 ? `${inSegments(segments)} each` : inSegments(segments);
  const twice = plural(duplicates, "number that stood more than once was", "numbers that stood more than once were");
  const leftOut = duplicates === 0 ? "" : ` ${twice} left out.`;
  const template = { success: true, message: `The SMS ${isQueued(sendAtMs)} for ${whom}${size}.${leftOut}`, ...COINS };
  return { said: { id: "bulk", recipients, segments, duplicates, sendAtMs }, template };
}

/** Contract §5.5. */
export const ttsReply = (sendAtMs?: number): Reply => ({
  said: { id: "call", sendAtMs },
  template: { success: true, message: `The call ${isQueued(sendAtMs)}.`, ...COINS },
});

/** Contract §5.7. */
export const voiceReply = (sendAtMs?: number): Reply => ({
  said: { id: "call", sendAtMs },
  template: { success: true, callId: slot("message_id"), message: `The call ${isQueued(sendAtMs)}.`, ...COINS },
});

/** Contract §5.8. `phone` has ten digits, as the caller wrote it. */
export function otpReply(phone: string, brand: string, otp: string): Reply {
  const details = { phone, brand, otp_sent: otp, cost: slot("spent"), new_balance: slot("balance") };
  return { said: { id: "otp" }, template: { success: true, message: "The OTP is queued.", details } };
}

const plural = (count: number, one: string, many: string) =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;

const inSegments = (segments: number) => (segments === 1 ? "" : ` in ${segments} segments`);
