import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { updatePerson } from "../../../src/db/people.ts";
import { planName } from "../../../src/money/plans.ts";
import { listOrders, ORDERS_PER_HOUR_MAX } from "../../../src/payments/orders.ts";
import worker from "../../../src/worker.ts";
import { balanceOf } from "../../world/world.ts";
import { entriesOf, standingOf } from "../../world/shop.ts";
import { CONSOLE, Visitor, visit } from "../../world/visitor.ts";
import type { Page, Visit } from "../../world/visitor.ts";

/** The visible text: without tags, every run of white space as one space. */
const textOf = ({ text }: Page) => text.replace(/<[^>]+>/gu, " ").replace(/\s+/gu, " ");

const locationOf = ({ headers }: Page) => headers.get("location") ?? "";

let forms = 0;

/** Posts the form of a plan; the same `once` means the same form. */
function buy({ visitor }: Visit, plan: string, once = `once_${(forms += 1)}`): Promise<Page> {
  return visitor.submit("/billing/orders", { plan, once });
}

/** The id of the order to which the response redirects. */
async function order(customer: Visit, plan = "business"): Promise<string> {
  const page = await buy(customer, plan);
  expect(page.status).toBe(303);
  const [, id = ""] = /^\/pay\/(ord_\w+)$/u.exec(locationOf(page)) ?? [];
  expect(id).not.toBe("");
  return id;
}

const customerOf = () => visit({ plan: "starter", balance: 0 });

describe("/billing", () => {
  it("shows what each plan gives and changes, before anything is paid", async () => {
    const { visitor, world } = await visit({ plan: "business", balance: 12.5 });
    const text = textOf(await visitor.get("/billing"));
    for (const said of [
      "₹499 one-time payment",
      "₹1,999 one-time payment",
      "₹9,999 one-time payment",
      "₹500.00 credit",
      "₹11,000.00 credit",
      "₹0.15 per OTP",
      "73,333 OTPs (approx.)",
      "200 requests per minute",
      "One-time payment, no expiry",
      "₹12.50 → ₹512.50",
      "You keep your Business rate and limit.",
      "₹0.20 → ₹0.15",
      "60 → 200",
      "No orders yet",
    ]) {
      expect(text).toContain(said);
    }
    expect(text.match(/Current plan/gu)).toHaveLength(1);
    expect(await balanceOf(world)).toBe(125_000);
  });

  it("counts OTPs by the rate that will apply, which is the operator's own rate if that is lower", async () => {
    const { visitor } = await visit({ plan: "starter", balance: 0, otpRate: 0.1 });
    const text = textOf(await visitor.get("/billing"));
    expect(text).toContain("21,000 OTPs (approx.)");
    expect(text).toContain("You keep your own lower OTP rate.");
  });

  it("shows the same rate and number of OTPs on a plan's card that the plan gives, whatever plan the account is on", async () => {
    for (const plan of planName.options) {
      const { visitor } = await visit({ plan, balance: 0 });
      const text = textOf(await visitor.get("/billing"));
      const cards = ["₹0.25 per OTP 2,000 OTPs", "₹0.20 per OTP 10,500 OTPs", "₹0.15 per OTP 73,333 OTPs"];
      for (const card of cards) expect(text).toContain(card);
    }
  });

  it("explains in test mode that plans are bought for the live account, and shows the live account", async () => {
    const customer = await visit({ plan: "premium", balance: 7 });
    customer.visitor.cookies.set("mode", "test");
    const text = textOf(await customer.visitor.get("/billing"));
    expect(text).toContain("Plans are bought for your live account");
    expect(text).toContain("₹7.00");
  });

  it("is available in Hindi, and shows the buyer's name as text", async () => {
    const { visitor, person } = await customerOf();
    const buyer = { name: "<img src=x onerror=alert(1)>", address: "2 Link Road", state: "27", gstin: "" };
    await updatePerson(env.DB, person.id, { buyer });
    visitor.cookies.set("lang", "hi");
    const page = await visitor.get("/billing");
    expect(page.text).toContain("प्लान और भुगतान");
    expect(page.text).toContain("महाराष्ट्र");
    expect(page.text).not.toContain("<img");
  });

  it("refers to the operator when plans are not sold, and accepts no order", async () => {
    const { visitor, world } = await customerOf();
    const ask = (path: string, init: RequestInit = {}) => {
      const cookie = `session=${visitor.cookies.get("session")}`;
      const headers = { accept: "text/html", cookie, origin: CONSOLE, ...init.headers };
      const request = new Request(CONSOLE + path, { redirect: "manual", ...init, headers });
      const at = { ...env, PAYMENTS: "none" };
      return worker.fetch(request as Request<unknown, IncomingRequestCfProperties>, at, createExecutionContext());
    };
    const text = await (await ask("/billing")).text();
    expect(text).toContain("Ask the operator");
    expect(text).not.toContain("/billing/orders");
    const body = new URLSearchParams({ plan: "business", once: "x" });
    expect((await ask("/billing/orders", { method: "POST", body })).status).toBe(403);
    expect(await listOrders(env, world.ref.accountId)).toEqual([]);
  });
});

