// The service's books of the small world in which everything is right.

export type Row = Record<string, unknown>;

export const T0 = 1_800_000_000_000;
const time = (ms: number) => new Date(T0 + ms).toISOString();

/** Recipients: two of one bulk, and one of each other order. */
export const TO = {
  sms: "+919100000001",
  bulkOne: "+919200000001",
  bulkTwo: "+919200000002",
  otp: "+919300000001",
  limited: "+919400000001",
  voice: "+4915500000001",
  expired: "+919110000001",
  twice: "+919120000001",
  /** Of another account, whose archive has all of it. */
  left: "+919130000001",
  leftAndFailed: "+919140000001",
} as const;

export const refOf = (to: string) => `msg_${to}`;

export interface Life {
  to: string;
  request: string;
  operation: string;
  charge: number;
  /** States, with their times from the beginning of the world. */
  states: [state: string, atMs: number][];
  code?: string;
  refunded?: boolean;
  account?: string;
}

const sending: Life["states"] = [
  ["queued", 1_000],
  ["sending", 1_100],
];
const submitted: Life["states"] = [...sending, ["submitted", 1_200]];

const LIVES: Life[] = [
  // Its receipt came before its outcome was reported.
  { to: TO.sms, request: "r1", operation: "sms", charge: 1, states: [...sending, ["delivered", 1_500]] },
  { to: TO.bulkOne, request: "r2", operation: "sms", charge: 1, states: [...submitted, ["delivered", 1_500]] },
  {
    to: TO.bulkTwo,
    request: "r2",
    operation: "sms",
    charge: 1,
    states: [...sending, ["failed", 1_200]],
    code: "http_422",
    refunded: true,
  },
  {
    to: TO.otp,
    request: "r3",
    operation: "otp",
    charge: 0.15,
    states: [...sending, ["unknown", 3_100]],
    refunded: true,
  },
  {
    to: TO.limited,
    request: "r4",
    operation: "sms",
    charge: 1,
    states: [...sending, ["queued", 1_200], ["sending", 4_500], ["submitted", 4_600], ["unconfirmed", 13_700]],
  },
  { to: TO.voice, request: "r8", operation: "voice", charge: 2, states: [...submitted, ["delivered", 1_500]] },
  {
    to: TO.expired,
    request: "r11",
    operation: "sms",
    charge: 1,
    states: [...sending, ["queued", 1_200], ["failed", 46_100]],
    code: "validity_ended",
    refunded: true,
  },
  {
    to: TO.twice,
    request: "r12",
    operation: "sms",
    charge: 1,
    states: [...submitted, ["undelivered", 1_500], ["delivered", 1_700]],
  },
];

interface Rows {
  message: Row;
  recorded: Row;
}

/** A message as the operator sees it, and as history holds it. */
export function rowsOf(life: Life): Rows {
  const { to, request, operation, charge, states, code = null, refunded = false, account = "acc" } = life;
  const [state] = states.at(-1) ?? [];
  const attempts = states.filter(([one]) => one === "sending").length;
  const more = { state, attempts, carrier: "http", error_code: code };
  const timeline = states.map(([one, at]) => ({ state: one, at: T0 + at }));
  const message = { message_id: refOf(to), request_id: request, operation, to, charge, ...more };
  const own = { account_id: account, request_id: request, recipient: to, charge: Math.round(charge * 10_000) };
  return { message, recorded: { ...own, ...more, refunded: refunded ? 1 : 0, timeline: JSON.stringify(timeline) } };
}

/** The rows of every message of the first account. */
export const rowsOfAll = () => LIVES.map(rowsOf);

/** An entry of the ledger, a second after the one before. */
export function entry(seq: number, type: string, amount: number, after: number, more: Row): Row {
  const rest = { message_id: null, request_id: null, reference: null, at: time(1_000 * seq) };
  return { seq, type, amount, balance_after: after, ...rest, ...more };
}

const refund = (seq: number, to: string, amount: number, after: number) =>
  entry(seq, "refund", amount, after, { message_id: refOf(to), reference: `refund:${refOf(to)}` });

export const LEDGER = [
  entry(1, "credit", 100, 100, { reference: "opening" }),
  entry(2, "debit", -1, 99, { request_id: "r1" }),
  entry(3, "debit", -2, 97, { request_id: "r2" }),
  refund(4, TO.bulkTwo, 1, 98),
  entry(5, "debit", -0.15, 97.85, { request_id: "r3" }),
  entry(6, "credit", 5, 102.85, { reference: "alms-1" }),
  entry(7, "debit", -1, 101.85, { request_id: "r4" }),
  entry(8, "debit", -2, 99.85, { request_id: "r8" }),
  refund(9, TO.otp, 0.15, 100),
  entry(10, "debit", -1, 99, { request_id: "r11" }),
  entry(11, "debit", -1, 98, { request_id: "r12" }),
  refund(12, TO.expired, 1, 99),
];

/** When the files of the archive were stored. */
export const STORED_MS = 200_000;

/** An account that archived everything in two files; of the second one, history still has its row of single messages. */
export function archivedAccount() {
  const account = "left";
  const common = { operation: "sms", charge: 1, account };
  const states: Life["states"] = [...submitted, ["unconfirmed", 10_300]];
  const first = rowsOf({ ...common, to: TO.left, request: "r30", states });
  const failed: Life["states"] = [...sending, ["failed", 1_200]];
  const more = { code: "http_422", refunded: true, states: failed };
  const second = rowsOf({ ...common, to: TO.leftAndFailed, request: "r31", ...more });
  const file = (
    from: number,
    last: number,
    balances: [number, number],
    ledger: Row[],
    { message, recorded }: Rows,
  ) => ({
    name: `2027-01-${from}.ndjson.gz`,
    first: from,
    last,
    balance_before: balances[0],
    balance_after: balances[1],
    stored_at: T0 + STORED_MS,
    problems: [] as string[],
    ledger,
    messages: [message],
    history: [recorded],
  });
  const opening = entry(1, "credit", 10, 10, { reference: "opening" });
  const debit = entry(3, "debit", -1, 8, { request_id: "r31" });
  const archives = [
    file(1, 2, [0, 9], [opening, entry(2, "debit", -1, 9, { request_id: "r30" })], first),
    file(3, 4, [9, 9], [debit, refund(4, TO.leftAndFailed, 1, 9)], second),
  ];
  const ledger = [entry(4, "checkpoint", 9, 9, { reference: "archive" })];
  const books = { id: account, balance: 9, ledger, messages: [] as Row[], differences: [] as unknown[], archives };
  return { books, kept: { ...second.recorded, seq: 3, is_bulk: false } };
}
