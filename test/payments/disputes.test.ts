import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endAlert, raiseAlert } from "../../src/alerts/alerts.ts";
import { endedAlerts, openAlerts } from "../../src/db/health/alerts.ts";
import { disputesOf } from "../../src/db/money/disputes.ts";
import { notesOf } from "../../src/db/money/tax-notes.ts";
import { disputeVersion } from "../../src/model/paying/dispute.ts";
import type { DisputeStatus } from "../../src/model/paying/dispute.ts";
import { watchPayments } from "../../src/payments/checks.ts";
import type { PaymentEvent } from "../../src/payments/provider.ts";
import { entriesOf, openShop, orderNow, recordedOf, standingOf, tell } from "../world/shop.ts";
import type { Shop } from "../world/shop.ts";
import { BOUGHT, BUSINESS, eventOf, refundOf, settle } from "../world/settling.ts";
import { sendSms } from "../world/world.ts";

const PRICE_PAISE = 199_900;
const TAKEN_BACK = { balance: 0, plan: "starter", otpRate: 2_500, status: "active" };

/** A report of the order's dispute, the `at`-th second after its beginning. */
function disputeOf(shop: Shop, status: DisputeStatus, at: number, more: Partial<PaymentEvent> = {}): PaymentEvent {
  return eventOf(shop, {
    kind: "disputed",
    amountPaise: PRICE_PAISE,
    dispute: {
      disputeId: `disp_${shop.order.id}`,
      status,
      phase: "chargeback",
      reason: "goods_or_services_not_received",
      amountPaise: PRICE_PAISE,
      deductedPaise: status === "lost" ? PRICE_PAISE : 0,
      respondBy: Date.parse("2026-12-01T00:00:00Z"),
      version: disputeVersion(1_790_000_000_000 + at * 1_000, status),
    },
    ...more,
  });
}

/** An event about a part of the price. */
const ofPart = (event: PaymentEvent, paise: number): PaymentEvent => ({
  ...event,
  ...(event.dispute && { dispute: { ...event.dispute, amountPaise: paise, deductedPaise: paise } }),
});

const leftAfter = (paise: number) => BUSINESS - Math.floor((BUSINESS * paise) / PRICE_PAISE);

const whyOf = async (shop: Shop) => (await recordedOf(shop.order)).flatMap(({ quarantined }) => quarantined ?? []);

const noteSums = async (shop: Shop) =>
  (await notesOf(env.DB, [shop.order.id])).map(({ kind, amountPaise }) => [kind, amountPaise]);

