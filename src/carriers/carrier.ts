import type { Config } from "../config/settings.ts";
import type { CarrierAnswer, DltFields } from "../model/carrier/carrier.ts";
import type { Content, Operation, Outcome, ReceiptState } from "../model/message.ts";
import { isCall } from "../model/operations.ts";
import type { Mode } from "../model/ref.ts";
import type { Speech } from "../voices/voices.ts";

// The carrier port: what the service asks of a carrier, whatever its kind (kind.ts).

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
  /** Of a matched Indian text; absent where nothing is matched. */
  dlt?: DltFields;
}

/** What a carrier reports about a message. */
export interface Receipt {
  ref: string;
  state: ReceiptState;
  code?: string;
}

/**
 * Why a request is no receipt: its proof is wrong; it is proved, but its content is wrong; or what would prove it cannot be
 * read at the moment.
 */
export type NoReceipts = "forged" | "invalid" | "unreadable";

/** What a lookup passes to the carrier about a submitted message. */
export interface Asked {
  operation: Operation;
  to: string;
  mode: Mode;
}

/** What the answer to a submission was, beside its outcome: for the operator's test. */
export interface Seen {
  answer: CarrierAnswer | null;
  /** The carrier's id of the message. */
  carrierId: string | null;
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
  /** The limit that it was set up with, in submissions of each second: null is learned, absent the configuration's. */
  readonly tps?: number | null;
  /** The longest that one submission takes, in ms; absent: CARRIER_TIMEOUT_MS. */
  readonly longestMs?: number;
  /** What it takes at most to make a call ready before that, in ms; absent: nothing. */
  readonly readyMs?: number;
  /** What it can send. */
  readonly operations: ReadonlySet<Operation>;
  /** Whether it has a voice for this speech; absent: it never speaks, or says whatever it gets. */
  readonly speaks?: (speech: Speech) => boolean;
  /** `telephone`: it plays WAV files of 8 kHz and one channel; absent: recordings as they were uploaded. */
  readonly plays?: "telephone";
  /** Submits one message once; never throws and never retries. `see` is told what the answer was. */
  submit(message: Outgoing, see?: (seen: Seen) => void): Promise<Outcome>;
  /** Reads a receipt request, whose address may end in a `token`. */
  receipts?(request: Request, token: string | null): Promise<Receipt[] | NoReceipts>;
  /** Asks for the state of a message; null when the carrier does not know it (yet). */
  lookup?(asked: Asked): Promise<Pick<Receipt, "state" | "code"> | null>;
}

/** The longest that one attempt takes at any of these carriers, in ms; without an operation, whatever it sends. */
export function attemptMs(
  { CARRIER_TIMEOUT_MS }: Pick<Config, "CARRIER_TIMEOUT_MS">,
  carriers: readonly Carrier[],
  operation?: Operation,
): number {
  const hasReady = operation === undefined || isCall(operation);
  const all = carriers.map(({ longestMs = CARRIER_TIMEOUT_MS, readyMs = 0 }) => longestMs + (hasReady ? readyMs : 0));
  return Math.max(CARRIER_TIMEOUT_MS, ...all);
}
