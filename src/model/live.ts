// What the live list gets and how it reads it. The server and the browser's script share this file, so that a row says
// the same before and after the script has run; it therefore imports nothing.

/** The code with which the server closes a socket whose client is to connect again (RFC 6455 §7.4.2: for applications). */
export const COME_BACK = 4000;

/** One job as it stands, with what a list shows of it. A request of more than 100 messages has several. */
export interface LiveJob<State extends string = string, Kind extends string = string> {
  requestId: string;
  seq: number;
  operation: Kind;
  /** The first number, E.164. */
  to: string;
  /** Messages of this job. */
  recipients: number;
  /** Messages of the whole request, on its first job, where their price tells it. */
  total: number | null;
  /** How many messages are in each state that occurs. */
  states: { state: State; count: number }[];
  /** Messages whose charge went back. */
  refunded: number;
  /** Units per message. */
  charge: number;
  /** Units that the whole request took, on its first job. */
  debit: number | null;
  createdAt: number;
  /** The beginning of its text; nothing where there is none, or it was forgotten. */
  preview: string;
  /** The public id of its first message. */
  messageId: string;
  keyId: number | null;
}

/** What the tiles show. */
export interface LiveAccount {
  /** Units. */
  balance: number;
  /** Units per OTP. */
  otpRate: number;
  plan: string;
  status: string;
  requestsPerMinute: number;
}

/** What the account object tells its listeners. With `from` it is everything from that job on. */
export interface LiveNews<State extends string = string, Kind extends string = string> {
  from?: number;
  account: LiveAccount;
  jobs: LiveJob<State, Kind>[];
}

/** One request, its jobs added up. */
export interface LiveRow<State extends string = string, Kind extends string = string> {
  requestId: string;
  /** Its first job. */
  seq: number;
  operation: Kind;
  to: string;
  total: number;
  delivered: number;
  state: State;
  /** Units that it took and did not give back. */
  cost: number;
  createdAt: number;
  preview: string;
  messageId: string;
}

/** The state of a request is that of its least finished message, and of its worst where all are finished. */
const FIRST: readonly string[] = [
  "sending",
  "queued",
  "submitted",
  "unknown",
  "failed",
  "undelivered",
  "unconfirmed",
  "delivered",
];

/** Rows that the list holds; what is older stands under Activity. */
export const LIVE_ROWS_MAX = 100;

/** A request's jobs, at least one and in their order, as one row. */
export function liveRow<State extends string, Kind extends string>(
  jobs: readonly LiveJob<State, Kind>[],
): LiveRow<State, Kind> {
  const [first] = jobs;
  const states = jobs.flatMap((job) => job.states);
  const [least] = states.toSorted((one, other) => FIRST.indexOf(one.state) - FIRST.indexOf(other.state));
  if (!first || !least) throw new Error("no message");
  const { requestId, seq, operation, to, createdAt, preview, messageId } = first;
  const known = jobs.reduce((sum, job) => sum + job.recipients, 0);
  return {
    requestId,
    seq,
    operation,
    to,
    total: Math.max(first.total ?? 0, known),
    delivered: states.reduce((sum, { state, count }) => sum + (state === "delivered" ? count : 0), 0),
    state: least.state,
    cost: (first.debit ?? first.charge * known) - jobs.reduce((sum, job) => sum + job.refunded * job.charge, 0),
    createdAt,
    preview,
    messageId,
  };
}

/** Jobs as rows, the newest first. */
export function liveRows<State extends string, Kind extends string>(
  jobs: readonly LiveJob<State, Kind>[],
): LiveRow<State, Kind>[] {
  const inOrder = jobs.toSorted((one, other) => one.seq - other.seq);
  return [...Map.groupBy(inOrder, (job) => job.requestId).values()].map((of) => liveRow(of)).toReversed();
}

/** OTPs that a balance is enough for; null where they cost nothing. */
export function otpsLeft(balance: number, otpRate: number): number | null {
  return otpRate === 0 ? null : Math.floor(balance / otpRate);
}
