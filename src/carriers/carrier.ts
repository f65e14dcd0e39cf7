import type { Content, Operation, Outcome, ReceiptState } from "../model/message.ts";
import type { Mode } from "../model/ref.ts";

// The carrier port (design §5). A new carrier is one file beside this one and one line in table.ts.

/** A message on its way out. Its `ref` is its one name towards the carrier, for ever. */
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
  /** Where the recording of a voice call can be fetched, signed and expiring. */
  audioUrl: string | null;
}

/** A carrier's news of a message. */
export interface Receipt {
  ref: string;
  state: ReceiptState;
  code?: string;
}

/** What a carrier knows of a message that it was handed. */
export interface Asked {
  operation: Operation;
  to: string;
  mode: Mode;
}

export interface Carrier {
  readonly name: string;
  /** Hands one message over, once; never throws and never retries. */
  submit(message: Outgoing): Promise<Outcome>;
  /** Reads a receipt call: `forged` when its proof is wrong, `invalid` when it is proven and makes no sense. */
  receipts?(request: Request): Promise<Receipt[] | "forged" | "invalid">;
  /** Says what became of a message, or null when it does not know (yet). */
  lookup?(asked: Asked): Promise<Pick<Receipt, "state" | "code"> | null>;
}
