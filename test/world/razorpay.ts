import { createHmac } from "node:crypto";
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { randomId } from "../../src/crypto/ids.ts";
import { placeOrder } from "../../src/payments/orders.ts";
import type { Placed } from "../../src/payments/orders.ts";
import type { Order } from "../../src/payments/provider.ts";
import worker from "../../src/worker.ts";
import { openWorld } from "./world.ts";
import type { World } from "./world.ts";
import { orderNow } from "./shop.ts";

// A fake Razorpay, written from its documentation: a table of payment links behind fetch, and signed webhooks.

export const KEY = "rzp_key_secret_0123456789";
export const HOOK = "rzp_webhook_secret_0123456789_abcdef";

/** The environment of a service that uses Razorpay. */
export const at: Env = Object.assign(
  { ...env },
  {
    PAYMENTS: "razorpay",
    RAZORPAY_KEY_ID: "rzp_test_1",
    RAZORPAY_KEY_SECRET: KEY,
    RAZORPAY_WEBHOOK_SECRET: HOOK,
  },
);

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

type Fate = "lost" | "answer_lost" | "busy" | "nonsense";

/** Razorpay's links and the requests that it got; each of `fates` replaces the normal outcome of one request. */
export const razorpay = { links: [] as Link[], asked: [] as Asked[], fates: [] as Fate[] };

function made(body: Record<string, unknown>): Response {
  const { links } = razorpay;
  if (links.some(({ reference_id }) => reference_id === body["reference_id"])) {
    const description = `payment link with given reference_id (${String(body["reference_id"])}) already exists`;
    return Response.json({ error: { code: "BAD_REQUEST_ERROR", description } }, { status: 400 });
  }
  const id = randomId("plink");
  const { amount, currency, reference_id } = body as unknown as Link;
  const short_url = `https://rzp.io/i/${id}`;
  links.push({ id, reference_id, amount, currency, status: "created", short_url, payments: [] });
  return Response.json(links.at(-1));
}

function answer({ method, path, body }: Asked): Response {
  if (method === "POST") return made(body);
  const { links } = razorpay;
  const url = new URL(path, "https://api.razorpay.com");
  const reference = url.searchParams.get("reference_id");
  if (reference !== null) {
    return Response.json({ payment_links: links.filter(({ reference_id }) => reference_id === reference) });
  }
  const found = links.find(({ id }) => url.pathname.endsWith(`/${id}`));
  return found ? Response.json(found) : Response.json({ error: { description: "unknown id" } }, { status: 400 });
}

/** Replaces the network with an empty Razorpay. */
export function openRazorpay(): void {
  Object.assign(razorpay, { links: [], asked: [], fates: [] });
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search, origin } = new URL(request.url);
    expect(origin).toBe("https://api.razorpay.com");
    const text = await request.text();
    const body = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
    const one = { method: request.method, path: pathname + search, headers: request.headers, body };
    razorpay.asked.push(one);
    const fate = razorpay.fates.shift();
    if (fate === "lost") throw new DOMException("The operation timed out.", "TimeoutError");
    const response = answer(one);
    if (fate === "answer_lost") throw new DOMException("The operation timed out.", "TimeoutError");
    if (fate === "busy") return new Response("busy", { status: 503 });
    return fate === "nonsense" ? new Response("<html>", { status: 200 }) : response;
  });
}

/** A customer with an order for a plan. */
export interface RazorpayShop {
  world: World;
  order: Order;
  placed: Placed & { ok: true };
  again: () => Promise<Placed>;
}

export async function shopOf(): Promise<RazorpayShop> {
  const world = await openWorld({ plan: "starter", balance: 0 });
  const person = { accountId: world.ref.accountId, name: "Asha", buyer: null };
  const once = randomId("once");
  const again = () => placeOrder(at, person, "business", once);
  const placed = await again();
  if (!placed.ok) throw new Error(placed.reason);
  return { world, order: await orderNow(placed.order), placed, again };
}

/** Pays the link of an order; returns the id of the payment. */
export function pay({ order }: Pick<RazorpayShop, "order">, payment_id = randomId("pay")): string {
  const link = razorpay.links.find(({ reference_id }) => reference_id === order.id);
  if (!link) throw new Error("there is no link to pay");
  link.status = "paid";
  link.payments.push({ payment_id, amount: link.amount, status: "captured" });
  return payment_id;
}

export const hmac = (secret: string, text: string) => createHmac("sha256", secret).update(text).digest("hex");

/** Delivers a signed webhook; `headers` replace its own, and null leaves one out. Returns the status of the reply. */
export async function webhook(body: object, headers: Record<string, string | null> = {}, sign = HOOK): Promise<number> {
  const raw = JSON.stringify(body);
  const all = { "x-razorpay-signature": hmac(sign, raw), "x-razorpay-event-id": randomId("event"), ...headers };
  const request = new Request("http://console.localhost/webhooks/payments/razorpay", {
    method: "POST",
    body: raw,
    headers: Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  });
  const ctx = createExecutionContext();
  return (await worker.fetch(request as Request<unknown, IncomingRequestCfProperties>, at, ctx)).status;
}

export const payment = (order: Order, id: string, more: object = {}) => ({
  entity: { id, amount: order.amountPaise, currency: "INR", amount_refunded: 0, description: null, notes: [], ...more },
});

export function paidEvent(order: Order, paymentId: string) {
  const link = { entity: { id: order.providerRef, reference_id: order.id, amount: order.amountPaise } };
  return { event: "payment_link.paid", payload: { payment_link: link, payment: payment(order, paymentId) } };
}
