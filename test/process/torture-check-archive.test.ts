import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { messageIdOf, readArchives } from "../../harness/archive.ts";
import { messageId } from "../../src/crypto/ids.ts";
import { receipt, STORED_MS, TO, conclusionOf, findingsOf, smallWorld } from "../../torture/small-world.ts";
import type { World } from "../../torture/small-world.ts";

// The checker of `npm run torture` must find each of these violations in what was archived, and read the archive's files as
// docs/data.md describes them.

const left = ({ books: { accounts } }: World) => accounts[1]!;
const file = (world: World, at: number) => left(world).archives[at]!;
const kept = ({ books: { history } }: World) => history.find(({ recipient }) => recipient === TO.leftAndFailed)!;

const WHOLE = /the archive is whole/u;
const IN_BOTH = /what was archived left its account/u;
const FORGETS = /history keeps of what was archived only/u;

const SPOILS: [what: string, finding: RegExp, spoil: (world: World) => void][] = [
  ["a file of the archive is damaged", WHOLE, (world) => file(world, 1).problems.push("its hash is another")],
  ["a file of the archive is missing", WHOLE, (world) => left(world).archives.shift()],
  ["files leave a number out", WHOLE, (world) => (file(world, 0).last = 1)],
  ["a file begins with another balance", WHOLE, (world) => (file(world, 1).balance_before = 8)],
  ["more left an account than its files have", WHOLE, (world) => (left(world).ledger[0]!["seq"] = 5)],
  ["the checkpoint has another balance", WHOLE, (world) => (left(world).ledger[0]!["balance_after"] = 8)],
  ["files are noted and no checkpoint stands for them", WHOLE, (world) => left(world).ledger.pop()],
  [
    "an archived message is still in its account",
    IN_BOTH,
    (world) => left(world).messages.push({ ...file(world, 0).messages[0] }),
  ],
  [
    "an archived entry is still in its account's ledger",
    IN_BOTH,
    (world) => left(world).ledger.push({ ...file(world, 0).ledger[1] }),
  ],
  [
    "a message is neither in the archive nor in its account",
    /no acknowledged send is lost/u,
    (world) => file(world, 0).messages.pop(),
  ],
  ["an entry is in no file", /balances are exact/u, (world) => file(world, 0).ledger.pop()],
  ["history keeps a bulk that was archived", FORGETS, (world) => (kept(world)["is_bulk"] = true)],
  [
    "history keeps single messages that the checkpoint is beyond",
    FORGETS,
    (world) => (left(world).ledger[0]!["seq"] = 63),
  ],
  ["history has an archived message in another state", FORGETS, (world) => (kept(world)["state"] = "delivered")],
  [
    "a receipt that came before the message was archived is lost",
    /receipt that was acknowledged shows/u,
    (world) => world.carrier.push(...receipt(TO.left, "delivered", 200, undefined, STORED_MS - 1_000)),
  ],
  [
    "a receipt changes what was archived without one",
    /every state follows/u,
    (world) => {
      for (const row of [file(world, 0).messages[0]!, file(world, 0).history[0]!]) row["state"] = "delivered";
    },
  ],
  [
    "an archived message is refunded again",
    /refunds exactly where due/u,
    (world) => file(world, 1).ledger.push({ ...file(world, 1).ledger[1]! }),
  ],
];

it.each(SPOILS)("names the violated property when %s", (_what, finding, spoil) => {
  const world = smallWorld();
  spoil(world);
  expect(findingsOf(world).map(({ name }) => name)).toContainEqual(expect.stringMatching(finding));
});

it("lets a receipt change nothing that came after its message was archived", () => {
  const world = smallWorld();
  world.carrier.push(...receipt(TO.left, "delivered", 200, undefined, STORED_MS + 1));
  expect(findingsOf(world)).toEqual([]);
});

it("does not call a run proved in which nothing was archived", () => {
  const world = smallWorld();
  const [first, second] = left(world).archives.splice(0);
  Object.assign(left(world), {
    ledger: [...first!.ledger, ...second!.ledger],
    messages: [...first!.messages, ...second!.messages],
  });
  world.books.history.push(...first!.history);
  expect(findingsOf(world)).toEqual([]);
  const { proved, text } = conclusionOf(world);
  expect(proved).toBe(false);
  expect(text).toContain("the archive is whole");
});

const SECRETS = new Map([
  [1, "a-key-secret-of-this-test-0123456789"],
  [2, "another-key-secret-of-this-test-0123456789"],
]);
const ACCOUNT = "acc_0000000000A";
const CREATED = 1_793_491_200_000;

const place = { seq: 2, index: 1 };
const job = {
  seq: 2,
  request_id: "req_a",
  operation: "sms",
  debit: 20_000,
  balance_after: 80_000,
  charge: 10_000,
  created_at: CREATED,
  carrier: "http",
  messages: JSON.stringify(["+919100000001", "+919100000002"]),
  lives: JSON.stringify([
    [0, 1],
    [
      [3, 2, "s100t200d5000", { released: 1 }],
      [2, 1, "s100f150", { code: "http_422", refunded: true }],
    ],
  ]),
  secret_id: 2,
  // A column of a release to come.
  colour: "red",
};
const entry = { request_id: null, operation: null, secret_id: null, created_at: CREATED };
const LINES = [
  {
    kind: "ledger_entry",
    row: { ...entry, seq: 1, type: "credit", amount: 100_000, balance_after: 100_000, reference: "operator:opening" },
  },
  { kind: "job", row: job },
  {
    kind: "ledger_entry",
    row: {
      ...entry,
      seq: 3,
      type: "refund",
      amount: 10_000,
      balance_after: 90_000,
      reference: "refund:2.1",
      request_id: "req_a",
    },
  },
];

