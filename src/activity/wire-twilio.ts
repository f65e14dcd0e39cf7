import type { Config } from "../config/settings.ts";
import { messageSid } from "../crypto/ids.ts";
import type { MessageDetail } from "../model/message-detail.ts";
import type { MessageView } from "../model/message.ts";
import type { AccountRef } from "../model/ref.ts";
import { TWILIO_VERSION, twilioErrorCode, twilioStatus } from "../model/twilio/words.ts";
import type { TwilioStatus } from "../model/twilio/words.ts";
import { coins } from "../money/money.ts";
import { explain } from "./explain.ts";
import { shownText } from "./message-detail.ts";

// A message as Twilio's API shows it (contract §15), read by the clients of that API.

/** One coin is one rupee (contract §6). */
export const TWILIO_CURRENCY = "INR";

/** A time as Twilio writes it (RFC 2822, with the offset in digits). */
export const twilioTime = (ms: number): string => new Date(ms).toUTCString().replace("GMT", "+0000");

/** Where the messages of an account are. `account` is its SID, as the caller has it. */
export const twilioPath = (account: string): string => `/${TWILIO_VERSION}/Accounts/${account}/Messages`;

/** What a new message and a stored one are told apart by. */
export interface TwilioFields {
  account: string;
  sid: string;
  to: string;
  body: string;
  status: TwilioStatus;
  segments: string;
  from: string | undefined;
  service: string | undefined;
  created: string;
  /** What is known only of a stored one. */
  known?: Partial<Record<"date_updated" | "date_sent" | "price" | "error_message", string | null>> & {
    error_code?: number | null;
  };
}

/** The object of one message, its fields in Twilio's order. */
export const twilioMessage = ({ account, sid, created, known, ...fields }: TwilioFields) => ({
  account_sid: account,
  api_version: TWILIO_VERSION,
  body: fields.body,
  date_created: created,
  date_sent: null,
  date_updated: created,
  direction: "outbound-api",
  error_code: null,
  error_message: null,
  from: fields.from ?? null,
  messaging_service_sid: fields.service ?? null,
  num_media: "0",
  num_segments: fields.segments,
  price: null,
  price_unit: TWILIO_CURRENCY,
  sid,
  status: fields.status,
  subresource_uris: { media: `${twilioPath(account)}/${sid}/Media.json` },
  to: fields.to,
  uri: `${twilioPath(account)}/${sid}.json`,
  ...known,
});

/** States in which the carrier does not have the message yet: nothing is known of its price then, as Twilio's clients see it. */
const OPEN: ReadonlySet<TwilioStatus> = new Set(["scheduled", "queued", "sending"]);

/** The states with which a carrier has a message. */
const SENT: ReadonlySet<string> = new Set(["submitted", "delivered", "undelivered", "unconfirmed"]);

const sentAt = ({ timeline }: MessageView): number | undefined => timeline.find(({ state }) => SENT.has(state))?.at;

/** A stored message; the code of a live one-time password is masked. */
export function wireTwilio(config: Config, ref: AccountRef, account: string, detail: MessageDetail) {
  const { message, content } = detail;
  const status = twilioStatus(message);
  const code = twilioErrorCode(status, message.errorCode);
  const sent = sentAt(message);
  return twilioMessage({
    account,
    sid: messageSid(ref, message),
    to: message.to,
    body: shownText(config, ref, detail).text ?? "",
    status,
    segments: String(message.segments ?? 1),
    from: content.twilio?.from ?? content.sender,
    service: content.twilio?.service,
    created: twilioTime(message.createdAt),
    known: {
      date_updated: twilioTime(message.updatedAt),
      date_sent: sent === undefined ? null : twilioTime(sent),
      price: OPEN.has(status) ? null : message.refunded ? "0" : `-${coins(message.charge)}`,
      error_code: code,
      error_message: code === null ? null : explain(message),
    },
  });
}
