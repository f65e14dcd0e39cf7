import { slot } from "./reply-template.ts";
import type { ReplyTemplate } from "./reply-template.ts";

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

const plural = (count: number, one: string, many: string) =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;

/** What a reply says of queued SMS: recipients, segments where more than one, and numbers that stood twice. */
function queuedSms(recipients: number, segments: number, duplicates = 0): string {
  const whom =
    recipients === 1 ? "The SMS is queued" : `The SMS is queued for ${plural(recipients, "recipient", "recipients")}`;
  const size = segments === 1 ? "" : ` in ${segments} segments${recipients === 1 ? "" : " each"}`;
  const twice =
    duplicates === 0
      ? ""
      : ` ${plural(duplicates, "number that stood more than once was", "numbers that stood more than once were")} left out.`;
  return `${whom}${size}.${twice}`;
}
