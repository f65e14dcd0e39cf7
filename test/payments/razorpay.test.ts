import { createHmac } from "node:crypto";
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { housekeeping } from "../../src/housekeeping.ts";
import { randomId } from "../../src/ids.ts";
import { UNITS_PER_COIN } from "../../src/money.ts";
import { CHECKS_MS, checkOrder, nextCheck, placeOrder, refreshOrder, resumeOrder } from "../../src/payments/orders.ts";
import type { Placed } from "../../src/payments/orders.ts";
import type { Order } from "../../src/payments/provider.ts";
import { PLANS } from "../../src/plans.ts";
import worker from "../../src/worker.ts";
import { openWorld } from "../world.ts";
import type { World } from "../world.ts";
import { entriesOf, orderNow, recordedOf, standingOf } from "./shop.ts";

// Razorpay as its documentation has it: a table of links that answers to fetch, and webhooks signed by hand.

const KEY = "rzp_key_secret";
const HOOK = "rzp_webhook_secret";
const at: Env = {
  ...env,
  PAYMENTS: "razorpay",
  ...{ RAZORPAY_KEY_ID: "rzp_test_1", RAZORPAY_KEY_SECRET: KEY, RAZORPAY_WEBHOOK_SECRET: HOOK },
};
const BOUGHT = { balance: PLANS.business.creditCoins * UNITS_PER_COIN, plan: "business" };

interface Link {
  id: string;
  reference_id: string;
  amount: number;
  currency: string;
  status: string;
  short_url: string;
  payments: { payment_id: string; amount: number; status: string }[];
}

interface Asked {
  method: string;
  path: string;
  headers: Headers;
  body: Record<string, unknown>;
}

let links: Link[];
let asked: Asked[];
/** What becomes of the next requests: they are done and answered unless something else stands here. */
let fates: ("lost" | "answer_lost" | "busy" | "nonsense")[];

function made(body: Record<string, unknown>): Response {
  if (links.some(({ reference_id }) => reference_id === body["reference_id"])) {
    const description = `payment link with given reference_id (${String(body["reference_id"])}) already exists`;
    return Response.json({ error: { code: "BAD_REQUEST_ERROR", description } }, { status: 400 });
  }
  const id = randomId("plink");
  const { amount, currency, reference_id } = body as unknown as Link;
  links.push({
    id,
    reference_id,
    amount,
    currency,
    status: "created",
    short_url: `https://rzp.io/i/${id}`,
    payments: [],
  });
  return Response.json(links.at(-1));
}

function answer({ method, path, body }: Asked): Response {
  if (method === "POST") return made(body);
  const url = new URL(path, "https://api.razorpay.com");
  const reference = url.searchParams.get("reference_id");
  if (reference !== null) {
    return Response.json({ payment_links: links.filter(({ reference_id }) => reference_id === reference) });
  }
  const found = links.find(({ id }) => url.pathname.endsWith(`/${id}`));
  return found ? Response.json(found) : Response.json({ error: { description: "unknown id" } }, { status: 400 });
}

