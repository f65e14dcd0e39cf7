import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Proof } from "./check/proof.ts";
import { proofsOf } from "./check/proofs.ts";
import { readEvidence } from "./check/read-evidence.ts";
import { verdictOn } from "./check/verdict.ts";

// A small world in which everything is right, for testing the checker: a test breaks one thing and expects the finding.

type Row = Record<string, unknown>;

export interface World {
  config: Row;
  clients: Row[];
  carrier: Row[];
  faults: Row[];
  memory: Row[];
  books: {
    accounts: { id: string; balance: number; ledger: Row[]; messages: Row[]; differences: unknown[] }[];
    history: Row[];
  };
}

const T0 = 1_800_000_000_000;
const time = (ms: number) => new Date(T0 + ms).toISOString();

/** Recipients: two of one bulk, and one of each other order. */
export const TO = {
  sms: "+919100000001",
  bulkOne: "+919200000001",
  bulkTwo: "+919200000002",
  otp: "+919300000001",
  busy: "+919400000001",
  voice: "+4915500000001",
} as const;

const ref = (to: string) => `msg_${to}`;

const TIMES = { queued: 1_000, sending: 1_100, submitted: 1_200, delivered: 1_500, failed: 1_200, unknown: 3_100 };

interface Life {
  to: string;
  request: string;
  operation: string;
  charge: number;
  states: (keyof typeof TIMES | "unconfirmed")[];
  refunded?: boolean;
}

const LIVES: Life[] = [
  { to: TO.sms, request: "r1", operation: "sms", charge: 1, states: ["queued", "sending", "submitted", "delivered"] },
  {
    to: TO.bulkOne,
    request: "r2",
    operation: "sms",
    charge: 1,
    states: ["queued", "sending", "submitted", "delivered"],
  },
  {
    to: TO.bulkTwo,
    request: "r2",
    operation: "sms",
    charge: 1,
    states: ["queued", "sending", "failed"],
    refunded: true,
  },
  {
    to: TO.otp,
    request: "r3",
    operation: "otp",
    charge: 0.15,
    states: ["queued", "sending", "unknown"],
    refunded: true,
  },
  {
    to: TO.busy,
    request: "r4",
    operation: "sms",
    charge: 1,
    states: ["queued", "sending", "queued", "sending", "submitted", "unconfirmed"],
  },
  {
    to: TO.voice,
    request: "r8",
    operation: "voice",
    charge: 2,
    states: ["queued", "sending", "submitted", "delivered"],
  },
];

function rowsOf({ to, request, operation, charge, states, refunded = false }: Life): { message: Row; recorded: Row } {
  const state = states.at(-1);
  const attempts = states.filter((one) => one === "sending").length;
  const more = { state, attempts, carrier: "http", error_code: null };
  const timeline = states.map((one) => ({ state: one, at: T0 + (one === "unconfirmed" ? 12_000 : TIMES[one]) }));
  const message = { message_id: ref(to), request_id: request, operation, to, charge, ...more };
  const own = { account_id: "acc", request_id: request, recipient: to, charge: Math.round(charge * 10_000) };
  return { message, recorded: { ...own, ...more, refunded: refunded ? 1 : 0, timeline: JSON.stringify(timeline) } };
}

function entry(seq: number, type: string, amount: number, after: number, more: Row): Row {
  const rest = { message_id: null, request_id: null, reference: null, at: time(1_000 * seq) };
  return { seq, type, amount, balance_after: after, ...rest, ...more };
}

const refund = (seq: number, to: string, amount: number, after: number) =>
  entry(seq, "refund", amount, after, { message_id: ref(to), reference: `refund:${ref(to)}` });

