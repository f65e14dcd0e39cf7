// The data of the live list, and how jobs become its rows. The server and the browser's script share this file, so that
// a row reads the same before and after the script has run; it therefore imports nothing.

/** The code with which the server closes a socket whose client is to connect again (RFC 6455 §7.4.2: for applications). */
export const COME_BACK = 4000;

/** The present state of one job, with what a list shows of it. A request of more than 100 messages has several jobs. */
export interface LiveJob<State extends string = string, Kind extends string = string> {
  requestId: string;
  seq: number;
  operation: Kind;
  /** The first number, E.164. */
  to: string;
  /** Messages of this job. */
  recipients: number;
  /** Messages of the whole request, on its first job, where they can be computed from the price. */
  total: number | null;
  /** How many messages are in each state that occurs. */
  states: { state: State; count: number }[];
  /** Messages whose charge was refunded. */
  refunded: number;
  /** Units per message. */
  charge: number;
  /** Units charged for the whole request, on its first job. */
  debit: number | null;
  createdAt: number;
  /** The beginning of its text; empty for a recording, and after the text was deleted. */
  preview: string;
  /** The public id of its first message. */
  messageId: string;
  keyId: number | null;
}

/** What the tiles show of the account. */
export interface LiveAccount {
  /** Units. */
  balance: number;
  /** Units per OTP. */
  otpRate: number;
  plan: string;
  status: string;
  requestsPerMinute: number;
}

/** What the account object sends to the live sockets. With `from` it contains every job from that one on. */
export interface LiveNews<State extends string = string, Kind extends string = string> {
  from?: number;
  account: LiveAccount;
  jobs: LiveJob<State, Kind>[];
}

/** One request: the sum of its jobs. */
export interface LiveRow<State extends string = string, Kind extends string = string> {
  requestId: string;
  /** Its first job. */
  seq: number;
  operation: Kind;
  to: string;
  total: number;
  delivered: number;
  state: State;
  /** Units that were charged and not refunded. */
  cost: number;
  /** Units that were refunded. */
  refunded: number;
  createdAt: number;
  preview: string;
  messageId: string;
}

/** The state of a request is that of its least finished message, and of its worst where all are finished. */
const FIRST: readonly string[] = [
  "sending",
  "queued",
  "scheduled",
  "submitted",
  "unknown",
  "failed",
  "undelivered",
  "unconfirmed",
  "cancelled",
  "delivered",
];

/** Rows that the list holds; older ones are on the Activity page. */
export const LIVE_ROWS_MAX = 100;

/** A request's jobs, of which there is at least one, as one row. They must be in order. */
export function liveRow<State extends string, Kind extends string>(
  jobs: readonly LiveJob<State, Kind>[],
): LiveRow<State, Kind> {
  const [first] = jobs;
  const states = jobs.flatMap((job) => job.states);
  const [least] = states.toSorted((one, other) => FIRST.indexOf(one.state) - FIRST.indexOf(other.state));
  if (!first || !least) throw new Error("no message");
  const { requestId, seq, operation, to, createdAt, preview, messageId } = first;
  const known = jobs.reduce((sum, job) => sum + job.recipients, 0);
  const refunded = jobs.reduce((sum, job) => sum + job.refunded * job.charge, 0);
  return {
    requestId,
    seq,
    operation,
    to,
    total: Math.max(first.total ?? 0, known),
    delivered: states.reduce((sum, { state, count }) => sum + (state === "delivered" ? count : 0), 0),
    state: least.state,
    cost: (first.debit ?? first.charge * known) - refunded,
    refunded,
    createdAt,
    preview,
    messageId,
  };
}

/** Whether everything that a request cost was refunded. */
export const isAllRefunded = ({ cost, refunded }: Pick<LiveRow, "cost" | "refunded">): boolean =>
  cost === 0 && refunded > 0;

/** Jobs as rows, the newest first. */
export function liveRows<State extends string, Kind extends string>(
  jobs: readonly LiveJob<State, Kind>[],
): LiveRow<State, Kind>[] {
  const inOrder = jobs.toSorted((one, other) => one.seq - other.seq);
  return [...Map.groupBy(inOrder, (job) => job.requestId).values()].map((of) => liveRow(of)).toReversed();
}

/** How many OTPs a balance pays for; null when they are free. */
export function otpsLeft(balance: number, otpRate: number): number | null {
  return otpRate === 0 ? null : Math.floor(balance / otpRate);
}