beforeEach(() => {
  links = [];
  asked = [];
  fates = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search, origin } = new URL(request.url);
    expect(origin).toBe("https://api.razorpay.com");
    const text = await request.text();
    const body = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
    const one = { method: request.method, path: pathname + search, headers: request.headers, body };
    asked.push(one);
    const fate = fates.shift();
    if (fate === "lost") throw new DOMException("The operation timed out.", "TimeoutError");
    const response = answer(one);
    if (fate === "answer_lost") throw new DOMException("The operation timed out.", "TimeoutError");
    if (fate === "busy") return new Response("busy", { status: 503 });
    return fate === "nonsense" ? new Response("<html>", { status: 200 }) : response;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

interface Shop {
  world: World;
  order: Order;
  placed: Placed & { ok: true };
  again: () => Promise<Placed>;
}

async function shopOf(): Promise<Shop> {
  const world = await openWorld({ plan: "starter", balance: 0 });
  const person = { accountId: world.ref.accountId, name: "Asha", buyer: null };
  const once = randomId("once");
  const again = () => placeOrder(at, person, "business", once);
  const placed = await again();
  if (!placed.ok) throw new Error(placed.reason);
  return { world, order: await orderNow(placed.order), placed, again };
}

function pay({ order }: Pick<Shop, "order">, payment_id = randomId("pay")): string {
  const link = links.find(({ reference_id }) => reference_id === order.id);
  if (!link) throw new Error("there is no link to pay");
  link.status = "paid";
  link.payments.push({ payment_id, amount: link.amount, status: "captured" });
  return payment_id;
}

const hmac = (secret: string, text: string) => createHmac("sha256", secret).update(text).digest("hex");

async function webhook(body: object, headers: Record<string, string> = {}, sign = HOOK): Promise<number> {
  const raw = JSON.stringify(body);
  const request = new Request("http://console.localhost/webhooks/payments/razorpay", {
    method: "POST",
    body: raw,
    headers: { "x-razorpay-signature": hmac(sign, raw), "x-razorpay-event-id": randomId("event"), ...headers },
  });
  const ctx = createExecutionContext();
  return (await worker.fetch(request as Request<unknown, IncomingRequestCfProperties>, at, ctx)).status;
}

const payment = (order: Order, id: string, more: object = {}) => ({
  entity: { id, amount: order.amountPaise, currency: "INR", amount_refunded: 0, description: null, notes: [], ...more },
});

function paidEvent(order: Order, paymentId: string) {
  const link = { entity: { id: order.providerRef, reference_id: order.id, amount: order.amountPaise } };
  return { event: "payment_link.paid", payload: { payment_link: link, payment: payment(order, paymentId) } };
}

describe("an order", () => {
  it("becomes a payment link of our price, under our reference, that leads back to it", async () => {
    const { order, placed } = await shopOf();
    expect(placed.checkout).toEqual({ ok: true, url: links[0]?.short_url, providerRef: links[0]?.id });
    expect(order).toMatchObject({ provider: "razorpay", providerRef: links[0]?.id, state: "created" });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      method: "POST",
      path: "/v1/payment_links",
      body: {
        amount: 199_900,
        currency: "INR",
        accept_partial: false,
        reference_id: order.id,
        notes: { order_id: order.id },
        callback_url: `http://console.localhost/billing/orders/${order.id}`,
        callback_method: "get",
      },
    });
    expect(asked[0]?.headers.get("authorization")).toBe(`Basic ${btoa(`rzp_test_1:${KEY}`)}`);
    expect(order.id.length).toBeLessThanOrEqual(40);
  });

  it.each(["lost", "answer_lost", "busy", "nonsense"] as const)(
    "whose request was %s stays open; trying again finds or makes its one link",
    async (fate) => {
      fates = [fate, "lost"];
      const { order, placed, again } = await shopOf();
      expect(placed.checkout).toEqual({ ok: false, reason: "unavailable" });
      expect(order).toMatchObject({ state: "created", providerRef: null });
      const second = await again();
      expect(second).toMatchObject({ ok: true, order: { id: order.id } });
      expect(second.ok && second.checkout).toMatchObject({ ok: true });
      expect(links).toHaveLength(1);
      expect(await orderNow(order)).toMatchObject({ providerRef: links[0]?.id });
      expect(await resumeOrder(at, await orderNow(order))).toMatchObject({ ok: true, url: links[0]?.short_url });
      expect(links).toHaveLength(1);
    },
  );

  it("that is posted five times at once has one link", async () => {
    const world = await openWorld({ plan: "starter", balance: 0 });
    const person = { accountId: world.ref.accountId, name: "Asha", buyer: null };
    const all = await Promise.all(Array.from({ length: 5 }, () => placeOrder(at, person, "business", "same")));
    expect(new Set(all.map((one) => one.ok && one.order.id)).size).toBe(1);
    expect(new Set(all.map((one) => one.ok && one.checkout.ok && one.checkout.url))).toEqual(
      new Set([links[0]?.short_url]),
    );
    expect(links).toHaveLength(1);
  });

  it("whose link is over is told as closed, and failed", async () => {
    const { order } = await shopOf();
    links[0]!.status = "expired";
    expect(await resumeOrder(at, order)).toEqual({ ok: false, reason: "closed" });
    expect(await orderNow(order)).toMatchObject({ state: "failed", reason: "The payment link is expired." });
  });
});

