import { expect, it } from "vitest";
import { rebalance } from "../../torture/small-changes.ts";
import { WISHED } from "../../torture/small-wishes.ts";
import { conclusionOf, findingsOf, smallWorld, submission } from "../../torture/small-world.ts";
import type { World } from "../../torture/small-world.ts";

// The checker of `npm run torture` must find each of these violations of what is ordered for later, taken back and quoted.
// Those of events are in torture-check-events.test.ts.

type Row = Record<string, unknown>;

const own = ({ books: { accounts } }: World) => accounts.find(({ id }) => id === "wishes")!;
const ref = (to: string) => `msg_${to}`;
const feed = (world: World) => world.books.feeds[0]!.events;
const reply = (world: World, id: string, nth = 0) =>
  world.clients.filter((line) => line["t"] === "reply" && line["id"] === id)[nth]!;

/** Changes a message's timeline, and an entry of it. */
function retell(world: World, to: string, change: (timeline: { state: string; at: number }[]) => void): void {
  const record = world.books.history.find(({ recipient }) => recipient === to)!;
  const timeline = JSON.parse(String(record["timeline"])) as { state: string; at: number }[];
  change(timeline);
  record["timeline"] = JSON.stringify(timeline);
}

/** Changes the amount of an entry of the ledger, or takes it out. */
function entry(world: World, seq: number, amount: number | null): void {
  const { ledger } = own(world);
  const at = ledger.findIndex((one) => one["seq"] === seq);
  if (amount === null) ledger.splice(at, 1);
  else ledger[at]!["amount"] = amount;
  rebalance(world, own(world));
}

/** Whether a line or row is not of the account of wishes. */
const isOther = (row: Row) => row["account"] !== "wishes" && row["account_id"] !== "wishes" && row["id"] !== "wishes";

const KEPT = /charged exactly at it, once/u;
const USELESS = /a quote that was used, has expired/u;
const TRUE = /cancels tell the truth/u;
const GONE = /what is cancelled was asked back/u;
const EARLY = /goes to no gateway before its time/u;
const COMES = /attempted after its time/u;
const ONCE = /events have no gap/u;
const LIVES = /the events of each message are its life/u;
const NOTES = /credits, a balance that becomes low/u;
const WHOLE = /webhooks come to the end/u;
const SIGNED = /every delivery is signed/u;

const SPOILS: [what: string, finding: RegExp, spoil: (world: World) => void][] = [
  ["a quoted order costs more than its quote", KEPT, (world) => entry(world, 6, -2)],
  [
    "a quote names another price than the contract",
    KEPT,
    (world) => (reply(world, "43")["body"] = String(reply(world, "43")["body"]).replace('"cost":1', '"cost":3')),
  ],
  [
    "a quote is used by two orders",
    KEPT,
    (world) => {
      const { messages } = own(world);
      const quoted = messages.find(({ to }) => to === WISHED.quoted)!;
      messages.push({ ...quoted, to: "+919450000001", message_id: "msg_again", request_id: "r45" });
    },
  ],
  ["a quote for something else is taken", USELESS, (world) => (reply(world, "46")["status"] = 200)],
  [
    "a used quote is taken",
    USELESS,
    (world) => {
      reply(world, "45")["status"] = 200;
      const line = world.clients.find(({ t, id }) => t === "attempt" && id === "45")!;
      line["at"] = Number(line["at"]) + 500;
    },
  ],
  [
    "a good quote is refused",
    USELESS,
    (world) => {
      const { messages } = own(world);
      messages.splice(
        messages.findIndex(({ to }) => to === WISHED.quoted),
        1,
      );
    },
  ],
  [
    "an expired quote is taken",
    USELESS,
    (world) => {
      const body = JSON.parse(String(reply(world, "43")["body"])) as Row;
      const at = Number(reply(world, "43")["at"]) - 500;
      reply(world, "43")["body"] = JSON.stringify({ ...body, quote_until: new Date(at).toISOString() });
    },
  ],
  [
    "a reply says that more was taken back than is",
    TRUE,
    (world) => (reply(world, "42")["body"] = JSON.stringify({ cancelled: 2, refunded: 2 })),
  ],
  [
    "a reply says that another amount was refunded",
    TRUE,
    (world) => (reply(world, "42")["body"] = JSON.stringify({ cancelled: 1, refunded: 0.5 })),
  ],
  ["a cancel is too late after it was done", TRUE, (world) => (reply(world, "42", 1)["status"] = 409)],
  ["a message that is there is not found", TRUE, (world) => (reply(world, "42", 1)["status"] = 404)],
  [
    "something is cancelled and no reply says so",
    TRUE,
    (world) => {
      for (const nth of [0, 1]) reply(world, "42", nth)["status"] = 409;
    },
  ],
  ["what is cancelled is not refunded", GONE, (world) => entry(world, 4, null)],
  ["what is cancelled is refunded in part", GONE, (world) => entry(world, 4, 0.5)],
  [
    "something is cancelled that its customer wants",
    GONE,
    (world) => {
      world.clients = world.clients.filter(({ id }) => id !== "42");
    },
  ],
  [
    "what is cancelled is submitted afterwards",
    GONE,
    (world) => world.carrier.push(...submission(WISHED.cancelled, "accepts", "taken", 1_500)),
  ],
  [
    "what is cancelled is refunded twice",
    GONE,
    (world) => own(world).ledger.push({ ...own(world).ledger[3]!, seq: 7, balance_after: 11 }),
  ],
  [
    "a message for later is attempted at once",
    EARLY,
    (world) => retell(world, WISHED.later, (timeline) => (timeline[2]!.at -= 200)),
  ],
  [
    "a message for later reaches the gateway before its time",
    EARLY,
    (world) => {
      for (const line of world.carrier) if (line["ref"] === ref(WISHED.later)) line["at"] = Number(line["at"]) - 2_000;
    },
  ],
  [
    "a message for later is not scheduled",
    COMES,
    (world) => retell(world, WISHED.later, (timeline) => (timeline[0]!.state = "queued")),
  ],
  [
    "a message for later is given up before its validity ends",
    COMES,
    (world) =>
      retell(world, WISHED.later, (timeline) => {
        timeline.splice(2, 3, { state: "failed", at: timeline[2]!.at });
      }),
  ],
];

