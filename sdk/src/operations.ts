// Made from the API's document by `npm run sdk:operations`; do not edit.

import type { ErrorCode } from "./error-code.ts";
import type { Listing } from "./listing.ts";
import type { CallOptions, Keyed, Reply, SendOptions, Sent } from "./options.ts";
import type { OperationRoute } from "./route.ts";

export interface Balance {
  success: true;
  /** Coins that are left. */
  balance: number;
  currency: "coins";
}

export interface CancelledReply {
  success: true;
  /** How many messages are cancelled, by this call or before. */
  cancelled: number;
  /** What they cost, which was given back, in coins. */
  refunded: number;
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

export interface Dlt {
  success: true;
  dlt: DltRegistry;
}

export interface DltImported {
  success: true;
  added: number;
  changed: number;
  unchanged: number;
  skipped: {
    /** The line of the file on which the row begins, from 1. */
    line: number;
    reason: string;
  }[];
  errors: {
    /** The line of the file on which the row begins, from 1. */
    line: number;
    column: string;
    error: string;
  }[];
}

export interface DltRefused {
  /** The operators' code: 620 header, 630 no templates, 633 text, 634 header of the template, 635 length. */
  code: 620 | 630 | 633 | 634 | 635;
  /** The nearest template, or the one that the text fits. */
  template_id: string | null;
  /** The first character of the text that differs, in code points from 0. */
  at: number;
  /** What the template has there: up to 20 characters, or a variable's tag. */
  expected: string;
  /** What the text has there; the code of a one-time password is masked. */
  found: string;
  /** Of 635: the most characters that the value may have. */
  limit?: number | undefined;
  /** Of 635: the characters that it has. */
  length?: number | undefined;
}

export interface DltRegistry {
  entity_id: string | null;
  enforce: "off" | "warn" | "on";
  headers: {
    header: string;
    category: "otp" | "transactional" | "service_implicit" | "service_explicit" | "promotional";
  }[];
  templates: {
    template_id: string;
    headers: string[];
    category: "otp" | "transactional" | "service_implicit" | "service_explicit" | "promotional";
    text: string;
  }[];
  otp: {
    template_id: string;
    values: string[];
  } | null;
  /** Null until it is first set. */
  updated_at: string | null;
}

export type Event =
  | MessageEvent
  | {
      /** Its number in the account's sequence, which has no gap. */
      seq: number;
      /** Names the event; the same on every delivery. */
      id: string;
      at: string;
      type: "balance.low";
      data: {
        /** Coins; up to four decimals. */
        balance: number;
        /** Coins; up to four decimals. */
        balance_low_at: number;
      };
    }
  | {
      /** Its number in the account's sequence, which has no gap. */
      seq: number;
      /** Names the event; the same on every delivery. */
      id: string;
      at: string;
      type: "credit.added";
      data: {
        /** Coins; up to four decimals. */
        amount: number;
        /** Coins; up to four decimals. */
        balance: number;
      };
    }
  | {
      /** Its number in the account's sequence, which has no gap. */
      seq: number;
      /** Names the event; the same on every delivery. */
      id: string;
      at: string;
      type: "key.created";
      data: {
        key_id: string;
        name: string;
      };
    }
  | {
      /** Its number in the account's sequence, which has no gap. */
      seq: number;
      /** Names the event; the same on every delivery. */
      id: string;
      at: string;
      type: "key.revoked";
      data: {
        key_id: string;
        name: string;
      };
    }
  | {
      /** Its number in the account's sequence, which has no gap. */
      seq: number;
      /** Names the event; the same on every delivery. */
      id: string;
      at: string;
      type: "webhook.disabled";
      data: {
        webhook_id: string;
        reason: string;
      };
    };

export interface EventList {
  success: true;
  data: Event[];
  /** Whether more events are there already. */
  has_more: boolean;
  /** The `after` of the next request. */
  next: number;
}

export interface Hook {
  kind: "supabase";
  /** Where Supabase Auth posts. */
  url: string;
  /** The key with which it sends, and with which it ends. */
  key_id: string;
  /** The name in the text; null: that of the service. */
  brand_name: string | null;
}

export interface HookWithSecret {
  success: true;
  hook: Hook;
  /** Signs what is posted. */
  secret: string;
}

export interface Message {
  /** Names one message or call. */
  id: string;
  /** The `X-Request-Id` of the request that made it. */
  request_id: string;
  operation: "sms" | "sms_international" | "otp" | "tts" | "voice";
  /** E.164. */
  to: string;
  state:
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
  /** Segments of the SMS; null for a call, and for messages from before this was stored. */
  segments: number | null;
  /** Coins; up to four decimals. */
  cost: number;
  /** Whether the cost was given back. */
  refunded: boolean;
  /** Why it is in its state, where there is a reason: a code of the service or of the carrier. */
  error_code: string | null;
  key_id: string | null;
  created_at: string;
  updated_at: string;
  /** When it was ordered for; null: for at once. */
  send_at: string | null;
}

export interface MessageDetail {
  /** Names one message or call. */
  id: string;
  /** The `X-Request-Id` of the request that made it. */
  request_id: string;
  operation: "sms" | "sms_international" | "otp" | "tts" | "voice";
  /** E.164. */
  to: string;
  state:
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
  /** Segments of the SMS; null for a call, and for messages from before this was stored. */
  segments: number | null;
  /** Coins; up to four decimals. */
  cost: number;
  /** Whether the cost was given back. */
  refunded: boolean;
  /** Why it is in its state, where there is a reason: a code of the service or of the carrier. */
  error_code: string | null;
  key_id: string | null;
  created_at: string;
  updated_at: string;
  /** When it was ordered for; null: for at once. */
  send_at: string | null;
  sender: string | null;
  /** Of an Indian message that was matched with the account's DLT registry. */
  dlt: {
    entity_id: string;
    /** Null where it fitted none and was sent all the same. */
    template_id: string | null;
    header: string | null;
    category: string | null;
  } | null;
  /** Null for a recording, and once it was deleted; the code of a live one-time password is masked. */
  text: string | null;
  timeline: {
    state:
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
    at: string;
    /** The number of the attempt that begins or ends here. */
    attempt?: number | undefined;
    /** The carrier of the attempt or receipt. */
    carrier?: string | undefined;
    /** The carrier's word for the state. */
    carrier_code?: string | undefined;
  }[];
  /** What became of it, in one sentence for people. */
  explanation: string;
}

export interface MessageEvent {
  /** Its number in the account's sequence, which has no gap. */
  seq: number;
  /** Names the event; the same on every delivery. */
  id: string;
  at: string;
  type:
    | "message.submitted"
    | "message.delivered"
    | "message.undelivered"
    | "message.unconfirmed"
    | "message.failed"
    | "message.unknown"
    | "message.cancelled";
  data: {
    /** Names one message or call. */
    message_id: string;
    /** The `X-Request-Id` of the request that made it. */
    request_id: string;
    operation: "sms" | "sms_international" | "otp" | "tts" | "voice";
    /** E.164. */
    to: string;
    state:
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
    error_code: string | null;
    /** Coins; up to four decimals. */
    cost: number;
    refunded: boolean;
    attempts: number;
  };
}

export interface MessageList {
  success: true;
  data: Message[];
  /** Whether another page follows. */
  has_more: boolean;
  /** The `after` of the next page; null on the last one. */
  next: string | null;
}

export interface MessageReply {
  success: true;
  message: MessageDetail;
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

export interface OwnAccount {
  success: true;
  name: string;
  status: "active" | "suspended" | "closing";
  plan: "starter" | "business" | "premium";
  /** Coins; up to four decimals. */
  balance: number;
  currency: "coins";
  /** What one one-time password costs, in coins. */
  otp_rate: number;
  /** How many of them the balance pays. */
  otps_left: number | null;
  requests_per_minute: number;
  mode: "live" | "test";
  /** The balance below which `balance.low` is told; null for never. */
  balance_low_at: number | null;
}

export interface Preflight {
  success: true;
  would: "send" | "refuse";
  /** Every reason to refuse it; of invalid recipients the first 100. */
  problems: PreflightProblem[];
  recipients: PreflightRecipients;
  /** Null for a recording, and for a text that cannot be read. */
  text: PreflightText | null;
  /** Coins for the valid recipients; null where that cannot be told. */
  cost: number | null;
  /** Null also where the balance does not reach. */
  balance_after: number | null;
  /** For the header `Price-Quote`; null where it would be refused. */
  quote: string | null;
  quote_until: string | null;
}

export interface PreflightProblem {
  /** The field at fault; null for a fault of none. */
  param: string | null;
  /** The code with which the send would be refused. */
  code: string;
  error: string;
  hint?: string | undefined;
  dlt?: DltRefused | undefined;
  next_at?: string | undefined;
}

export interface PreflightRecipients {
  given: number;
  /** The valid ones, each once. */
  valid: number;
  /** How many repeat an earlier one. */
  duplicates: number;
  /** The first 100 invalid ones. */
  invalid: {
    /** The place in the list, from 0. */
    index: number;
    /** The first 100 characters of what was given. */
    value: string;
    error: string;
  }[];
}

export interface PreflightText {
  encoding: "GSM-7" | "UCS-2";
  characters: number;
  segments: number;
  /** Characters that fit in beside these; below 0 for a text that is too long. */
  left: number;
  /** Each character that is not in GSM-7, once. */
  unicode: {
    char: string;
    code_point: string;
    /** Its first place, in code points from 0. */
    at: number;
    /** What GSM-7 has in its place; empty: leave it out. */
    instead?: string | undefined;
  }[];
  /** Segments with every `instead` in its place. */
  segments_if_replaced: number;
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

export interface RefusalList {
  success: true;
  data: RefusedRequest[];
  /** Whether another page follows. */
  has_more: boolean;
  /** The `after` of the next page; null on the last one. */
  next: string | null;
}

export interface RefusedRequest {
  /** The `X-Request-Id` of its reply. */
  request_id: string;
  at: string;
  method: string;
  /** The path of its route. */
  path: string;
  status: number;
  code: ErrorCode;
  param: string | null;
  error: string;
  /** The key of the request, by its id. */
  key_id: string;
  /** The names of the fields with their types and sizes; never a value. */
  fields: Record<string, string>;
}

export interface RequestReply {
  success: true;
  data: Message[];
  /** Whether another page follows. */
  has_more: boolean;
  /** The `after` of the next page; null on the last one. */
  next: string | null;
  request: SentRequest;
}

export interface SentRequest {
  /** The `X-Request-Id` of the request that made it. */
  request_id: string;
  operation: "sms" | "sms_international" | "otp" | "tts" | "voice";
  at: string;
  recipients: number;
  /** How many of its messages are in each state; a state that none is in is left out. */
  by_state: Record<string, number>;
  /** Coins; up to four decimals. */
  cost: number;
  /** Coins that were given back. */
  refunded: number;
}

export interface Uploaded {
  success: true;
  /** Names the recording, for calls. */
  fileId: string;
  message: string;
}

export interface Webhook {
  webhook_id: string;
  url: string;
  types: string[];
  batch: boolean;
  description: string;
  state: "active" | "waiting" | "disabled";
  /** The number up to which every event was taken, parked or not asked for. */
  acked: number;
  /** Why it was refused last; null since the last success. */
  last_error: string | null;
  /** When it is tried again, where it waits. */
  next_at: string | null;
  created_at: string;
}

export interface WebhookAttempt {
  /** The number of the event, or of a batch's first; null for a test. */
  seq: number | null;
  /** The number of a batch's last event. */
  last?: number | undefined;
  at: string;
  /** Null: no answer came. */
  status: number | null;
  ms: number;
  /** Null: it was taken. */
  error: string | null;
  /** The beginning of the answer. */
  answer: string;
}

export interface WebhookAttemptList {
  success: true;
  data: WebhookAttempt[];
  /** Whether another page follows. */
  has_more: boolean;
  /** The `after` of the next page; null on the last one. */
  next: string | null;
}

export interface WebhookList {
  success: true;
  data: Webhook[];
  /** Whether another page follows. */
  has_more: boolean;
  /** The `after` of the next page; null on the last one. */
  next: string | null;
}

export interface WebhookReplayed {
  success: true;
  replayed: number;
}

export interface WebhookReply {
  success: true;
  webhook: Webhook;
}

export interface WebhookTested {
  success: true;
  attempt: WebhookAttempt;
}

export interface WebhookVerified {
  success: true;
  valid: boolean;
  /** Why it does not hold; null where it does. */
  reason: string | null;
}

export interface WebhookWithSecret {
  success: true;
  webhook: Webhook;
  /** Verifies what is posted. */
  secret: string;
}

/** What `sendBulkSms` takes. */
export interface SendBulkSmsBody {
  /** Indian mobiles: ten digits each, without country code. */
  recipients: readonly string[];
  /** The text. It is billed by segments: 160 characters of GSM-7, or 70 of any other script. */
  message: string;
  /** The sender that the receiver sees. */
  senderId?: string | undefined;
  /**
   * When to send it: ISO 8601 with an offset or Z, up to 180 days ahead, such as 2026-11-23T14:30:00+05:30. Without
   * it: at once. It is debited at once, and can be cancelled until then.
   */
  sendAt?: string | undefined;
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
  /**
   * When to send it: ISO 8601 with an offset or Z, up to 180 days ahead, such as 2026-11-23T14:30:00+05:30. Without
   * it: at once. It is debited at once, and can be cancelled until then.
   */
  sendAt?: string | undefined;
}

/** What `sendSms` takes. */
export interface SendSmsBody {
  /** An Indian mobile: ten digits, without country code. */
  phone: string;
  /** The text. It is billed by segments: 160 characters of GSM-7, or 70 of any other script. */
  message: string;
  /** The sender that the receiver sees. */
  senderId?: string | undefined;
  /**
   * When to send it: ISO 8601 with an offset or Z, up to 180 days ahead, such as 2026-11-23T14:30:00+05:30. Without
   * it: at once. It is debited at once, and can be cancelled until then.
   */
  sendAt?: string | undefined;
}

/** What `sendOtp` takes. */
export interface SendOtpBody {
  /** An Indian mobile: ten digits, without country code. */
  phone: string;
  /** Your one-time password; leading zeros are kept. */
  otp: string;
  /** The name in the text; without it, that of the service. */
  brandName?: string | undefined;
  sendAt?: null | undefined;
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
  /**
   * When to send it: ISO 8601 with an offset or Z, up to 180 days ahead, such as 2026-11-23T14:30:00+05:30. Without
   * it: at once. It is debited at once, and can be cancelled until then.
   */
  sendAt?: string | undefined;
}

/** What `makeVoiceCall` takes. */
export interface MakeVoiceCallBody {
  /** Country code and number, digits only, possible in its country. */
  callee: string;
  /** The `fileId` of a recording that was uploaded. */
  fileId: string;
  /**
   * When to send it: ISO 8601 with an offset or Z, up to 180 days ahead, such as 2026-11-23T14:30:00+05:30. Without
   * it: at once. It is debited at once, and can be cancelled until then.
   */
  sendAt?: string | undefined;
}

/** What `uploadVoice` takes. */
export interface UploadVoiceBody {
  /** A bare name that ends in .wav or .mp3, as the bytes are. */
  fileName: string;
  /** The file in standard Base64. */
  base64Data: string;
}

/** What `updateAccount` takes. */
export interface UpdateAccountBody {
  /** The balance, in coins, below which `balance.low` is reported; null for never. */
  balance_low_at: number | null;
}

/** What `putDlt` takes. */
export interface PutDltBody {
  /** The number of the principal entity; `warn` and `on` need it. */
  entity_id?: string | null | undefined;
  /** `on` refuses what does not match, `warn` sends it with `X-Dlt-Warning`, `off` matches nothing. */
  enforce: "off" | "warn" | "on";
  headers?:
    | readonly {
        header: string;
        category: "otp" | "transactional" | "service_implicit" | "service_explicit" | "promotional";
      }[]
    | undefined;
  /** At most 10,000. */
  templates?:
    | readonly {
        template_id: string;
        headers: readonly string[];
        category: "otp" | "transactional" | "service_implicit" | "service_explicit" | "promotional";
        text: string;
      }[]
    | undefined;
  /** The template of one-time passwords, with one value for each variable: `{otp}`, `{brand}` or a text. */
  otp?:
    | {
        template_id: string;
        values?: readonly string[] | null | undefined;
      }
    | null
    | undefined;
  /** Is ignored, so that what was read can be sent again. */
  updated_at?: string | null | undefined;
}

/** What `getRequest` takes. */
export interface GetRequestQuery {
  /** How many rows a page has. */
  limit?: number | undefined;
  /** The `next` of the page before. */
  after?: string | undefined;
}

/** What `listMessages` takes. */
export interface ListMessagesQuery {
  /**
   * A search in the dashboard's language: words, and `to:` `kind:` `state:` `key:` `request:` `cost:` `after:`
   * `before:` with a value; `-` before a term excludes it.
   */
  q?: string | undefined;
  /** How many rows a page has. */
  limit?: number | undefined;
  /** The `next` of the page before. */
  after?: string | undefined;
}

/** What `downloadMessages` takes. */
export interface DownloadMessagesQuery {
  /**
   * A search in the dashboard's language: words, and `to:` `kind:` `state:` `key:` `request:` `cost:` `after:`
   * `before:` with a value; `-` before a term excludes it.
   */
  q?: string | undefined;
}

/** What `preflight` takes. */
export type PreflightBody =
  | ({ operation: "sms" } & SendSmsBody)
  | ({ operation: "bulk" } & SendBulkSmsBody)
  | ({ operation: "sms_international" } & SendInternationalSmsBody)
  | ({ operation: "tts" } & TtsCallBody)
  | ({ operation: "voice" } & MakeVoiceCallBody)
  | ({ operation: "otp" } & SendOtpBody);

/** What `listRefusals` takes. */
export interface ListRefusalsQuery {
  /** How many rows a page has. */
  limit?: number | undefined;
  /** The `next` of the page before. */
  after?: string | undefined;
}

/** What `listEvents` takes. */
export interface ListEventsQuery {
  /** The number of the last event that you have; 0 for all that are kept. Without it, the feed begins now. */
  after?: number | undefined;
  /** How many rows a page has. */
  limit?: number | undefined;
  /** How long to wait for an event, in seconds, where there is none yet. */
  wait?: number | undefined;
}

/** What `createWebhook` takes. */
export interface CreateWebhookBody {
  /** Where events are posted to: https, with a public host name. */
  url: string;
  /** Which events it gets; all of them where left out. */
  types?:
    | readonly (
        | "*"
        | "message.*"
        | "balance.*"
        | "credit.*"
        | "key.*"
        | "webhook.*"
        | "message.submitted"
        | "message.delivered"
        | "message.undelivered"
        | "message.unconfirmed"
        | "message.failed"
        | "message.unknown"
        | "message.cancelled"
        | "balance.low"
        | "credit.added"
        | "key.created"
        | "key.revoked"
        | "webhook.disabled"
      )[]
    | undefined;
  /** Whether up to 50 events are posted together. */
  batch?: boolean | undefined;
  description?: string | undefined;
}

/** What `verifyWebhook` takes. */
export interface VerifyWebhookBody {
  /** The headers as they were received. */
  headers: Record<string, string>;
  /** The body, byte for byte. */
  body: string;
  /** The secret that it was checked with. */
  secret: string;
}

/** What `changeWebhook` takes. */
export interface ChangeWebhookBody {
  /** Where events are posted to: https, with a public host name. */
  url?: string | undefined;
  /** Which events it gets; all of them where left out. */
  types?:
    | readonly (
        | "*"
        | "message.*"
        | "balance.*"
        | "credit.*"
        | "key.*"
        | "webhook.*"
        | "message.submitted"
        | "message.delivered"
        | "message.undelivered"
        | "message.unconfirmed"
        | "message.failed"
        | "message.unknown"
        | "message.cancelled"
        | "balance.low"
        | "credit.added"
        | "key.created"
        | "key.revoked"
        | "webhook.disabled"
      )[]
    | undefined;
  /** Whether up to 50 events are posted together. */
  batch?: boolean | undefined;
  description?: string | undefined;
  /** `active` enables it again, from where it stopped. */
  state?: "active" | "disabled" | undefined;
  /** Goes on from now: what it has not got yet is left out. */
  skip?: boolean | undefined;
}

/** What `rotateWebhookSecret` takes. */
export interface RotateWebhookSecretBody {
  /** How long the old secret signs as well; a day where left out. */
  overlapSeconds?: number | undefined;
}

/** What `listWebhookAttempts` takes. */
export interface ListWebhookAttemptsQuery {
  /** How many rows a page has. */
  limit?: number | undefined;
  /** The `next` of the page before. */
  after?: string | undefined;
}

/** What `replayWebhook` takes. */
export interface ReplayWebhookBody {
  /** The number of the first event. */
  from: number;
  /** The number of the last; the newest where left out. */
  to?: number | undefined;
}

/** What `createHook` takes. */
export interface CreateHookBody {
  /** Whose hook it is. */
  kind: "supabase";
  /** The name in the text; without it, that of the service. */
  brandName?: string | undefined;
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
  /**
   * Show the account of the key.
   *
   * `otps_left` is how many one-time passwords the balance pays at the account's rate; null where they cost nothing.
   */
  getAccount(options?: CallOptions): Promise<Reply<OwnAccount>>;
  /**
   * Set where a low balance is reported.
   *
   * `balance.low` is told once each time that the balance falls below `balance_low_at`.
   */
  updateAccount(body: UpdateAccountBody, options?: CallOptions): Promise<Reply<OwnAccount>>;
  /**
   * Show the DLT registry.
   *
   * One for each account, which live and test keys share. At first it is `off` and empty.
   */
  getDlt(options?: CallOptions): Promise<Reply<Dlt>>;
  /**
   * Replace the DLT registry.
   *
   * From the next request on, SMS and one-time passwords to India are matched with it before anything is charged. A
   * fault changes nothing, and `param` names it.
   */
  putDlt(body: PutDltBody, options?: CallOptions): Promise<Reply<Dlt>>;
  /**
   * Import DLT templates as CSV.
   *
   * Takes the file that the operators' portals export, with commas, semicolons or tabs. Good rows are added or
   * changed though others are wrong; what is registered and not in the file stays.
   */
  importDlt(csv: string, options?: CallOptions): Promise<Reply<DltImported>>;
  /**
   * Cancel a message or call that is scheduled or queued.
   *
   * What was cancelled is refunded and never sent. The reply says what is cancelled altogether, so that a repeated
   * call gets the same. A message that is being sent, or was, stays as it is: `too_late`.
   */
  cancelMessage(id: string, options?: CallOptions): Promise<Reply<CancelledReply>>;
  /**
   * Show one message or call.
   *
   * With its text, its times, and one sentence that says what became of it. The text is null for a recording, and
   * once it was deleted; the code of a live one-time password is masked.
   */
  getMessage(id: string, options?: CallOptions): Promise<Reply<MessageReply>>;
  /**
   * Cancel what is left of a request.
   *
   * Cancels, at once, every message of the request that is scheduled or queued. What was cancelled is refunded and
   * never sent. The reply says what is cancelled altogether, so that a repeated call gets the same. Where nothing is
   * left to cancel, and nothing was cancelled before: `too_late`.
   */
  cancelRequest(requestId: string, options?: CallOptions): Promise<Reply<CancelledReply>>;
  /**
   * Show one request and its messages.
   *
   * How many messages of the request are in each state, what it cost and what of that was refunded, with a page of
   * its messages in the order of the request.
   */
  getRequest(requestId: string, query?: GetRequestQuery, options?: CallOptions): Listing<Reply<RequestReply>>;
  /**
   * List messages and calls, newest first.
   *
   * Each message is here as soon as its send was answered. A search that passes over very many messages may answer a
   * page that is not full, or empty, with `has_more`: go on with `next`.
   *
   * With `Accept: application/x-ndjson` all messages of the search are streamed, one JSON object a line; `limit` and
   * `after` are ignored then.
   */
  listMessages(query?: ListMessagesQuery, options?: CallOptions): Listing<Reply<MessageList>>;
  /**
   * Download messages and calls as CSV.
   *
   * All messages of the search as a stream, newest first, with the fields of the list; an empty cell is null.
   */
  downloadMessages(query?: DownloadMessagesQuery, options?: CallOptions): AsyncIterable<string>;
  /**
   * Check a send without sending.
   *
   * Everything that the operation does, but sending: every problem at once, the recipients, the segments of the text
   * and the price. Free, and not counted by the plan's limit. Send with `Price-Quote: <quote>` within 10 minutes to
   * pay that price, once.
   */
  preflight(body: PreflightBody, options?: CallOptions): Promise<Reply<Preflight>>;
  /**
   * List requests that were refused.
   *
   * Requests with a valid key that were answered with an error, newest first, for 7 days: with the names and types
   * of their fields, never with a value. At most 30 a minute are kept, and 2,000 a day; they are noted a moment
   * after the reply.
   */
  listRefusals(query?: ListRefusalsQuery, options?: CallOptions): Listing<Reply<RefusalList>>;
  /**
   * Read events, oldest first, and wait for the next.
   *
   * The first request begins the account's sequence; what happened before it has no events. Keep `next`, and send it
   * as `after`: each event comes once and in order. Events are kept for 30 days; `after` older than that is
   * `events_expired`,
   * with the oldest that is kept in `first`.
   */
  listEvents(query?: ListEventsQuery, options?: CallOptions): Promise<Reply<EventList>>;
  /** List the webhooks, oldest first. */
  listWebhooks(options?: CallOptions): Promise<Reply<WebhookList>>;
  /**
   * Create a webhook.
   *
   * It gets the events from now on, signed as Standard Webhooks says. The secret verifies them; keep it on your
   * server.
   */
  createWebhook(body: CreateWebhookBody, options?: CallOptions): Promise<Reply<WebhookWithSecret>>;
  /**
   * Find out why a signature does not hold.
   *
   * Tries the usual mistakes on what you received: nothing of it is stored.
   */
  verifyWebhook(body: VerifyWebhookBody, options?: CallOptions): Promise<Reply<WebhookVerified>>;
  /** Show a webhook. */
  getWebhook(webhook: string, options?: CallOptions): Promise<Reply<WebhookReply>>;
  /** Change a webhook. */
  changeWebhook(webhook: string, body?: ChangeWebhookBody, options?: CallOptions): Promise<Reply<WebhookReply>>;
  /** Delete a webhook. */
  deleteWebhook(webhook: string, options?: CallOptions): Promise<Reply<Deleted>>;
  /**
   * Give a webhook another secret.
   *
   * Until the overlap ends, both secrets sign each delivery.
   */
  rotateWebhookSecret(
    webhook: string,
    body?: RotateWebhookSecretBody,
    options?: CallOptions,
  ): Promise<Reply<WebhookWithSecret>>;
  /**
   * Post a test event.
   *
   * Posts an event of type `test`, once and at once, and replies what came back.
   */
  testWebhook(webhook: string, options?: CallOptions): Promise<Reply<WebhookTested>>;
  /** List the newest attempts, newest first. */
  listWebhookAttempts(
    webhook: string,
    query?: ListWebhookAttemptsQuery,
    options?: CallOptions,
  ): Listing<Reply<WebhookAttemptList>>;
  /**
   * Send events again.
   *
   * Both ends included, with the ids that they had. Only what the webhook has got is sent again.
   */
  replayWebhook(webhook: string, body: ReplayWebhookBody, options?: CallOptions): Promise<Reply<WebhookReplayed>>;
  /**
   * Create a hook for Supabase Auth.
   *
   * Supabase Auth posts its login codes to the hook's address, and we send them by SMS. Nothing is stored: the same
   * key and brand always make the same hook, and it ends with its key.
   */
  createHook(body: CreateHookBody, options?: CallOptions): Promise<Reply<HookWithSecret>>;
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
  getAccount: { method: "GET", base: "console", path: "/v1/account" },
  updateAccount: { method: "PATCH", base: "console", path: "/v1/account", takes: "body" },
  getDlt: { method: "GET", base: "console", path: "/v1/dlt" },
  putDlt: { method: "PUT", base: "console", path: "/v1/dlt", takes: "body" },
  importDlt: { method: "POST", base: "console", path: "/v1/dlt/import", takes: "csv" },
  cancelMessage: { method: "DELETE", base: "console", path: "/v1/messages/{id}" },
  getMessage: { method: "GET", base: "console", path: "/v1/messages/{id}" },
  cancelRequest: { method: "DELETE", base: "console", path: "/v1/requests/{request_id}" },
  getRequest: { method: "GET", base: "console", path: "/v1/requests/{request_id}", takes: "query", gives: "list" },
  listMessages: { method: "GET", base: "console", path: "/v1/messages", takes: "query", gives: "list" },
  downloadMessages: { method: "GET", base: "console", path: "/v1/messages.csv", takes: "query", gives: "text" },
  preflight: { method: "POST", base: "console", path: "/v1/preflight", takes: "body" },
  listRefusals: { method: "GET", base: "console", path: "/v1/refusals", takes: "query", gives: "list" },
  listEvents: { method: "GET", base: "console", path: "/v1/events", takes: "query", held: { by: "wait", usualSec: 0 } },
  listWebhooks: { method: "GET", base: "console", path: "/v1/webhooks" },
  createWebhook: { method: "POST", base: "console", path: "/v1/webhooks", takes: "body" },
  verifyWebhook: { method: "POST", base: "console", path: "/v1/webhooks/verify", takes: "body" },
  getWebhook: { method: "GET", base: "console", path: "/v1/webhooks/{webhook}" },
  changeWebhook: { method: "PATCH", base: "console", path: "/v1/webhooks/{webhook}", takes: "body" },
  deleteWebhook: { method: "DELETE", base: "console", path: "/v1/webhooks/{webhook}" },
  rotateWebhookSecret: { method: "POST", base: "console", path: "/v1/webhooks/{webhook}/rotate", takes: "body" },
  testWebhook: { method: "POST", base: "console", path: "/v1/webhooks/{webhook}/test" },
  listWebhookAttempts: {
    method: "GET",
    base: "console",
    path: "/v1/webhooks/{webhook}/attempts",
    takes: "query",
    gives: "list",
  },
  replayWebhook: { method: "POST", base: "console", path: "/v1/webhooks/{webhook}/replay", takes: "body" },
  createHook: { method: "POST", base: "console", path: "/v1/hooks", takes: "body" },
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