describe("a dispute", () => {
  it("changes nothing while it is open, and alerts the operator until it ends", async () => {
    const shop = await openShop();
    const id = `disp_${shop.order.id}`;
    await settle(eventOf(shop));
    for (const [at, status] of (["open", "under_review", "action_required"] as const).entries()) {
      await settle(disputeOf(shop, status, at));
      expect(await standingOf(shop.world)).toEqual(BOUGHT);
      const alert = (await openAlerts(env.DB, 100)).find(({ subject }) => subject === id);
      expect(alert).toMatchObject({ kind: "payment_dispute", values: { status, rupees: 1_999, order: shop.order.id } });
    }
    await settle(disputeOf(shop, "won", 9));
    expect(await standingOf(shop.world)).toEqual(BOUGHT);
    expect((await openAlerts(env.DB, 100)).filter(({ subject }) => subject === id)).toEqual([]);
    expect((await endedAlerts(env.DB, 100)).filter(({ subject }) => subject === id)).toHaveLength(1);
    expect(await disputesOf(env.DB, [shop.order.id])).toMatchObject([{ status: "won", deductedPaise: 0 }]);
    expect(await whyOf(shop)).toEqual([]);
    expect(await noteSums(shop)).toEqual([]);
  });

  it("that is lost takes credit and plan back once, and gives them back once when it is won after all", async () => {
    const shop = await openShop();
    await settle(eventOf(shop));
    const lost = disputeOf(shop, "lost", 5);
    await Promise.all([settle(lost), settle(lost), settle({ ...lost, id: "evt_again" })]);
    expect(await standingOf(shop.world)).toEqual(TAKEN_BACK);
    expect(await standingOf(shop.twin)).toMatchObject({ plan: "starter" });
    expect(await noteSums(shop)).toEqual([["receipt", PRICE_PAISE]]);
    const won = disputeOf(shop, "won", 50);
    await Promise.all([settle(won), settle(won), settle(lost)]);
    await settle(lost);
    expect(await standingOf(shop.world)).toEqual(BOUGHT);
    expect(await standingOf(shop.twin)).toMatchObject({ plan: "business" });
    const reference = `payment-refund:${shop.order.id}:dispute:disp_${shop.order.id}`;
    expect(await entriesOf(shop.world)).toEqual([
      [`payment:${shop.order.id}`, BUSINESS],
      [reference, -BUSINESS],
      [`${reference}:1`, BUSINESS],
    ]);
    expect(await noteSums(shop)).toEqual([
      ["receipt", PRICE_PAISE],
      ["reversal", PRICE_PAISE],
    ]);
    expect(await orderNow(shop.order)).toMatchObject({ state: "credited", refundedPaise: 0 });
  });

  it("that is lost after its credit was spent leaves a debt, which is gone once it is won", async () => {
    const shop = await openShop();
    await settle(eventOf(shop));
    for (const _ of [1, 2, 3]) await sendSms(shop.world);
    await settle(disputeOf(shop, "lost", 5));
    expect(await standingOf(shop.world)).toMatchObject({ balance: 0, status: "suspended" });
    expect(await shop.world.stub.debts()).toMatchObject({
      owed: 30_000,
      debts: [{ orderId: shop.order.id, shortfall: 30_000, paid: 0 }],
    });
    expect(await whyOf(shop)).toEqual([
      "Refunds and the lost dispute took 2097 coins back. 3 were spent already: the account is suspended and owes them; " +
        "refunds of its messages pay them first.",
    ]);
    await settle(disputeOf(shop, "won", 6));
    expect(await standingOf(shop.world)).toMatchObject({ balance: BUSINESS - 30_000, plan: "business" });
    expect(await shop.world.stub.debts()).toMatchObject({ owed: 0 });
  });

  it("beside refunds takes no more than the price, and is noted to the paisa", async () => {
    const shop = await openShop();
    await settle(eventOf(shop));
    await settle(refundOf(shop, { refundedPaise: 60_001 }));
    await settle(ofPart(disputeOf(shop, "lost", 5), 100_000));
    expect(await standingOf(shop.world)).toMatchObject({ balance: leftAfter(160_001), plan: "business" });
    await settle(refundOf(shop, { refundedPaise: 100_000 }));
    expect(await standingOf(shop.world)).toEqual(TAKEN_BACK);
    expect(await noteSums(shop)).toEqual([
      ["receipt", 60_001],
      ["receipt", 100_000],
      // All but what the dispute took already.
      ["receipt", 39_899],
    ]);
    await settle(disputeOf(shop, "won", 6));
    expect(await standingOf(shop.world)).toMatchObject({ balance: leftAfter(100_000), plan: "business" });
  });

  it("that is reported before its payment is applied with it", async () => {
    const shop = await openShop();
    await settle(disputeOf(shop, "lost", 5));
    expect(await entriesOf(shop.world)).toEqual([]);
    await settle(eventOf(shop));
    expect(await standingOf(shop.world)).toEqual(TAKEN_BACK);
    expect(await noteSums(shop)).toEqual([["receipt", PRICE_PAISE]]);
    await settle(eventOf(shop));
    expect(await standingOf(shop.world)).toEqual(TAKEN_BACK);
  });

  it("of another payment, in a wrong currency, of no amount or of an unknown order changes nothing", async () => {
    const shop = await openShop();
    await settle(eventOf(shop));
    const lost = disputeOf(shop, "lost", 5);
    await settle({ ...lost, id: "evt_other", paymentRef: "pay_other" });
    await settle({ ...lost, id: "evt_usd", dispute: { ...lost.dispute!, disputeId: "disp_usd" }, currency: "USD" });
    await settle({
      ...lost,
      id: "evt_null",
      dispute: { ...lost.dispute!, disputeId: "disp_null", deductedPaise: null },
    });
    await settle({
      ...lost,
      id: "evt_none",
      dispute: { ...lost.dispute!, disputeId: "disp_none" },
      orderId: "ord_unknown",
    });
    expect(await standingOf(shop.world)).toEqual(BOUGHT);
    const quarantined = await env.DB.prepare("SELECT quarantined FROM payment_event WHERE kind = 'disputed'").all();
    const why = quarantined.results.map((row) => row["quarantined"]);
    for (const text of ["Wrong currency: USD was disputed.", "The lost dispute does not say what was deducted."]) {
      expect(why).toContain(text);
    }
    expect(why).toContain("Unknown order: a payment of none of ours is disputed.");
  });

  it("is settled by a repeated event, wherever the first one was cut off", async () => {
    for (const table of ["dispute", "alert", "audit", "tax_note", "payment_event"]) {
      const shop = await openShop();
      await settle(eventOf(shop));
      const broken = new Proxy(env.DB, {
        get(database, name) {
          if (name !== "prepare") return Reflect.get(database, name).bind(database) as unknown;
          return (query: string) => {
            if (new RegExp(`insert into .?${table}\\b`, "iu").test(query)) throw new Error("cut off");
            return database.prepare(query);
          };
        },
      });
      const lost = disputeOf(shop, "lost", 5);
      await settle(lost, { ...env, DB: broken }).catch(() => {});
      await settle(lost);
      expect(await standingOf(shop.world), table).toEqual(TAKEN_BACK);
      expect(await noteSums(shop), table).toEqual([["receipt", PRICE_PAISE]]);
    }
  });

  it("that is won while the note of its loss is issued is noted as won", async () => {
    const shop = await openShop();
    await settle(eventOf(shop));
    let isWon = false;
    const slow = new Proxy(env.DB, {
      get(database, name) {
        if (name !== "prepare") return Reflect.get(database, name).bind(database) as unknown;
        return (query: string) => {
          const statement = database.prepare(query);
          if (isWon || !/INSERT INTO tax_note/u.test(query)) return statement;
          isWon = true;
          const run = async (...values: unknown[]) => {
            await settle(disputeOf(shop, "won", 6));
            return statement.bind(...values).run();
          };
          return { bind: (...values: unknown[]) => ({ run: () => run(...values) }) };
        };
      },
    });
    await settle(disputeOf(shop, "lost", 5), { ...env, DB: slow });
    expect(isWon).toBe(true);
    expect(await standingOf(shop.world)).toEqual(BOUGHT);
    expect(await noteSums(shop)).toEqual([
      ["receipt", PRICE_PAISE],
      ["reversal", PRICE_PAISE],
    ]);
  });

  it("whose alert was cut off, or raised late, gets it or loses it by the periodic work", async () => {
    const [open, over] = [await openShop(), await openShop()];
    for (const shop of [open, over]) await settle(eventOf(shop));
    await settle(disputeOf(open, "open", 1));
    await settle(disputeOf(over, "won", 9));
    const [openId, overId] = [open, over].map(({ order }) => `disp_${order.id}`);
    await endAlert(env, "payment_dispute", openId);
    await raiseAlert(env, { kind: "payment_dispute", subject: overId ?? "", values: {} });
    await watchPayments(env, Date.now());
    const subjects = (await openAlerts(env.DB, 100)).map(({ subject }) => subject);
    expect(subjects).toContain(openId);
    expect(subjects).not.toContain(overId);
  });

  it("can be played in the sandbox", async () => {
    const shop = await openShop();
    await tell(shop.order, "success");
    await tell(shop.order, "dispute", { twice: true });
    await tell(shop.order, "dispute_review");
    expect(await standingOf(shop.world)).toEqual(BOUGHT);
    await tell(shop.order, "dispute_lost", { twice: true, disorder: true });
    expect(await standingOf(shop.world)).toEqual(TAKEN_BACK);
    await tell(shop.order, "dispute_won");
    expect(await standingOf(shop.world)).toEqual(BOUGHT);
  });
});