describe("webhooks", () => {
  it("credit an order once: the link's event, the payment's event, and both again", async () => {
    const { world, order } = await shopOf();
    const id = pay({ order });
    const captured = {
      event: "payment.captured",
      payload: { payment: payment(order, id, { description: `#${order.providerRef?.slice("plink_".length)}` }) },
    };
    for (const body of [captured, paidEvent(order, id), paidEvent(order, id), captured]) {
      expect(await webhook(body)).toBe(200);
    }
    expect(await standingOf(world)).toMatchObject(BOUGHT);
    expect(await entriesOf(world)).toHaveLength(1);
    expect(await orderNow(order)).toMatchObject({ state: "credited", paymentRef: id });
    expect((await recordedOf(order)).filter(({ quarantined }) => quarantined !== null)).toEqual([]);
  });

  it("know one event by its id, and by its content where it has none", async () => {
    const { order } = await shopOf();
    const body = paidEvent(order, pay({ order }));
    await webhook(body, { "x-razorpay-event-id": `event_${order.id}` });
    await webhook(body, { "x-razorpay-event-id": `event_${order.id}` });
    expect(await recordedOf(order)).toHaveLength(1);
  });

  it("are refused unless the signature fits the very bytes", async () => {
    const { world, order } = await shopOf();
    const body = paidEvent(order, "pay_forged");
    expect(await webhook(body, {}, KEY)).toBe(401);
    expect(await webhook(body, { "x-razorpay-signature": "" })).toBe(401);
    expect(await webhook(body, { "x-razorpay-signature": hmac(HOOK, JSON.stringify(body, null, 1)) })).toBe(401);
    expect(await webhook(body, { "x-razorpay-signature": hmac(HOOK, JSON.stringify(body)).toUpperCase() })).toBe(401);
    expect(await entriesOf(world)).toEqual([]);
    expect(await recordedOf(order)).toEqual([]);
  });

  it("tell a failed attempt with its reason, and the order is paid by the next one", async () => {
    const { world, order } = await shopOf();
    const failed = payment(order, "pay_0", { notes: { order_id: order.id }, error_description: "Card declined" });
    expect(await webhook({ event: "payment.failed", payload: { payment: failed } })).toBe(200);
    expect(await orderNow(order)).toMatchObject({ state: "failed", reason: "Card declined" });
    expect(await webhook(paidEvent(order, pay({ order })))).toBe(200);
    expect(await standingOf(world)).toMatchObject(BOUGHT);
    expect(await orderNow(order)).toMatchObject({ state: "credited", reason: null });
  });

  it("take a refund back by the payment that it names", async () => {
    const { world, order } = await shopOf();
    const id = pay({ order });
    await webhook(paidEvent(order, id));
    const refund = { entity: { id: "rfnd_1", amount: order.amountPaise, currency: "INR", payment_id: id } };
    const whole = payment(order, id, { amount_refunded: order.amountPaise });
    const created = { event: "refund.created", payload: { refund, payment: whole } };
    expect(await webhook(created)).toBe(200);
    expect(await standingOf(world)).toMatchObject(BOUGHT);
    expect(await webhook({ ...created, event: "refund.processed" })).toBe(200);
    expect(await standingOf(world)).toMatchObject({ balance: 0, plan: "starter" });
    expect(await orderNow(order)).toMatchObject({ state: "refunded", refundedPaise: order.amountPaise });
  });

  it("that are genuine and about something else, or say too little, change nothing and are taken", async () => {
    const { world, order } = await shopOf();
    for (const body of [
      { event: "settlement.processed", payload: {} },
      { event: "constructor", payload: {} },
      {},
      [],
    ]) {
      expect(await webhook(body)).toBe(200);
    }
    const thin = { event: "payment_link.paid", payload: { payment_link: { entity: { reference_id: order.id } } } };
    expect(await webhook(thin)).toBe(200);
    expect(await entriesOf(world)).toEqual([]);
    expect(await recordedOf(order)).toMatchObject([{ quarantined: expect.stringContaining("no amount came") }]);
  });
});