describe("an order", () => {
  it("is created once, however often its form is posted; another form creates another order", async () => {
    const customer = await customerOf();
    const pages = await Promise.all(Array.from({ length: 5 }, () => buy(customer, "business", "same")));
    expect(new Set(pages.map(locationOf)).size).toBe(1);
    await buy(customer, "business", "other");
    const orders = await listOrders(env, customer.world.ref.accountId);
    expect(orders).toHaveLength(2);
    expect(orders[0]).toMatchObject({
      amountPaise: 199_900,
      currency: "INR",
      creditUnits: 21_000_000,
      state: "created",
    });
  });

  it("takes price and credit from the service's own list, whatever the form contains", async () => {
    const customer = await customerOf();
    await customer.visitor.submit("/billing/orders", {
      plan: "premium",
      once: "x",
      amountPaise: "1",
      creditUnits: "9",
    });
    const [only] = await listOrders(env, customer.world.ref.accountId);
    expect(only).toMatchObject({ amountPaise: 999_900, creditUnits: 110_000_000 });
    for (const plan of ["gold", "", "constructor"]) expect((await buy(customer, plan)).status).toBe(400);
  });

  it("keeps the buyer's details as they were at that time", async () => {
    const customer = await customerOf();
    const buyer = { name: "Asha Traders", address: "2 Link Road", state: "27", gstin: "27AABCA1234F1Z3" };
    await updatePerson(env.DB, customer.person.id, { buyer });
    await order(customer);
    await updatePerson(env.DB, customer.person.id, { buyer: { ...buyer, name: "Later" } });
    expect((await listOrders(env, customer.world.ref.accountId))[0]?.buyer).toEqual(buyer);
  });

  it("is refused for a suspended account, and after too many in an hour", async () => {
    const customer = await customerOf();
    for (let made = 0; made < ORDERS_PER_HOUR_MAX; made++) await order(customer, "starter");
    expect((await buy(customer, "starter")).status).toBe(429);
    const other = await customerOf();
    await other.world.stub.amend({ status: "suspended" });
    expect((await buy(other, "starter")).status).toBe(403);
    expect(textOf(await other.visitor.get("/billing"))).toContain("suspended");
  });

  it("is refused beyond the limit also when thirty forms arrive at the same time", async () => {
    const customer = await customerOf();
    const forms = Array.from({ length: 30 }, (_, at) => buy(customer, "starter", `form-number-${at}`));
    const statuses = (await Promise.all(forms)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30 - ORDERS_PER_HOUR_MAX);
    expect(await listOrders(env, customer.world.ref.accountId)).toHaveLength(ORDERS_PER_HOUR_MAX);
  });

  it("of another account is answered like an order that does not exist", async () => {
    const id = await order(await customerOf());
    const { visitor } = await customerOf();
    const unknown = "ord_0000000000000000000000";
    for (const path of ["", "/invoice"]) {
      const [others, nobodys] = [
        await visitor.get(`/billing/orders/${id}${path}`),
        await visitor.get(`/billing/orders/${unknown}${path}`),
      ];
      expect(others.status).toBe(404);
      const plain = ({ text }: Page) =>
        text
          .replaceAll(/req_\w+/gu, "")
          .replaceAll(id, "")
          .replaceAll(unknown, "");
      expect(plain(others)).toBe(plain(nobodys));
    }
    expect((await visitor.submit(`/billing/orders/${id}/pay`)).status).toBe(404);
    expect((await visitor.get("/pay/ord_unknown")).status).toBe(404);
  });

  it("requires a session, and a post from this site", async () => {
    const customer = await customerOf();
    const id = await order(customer);
    const page = await new Visitor().get(`/billing/orders/${id}`);
    expect(locationOf(page)).toBe(`/sign-in?next=${encodeURIComponent(`/billing/orders/${id}`)}`);
    const foreign = { origin: "https://evil.example" };
    expect((await customer.visitor.submit("/billing/orders", { plan: "starter" }, foreign)).status).toBe(403);
    expect((await new Visitor().submit(`/pay/${id}`, { outcome: "success" }, foreign)).status).toBe(403);
    expect(await entriesOf(customer.world)).toEqual([]);
  });
});

