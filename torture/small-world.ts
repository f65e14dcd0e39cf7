import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Proof } from "./check/proof.ts";
import { proofsOf } from "./check/proofs.ts";
import { readEvidence } from "./check/read-evidence.ts";
import { verdictOn } from "./check/verdict.ts";
import { LEDGER, T0, TO, archivedAccount, entry, refOf, rowsOf, rowsOfAll } from "./small-books.ts";
import { order, receipt, submission } from "./small-lines.ts";
import { wishes } from "./small-wishes.ts";
import type { Row } from "./small-books.ts";

// A small world in which everything is right, for testing the checker: a test breaks one thing and expects the finding.

export { STORED_MS, TO } from "./small-books.ts";
export { receipt, submission } from "./small-lines.ts";

export interface World {
  config: Row;
  clients: Row[];
  carrier: Row[];
  faults: Row[];
  memory: Row[];
  /** What consumers of events stored. */
  events: Row[];
  /** What the operator of several carriers changed and saw. */
  routing: Row[];
  books: {
    accounts: ReturnType<typeof archivedAccount>["books"][];
    history: Row[];
    feeds: { account: string; events: Row[] }[];
    /** As customers read them, of a world with several carriers. */
    timelines: { account: string; ref: string; timeline: Row[] }[];
  };
}

const sent = (used: number, remaining: number, more: Row = {}) => ({
  coins_used: used,
  coins_remaining: remaining,
  ...more,
});

const details = { phone: "9300000001", brand: "Dastak", otp_sent: "123456", cost: 0.15, new_balance: 97.85 };

function clients(): Row[] {
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
      [200, sent(2, 99, { callId: refOf(TO.voice) })],
    ]),
    ...order("9", "/account-balance", null, "good", [[200, { balance: 101.85 }]]),
    ...order("11", "/send-sms", { phone: "9110000001", message: "Eleven" }, "good", [[200, sent(1, 99)]]),
    ...order("12", "/send-sms", { phone: "9120000001", message: "Twelve" }, "good", [[200, sent(1, 98)]]),
    ...order("10", "/send-sms", { phone: "9900000001", message: "Lost" }, "unkeyed", [[null]]),
    { t: "account", at: T0, id: "left", index: 2, plan: "premium", opening: 10 },
    ...order("30", "/send-sms", { phone: "9130000001", message: "Left" }, "good", [[200, sent(1, 9)]], "left"),
    ...order("31", "/send-sms", { phone: "9140000001", message: "Left" }, "good", [[200, sent(1, 8)]], "left"),
    { t: "credit", at: T0, account: "acc", amount: 5, reference: "alms-1" },
    { t: "credited", at: T0, account: "acc", reference: "alms-1", status: 200 },
  ];
}

/** The world in which everything is right. */
export function smallWorld(): World {
  const rows = rowsOfAll();
  const left = archivedAccount();
  const more = wishes();
  const validity = { VALIDITY_SMS_MS: 45_000, VALIDITY_OTP_MS: 30_000, VALIDITY_CALL_MS: 40_000 };
  const timers = { ATTEMPTS_MAX: 5, CARRIER_TIMEOUT_MS: 2_000, UNKNOWN_WINDOW_MS: 6_000, ...validity };
  return {
    config: { seed: "small", minutes: 1, clock: "runtime", dedupes: false, tps: null, timers },
    clients: [...clients(), ...more.clients],
    events: more.events,
    routing: [],
    carrier: [
      ...more.carrier,
      ...submission(TO.sms, "accepts", "taken"),
      ...receipt(TO.sms, "delivered", 200),
      ...receipt(TO.sms, "failed", 401, "forged"),
      ...submission(TO.bulkOne, "accepts", "taken"),
      ...receipt(TO.bulkOne, "delivered", 200),
      ...submission(TO.bulkTwo, "rejects", "rejected"),
      ...submission(TO.otp, "hangs", "nothing"),
      ...submission(TO.limited, "limits", "busy", 1_150, 3_000),
      ...submission(TO.limited, "accepts", "taken", 4_550),
      ...submission(TO.voice, "accepts", "taken"),
      ...receipt(TO.voice, "delivered", 200),
      ...submission(TO.expired, "busy", "busy"),
      ...submission(TO.twice, "accepts", "taken"),
      ...receipt(TO.twice, "undelivered", 200),
      ...receipt(TO.twice, "delivered", 200, undefined, 1_600),
      ...submission(TO.left, "accepts", "taken"),
      ...submission(TO.leftAndFailed, "rejects", "rejected"),
    ],
    faults: [{ t: "begin", at: T0 + 900_000, id: 1, kind: "kill" }],
    memory: [400, 500, 520, 510, 530, 520].map((mb, at) => ({ t: "memory", at: T0 + at, life: 1, kb: mb * 1_024 })),
    books: {
      accounts: [
        {
          id: "acc",
          balance: 99,
          ledger: LEDGER.map((one) => ({ ...one })),
          messages: rows.map(({ message }) => message),
          differences: [],
          archives: [],
        },
        left.books,
        more.books,
      ],
      history: [...rows.map(({ recorded }) => recorded), left.kept, ...more.history],
      feeds: [more.feed],
      timelines: [],
    },
  };
}

/** Adds another account with a bulk of this size that reached the gateway at this time; everything about it is right. */
export function addCampaign({ clients: lines, carrier, books }: World, size: number, atMs: number): void {
  const recipients = Array.from({ length: size }, (_, at) => String(9_500_000_000 + at));
  const replies: [number, Row][] = [[200, sent(size, 1_000 - size)]];
  const account = "campaign";
  lines.push({ t: "account", at: T0, id: account, index: 1, plan: "premium", opening: 1_000 });
  lines.push(...order("20", "/send-bulk-sms", { recipients, message: "Buy" }, "good", replies, account));
  const states: [string, number][] = [
    ["queued", 1_000],
    ["sending", atMs - 50],
    ["submitted", atMs + 50],
    ["unconfirmed", atMs + 9_050],
  ];
  const rows = recipients.map((phone) => {
    return rowsOf({ to: `+91${phone}`, request: "r20", operation: "sms", charge: 1, states, account });
  });
  for (const phone of recipients) carrier.push(...submission(`+91${phone}`, "accepts", "taken", atMs));
  const left = 1_000 - size;
  const ledger = [
    entry(1, "credit", 1_000, 1_000, { reference: "opening" }),
    entry(2, "debit", -size, left, { request_id: "r20" }),
  ];
  const messages = rows.map(({ message }) => message);
  books.accounts.push({ id: account, balance: left, ledger, messages, differences: [], archives: [] });
  books.history.push(...rows.map(({ recorded }) => recorded));
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
