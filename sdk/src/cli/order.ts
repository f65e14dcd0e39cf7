import type { Base, Dastak, SendOptions } from "../index.ts";

/** A send, before it is made. */
export interface Order {
  /** The preflight's word for it. */
  operation: "sms" | "bulk" | "sms_international" | "tts" | "voice" | "otp";
  base: Base;
  path: string;
  body: object;
  send: (client: Dastak, options: SendOptions) => PromiseLike<object>;
  /** What people are told beside the reply. */
  note?: string;
}