describe("the sandbox's page", () => {
  it("pays without a session; the order's page and list then show credit, plan and invoice", async () => {
    const customer = await customerOf();
    const id = await order(customer);
    expect(textOf(await customer.visitor.get(`/billing/orders/${id}`))).toContain("been paid yet");
    const payer = new Visitor();
    expect(textOf(await payer.get(`/pay/${id}`))).toContain("No real money is involved");
    const paid = await payer.submit(`/pay/${id}`, { outcome: "success" });
    expect(locationOf(paid)).toBe(`/billing/orders/${id}`);
    expect(await standingOf(customer.world)).toMatchObject({ balance: 21_000_000, plan: "business" });
    expect(textOf(await customer.visitor.get(`/billing/orders/${id}`))).toContain(
      "₹2,100.00 was added to your balance",
    );
    const { text } = await customer.visitor.get("/billing");
    expect(text).toContain(`/billing/orders/${id}/invoice`);
    expect(text).not.toContain(`/billing/orders/${id}/pay`);
  });

  it("reports failure and pending; the order can still be paid, and its page refreshes while pending", async () => {
    const customer = await customerOf();
    const id = await order(customer);
    await customer.visitor.submit(`/pay/${id}`, { outcome: "pending" });
    const pending = await customer.visitor.get(`/billing/orders/${id}`);
    expect(pending.headers.get("refresh")).toMatch(/^\d+$/u);
    // A second payment now would be money for nothing: neither the page nor its address opens the checkout again.
    for (const { text } of [pending, await customer.visitor.get("/billing")]) {
      expect(text).not.toContain(`/billing/orders/${id}/pay`);
    }
    expect(locationOf(await customer.visitor.submit(`/billing/orders/${id}/pay`))).toBe(`/billing/orders/${id}`);
    await customer.visitor.submit(`/pay/${id}`, { outcome: "failure" });
    const failed = await customer.visitor.get(`/billing/orders/${id}`);
    expect(failed.headers.get("refresh")).toBeNull();
    expect(textOf(failed)).toContain("go through and no credit was added");
    expect((await customer.visitor.get(`/billing/orders/${id}/invoice`)).status).toBe(404);
    const again = await customer.visitor.submit(`/billing/orders/${id}/pay`);
    expect(locationOf(again)).toBe(`/pay/${id}`);
    await customer.visitor.submit(`/pay/${id}`, { outcome: "success" });
    expect(await standingOf(customer.world)).toMatchObject({ plan: "business" });
  });

  it("does not open the checkout again from a form that is posted again while the payment is pending", async () => {
    const customer = await customerOf();
    await buy(customer, "business", "same");
    const [made] = await listOrders(env, customer.world.ref.accountId);
    await customer.visitor.submit(`/pay/${made?.id}`, { outcome: "pending" });
    expect(locationOf(await buy(customer, "business", "same"))).toBe(`/billing/orders/${made?.id}`);
  });

  it("refunds one half, then only the other", async () => {
    const customer = await customerOf();
    const id = await order(customer);
    await customer.visitor.submit(`/pay/${id}`, { outcome: "success" });
    expect((await customer.visitor.get(`/pay/${id}`)).text).toContain('value="partial_refund"');
    await customer.visitor.submit(`/pay/${id}`, { outcome: "partial_refund" });
    expect(await standingOf(customer.world)).toMatchObject({ balance: 10_500_000, plan: "business" });
    expect(textOf(await customer.visitor.get("/billing"))).toContain("Partly refunded");
    const half = await customer.visitor.get(`/pay/${id}`);
    expect(textOf(half)).toContain("Refund the other ₹999.50");
    expect(half.text).not.toContain('value="partial_refund"');
    await customer.visitor.submit(`/pay/${id}`, { outcome: "refund" });
    expect(await standingOf(customer.world)).toMatchObject({ balance: 0, plan: "starter" });
    const all = textOf(await customer.visitor.get(`/billing/orders/${id}`));
    expect(all).toContain("₹1,999.00");
    expect(all).not.toContain("Partly refunded");
    expect((await customer.visitor.get(`/pay/${id}`)).text).not.toContain('value="refund"');
  });

  it("delivers twice, late and wrong on request: one credit, or none", async () => {
    const customer = await customerOf();
    const id = await order(customer);
    await customer.visitor.submit(`/pay/${id}`, { outcome: "success", wrong: "on" });
    expect(await entriesOf(customer.world)).toEqual([]);
    await customer.visitor.submit(`/pay/${id}`, { outcome: "success", twice: "on", disorder: "on" });
    expect(await entriesOf(customer.world)).toHaveLength(1);
    await customer.visitor.submit(`/pay/${id}`, { outcome: "success" });
    expect(await entriesOf(customer.world)).toHaveLength(1);
    expect(textOf(await customer.visitor.get(`/pay/${id}`))).toContain("This order has been paid.");
    await customer.visitor.submit(`/pay/${id}`, { outcome: "refund", twice: "on" });
    expect(await standingOf(customer.world)).toMatchObject({ balance: 0, plan: "starter" });
    expect(textOf(await customer.visitor.get(`/billing/orders/${id}`))).toContain("₹1,999.00 refunded.");
    expect((await customer.visitor.submit(`/pay/${id}`, { outcome: "gold" })).status).toBe(400);
  });
});
