import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { keptUntil } from "../../../src/leaving/kept.ts";
import { NOTHING, carryOut, fullAccount, remainsOf, worldOf } from "../../world/leaving.ts";
import { expectFailure, openAccount, operatorSuite, unknownAccountSuite } from "../../world/operating.ts";
import { bearer, call, operator, sendSms } from "../../world/world.ts";
import { eventOf, settle } from "../../world/settling.ts";
import { openShop } from "../../world/shop.ts";

/** The first day in India on which an invoice of this time is not kept any more. */
const until = (day: string) => new Date(keptUntil(Date.parse(day)) + 5.5 * 3_600_000).toISOString().slice(0, 10);

const at = (id: string, more = "") => `/operator/accounts/${id}${more}`;

describe("POST /operator/accounts/:id/close", () => {
  operatorSuite("POST", (id) => at(id, "/close"));
  unknownAccountSuite("POST", (id) => at(id, "/close"), {});

  it("closes the account after its days, and keep takes that back", async () => {
    const { accountId, apiKey } = await openAccount({ balance: 3 });
    const reply = await operator("POST", at(accountId, "/close"), { grace_days: 2, give_up: 3 });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body).toMatchObject({ account_id: accountId, state: "closing", by: "operator", given_up_max: 3 });
    expect(Date.parse(reply.body.closes_at as string) - Date.parse(reply.body.asked_at as string)).toBe(2 * 86_400_000);
    expect((await operator("GET", at(accountId))).body).toMatchObject({
      status: "closing",
      closes_at: reply.body.closes_at,
    });
    expectFailure(await sendSms(worldOf({ accountId, apiKey })), 403, "account_suspended");
    expect((await operator("POST", at(accountId, "/keep"), {})).status).toBe(200);
    expect((await operator("GET", at(accountId))).body.status).toBe("active");
    expectFailure(await operator("POST", at(accountId, "/keep"), {}), 403, "permission_denied");
  });

  it("refuses days and balances that are none", async () => {
    const { accountId } = await openAccount({ balance: 3 });
    for (const [field, value] of [
      ["grace_days", -1],
      ["grace_days", 366],
      ["grace_days", "2"],
      ["give_up", 2],
      ["give_up", -1],
    ]) {
      const reply = await operator("POST", at(accountId, "/close"), { [String(field)]: value });
      expectFailure(reply, 400, "invalid_request", { param: field });
    }
  });
});

describe("DELETE /operator/accounts/:id", () => {
  operatorSuite("DELETE", (id) => at(id));
  unknownAccountSuite("DELETE", (id) => at(id));

  it("refuses with one sentence what is in the way, and changes nothing", async () => {
    const { accountId, apiKey } = await openAccount({ balance: 3 });
    const world = worldOf({ accountId, apiKey });
    const balance = await operator("DELETE", at(accountId));
    expectFailure(balance, 403, "permission_denied", {
      error: "The balance is 3 coins; refund it first, or name it in give_up.",
    });
    await sendSms(world);
    expectFailure(await operator("DELETE", at(accountId, "?give_up=2")), 403, "permission_denied", {
      error: expect.stringContaining("still under way"),
    });
    expectFailure(await operator("DELETE", at(accountId, "?give_up=3")), 400, "invalid_request", { param: "give_up" });
    expectFailure(await operator("DELETE", at(accountId, "?give_up=x")), 400, "invalid_request", { param: "give_up" });
    expect((await operator("GET", at(accountId))).body.status).toBe("active");
  });

  it("erases now, answers as for an account that was never opened, and may be repeated", async () => {
    const { accountId, apiKey } = await fullAccount("Now", 3);
    const { body } = await operator("GET", at(accountId));
    const erased = await operator("DELETE", at(accountId, `?give_up=${body.balance}`));
    expect(erased.status, erased.text).toBe(200);
    expect(erased.body).toMatchObject({ success: true, state: "sweeping", hindrance: null });
    expect(await remainsOf(accountId)).toEqual(NOTHING);
    expectFailure(await operator("GET", at(accountId)), 404, "not_found");
    const read = await call("http://sms.localhost/account-balance", { headers: bearer(apiKey) });
    expectFailure(read, 401, "unauthorized");
    expect((await operator("DELETE", at(accountId))).body).toMatchObject({ state: "sweeping" });
    expect(await carryOut(accountId)).toBe("erased");
  });

  it("does not open an erased account again, whatever is repeated", async () => {
    const once = { "idempotency-key": crypto.randomUUID() };
    const { accountId } = await openAccount({ balance: 0 }, once);
    await operator("DELETE", at(accountId));
    const again = await operator("POST", "/operator/accounts", { name: "Acme", plan: "premium", balance: 0 }, once);
    expectFailure(again, 422, "idempotency_mismatch");
    expectFailure(await operator("GET", at(accountId)), 404, "not_found");
  });

  it("keeps what the law keeps, lists it, and deletes its buyer when the law no longer does", async () => {
    const shop = await openShop();
    const { accountId } = shop.world.ref;
    const buyer = { name: "Kept Ltd", address: "1 Road", state: "29", gstin: "" };
    await env.DB.prepare("UPDATE payment_order SET buyer = ? WHERE id = ?")
      .bind(JSON.stringify(buyer), shop.order.id)
      .run();
    expectFailure(await operator("DELETE", at(accountId)), 403, "permission_denied", {
      error: "The payment of an order may still arrive; erase the account when that is over.",
    });
    await settle(eventOf(shop));
    const { body } = await operator("GET", at(accountId));
    expect((await operator("DELETE", at(accountId, `?give_up=${body.balance}`))).status).toBe(200);
    expect(await carryOut(accountId)).toBe("erased");
    const { data } = (await operator("GET", "/operator/erasures?limit=90")).body;
    const row = (data as Record<string, unknown>[]).find((one) => one["account_id"] === accountId);
    expect(row).toMatchObject({
      state: "erased",
      invoices: [{ order_id: shop.order.id, number: expect.stringMatching(/^DK\//u) }],
    });
    const name = () =>
      env.DB.prepare("SELECT buyer ->> 'name' AS n FROM payment_order WHERE id = ?").bind(shop.order.id).first("n");
    expect(await name()).toBe("Kept Ltd");
    const { advance } = await import("../../../src/leaving/advance.ts");
    const until = Date.parse(String(row?.["kept_until"]));
    await advance(env, accountId, until - 1);
    expect(await name()).toBe("Kept Ltd");
    await advance(env, accountId, until);
    expect(await name()).toBeNull();
  });
});

describe("how long invoices are kept", () => {
  it("is 72 months from the day on which the annual return of their year is due", () => {
    expect(until("2026-11-22T12:00:00Z")).toBe("2034-01-01");
    expect(until("2027-03-31T12:00:00Z")).toBe("2034-01-01");
    // 1 April in India.
    expect(until("2027-03-31T19:00:00Z")).toBe("2035-01-01");
  });
});
