// Every operation of the API by which messages leave, as facts that several areas need (contract §2, §4, §5). Words are
// in ui/words; what one operation alone knows is in its file under routes/. This file imports nothing.

/** Bases of the API, by which it is addressed; each has its variable, such as SMS_URL. */
export type ApiBase = "sms" | "tts" | "voice" | "otp";

/** Where an operation reads its key. */
export type KeyPlace = "bearer" | "x-api-key" | "body";

export interface Endpoint {
  base: ApiBase;
  /** Below its base. */
  path: `/${string}`;
  /** Places where the key is read, the usual one first. */
  keyIn: readonly [KeyPlace, ...KeyPlace[]];
}

/** What can be sent, by the word that forms and pages have for it, and where the API takes it. */
export const ENDPOINTS = {
  sms: { base: "sms", path: "/send-sms", keyIn: ["bearer", "body"] },
  bulk: { base: "sms", path: "/send-bulk-sms", keyIn: ["bearer", "body"] },
  international: { base: "sms", path: "/send-international-sms", keyIn: ["bearer", "body"] },
  otp: { base: "otp", path: "/send-otp", keyIn: ["bearer", "body"] },
  tts: { base: "tts", path: "/api/tts-call", keyIn: ["x-api-key"] },
  voice: { base: "voice", path: "/api/make-voice-call", keyIn: ["x-api-key"] },
} as const satisfies Record<string, Endpoint>;

export type SendKind = keyof typeof ENDPOINTS;

/** What can be sent, in the order in which people see it. */
export const SEND_KINDS = Object.keys(ENDPOINTS) as readonly SendKind[];

/** Where recordings for voice calls are taken (contract §5.6); nothing leaves by it. */
export const UPLOAD_VOICE = {
  base: "voice",
  path: "/api/upload-voice",
  keyIn: ["x-api-key"],
} as const satisfies Endpoint;

/** What a message is billed by. */
export type BilledBy = "segment" | "otp" | "call" | "block";

interface OperationFacts {
  /** How it reaches the phone. */
  medium: "sms" | "call";
  /** A text of the caller's, a one-time password (never kept or shown longer than need be), or a recording. */
  content: "text" | "code" | "recording";
  billedBy: BilledBy;
  /** The variable that says how long it may wait for a carrier. */
  validity: "VALIDITY_SMS_MS" | "VALIDITY_OTP_MS" | "VALIDITY_CALL_MS";
  /** What sends one alone; also its word in a search, as in `kind:otp`. */
  send: SendKind;
}

/** What a message is, as its row, its public id, and carriers have it. */
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

/** Every operation, in the order in which people see them. */
export const OPERATION_NAMES = Object.keys(OPERATIONS) as readonly Operation[];

/** Whether it is a call; anything else is an SMS. */
export const isCall = (operation: Operation): boolean => OPERATIONS[operation].medium === "call";

/** What it carries. */
export const contentOf = (operation: Operation): OperationFacts["content"] => OPERATIONS[operation].content;

/** The whole address of an endpoint. */
export function endpointUrl(
  bases: Readonly<Record<`${Uppercase<ApiBase>}_URL`, string>>,
  { base, path }: Endpoint,
): string {
  return bases[`${base.toUpperCase() as Uppercase<ApiBase>}_URL`] + path;
}
