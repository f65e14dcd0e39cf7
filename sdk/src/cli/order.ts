import type { Base, Dastak, PreflightBody, SendOptions } from "../index.ts";

/** A send, before it is made. */
export interface Order {
  /** What a preflight is asked: the operation and its fields. */
  asked: PreflightBody;
  base: Base;
  path: string;
  body: object;
  send: (client: Dastak, options: SendOptions) => PromiseLike<object>;
  /** What people are told beside the reply. */
  note?: string;
}
