import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import type { Account } from "../../../src/durable/account.ts";
import type { WorkAsked } from "../../../src/model/message.ts";
import { listen } from "../../world/listener.ts";
import { recordHistory, runAlarm, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { visit } from "../../world/visitor.ts";

// After every transaction the object itself sets the alarm and notifies the live feed, for all methods alike.

/** Brings the account to rest: everything is in history, and no alarm is set. */
async function rest(world: World): Promise<void> {
  await recordHistory(world, []);
  await runAlarm(world);
  expect(await alarmOf(world)).toBeNull();
}

const alarmOf = (world: World) => runInDurableObject(world.stub, (_, { storage }) => storage.getAlarm());

const credit = (account: Account, reference: string) =>
  account.credit({ amount: 10_000, reference, requestId: "req_1" });

const WORK: WorkAsked = {
  news: [],
  follow: false,
  resubmits: false,
  claim: { lane: "single", max: 1, carrier: "http", leaseMs: 60_000 },
};

/** A change, and whether it requires an alarm (something is due, or missing from history) and a message on the feed. */
const CHANGES: [string, { alarm: boolean; feed: boolean }, (account: Account) => unknown][] = [
  ["an amendment", { alarm: true, feed: true }, (account) => account.amend({ plan: "starter" })],
  [
    "a payment",
    { alarm: true, feed: true },
    (account) => account.settlePayment({ orderId: "o1", paymentRef: "p", creditUnits: 1, plan: "premium" }),
  ],
  ["a credit", { alarm: false, feed: true }, (account) => credit(account, "r1")],
  ["a credit that was given before", { alarm: false, feed: false }, (account) => credit(account, "r0")],
  [
    "a refund of a payment that is not known yet",
    { alarm: false, feed: true },
    (account) => account.refundPayment({ orderId: "o2", paymentRef: "p", refundedPaise: 1, amountPaise: 1 }),
  ],
  ["a claim of nothing", { alarm: false, feed: false }, (account) => account.work(WORK)],
  ["a new key", { alarm: false, feed: false }, (account) => account.makeKey(77, "key")],
];

it.each(CHANGES)("%s sets the alarm and reaches the feed if its kind requires that", async (_, owes, change) => {
  const { visitor, world } = await visit();
  await runInDurableObject(world.stub, (account) => void credit(account, "r0"));
  await rest(world);
  const listener = await listen(visitor);
  await listener.next();
  await runInDurableObject(world.stub, (account) => void change(account));
  expect((await alarmOf(world)) !== null).toBe(owes.alarm);
  // The next message on the feed is either the change or, if that does not reach the feed, this send.
  await sendSms(world);
  const next = await listener.next();
  expect(next.jobs.length === 0).toBe(owes.feed);
});

it("sets the alarm for a retry that is due before the next sweep", async () => {
  const { world } = await visit();
  await sendSms(world);
  await runInDurableObject(world.stub, async (account, { storage }) => {
    account.work(WORK);
    const outcome = { kind: "not_accepted" as const, code: "busy", retryAfterMs: 3_000 };
    await account.report([{ kind: "outcome", seq: 2, index: 0, attempt: 1, outcome }], false);
    const [row] = storage.sql.exec("SELECT ready_at FROM job WHERE seq = 2").toArray();
    expect(await storage.getAlarm()).toBe(row?.["ready_at"]);
  });
});