const LEDGER = [
  entry(1, "credit", 100, 100, { reference: "opening" }),
  entry(2, "debit", -1, 99, { request_id: "r1" }),
  entry(3, "debit", -2, 97, { request_id: "r2" }),
  refund(4, TO.bulkTwo, 1, 98),
  entry(5, "debit", -0.15, 97.85, { request_id: "r3" }),
  entry(6, "credit", 5, 102.85, { reference: "alms-1" }),
  entry(7, "debit", -1, 101.85, { request_id: "r4" }),
  entry(8, "debit", -2, 99.85, { request_id: "r8" }),
  refund(9, TO.otp, 0.15, 100),
];

let tries = 0;

/**
 * The log lines of an order: the order itself, and each attempt with its reply; an attempt without a status has no
 * reply.
 */
function order(
  id: string,
  path: string,
  body: Row | null,
  means: string,
  replies: [number | null, Row?, string?][],
): Row[] {
  const method = body ? "POST" : "GET";
  const key = body && means !== "unkeyed" ? { key: means === "other" ? "key-1" : `key-${id}` } : {};
  const meaning = means === "unkeyed" ? "good" : means;
  const lines: Row[] = [
    { t: "intend", at: T0, id, account: "acc", method, path, ...(body && { body }), means: meaning, ...key },
  ];
  for (const [at, [status, reply = {}, requestId = `r${id}`]] of replies.entries()) {
    const one = { id, try: `try-${(tries += 1)}`, at: T0 + 1_000 * (at + 1) };
    lines.push({ t: "attempt", ...one });
    if (status === null) lines.push({ t: "broken", ...one, why: "reset" });
    else {
      // The first 200 comes from the original request and later ones are replays, even if the client did not get the
      // first.
      const told = { status, replayed: status === 200 && at > 0, requestId, body: JSON.stringify(reply) };
      lines.push({ t: "reply", ...one, ...told, at: one.at + 10 });
    }
  }
  return lines;
}

const sent = (used: number, remaining: number, more: Row = {}) => ({
  coins_used: used,
  coins_remaining: remaining,
  ...more,
});

const details = { phone: "9300000001", brand: "Dastak", otp_sent: "123456", cost: 0.15, new_balance: 97.85 };

function clients(): Row[] {
  tries = 0;
  return [
    { t: "account", at: T0, id: "acc", index: 0, plan: "premium", opening: 100 },
    ...order("1", "/send-sms", { phone: "9100000001", message: "One" }, "good", [
      [200, sent(1, 99)],
      [200, sent(1, 99)],
    ]),
    // The first reply was lost; the second is a replay.
    ...order("2", "/send-bulk-sms", { recipients: ["9200000001", "9200000002"], message: "Two" }, "good", [
      [null],
      [200, sent(2, 97), "r2-again"],
    ]),
    ...order("3", "/send-otp", { phone: "9300000001", otp: "123456" }, "good", [[200, { details }]]),
    ...order("4", "/send-sms", { phone: "9400000001", message: "Four" }, "good", [[200, sent(1, 101)]]),
    ...order("5", "/send-sms", { phone: "1", message: "Wrong" }, "wrong", [[400]]),
    ...order("6", "/send-sms", { phone: "9600000001", message: "Forged" }, "forged", [[401]]),
    ...order("7", "/send-sms", { phone: "9700000001", message: "Other" }, "other", [[422]]),
    ...order("0", "/api/upload-voice", { fileName: "silence-29.wav" }, "good", [[200, { fileId: "file" }]]),
    ...order("8", "/api/make-voice-call", { callee: "4915500000001", fileId: "file" }, "good", [
      [200, sent(2, 99, { callId: ref(TO.voice) })],
    ]),
    ...order("9", "/account-balance", null, "good", [[200, { balance: 101.85 }]]),
    ...order("10", "/send-sms", { phone: "9900000001", message: "Lost" }, "unkeyed", [[null]]),
    { t: "credit", at: T0, account: "acc", amount: 5, reference: "alms-1" },
    { t: "credited", at: T0, account: "acc", reference: "alms-1", status: 200 },
  ];
}

