import { slot } from "./reply-template.ts";
import type { ReplyTemplate } from "./reply-template.ts";
import { queuedSms } from "../text/otp-text.ts";

// What each operation answers, with its numbers left open (contract §5). The route sends it, and the console shows it
// again to whoever looks at a message.

const COINS = { coins_used: slot("spent"), coins_remaining: slot("remaining") };

/** Contract §5.1 to §5.3; `duplicates` are numbers that stood more than once. */
export function smsReply(recipients: number, segments: number, duplicates = 0): ReplyTemplate {
  return { success: true, message: queuedSms(recipients, segments, duplicates), ...COINS };
}

/** Contract §5.5. */
export const TTS_REPLY: ReplyTemplate = { success: true, message: "The call is queued.", ...COINS };

/** Contract §5.7. */
export const VOICE_REPLY: ReplyTemplate = {
  success: true,
  callId: slot("message_id"),
  message: "The call is queued.",
  ...COINS,
};

/** Contract §5.8. `phone` is as the caller wrote it, ten digits. */
export function otpReply(phone: string, brand: string, otp: string): ReplyTemplate {
  const details = { phone, brand, otp_sent: otp, cost: slot("spent"), new_balance: slot("balance") };
  return { success: true, message: "The OTP is queued.", details };
}