it("any reports of a dispute and of refunds, in any order, twice and at once, end in the same state", async () => {
  const statuses: DisputeStatus[] = ["open", "under_review", "lost", "won", "lost"];
  const part = 70_000;
  const events = fc.array(fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 3 }), { maxLength: 7 });
  await fc.assert(
    fc.asyncProperty(events, async (history) => {
      const shop = await openShop();
      const told = new Set<number>();
      const eventAt = (nth: number) => {
        if (nth === 5) return eventOf(shop, { id: `${shop.order.id}:paid` });
        if (nth === 6) return refundOf(shop, { id: `${shop.order.id}:refund`, refundedPaise: 90_000 });
        const status = statuses[nth] ?? "open";
        const event = disputeOf(shop, status, nth, { id: `${shop.order.id}:${nth}` });
        return status === "lost" ? ofPart(event, part) : event;
      };
      for (const atOnce of history) {
        await Promise.all(atOnce.map((nth) => settle(eventAt(nth))));
        for (const nth of atOnce) told.add(nth);
      }
      const latest = Math.max(-1, ...[...told].filter((nth) => nth < 5));
      const back = (told.has(6) ? 90_000 : 0) + (statuses[latest] === "lost" ? part : 0);
      const expected = told.has(5) ? leftAfter(back) : 0;
      expect(await standingOf(shop.world)).toMatchObject({ balance: expected, status: "active" });
      const net = (await notesOf(env.DB, [shop.order.id])).reduce(
        (sum, { kind, amountPaise }) => sum + (kind === "reversal" ? -amountPaise : amountPaise),
        0,
      );
      expect(net).toBe(told.has(5) ? back : 0);
    }),
    { numRuns: 20 },
  );
});
