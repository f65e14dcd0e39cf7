import type { Content, Operation, Outcome, ReceiptState } from "../model/message.ts";
import type { Mode } from "../model/ref.ts";

// The carrier port. A new carrier is one file beside this one and one line in table.ts.

/** A message to submit. Its `ref` identifies it to the carrier, and never changes. */
export interface Outgoing {
  ref: string;
  operation: Operation;
  /** E.164. */
  to: string;
  /** 1 for the first attempt. */
  attempt: number;
  mode: Mode;
  text: string | null;
  content: Content;
  /** A signed, expiring URL of a voice call's recording. */
  audioUrl: string | null;
}

/** What a carrier reports about a message. */
export interface Receipt {
  ref: string;
  state: ReceiptState;
  code?: string;
}

/** What a lookup passes to the carrier about a submitted message. */
export interface Asked {
  operation: Operation;
  to: string;
  mode: Mode;
}

export interface Carrier {
  readonly name: string;
  /** Whether it has a limit of messages per second, so that submissions to it take permits. */
  readonly isPaced: boolean;
  /**
   * Whether it recognises references: an attempt without a known outcome may then be submitted again under the same
   * reference, until it has one (contract §9).
   */
  readonly resubmits: boolean;
  /** Submits one message once; never throws and never retries. */
  submit(message: Outgoing): Promise<Outcome>;
  /**
   * Reads a receipt request: `forged` if its signature is wrong, `invalid` if it is signed but its content is wrong.
   */
  receipts?(request: Request): Promise<Receipt[] | "forged" | "invalid">;
  /** Asks for the state of a message; null when the carrier does not know it (yet). */
  lookup?(asked: Asked): Promise<Pick<Receipt, "state" | "code"> | null>;
}