const OPERATIONS: Record<string, { operation: string; text?: string }> = {
  [TO.sms]: { operation: "sms", text: "One" },
  [TO.bulkOne]: { operation: "sms", text: "Two" },
  [TO.bulkTwo]: { operation: "sms", text: "Two" },
  [TO.otp]: { operation: "otp", text: "123456 is your one-time password." },
  [TO.busy]: { operation: "sms", text: "Four" },
  [TO.voice]: { operation: "voice" },
};

/** A submission as the gateway logs it, with a line for its answer unless that conveyed nothing. */
export function submission(to: string, decision: string, tells: string): Row[] {
  const line = { t: "submission", at: T0 + 1_150, ref: ref(to), to, ...OPERATIONS[to], decision, tells, signed: true };
  return tells === "nothing" ? [line] : [line, { t: "answered", at: T0 + 1_190, ref: ref(to) }];
}

let receipts = 0;

/** A receipt and its status. */
export function receipt(to: string, state: string, status: number, fault?: string): Row[] {
  const id = `receipt-${(receipts += 1)}`;
  const line = { t: "receipt", at: T0 + 1_400, id, ref: ref(to), state, ...(fault !== undefined && { fault }) };
  return [line, { t: "receipt-reply", at: T0 + 1_500, id, status }];
}

/** The world in which everything is right. */
export function smallWorld(): World {
  const rows = LIVES.map(rowsOf);
  const validity = { VALIDITY_SMS_MS: 45_000, VALIDITY_OTP_MS: 30_000, VALIDITY_CALL_MS: 40_000 };
  const timers = { ATTEMPTS_MAX: 5, CARRIER_TIMEOUT_MS: 2_000, UNKNOWN_WINDOW_MS: 6_000, ...validity };
  return {
    config: { seed: "small", minutes: 1, clock: "none", timers },
    clients: clients(),
    carrier: [
      ...submission(TO.sms, "accepts", "taken"),
      ...receipt(TO.sms, "delivered", 200),
      ...receipt(TO.sms, "failed", 401, "forged"),
      ...submission(TO.bulkOne, "accepts", "taken"),
      ...receipt(TO.bulkOne, "delivered", 200),
      ...submission(TO.bulkTwo, "rejects", "rejected"),
      ...submission(TO.otp, "hangs", "nothing"),
      ...submission(TO.busy, "busy", "busy"),
      ...submission(TO.busy, "accepts", "taken"),
      ...submission(TO.voice, "accepts", "taken"),
      ...receipt(TO.voice, "delivered", 200),
    ],
    faults: [{ t: "begin", at: T0 + 900_000, id: 1, kind: "kill" }],
    memory: [400, 500, 520, 510, 530, 520].map((mb, at) => ({ t: "memory", at: T0 + at, life: 1, kb: mb * 1_024 })),
    books: {
      accounts: [
        {
          id: "acc",
          balance: 100,
          ledger: LEDGER.map((one) => ({ ...one })),
          messages: rows.map(({ message }) => message),
          differences: [],
        },
      ],
      history: rows.map(({ recorded }) => recorded),
    },
  };
}

/** The checker's proofs of a world. */
function proofsIn({ config, books, ...logs }: World): Proof[] {
  const directory = mkdtempSync(path.join(os.tmpdir(), "dastak-check-"));
  try {
    const write = (name: string, text: string) => writeFileSync(path.join(directory, name), text);
    write("config.json", JSON.stringify(config));
    write("books.json", JSON.stringify(books));
    for (const [name, lines] of Object.entries(logs)) {
      write(`${name}.jsonl`, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    }
    return proofsOf(readEvidence(directory));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The checker's findings: the properties that do not hold, each with its first counterexample. */
export function findingsOf(world: World): { name: string; against: string }[] {
  return proofsIn(world).flatMap(({ name, against: [first] }) =>
    first === undefined ? [] : [{ name, against: first }],
  );
}

/** The checker's conclusion. */
export const conclusionOf = (world: World) => verdictOn(proofsIn(world));
