import { describe, expect, it } from "vitest";
import { expectFailure, operatorSuite, unknownAccountSuite } from "../../world/operating.ts";
import { balanceOf, ledgerOf, openWorld, operator, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

const credit = (world: World, body: object, query = "", headers: Record<string, string> = {}) =>
  operator(
    "POST",
    `/operator/accounts/${world.ref.accountId}/credits${query}`,
    { reference: "pay-1", ...body },
    headers,
  );

describe("POST /operator/accounts/:id/credits", () => {
  operatorSuite("POST", (id) => `/operator/accounts/${id}/credits`);
  unknownAccountSuite("POST", (id) => `/operator/accounts/${id}/credits`, { amount: 1, reference: "pay-1" });

  it("adds coins, once per reference", async () => {
    const world = await openWorld({ balance: 1 });
    const first = await credit(world, { amount: 500.25, note: "UPI" });
    expect(first.body).toMatchObject({
      success: true,
      replayed: false,
      balance: 501.25,
      seq: 2,
      type: "credit",
      amount: 500.25,
      reference: "pay-1",
      balance_after: 501.25,
      message_id: null,
    });
    expect(first.body.request_id).toBe(first.headers.get("x-request-id"));
    const again = await credit(world, { amount: 500.25 });
    expect(again.status).toBe(200);
    expect(again.body).toEqual({ ...first.body, replayed: true });
    expect(await ledgerOf(world)).toHaveLength(2);
  });

  it("another amount under the same reference: 422, and nothing changes", async () => {
    const world = await openWorld({ balance: 1 });
    await credit(world, { amount: 5 });
    for (const amount of [6, -5, 5.0001]) {
      const reply = await credit(world, { amount });
      expectFailure(reply, 422, "idempotency_mismatch", { param: "reference" });
    }
    expect(await balanceOf(world)).toBe(60_000);
  });

  it("replays its reply under the same Idempotency-Key, even after another credit", async () => {
    const world = await openWorld({ balance: 1 });
    const key = { "idempotency-key": "credit-1" };
    const first = await credit(world, { amount: 5 }, "", key);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    await credit(world, { amount: 2, reference: "pay-2" });
    const again = await credit(world, { amount: 5 }, "", { "idempotency-key": '"credit-1"' });
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await balanceOf(world)).toBe(80_000);
    expect((await credit(world, { amount: 5 })).body).toEqual({ ...first.body, replayed: true, balance: 8 });
  });

  it.each([{ amount: 6 }, { reference: "pay-2" }, { note: "UPI" }])(
    "refuses the same Idempotency-Key with %j changed, and changes nothing",
    async (changed) => {
      const world = await openWorld({ balance: 1 });
      const key = { "idempotency-key": "credit-1" };
      await credit(world, { amount: 5 }, "", key);
      expectFailure(await credit(world, { amount: 5, ...changed }, "", key), 422, "idempotency_mismatch");
      expect(await balanceOf(world)).toBe(60_000);
      expect(await ledgerOf(world)).toHaveLength(2);
    },
  );

  it("allows a key again after a refusal, and separates operator keys from the customer's", async () => {
    const world = await openWorld({ balance: 1 });
    const key = { "idempotency-key": "one-key" };
    expect((await credit(world, { amount: -2 }, "", key)).status).toBe(403);
    expect((await sendSms(world, { headers: key })).status).toBe(200);
    expect((await credit(world, { amount: 5 }, "", key)).status).toBe(200);
    expectFailure(await credit(world, { amount: 5 }, "", { "idempotency-key": "a b" }), 400, "invalid_request", {
      param: "Idempotency-Key",
    });
  });

  it("20 parallel requests under one reference are one credit", async () => {
    const world = await openWorld({ balance: 0 });
    const replies = await Promise.all(Array.from({ length: 20 }, () => credit(world, { amount: 7 })));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(20);
    expect(replies.filter((reply) => reply.body.replayed === false)).toHaveLength(1);
    expect(await balanceOf(world)).toBe(70_000);
  });

  it("a negative amount is an adjustment, which never takes the balance below 0", async () => {
    const world = await openWorld({ balance: 10 });
    const below = await credit(world, { amount: -10.0001 });
    expectFailure(below, 403, "insufficient_balance", { param: "amount" });
    const all = await credit(world, { amount: -10 });
    expect(all.body).toMatchObject({ balance: 0, type: "adjustment", amount: -10, balance_after: 0 });
    expect(await world.stub.reconcile()).toEqual([]);
  });

  it("a refused reference may be used again", async () => {
    const world = await openWorld({ balance: 0 });
    expectFailure(await credit(world, { amount: -1 }), 403, "insufficient_balance");
    expect((await credit(world, { amount: 1 })).status).toBe(200);
  });

  it("a reference cannot collide with those of the opening credit or of a refund", async () => {
    const world = await openWorld({ balance: 10 });
    for (const reference of ["opening", "refund:2.0"]) {
      expect((await credit(world, { amount: 1, reference })).body).toMatchObject({
        replayed: false,
        reference,
      });
    }
    expect(await balanceOf(world)).toBe(120_000);
  });

  it("?mode=test applies to the twin", async () => {
    const live = await openWorld({ balance: 1 });
    expectFailure(await credit(live, { amount: 5 }, "?mode=test"), 404, "not_found");
    const twin = await openWorld({ mode: "test", balance: 1 });
    expect((await credit(twin, { amount: 5 }, "?mode=test")).body.balance).toBe(6);
  });

  it.each([
    [{ amount: 0 }, "amount"],
    [{ amount: "5" }, "amount"],
    [{ amount: null }, "amount"],
    [{}, "amount"],
    [{ amount: 0.00001 }, "amount"],
    [{ amount: -0.00001 }, "amount"],
    [{ amount: 1_000_000_000.5 }, "amount"],
    [{ amount: 1, reference: "" }, "reference"],
    [{ amount: 1, reference: undefined }, "reference"],
    [{ amount: 1, reference: 5 }, "reference"],
    [{ amount: 1, reference: "x".repeat(101) }, "reference"],
    [{ amount: 1, note: 5 }, "note"],
    [{ amount: 1, note: "x".repeat(501) }, "note"],
  ])("%j is refused", async (body, param) => {
    const world = await openWorld();
    const reply = await credit(world, body);
    expectFailure(reply, 400, "invalid_request", { param, error: expect.stringMatching(`^${param} `) });
    expect(await ledgerOf(world)).toHaveLength(1);
  });
});
