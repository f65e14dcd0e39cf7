import { expect, it } from "vitest";
import {
  append,
  books,
  entryOf,
  forget,
  messageTo,
  rebalance,
  recordOf,
  replies,
  without,
} from "../../torture/small-changes.ts";
import { TO, conclusionOf, findingsOf, smallWorld } from "../../torture/small-world.ts";
import type { World } from "../../torture/small-world.ts";

// The checker of `npm run torture` must find each of these violations, of money and replies; those of delivery are in
// torture-check-delivery.test.ts.

const SPOILS: [what: string, finding: RegExp, spoil: (world: World) => void][] = [
  ["an acknowledged message is lost", /no acknowledged send is lost/u, (world) => forget(world, TO.sms)],
  ["one recipient of a bulk is lost", /no acknowledged send is lost/u, (world) => forget(world, TO.bulkOne)],
  [
    "a message is recorded twice",
    /no acknowledged send is lost/u,
    (world) => books(world).messages.push({ ...messageTo(world, TO.sms), message_id: "msg_second" }),
  ],
  [
    "a message has no order",
    /no message without an order/u,
    (world) => books(world).messages.push({ ...messageTo(world, TO.sms), to: "+919999999999" }),
  ],
  [
    "a refused order was sent",
    /none of a refused one/u,
    (world) => books(world).messages.push({ ...messageTo(world, TO.sms), to: "+919600000001" }),
  ],
  ["an invalid order is executed", /answered as its kind is/u, (world) => (replies(world, "5")[0]!["status"] = 200)],
  ["a forged key is accepted", /answered as its kind is/u, (world) => (replies(world, "6")[0]!["status"] = 200)],
  [
    "a key is reused with another body",
    /answered as its kind is/u,
    (world) => (replies(world, "7")[0]!["status"] = 200),
  ],
  ["a replay differs", /same to the byte/u, (world) => (replies(world, "1")[1]!["body"] = "{}")],
  ["a replay is not marked as one", /same to the byte/u, (world) => (replies(world, "1")[1]!["replayed"] = false)],
  ["an executed order is refused later", /same to the byte/u, (world) => (replies(world, "1")[1]!["status"] = 429)],
  [
    "a reply states wrong coins remaining",
    /replies tell the truth/u,
    (world) => (replies(world, "4")[0]!["body"] = JSON.stringify({ coins_used: 1, coins_remaining: 98 })),
  ],
  [
    "a reply states a balance that the account never had",
    /replies tell the truth/u,
    (world) => (replies(world, "9")[0]!["body"] = JSON.stringify({ balance: 55 })),
  ],
  ["a 503 has no fault as its cause", /no 5xx without a fault/u, (world) => (replies(world, "5")[0]!["status"] = 503)],
  [
    "a window admits too many requests",
    /no window of 60 s/u,
    (world) => {
      world.clients[0]!["plan"] = "starter";
      const [first] = replies(world, "9");
      const attempt = world.clients.find((line) => line["t"] === "attempt" && line["id"] === "9")!;
      for (let at = 0; at < 12; at++) {
        world.clients.push({ ...attempt, try: `more-${at}` }, { ...first, t: "reply", try: `more-${at}` });
      }
    },
  ],
  [
    "a key is debited twice",
    /one debit per order/u,
    (world) => append(world, { type: "debit", amount: -1, request_id: "r1" }),
  ],
  [
    "a debit has no order",
    /no debit without an order/u,
    (world) => append(world, { type: "debit", amount: -1, request_id: "r99" }),
  ],
  [
    "a debit has the wrong amount",
    /one debit per order/u,
    (world) => {
      entryOf(world, 3)["amount"] = -3;
      rebalance(world);
    },
  ],
  ["a balance is wrong", /balances are exact/u, (world) => (books(world).balance += 0.0001)],
  ["the ledger's chain is broken", /balances are exact/u, (world) => (entryOf(world, 5)["balance_after"] = 97)],
  [
    "a credit is missing",
    /each credit stands once/u,
    (world) => (without(books(world).ledger, entryOf(world, 6)), rebalance(world)),
  ],
  ["a credit is given twice", /each credit stands once/u, (world) => append(world, { amount: 5, reference: "alms-1" })],
  [
    "a credit was never ordered",
    /each credit stands once/u,
    (world) => append(world, { amount: 5, reference: "gift" }),
  ],
  [
    "a refund is missing",
    /refunds exactly where due/u,
    (world) => (without(books(world).ledger, entryOf(world, 9)), rebalance(world)),
  ],
  ["a refund is repeated", /refunds exactly where due/u, (world) => append(world, { ...entryOf(world, 4) })],
  [
    "a refund is only half",
    /refunds exactly where due/u,
    (world) => ((entryOf(world, 4)["amount"] = 0.5), rebalance(world)),
  ],
  [
    "a delivered message is refunded",
    /refunds exactly where due/u,
    (world) => append(world, { ...entryOf(world, 4), message_id: messageTo(world, TO.sms)["message_id"] }),
  ],
  [
    "an unknown outcome is refunded at once",
    /refunds exactly where due/u,
    (world) => (entryOf(world, 9)["at"] = entryOf(world, 1)["at"]),
  ],
  [
    "a message is missing from history",
    /history is complete/u,
    (world) => without(world.books.history, recordOf(world, TO.sms)),
  ],
  ["history has another state", /history is complete/u, (world) => (recordOf(world, TO.sms)["state"] = "submitted")],
  [
    "history contains an extra message",
    /history is complete/u,
    (world) => world.books.history.push({ ...recordOf(world, TO.sms), request_id: "r99" }),
  ],
  ["the service's own recount differs", /own recount agrees/u, (world) => books(world).differences.push("one")],
  ["memory grows", /memory is bounded/u, (world) => (world.memory.at(-1)!["kb"] = 900 * 1_024)],
];

