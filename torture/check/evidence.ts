import type { Consumed } from "./consumed.ts";
import type { Routing } from "./routed/routing.ts";

// The checker's evidence: the clients' log, the gateway's log, when each fault was active, and the service's books as
// read at the end. Amounts are in units of 1/10,000 coin, so that sums are exact.

/** The name of the deployment's own gateway among the carriers. */
export const GATEWAY = "http";

export type Plan = "premium" | "business" | "starter";

export interface Account {
  id: string;
  plan: Plan;
  opening: number;
  /** Credits that the operator intended, by reference; `told` is true once one was acknowledged. */
  credits: Map<string, { amount: number; told: boolean }>;
}

/** One attempt at a request. Without a status its outcome is unknown to the client. */
export interface Try {
  sentAt: number;
  endedAt: number;
  status: number | null;
  replayed: boolean;
  requestId: string;
  body: string;
}

/** A client's order, logged before it was sent. */
export interface Intention {
  id: string;
  account: string;
  key: string | null;
  method: string;
  path: string;
  body: Record<string, unknown>;
  means: "good" | "wrong" | "forged" | "other";
  /** The quote with which it was sent. */
  quote: string | null;
  tries: Try[];
}

export interface Submission {
  /** The name of the carrier that was given it. */
  carrier: string;
  /** Of a carrier that is told none, that of the message to this number. */
  ref: string;
  at: number;
  /** Null if the gateway broke off before it had read anything. */
  to: string | null;
  operation: string | null;
  text: string | null;
  decision: string;
  tells: "taken" | "rejected" | "busy" | "nothing";
  signed: boolean;
  /** The gateway sent its answer completely. */
  answered: boolean;
  /** When it had done so; `Infinity` if it never did. */
  answeredAt: number;
  /** How long the answer asked for silence (`Retry-After`). */
  quietMs: number | null;
}

export interface Receipt {
  /** The name of the carrier that sent it. */
  carrier: string;
  ref: string;
  state: string;
  /** When it was first sent. */
  at: number;
  /** When it was first answered 200; `Infinity` if it never was. */
  takenAt: number;
  /** Why the service must refuse it. */
  fault: string | null;
  statuses: (number | null)[];
}

export interface Fault {
  kind: string;
  how: string;
  /** The carrier that it is of; null for what is of none, or of the gateway. */
  carrier: string | null;
  from: number;
  to: number;
  /** Offset to which a clock was set, relative to the real one. */
  clockMs: number;
}

export interface Message {
  account: string;
  ref: string;
  requestId: string;
  operation: string;
  to: string;
  state: string;
  charge: number;
  attempts: number;
  carrier: string | null;
  errorCode: string | null;
  /**
   * When the file that holds it was stored in the archive, in real time, after which nothing changes it; `Infinity` where
   * that is unknown, and null for a message that its account still has.
   */
  archivedAt: number | null;
}

export interface Entry {
  seq: number;
  type: string;
  amount: number;
  after: number;
  messageId: string | null;
  requestId: string | null;
  reference: string | null;
  at: number;
}

/** A file of an account's archive. */
export interface Archive {
  name: string;
  /** Its numbers. */
  first: number;
  last: number;
  /** The balance before and after them. */
  before: number;
  after: number;
  /** What is wrong with it, by its manifest. */
  problems: string[];
}

export interface Books {
  id: string;
  balance: number;
  /** Those of the archive, and then those that the account has after its checkpoint. */
  ledger: Entry[];
  messages: Message[];
  differences: unknown[];
  /** Oldest first. */
  archives: Archive[];
  /** What stands in the account's ledger for all that left; number 0 where nothing did. */
  checkpoint: { seq: number; balance: number };
  /** The numbers of the entries that the account has, without the checkpoint. */
  listed: number[];
}

/** A message as recorded in history. */
export interface Recorded {
  account: string;
  /** The number of its job, and whether that is a row of its own. */
  seq: number;
  isBulk: boolean;
  requestId: string;
  to: string;
  state: string;
  charge: number;
  refunded: boolean;
  attempts: number;
  carrier: string | null;
  errorCode: string | null;
  timeline: { state: string; at: number }[];
}

export interface Sample {
  at: number;
  life: number;
  kb: number;
}

/** Settings of the service that affect what is correct. */
const TIMERS = [
  "ATTEMPTS_MAX",
  "CARRIER_TIMEOUT_MS",
  "UNKNOWN_WINDOW_MS",
  "VALIDITY_SMS_MS",
  "VALIDITY_OTP_MS",
  "VALIDITY_CALL_MS",
] as const;

export interface Evidence {
  seed: string;
  minutes: number;
  clock: string;
  /** Whether the gateway recognises a reference that it has answered before, and the service knows it. */
  dedupes: boolean;
  /** The rate that the service was given for the gateway, in submissions per second; null: it learns the rate. */
  tps: number | null;
  /** The rates that the operator set for the other carriers, by name. */
  rates: Record<string, number>;
  timers: Record<(typeof TIMERS)[number], number>;
  accounts: Map<string, Account>;
  intentions: Intention[];
  /** Coins per segment of an SMS to Italy, each from a time on: the operator changes that price all the time. */
  prices: { at: number; coins: number }[];
  consumed: Consumed;
  /** Of a run with several carriers: what the operator changed, and what he saw; null: the gateway alone. */
  routing: Routing | null;
  submissions: Submission[];
  receipts: Receipt[];
  faults: Fault[];
  memory: Sample[];
  books: Books[];
  /** The life of every message: from the archive where it was archived, and else from history (D1). */
  history: Recorded[];
  /** All that history (D1) has. */
  database: Recorded[];
}

/** Units of an amount in coins. */
export const units = (coins: unknown) => Math.round(Number(coins) * 10_000);

/** For how long a message is worth sending, by its operation. */
export function validityOf({ timers }: Pick<Evidence, "timers">, operation: string): number {
  if (operation === "otp") return timers.VALIDITY_OTP_MS;
  return operation.startsWith("sms") ? timers.VALIDITY_SMS_MS : timers.VALIDITY_CALL_MS;
}
