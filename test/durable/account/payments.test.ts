import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newAccountId, randomId } from "../../../src/crypto/ids.ts";
import { UNITS_PER_COIN } from "../../../src/money/money.ts";
import { PLANS } from "../../../src/money/plans.ts";
import type { Plan } from "../../../src/money/plans.ts";
import { entriesOf, standingOf } from "../../world/shop.ts";
import { ledgerOf, openWorld, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

const creditOf = (plan: Plan) => PLANS[plan].creditCoins * UNITS_PER_COIN;

const payment = (plan: Plan, orderId = randomId("ord")) => ({
  orderId,
  paymentRef: `pay_of_${orderId}`,
  creditUnits: creditOf(plan),
  plan,
});

const refund = ({ orderId, paymentRef }: { orderId: string; paymentRef: string }, refundedPaise = 1_000) => ({
  orderId,
  paymentRef,
  refundedPaise,
  amountPaise: 1_000,
});

const broke = () => openWorld({ plan: "starter", balance: 0 });

async function revOf(world: World): Promise<number> {
  return (await world.stub.view())?.rev ?? Number.NaN;
}

describe("a payment", () => {
  it("is one entry under its order's reference, even after an eviction", async () => {
    const world = await broke();
    const one = payment("business");
    expect(await world.stub.settlePayment(one)).toMatchObject({ ok: true, changed: true });
    const rev = await revOf(world);
    await evictDurableObject(world.stub);
    expect(await world.stub.settlePayment(one)).toMatchObject({ ok: true, changed: false, paymentRef: one.paymentRef });
    expect(await entriesOf(world)).toEqual([[`payment:${one.orderId}`, creditOf("business")]]);
    expect((await ledgerOf(world)).map(({ type }) => type)).toEqual(["credit"]);
    // The revision moves only once, so history learns of the new plan only once.
    expect(await revOf(world)).toBe(rev);
  });

  it("raises the plan and never lowers it", async () => {
    const world = await openWorld({ plan: "business", balance: 0 });
    await world.stub.settlePayment(payment("starter"));
    expect(await standingOf(world)).toMatchObject({ balance: creditOf("starter"), plan: "business", otpRate: 2_000 });
    await world.stub.settlePayment(payment("premium"));
    expect(await standingOf(world)).toMatchObject({ plan: "premium", otpRate: 1_500 });
  });

  it("reports which payment was credited first", async () => {
    const world = await broke();
    const one = payment("business");
    await world.stub.settlePayment(one);
    const second = await world.stub.settlePayment({ ...one, paymentRef: "pay_2" });
    expect(second).toMatchObject({ ok: true, changed: false, paymentRef: one.paymentRef });
  });

  it("of an unopened account, or above what a balance can hold, is refused", async () => {
    const unopened = env.ACCOUNT.getByName(newAccountId(env.KEY_SECRET, null));
    expect(await unopened.settlePayment(payment("business"))).toBeNull();
    expect(await unopened.view()).toBeNull();
    const world = await openWorld({ plan: "starter", balance: 900_000_000_000 });
    expect(await world.stub.settlePayment({ ...payment("business"), creditUnits: 8_000_000_000_000 })).toEqual({
      ok: false,
      reason: "above_limit",
    });
    expect(await standingOf(world)).toMatchObject({ balance: 900_000_000_000 * UNITS_PER_COIN, plan: "starter" });
  });

  it("is atomic: when the plan cannot be written, neither is the credit", async () => {
    const world = await broke();
    const wrong = { ...payment("business"), plan: null as unknown as Plan };
    await expect(runInDurableObject(world.stub, (account) => account.settlePayment(wrong))).rejects.toThrow();
    expect(await entriesOf(world)).toEqual([]);
  });
});

describe("a refund", () => {
  it("never takes the balance below 0, suspends the account, and reports the shortfall", async () => {
    const world = await broke();
    const one = payment("starter");
    await world.stub.settlePayment(one);
    await sendSms(world);
    await sendSms(world);
    const expected = { refundedPaise: 1_000, taken: 498 * UNITS_PER_COIN, shortfall: 2 * UNITS_PER_COIN };
    expect(await world.stub.refundPayment(refund(one))).toEqual({ changed: true, refund: expected });
    expect(await world.stub.refundPayment(refund(one))).toEqual({ changed: false, refund: expected });
    expect(await standingOf(world)).toMatchObject({ balance: 0, status: "suspended" });
    expect((await ledgerOf(world)).at(-1)).toMatchObject({
      type: "adjustment",
      reference: `payment-refund:${one.orderId}`,
      amount: -498 * UNITS_PER_COIN,
    });
  });

  it("takes other credit for what was spent, because all credit is alike", async () => {
    const world = await openWorld({ plan: "starter", balance: 10 });
    const one = payment("starter");
    await world.stub.settlePayment(one);
    await sendSms(world);
    await world.stub.refundPayment(refund(one));
    expect(await standingOf(world)).toMatchObject({ balance: 9 * UNITS_PER_COIN, status: "active" });
  });

  it("in parts is rounded down in all, in favour of the customer, and never takes more than was given", async () => {
    const world = await broke();
    const one = { ...payment("starter"), creditUnits: 1_001 };
    await world.stub.settlePayment(one);
    expect(await world.stub.refundPayment(refund(one, 333))).toMatchObject({ refund: { taken: 333 } });
    expect(await standingOf(world)).toMatchObject({ balance: 668 });
    for (let part = 334; part < 1_000; part += 111) await world.stub.refundPayment(refund(one, part));
    expect(await standingOf(world)).toMatchObject({ balance: 112 });
    await world.stub.refundPayment(refund(one));
    expect(await standingOf(world)).toMatchObject({ balance: 0, plan: "starter" });
  });

  it("of a part is remembered when it arrives before its payment", async () => {
    const world = await broke();
    const one = payment("starter");
    const early = { changed: true, refund: null, why: "early" };
    expect(await world.stub.refundPayment(refund(one, 500))).toEqual(early);
    expect(await world.stub.refundPayment(refund(one, 500))).toEqual({ ...early, changed: false });
    expect(await world.stub.refundPayment(refund(one, 600))).toEqual(early);
    expect(await world.stub.refundPayment(refund(one, 500))).toEqual({ ...early, changed: false });
    await world.stub.settlePayment(one);
    expect(await standingOf(world)).toMatchObject({ balance: creditOf("starter") * 0.4 });
  });

  it("of another payment of the same order takes nothing", async () => {
    const world = await broke();
    const one = payment("starter");
    await world.stub.settlePayment(one);
    const other = refund({ ...one, paymentRef: "pay_2" });
    expect(await world.stub.refundPayment(other)).toEqual({
      changed: false,
      refund: null,
      why: "not_credited",
    });
    expect(await standingOf(world)).toMatchObject({ balance: creditOf("starter") });
  });
});

/** Settles payments for these plans, in this order. */
async function bought(world: World, ...plans: Plan[]) {
  const payments = plans.map((plan) => payment(plan));
  for (const one of payments) await world.stub.settlePayment(one);
  return payments;
}

/** The plan that an account is on. */
const planOf = async (world: World) => (await world.stub.view())?.plan;

describe("the plan after refunds", () => {
  it("is what was bought and not refunded, for any order of refunds", async () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const world = await broke();
      const payments = await bought(world, "business", "premium");
      const plans = ["business", "premium"] as const;
      const [first = 0, second = 0] = order;
      await world.stub.refundPayment(refund(payments[first]!));
      expect(await planOf(world)).toBe(plans[second]);
      await world.stub.refundPayment(refund(payments[second]!));
      expect(await planOf(world)).toBe("starter");
    }
  });

  it("stays when the same plan was bought twice and one purchase is refunded", async () => {
    const world = await broke();
    const [one, two] = await bought(world, "premium", "premium");
    await world.stub.refundPayment(refund(one!));
    expect(await planOf(world)).toBe("premium");
    await world.stub.refundPayment(refund(two!));
    expect(await planOf(world)).toBe("starter");
  });

  it("stays what the operator has set since, and is unchanged by a partial refund", async () => {
    const world = await broke();
    const [one] = await bought(world, "business");
    await world.stub.refundPayment(refund(one!, 999));
    expect(await planOf(world)).toBe("business");
    const other = await broke();
    const [two] = await bought(other, "business");
    await other.stub.amend({ plan: "premium" });
    await other.stub.refundPayment(refund(two!));
    expect(await planOf(other)).toBe("premium");
  });

  it("comes with the operator's own OTP rate again, which the purchase had cleared", async () => {
    const world = await openWorld({ plan: "starter", balance: 0, otpRate: 0.22 });
    const [one] = await bought(world, "business");
    expect(await standingOf(world)).toMatchObject({ otpRate: 2_000 });
    await world.stub.refundPayment(refund(one!));
    expect(await standingOf(world)).toMatchObject({ plan: "starter", otpRate: 2_200 });
  });
});

describe("reconciliation", () => {
  it("finds a refund that took more than its payment gave", async () => {
    const world = await broke();
    const one = payment("starter");
    await world.stub.settlePayment(one);
    await world.stub.settlePayment(payment("starter"));
    await world.stub.refundPayment(refund(one));
    expect(await world.stub.reconcile()).toEqual([]);
    await runInDurableObject(world.stub, (_, { storage }) => {
      const entries = "UPDATE ledger_entry SET amount = amount - 5, balance_after = balance_after - 5";
      storage.sql.exec(`${entries} WHERE reference = ?`, `payment-refund:${one.orderId}`);
    });
    expect(await world.stub.reconcile()).toMatchObject([{ kind: "payment" }]);
  });
});
