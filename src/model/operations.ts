// The operations that send messages: the facts that several areas need (contract §2, §4, §5). Their texts are in
// ui/words; what only one operation needs is in its file under routes/. This file imports nothing.

/** Bases of the API; each has a variable with its address, such as SMS_URL. */
export type ApiBase = "sms" | "tts" | "voice" | "otp";

/**
 * Where an operation reads the API key. Two are for software that knows no other: `basic` is the password of Basic
 * authentication (RFC 7617), and `bare` is an Authorization header that is the key alone.
 */
export type KeyPlace = "bearer" | "x-api-key" | "body" | "basic" | "bare";

export interface Endpoint {
  base: ApiBase;
  /** The path below the base. */
  path: `/${string}`;
  /** Places where the key is read, the recommended one first. */
  keyIn: readonly [KeyPlace, ...KeyPlace[]];
}

/** Each kind of send, by its name in forms and pages, with the endpoint that sends it. */
export const ENDPOINTS = {
  sms: { base: "sms", path: "/send-sms", keyIn: ["bearer", "body"] },
  bulk: { base: "sms", path: "/send-bulk-sms", keyIn: ["bearer", "body"] },
  international: { base: "sms", path: "/send-international-sms", keyIn: ["bearer", "body"] },
  otp: { base: "otp", path: "/send-otp", keyIn: ["bearer", "body"] },
  tts: { base: "tts", path: "/api/tts-call", keyIn: ["x-api-key"] },
  voice: { base: "voice", path: "/api/make-voice-call", keyIn: ["x-api-key"] },
} as const satisfies Record<string, Endpoint>;

/** The most recipients of one request; more would only wait in the same queue. */
export const RECIPIENTS_MAX = 10_000;

/** How far ahead a message can be scheduled; and how long ago a time may be that is taken for now (contract §13). */
export const SEND_AHEAD_DAYS = 180;
export const SEND_AHEAD_MS = SEND_AHEAD_DAYS * 86_400_000;
export const SEND_LATE_MS = 60_000;

export type SendKind = keyof typeof ENDPOINTS;

/** The kinds of send, in the order in which pages show them. */
export const SEND_KINDS = Object.keys(ENDPOINTS) as readonly SendKind[];

/** The upload of recordings for voice calls (contract §5.6); it sends no message. */
export const UPLOAD_VOICE = {
  base: "voice",
  path: "/api/upload-voice",
  keyIn: ["x-api-key"],
} as const satisfies Endpoint;

/** The unit by which a message is billed. */
export type BilledBy = "segment" | "otp" | "call" | "block";

interface OperationFacts {
  /** How it reaches the phone. */
  medium: "sms" | "call";
  /** The caller's text, a one-time password (kept and shown no longer than necessary), or a recording. */
  content: "text" | "code" | "recording";
  billedBy: BilledBy;
  /** The variable with the longest time that it may wait for a carrier. */
  validity: "VALIDITY_SMS_MS" | "VALIDITY_OTP_MS" | "VALIDITY_CALL_MS";
  /** The kind that sends a single one; also its name in a search, as in `kind:otp`. */
  send: SendKind;
}

/** The operation of a message, as in its row, its public id and the calls to carriers. */
export const OPERATIONS = {
  sms: { medium: "sms", content: "text", billedBy: "segment", validity: "VALIDITY_SMS_MS", send: "sms" },
  sms_international: {
    medium: "sms",
    content: "text",
    billedBy: "segment",
    validity: "VALIDITY_SMS_MS",
    send: "international",
  },
  otp: { medium: "sms", content: "code", billedBy: "otp", validity: "VALIDITY_OTP_MS", send: "otp" },
  tts: { medium: "call", content: "text", billedBy: "call", validity: "VALIDITY_CALL_MS", send: "tts" },
  voice: { medium: "call", content: "recording", billedBy: "block", validity: "VALIDITY_CALL_MS", send: "voice" },
} as const satisfies Record<string, OperationFacts>;

export type Operation = keyof typeof OPERATIONS;

/** Every operation, in the order in which pages show them. */
export const OPERATION_NAMES = Object.keys(OPERATIONS) as readonly Operation[];

export const isOperation = (text: string): text is Operation => Object.hasOwn(OPERATIONS, text);

/** Whether the operation makes a call; every other one sends an SMS. */
export const isCall = (operation: Operation): boolean => OPERATIONS[operation].medium === "call";

/** What a message of the operation contains. */
export const contentOf = (operation: Operation): OperationFacts["content"] => OPERATIONS[operation].content;

/** The full URL of an endpoint. */
export function endpointUrl(
  bases: Readonly<Record<`${Uppercase<ApiBase>}_URL`, string>>,
  { base, path }: Endpoint,
): string {
  return bases[`${base.toUpperCase() as Uppercase<ApiBase>}_URL`] + path;
}
