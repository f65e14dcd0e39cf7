import { expect, it } from "vitest";
import { HOOKS } from "../../torture/small-wishes.ts";
import { findingsOf, smallWorld } from "../../torture/small-world.ts";
import type { World } from "../../torture/small-world.ts";

// The checker of `npm run torture` must find each of these violations of events and webhooks.

type Row = Record<string, unknown>;

const feed = (world: World) => world.books.feeds[0]!.events;
const dataOf = (world: World, seq: number) => feed(world)[seq - 1]!["data"] as Row;

/** Changes the first of the lines that a consumer stored an event with. */
function gotBy(world: World, by: string, seq: number): { line: Row; events: Row[]; at: number } {
  const isIt = (line: Row) => line["by"] === by && ((line["events"] ?? []) as Row[]).some((one) => one["seq"] === seq);
  const at = world.events.findIndex(isIt);
  const line = world.events[at]!;
  return { line, events: line["events"] as Row[], at };
}

/** Drops everything that a consumer stored of an event. */
function drop(world: World, by: string, seq: number): void {
  for (const line of world.events) {
    if (line["by"] !== by || line["t"] !== "got") continue;
    line["events"] = (line["events"] as Row[]).filter((one) => one["seq"] !== seq);
  }
}

const ONCE = /events have no gap/u;
const LIVES = /the events of each message are its life/u;
const NOTES = /credits, a balance that becomes low/u;
const WHOLE = /webhooks come to the end/u;
const SIGNED = /every delivery is signed/u;

const SPOILS: [what: string, finding: RegExp, spoil: (world: World) => void][] = [
  ["a feed leaves a number out", ONCE, (world) => feed(world).splice(2, 1)],
  ["a reader of pages misses an event", ONCE, (world) => drop(world, "api", 3)],
  ["the socket misses the last event", ONCE, (world) => drop(world, "socket", 6)],
  ["a reader of pages gets an event twice", ONCE, (world) => gotBy(world, "api", 3).events.push(feed(world)[2]!)],
  [
    "the socket tells something else than the page",
    ONCE,
    (world) => (gotBy(world, "socket", 4).events[0] = { ...feed(world)[3], type: "message.failed" }),
  ],
  [
    "two events come in another order",
    ONCE,
    (world) => {
      const { at } = gotBy(world, "socket", 3);
      world.events.splice(at, 2, world.events[at + 1]!, world.events[at]!);
    },
  ],
  [
    "a reader that goes on is refused",
    ONCE,
    (world) =>
      world.events.push({ t: "refused", at: 0, account: "wishes", by: "api", after: 6, status: 410, text: "" }),
  ],
  ["a final state has no event", LIVES, (world) => feed(world).pop()],
  ["an event comes twice in the sequence", LIVES, (world) => feed(world).push({ ...feed(world)[5]!, seq: 7 })],
  ["an event is of no message", LIVES, (world) => (dataOf(world, 6)["message_id"] = "msg_other")],
  ["an event names another cost", LIVES, (world) => (dataOf(world, 6)["cost"] = 2)],
  ["an event names another recipient", LIVES, (world) => (dataOf(world, 6)["to"] = "+919999999999")],
  ["an event of a cancel says nothing of its refund", LIVES, (world) => (dataOf(world, 2)["refunded"] = false)],
  ["an event tells of a refund that was not", LIVES, (world) => (dataOf(world, 6)["refunded"] = true)],
  ["an event tells of another time", LIVES, (world) => (feed(world)[5]!["at"] = feed(world)[4]!["at"])],
  ["a credit has no event", NOTES, (world) => (feed(world)[2]!["type"] = "key.created")],
  ["a low balance has no event", NOTES, (world) => (feed(world)[0]!["type"] = "key.created")],
  ["a balance is told to be low that is not", NOTES, (world) => (dataOf(world, 1)["balance"] = 11)],
  ["a webhook that is gone is not disabled", NOTES, (world) => (feed(world)[4]!["type"] = "key.created")],
  ["a webhook is disabled that is not gone", NOTES, (world) => (dataOf(world, 5)["webhook_id"] = HOOKS.batch)],
  ["a webhook never gets an event", WHOLE, (world) => drop(world, HOOKS.each, 6)],
  ["a batch leaves an event out", WHOLE, (world) => drop(world, HOOKS.batch, 4)],
  [
    "a webhook gets another event",
    WHOLE,
    (world) => (gotBy(world, HOOKS.each, 4).events[0]!["type"] = "message.failed"),
  ],
  [
    "a webhook gets an event of a type for which it did not ask",
    WHOLE,
    (world) => gotBy(world, HOOKS.batch, 2).events.push({ ...feed(world)[0]! }),
  ],
  [
    "a webhook gets two events in another order",
    WHOLE,
    (world) => {
      const [one, other] = [gotBy(world, HOOKS.each, 5).line, gotBy(world, HOOKS.each, 6).line];
      [one["events"], other["events"]] = [other["events"], one["events"]];
    },
  ],
  [
    "a delivery is not signed",
    SIGNED,
    (world) => (world.events.find(({ t }) => t === "post")!["fault"] = "not signed"),
  ],
  [
    "an attempt has another id",
    SIGNED,
    (world) => (world.events.findLast(({ t }) => t === "post")!["webhookId"] = "evt_other"),
  ],
  ["a redirect is followed", SIGNED, (world) => world.events.push({ t: "astray", at: 0, url: "/elsewhere" })],
];

it.each(SPOILS)("names the violated property when %s", (_what, finding, spoil) => {
  const world = smallWorld();
  spoil(world);
  expect(findingsOf(world).map(({ name }) => name)).toContainEqual(expect.stringMatching(finding));
});

it("lets an event come late to a webhook that refused it alone three times", () => {
  const world = smallWorld();
  const { line } = gotBy(world, HOOKS.each, 4);
  world.events.splice(world.events.indexOf(line), 1);
  world.events.push(line);
  expect(findingsOf(world).map(({ name }) => name)).toEqual([expect.stringMatching(WHOLE)]);
  const post = { t: "post", at: 0, account: "wishes", hook: HOOKS.each, webhookId: "evt_4", seqs: [4], fault: null };
  for (let times = 0; times < 3; times += 1) world.events.push({ ...post, answer: "fails" });
  expect(findingsOf(world)).toEqual([]);
});