it.each(SPOILS)("names the violated property when %s", (_what, finding, spoil) => {
  const world = smallWorld();
  spoil(world);
  expect(findingsOf(world).map(({ name }) => name)).toContainEqual(expect.stringMatching(finding));
});

it("lets what was archived not be found any more", () => {
  const world = smallWorld();
  const account = own(world);
  const at = account.messages.findIndex(({ to }) => to === WISHED.cancelled);
  const [message] = account.messages.splice(at, 1);
  account.archives = [
    {
      name: "2027-01-1.ndjson.gz",
      first: 1,
      last: 4,
      balance_before: 0,
      balance_after: 10,
      stored_at: Number(reply(world, "42", 1)["at"]) - 1,
      problems: [],
      ledger: account.ledger.splice(0, 4, { ...account.ledger[3]!, type: "checkpoint", amount: 10 }),
      messages: [message!],
      history: [],
    },
  ];
  reply(world, "42", 1)["status"] = 404;
  expect(findingsOf(world).filter(({ name }) => TRUE.test(name))).toEqual([]);
});

it("names every property of wishes after a run without any", () => {
  const world = smallWorld();
  const ids = new Set(world.clients.filter((row) => !isOther(row)).map(({ id }) => id));
  world.clients = world.clients.filter((row) => isOther(row) && (row["id"] === undefined || !ids.has(row["id"])));
  const refs = new Set(own(world).messages.map(({ message_id }) => message_id));
  world.carrier = world.carrier.filter((line) => !refs.has(line["ref"]));
  world.books.history = world.books.history.filter(isOther);
  world.books.accounts.splice(world.books.accounts.indexOf(own(world)), 1);
  world.books.feeds.length = world.events.length = 0;
  expect(findingsOf(world)).toEqual([]);
  const { proved, text } = conclusionOf(world);
  expect(proved).toBe(false);
  for (const name of [KEPT, USELESS, TRUE, GONE, EARLY, COMES, ONCE, LIVES, NOTES, WHOLE, SIGNED]) {
    expect(text).toMatch(name);
  }
});

it("does not call webhooks proved whose receivers took everything", () => {
  const world = smallWorld();
  world.events = world.events.filter(({ answer }) => answer !== "gone" && answer !== "hangs");
  feed(world)[4]!["type"] = "key.created";
  for (const { events: got } of world.events as { events?: Row[] }[]) {
    for (const one of got ?? []) if (one["seq"] === 5) one["type"] = "key.created";
  }
  expect(findingsOf(world)).toEqual([]);
  expect(conclusionOf(world).text).toMatch(/^NOT PROVED.*\n +webhooks come to the end/u);
});