describe("a buyer's return", () => {
  const query = (order: Order, paymentId: string, secret = KEY, status = "paid") => {
    const text = [order.providerRef, order.id, status, paymentId].join("|");
    return new URLSearchParams({
      razorpay_payment_id: paymentId,
      razorpay_payment_link_id: order.providerRef ?? "",
      razorpay_payment_link_reference_id: order.id,
      razorpay_payment_link_status: status,
      razorpay_signature: hmac(secret, text),
    });
  };

  it("that is genuine asks Razorpay at once, and only what Razorpay answers is credited", async () => {
    const { world, order } = await shopOf();
    expect(await refreshOrder(at, order, query(order, "pay_1"))).toMatchObject({ state: "created" });
    expect(await entriesOf(world)).toEqual([]);
    const id = pay({ order });
    expect(await refreshOrder(at, await orderNow(order), query(order, id))).toMatchObject({ state: "credited" });
    expect(await standingOf(world)).toMatchObject(BOUGHT);
  });

  it("that is forged, or of another order, asks nobody", async () => {
    const { order } = await shopOf();
    const other = (await shopOf()).order;
    pay({ order });
    asked = [];
    expect(await refreshOrder(at, order, query(order, "pay_1", HOOK))).toMatchObject({ state: "created" });
    expect(await refreshOrder(at, order, query(other, "pay_1"))).toMatchObject({ state: "created" });
    expect(asked).toEqual([]);
  });
});

describe("an order whose webhook got lost", () => {
  it("is looked up after 2, 10 and 60 minutes, and later, and then no more", () => {
    const times: number[] = [];
    for (let next = nextCheck(0, 0); next !== null; next = nextCheck(0, next)) times.push(next);
    expect(times.slice(0, 3)).toEqual([2, 10, 60].map((minutes) => minutes * 60_000));
    expect(times).toEqual(CHECKS_MS);
  });

  it("is credited by the housekeeping, once, also where Razorpay was away at the first look", async () => {
    await env.DB.prepare("UPDATE payment_order SET check_at = NULL").run();
    const { world, order } = await shopOf();
    pay({ order });
    const runAt = (nowMs: number) => {
      vi.useFakeTimers({ toFake: ["Date"], now: nowMs });
      return housekeeping(at, nowMs);
    };
    asked = [];
    await runAt(order.createdAt + 119_000);
    expect(asked).toEqual([]);
    fates = ["lost"];
    await runAt(order.createdAt + 120_000);
    expect(asked).toHaveLength(1);
    expect(await orderNow(order)).toMatchObject({ state: "created", checkAt: order.createdAt + 600_000 });
    await runAt(order.createdAt + 300_000);
    expect(asked).toHaveLength(1);
    await Promise.all([runAt(order.createdAt + 600_000), runAt(order.createdAt + 600_000)]);
    expect(asked).toHaveLength(2);
    expect(await standingOf(world)).toMatchObject(BOUGHT);
    expect(await orderNow(order)).toMatchObject({ state: "credited", checkAt: null });
    await runAt(order.createdAt + 3_600_000);
    expect(asked).toHaveLength(2);
  });

  it("is found by its reference where even the answer to its creation got lost", async () => {
    fates = ["answer_lost", "lost"];
    const { world, order } = await shopOf();
    expect(order.providerRef).toBeNull();
    pay({ order });
    expect(await checkOrder(at, order, Date.now())).toBe(true);
    expect(await standingOf(world)).toMatchObject(BOUGHT);
    expect(await orderNow(order)).toMatchObject({ state: "credited", providerRef: links[0]?.id });
  });

  it("goes on although plans are sold otherwise by now", async () => {
    const { world, order } = await shopOf();
    const id = pay({ order });
    const later = { ...at, PAYMENTS: "none" };
    await checkOrder(later, order, Date.now());
    expect(await standingOf(world)).toMatchObject(BOUGHT);
    expect(await orderNow(order)).toMatchObject({ paymentRef: id });
  });
});