const digestOf = (bytes: Buffer) => ({ bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") });

/** A file with these lines, and a manifest that is right for it but for `wrong`. */
function fileOf(lines: { kind: string; row: object }[], wrong: object = {}) {
  const ndjson = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const bytes = gzipSync(ndjson);
  const manifest = {
    version: 1,
    account: ACCOUNT,
    mode: "live",
    month: "2026-11",
    first: 1,
    last: 3,
    lines: { job: 1, ledger_entry: 2 },
    units: { debit: -20_000, refund: 10_000, credit: 100_000, adjustment: 0 },
    balanceBefore: 0,
    balanceAfter: 90_000,
    ndjson: digestOf(ndjson),
    file: digestOf(bytes),
    ...wrong,
  };
  return { name: "2026-11-1.ndjson.gz", file: bytes, manifest: Buffer.from(JSON.stringify(manifest)) };
}

it("makes the ids of archived messages as the service does, with the secret that each was made with", () => {
  const given = [...SECRETS].map(([id, secret]) => `${id}:${secret}`).join(",");
  for (const operation of ["sms", "otp", "tts", "voice"] as const) {
    for (const secretId of [1, 2]) {
      const id = messageIdOf({ account: ACCOUNT, operation, ...place, secretId }, SECRETS);
      expect(id).toBe(messageId(given, { accountId: ACCOUNT, mode: "live" }, operation, { ...place, secretId }));
    }
  }
});

it("reads messages, lives and entries from a file of the archive", () => {
  const [read] = readArchives(ACCOUNT, [fileOf(LINES)], SECRETS);
  expect(read).toMatchObject({ problems: [], first: 1, last: 3, balance_before: 0, balance_after: 9 });
  const refunded = messageIdOf({ account: ACCOUNT, operation: "sms", ...place, secretId: 2 }, SECRETS);
  expect(read!.messages).toMatchObject([
    { to: "+919100000001", state: "delivered", attempts: 1, charge: 1, error_code: null },
    { to: "+919100000002", state: "failed", attempts: 1, message_id: refunded, error_code: "http_422" },
  ]);
  expect(read!.history[0]).toMatchObject({ is_bulk: true, charge: 10_000, refunded: 0, request_id: "req_a" });
  expect(JSON.parse(read!.history[0]!.timeline)).toEqual([
    { state: "queued", at: CREATED },
    { state: "sending", at: CREATED + 100 },
    { state: "submitted", at: CREATED + 200 },
    { state: "delivered", at: CREATED + 5_000 },
  ]);
  expect(read!.ledger).toMatchObject([
    { seq: 1, type: "credit", amount: 10, balance_after: 10, reference: "opening" },
    { seq: 2, type: "debit", amount: -2, balance_after: 8, request_id: "req_a" },
    { seq: 3, type: "refund", amount: 1, message_id: refunded, reference: `refund:${refunded}` },
  ]);
});

const changed = (at: number, row: object) =>
  fileOf(LINES.map((line, nth) => (nth === at ? { ...line, row: { ...line.row, ...row } } : line)));

it("reads from a file of the archive how often, and where last, a message was attempted at several carriers", () => {
  const notes = [
    [0, { by: "acme" }],
    [2, { by: "centre" }],
  ];
  // One claim that was given back, and one at two carriers.
  const lives = [
    [0, 1],
    [
      [2, 2, "s100q120s120t200", { released: 1, fallbacks: 1, notes }],
      [2, 1, "s100f150"],
    ],
  ];
  const [read] = readArchives(ACCOUNT, [changed(1, { lives: JSON.stringify(lives), carrier: "http" })], SECRETS);
  expect(read!.messages).toMatchObject([
    { state: "submitted", attempts: 2, carrier: "centre" },
    { state: "failed", attempts: 1, carrier: "http" },
  ]);
});

it.each([
  ["a number is left out", changed(1, { seq: 4 }), "line 4 follows line 1"],
  ["a balance does not follow", changed(1, { balance_after: 70_000 }), "the balance of line 2 does not follow"],
  ["a line has a text", changed(1, { text: "Hello" }), "line 2 has a text"],
  ["an amount changed", changed(2, { amount: 20_000 }), "its sums are not those of its manifest"],
  ["a line is missing at the end", fileOf(LINES.slice(0, 2)), "it ends at 2 and not at 3"],
  ["its manifest has another hash", fileOf(LINES, { file: digestOf(Buffer.from("x")) }), "its hash is not that"],
  ["its lines have another hash", fileOf(LINES, { ndjson: digestOf(Buffer.from("x")) }), "the hash of its lines"],
  ["it is of another account", fileOf(LINES, { account: "acc_b" }), "it belongs to another account"],
  ["it is of another month", fileOf(LINES, { month: "2026-12" }), "its name is not that of its manifest"],
])("finds in a file of the archive that %s", (_what, spoilt, problem) => {
  const [read] = readArchives(ACCOUNT, [spoilt], SECRETS);
  expect(read!.problems).toContainEqual(expect.stringContaining(problem));
});
