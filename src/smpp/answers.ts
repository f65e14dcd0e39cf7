import type { Outcome } from "../model/message.ts";

// What an object of a carrier's binds answers (src/durable/smpp.ts).

/** One attempt at a message, and what the carrier answered to its last part. */
export interface SmppSubmitted {
  outcome: Outcome;
  /** Null where no answer came. */
  commandStatus: number | null;
  /** The id in the answer, as the carrier wrote it. */
  messageId: string | null;
}

/** One connection as the operator sees it (contract-carriers §16.1). */
export interface SmppBindStanding {
  /** The number of its object among the carrier's, from 1. */
  n: number;
  mode: "trx" | "tx" | "rx";
  state: "bound" | "down" | "refused";
  /** In ms since the epoch. */
  since: number;
  /** Submissions without an answer. */
  inFlight: number;
}
