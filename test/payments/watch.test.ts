import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openAlerts } from "../../src/db/alerts.ts";
import { writeCursor } from "../../src/db/cursors.ts";
import { resolveEvent } from "../../src/payments/events.ts";
import { checkDueOrders, watchPayments } from "../../src/payments/checks.ts";
import { CHECKS_MS } from "../../src/payments/orders.ts";
import { forgetAlerts } from "../world/alerts.ts";
import { at, openRazorpay, pay, razorpay, shopOf } from "../world/razorpay.ts";
import { openShop, orderNow } from "../world/shop.ts";
import { eventOf, settle } from "../world/settling.ts";

beforeEach(async () => {
  openRazorpay();
  await forgetAlerts();
  await writeCursor(env.DB, "payments_silent", null);
  await env.DB.batch(
    ["UPDATE payment_order SET check_at = NULL", "DELETE FROM payment_event"].map((query) => env.DB.prepare(query)),
  );
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const openNow = async () => (await openAlerts(env.DB, 100)).map(({ kind, subject }) => `${kind} ${subject}`);

/** Copies of an order, each due for its first check at its own time. */
async function copies(id: string, count: number): Promise<void> {
  const columns =
    "account_id, plan, amount_paise, currency, credit_units, provider, payment_ref, state, refunded_paise";
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     INSERT INTO payment_order (id, provider_ref, reason, buyer, created_at, updated_at, check_at, ${columns})
     SELECT id || '_' || i, NULL, reason, buyer, created_at - i, updated_at - i, check_at - i, ${columns}
       FROM payment_order, n WHERE id = ?1`,
  )
    .bind(id, count)
    .run();
}

describe("orders whose webhook was lost", () => {
  it("are checked 100 in a run, more than 1,000 orders a day need, the longest due first, and each once", async () => {
    const { order } = await shopOf();
    await copies(order.id, 140);
    razorpay.asked = [];
    const dueMs = order.createdAt + (CHECKS_MS[0] ?? 0);
    await checkDueOrders(at, dueMs);
    expect(razorpay.asked).toHaveLength(100);
    // The order itself was due last.
    expect(await orderNow(order)).toMatchObject({ checkAt: dueMs });
    await Promise.all([checkDueOrders(at, dueMs), checkDueOrders(at, dueMs)]);
    expect(razorpay.asked).toHaveLength(141);
    expect(new Set(razorpay.asked.map(({ path }) => path)).size).toBe(141);
  });

  it("are left for the next run when the provider is too slow", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { order } = await shopOf();
    await copies(order.id, 30);
    razorpay.asked = [];
    const fetched = vi.spyOn(globalThis, "fetch");
    fetched.mockImplementation(async () => {
      vi.setSystemTime(Date.now() + 20_000);
      return new Response(null, { status: 503 });
    });
    await checkDueOrders(at, order.createdAt + (CHECKS_MS[0] ?? 0));
    expect(fetched.mock.calls.length).toBeLessThan(10);
  });
});

describe("the operator is alerted", () => {
  it("while an event awaits a decision", async () => {
    const shop = await openShop();
    await settle(eventOf(shop, { id: "evt_wrong", amountPaise: 1 }));
    await watchPayments(env, Date.now());
    expect(await openNow()).toEqual(["payment_event_stuck events"]);
    await resolveEvent(env, "sandbox", "evt_wrong");
    await watchPayments(env, Date.now());
    expect(await openNow()).toEqual([]);
  });

  it("while the provider answers no check, and not of a single one that it missed", async () => {
    const { order } = await shopOf();
    for (const [nth, ms] of CHECKS_MS.slice(0, 3).entries()) {
      razorpay.fates = ["busy"];
      await checkDueOrders(at, order.createdAt + ms);
      await watchPayments(at, order.createdAt + ms);
      expect(await openNow()).toEqual(nth < 2 ? [] : ["payment_event_stuck checks"]);
    }
    pay({ order });
    await checkDueOrders(at, order.createdAt + (CHECKS_MS[3] ?? 0));
    await watchPayments(at, order.createdAt + (CHECKS_MS[3] ?? 0));
    expect(await openNow()).toEqual([]);
  });

  it("while orders wait for their check", async () => {
    const { order } = await shopOf();
    const dueMs = order.createdAt + (CHECKS_MS[0] ?? 0);
    await watchPayments(at, dueMs + 3_599_000);
    expect(await openNow()).toEqual([]);
    await watchPayments(at, dueMs + 3_600_000);
    expect(await openNow()).toEqual(["payment_event_stuck checks"]);
    await checkDueOrders(at, dueMs + 3_600_000);
    await watchPayments(at, dueMs + 3_600_000);
    expect(await openNow()).toEqual([]);
  });
});

it("what is forgotten every few minutes is found by an index", async () => {
  for (const [table, column] of [
    ["session", "expires_at"],
    ["challenge", "expires_at"],
    ["attempt", "resets_at"],
  ]) {
    const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN DELETE FROM ${table} WHERE ${column} < ?`).bind(1).all();
    expect(plan.results.map((row) => String(row["detail"])).join(), table).toMatch(/SEARCH .* USING .*INDEX/u);
  }
});