it("finds nothing in a correct run", () => {
  expect(findingsOf(smallWorld())).toEqual([]);
  expect(conclusionOf(smallWorld())).toEqual({ proved: true, text: "PROVED: everything above holds." });
});

it("does not call a run proved in which no send was acknowledged, and names what was not checked", () => {
  const world = smallWorld();
  const sends = world.clients.filter(({ t, path }) => t === "intend" && String(path).includes("/send-"));
  const calls = world.clients.filter(({ t, path }) => t === "intend" && path === "/api/make-voice-call");
  const ids = new Set([...sends, ...calls].map(({ id }) => id));
  world.clients = world.clients.filter(({ t, id, status }) => !(t === "reply" && ids.has(id) && status === 200));
  expect(findingsOf(world)).toEqual([]);
  const { proved, text } = conclusionOf(world);
  expect(proved).toBe(false);
  expect(text.split("\n").map((one) => one.trim())).toEqual([
    "NOT PROVED: the run had nothing on which to check",
    "no acknowledged send is lost: each recipient of each 200 has exactly one message",
    "a one-time password does not wait behind the bulks of other accounts",
  ]);
});

it("names every property of messages after a run without any", () => {
  const world = smallWorld();
  world.clients = world.clients.filter(({ t }) => t === "account");
  Object.assign(world, { carrier: [], faults: [] });
  world.books.history = [];
  world.books.accounts.length = 1;
  Object.assign(books(world), { messages: [], ledger: books(world).ledger.slice(0, 1), balance: 100 });
  expect(findingsOf(world)).toEqual([]);
  const { proved, text } = conclusionOf(world);
  expect(proved).toBe(false);
  for (const name of [/^ +one debit per order/mu, /^ +every life goes/mu, /^ +forged and stale receipts/mu]) {
    expect(text).toMatch(name);
  }
  expect(text).not.toContain("no 5xx without a fault");
});

it.each(SPOILS)("names the violated property when %s", (_what, finding, spoil) => {
  const world = smallWorld();
  spoil(world);
  expect(findingsOf(world).map(({ name }) => name)).toContainEqual(expect.stringMatching(finding));
});
