import { createHmac } from "node:crypto";
import * as z from "zod";
import { PRODUCT } from "../config/settings.ts";
import type { Config } from "../config/settings.ts";
import { sameBytes } from "../crypto/bytes.ts";
import { readText } from "../http/streams.ts";
import { logLine, logProblem } from "../log.ts";
import { shortened } from "./provider.ts";
import type { Checkout, Order, PaymentEvent, PaymentProvider, PaymentStatus } from "./provider.ts";
import { razorpayEvent } from "./razorpay-events.ts";

// Razorpay as a payment provider, through Payment Links: https://razorpay.com/docs/api/payments/payment-links

const RAZORPAY = "razorpay";

/** How long one request to Razorpay may take. */
const TIMEOUT_MS = 10_000;

const ANSWER_BYTES_MAX = 262_144;

/** After this an unpaid link expires. Razorpay's minimum is 15 minutes. */
const LINK_LIFE_SEC = 86_400;

// Lazy: made when it is first needed, not at each start of the Worker.
const link = z.lazy(() =>
  z.object({
    id: z.string().min(1).max(100),
    reference_id: z.string().nullish(),
    status: z.string(),
    currency: z.string(),
    short_url: z.url({ protocol: /^https$/u }),
    payments: z
      .array(z.object({ payment_id: z.string(), amount: z.coerce.number().int(), status: z.string() }))
      .nullish()
      .catch(null),
  }),
);
const links = z.lazy(() => z.object({ payment_links: z.array(link) }));
const refusal = z.lazy(() => z.object({ error: z.object({ description: z.string() }) }));

type Link = z.infer<typeof link>;

/** A response, or null when none came: the request may or may not have been carried out. */
type Answer = { ok: boolean; body: unknown } | null;

/** Calls Razorpay's API; never throws. */
async function ask(config: Config, method: "GET" | "POST", path: string, body?: object): Promise<Answer> {
  const credentials = Buffer.from(`${config.RAZORPAY_KEY_ID}:${config.RAZORPAY_KEY_SECRET}`).toString("base64");
  try {
    const response = await fetch(`${config.RAZORPAY_URL.replace(/\/+$/u, "")}/v1${path}`, {
      method,
      headers: { Authorization: `Basic ${credentials}`, "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
      // A redirect is not followed: it would send the key secret to another host.
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await readText(response, ANSWER_BYTES_MAX);
    if (text === null || response.status >= 500) return null;
    return { ok: response.ok, body: JSON.parse(text) as unknown };
  } catch (problem) {
    logProblem("razorpay", problem);
    return null;
  }
}

/** The link of an order: by the link's id, else by the order's id, for which Razorpay keeps at most one link. */
async function findLink(config: Config, order: Order): Promise<Link | "none" | null> {
  if (order.providerRef !== null) {
    const answer = await ask(config, "GET", `/payment_links/${encodeURIComponent(order.providerRef)}`);
    const found = link.safeParse(answer?.body);
    return found.success ? found.data : null;
  }
  const answer = await ask(config, "GET", `/payment_links?reference_id=${encodeURIComponent(order.id)}`);
  const found = links.safeParse(answer?.body);
  if (!found.success) return null;
  return found.data.payment_links.find((one) => one.reference_id === order.id) ?? "none";
}

function checkoutOf({ status, short_url: url, id }: Link): Checkout {
  return status === "created" ? { ok: true, url, providerRef: id } : { ok: false, reason: "closed" };
}

async function createLink(config: Config, order: Order): Promise<Checkout> {
  const answer = await ask(config, "POST", "/payment_links", {
    amount: order.amountPaise,
    currency: order.currency,
    accept_partial: false,
    reference_id: order.id,
    description: `${PRODUCT}: plan ${order.plan}`,
    notes: { order_id: order.id },
    notify: { sms: false, email: false },
    reminder_enable: false,
    expire_by: Math.floor(Date.now() / 1000) + LINK_LIFE_SEC,
    callback_url: `${config.CONSOLE_URL}/billing/orders/${order.id}`,
    callback_method: "get",
  });
  const made = link.safeParse(answer?.body);
  if (answer?.ok && made.success) return checkoutOf(made.data);
  const refused = refusal.safeParse(answer?.body);
  if (refused.success) logLine("payment_link_refused", { reason: shortened(refused.data.error.description) });
  return { ok: false, reason: "unavailable" };
}

/** Creates the order's link, unless an earlier request did and its response was lost. */
async function createCheckout(config: Config, order: Order, again: boolean): Promise<Checkout> {
  if (again || order.providerRef !== null) {
    const found = await findLink(config, order);
    if (found === null) return { ok: false, reason: "unavailable" };
    if (found !== "none") return checkoutOf(found);
  }
  const made = await createLink(config, order);
  if (made.ok || order.providerRef !== null) return made;
  // A concurrent request may have created it: Razorpay refuses a second link for the same reference.
  const found = await findLink(config, order);
  return found === null || found === "none" ? made : checkoutOf(found);
}

function eventsOf(order: Order, found: Link): PaymentEvent[] {
  const about = { orderId: order.id, providerRef: found.id, currency: found.currency, refundedPaise: 0 };
  if (found.status === "expired" || found.status === "cancelled") {
    const reason = `The payment link is ${found.status}.`;
    return [
      { ...about, id: `${found.id}:${found.status}`, kind: "failed", paymentRef: null, amountPaise: null, reason },
    ];
  }
  if (found.status !== "paid") return [];
  return (found.payments ?? [])
    .filter(({ status }) => status === "captured")
    .map(({ payment_id: paymentRef, amount: amountPaise }) => {
      return { ...about, id: `${found.id}:${paymentRef}`, kind: "paid", paymentRef, amountPaise };
    });
}

async function fetchStatus(config: Config, order: Order): Promise<PaymentStatus> {
  const found = await findLink(config, order);
  if (found === null) return null;
  return found === "none"
    ? { providerRef: null, events: [] }
    : { providerRef: found.id, events: eventsOf(order, found) };
}

/** Whether a signature in hex is the HMAC-SHA256 of a text; compares in constant time. */
function isHmac(secret: string, text: string, given: string | null): boolean {
  if (given === null || !/^[0-9a-f]{64}$/u.test(given)) return false;
  const right = createHmac("sha256", secret).update(text).digest();
  return sameBytes(Uint8Array.from(right), Uint8Array.from(Buffer.from(given, "hex")));
}

/** Verifies the parameters that Razorpay appends to the URL to which a buyer returns. */
function verifyReturn(secret: string, order: Order, query: URLSearchParams): "genuine" | "forged" | null {
  const signature = query.get("razorpay_signature");
  if (signature === null) return null;
  const names = ["link_id", "link_reference_id", "link_status", "id"];
  const parts = names.map((name) => query.get(`razorpay_payment_${name}`) ?? "");
  return parts[1] === order.id && isHmac(secret, parts.join("|"), signature) ? "genuine" : "forged";
}

/** Razorpay, or null when its key and secrets are not configured. */
export function razorpayProvider(config: Config): PaymentProvider | null {
  const { RAZORPAY_KEY_ID: keyId, RAZORPAY_KEY_SECRET: keySecret, RAZORPAY_WEBHOOK_SECRET: webhookSecret } = config;
  if (keyId === undefined || keySecret === undefined || webhookSecret === undefined) return null;
  return {
    name: RAZORPAY,
    createCheckout: (order, again) => createCheckout(config, order, again),
    fetchStatus: (order) => fetchStatus(config, order),
    verifyReturn: (order, query) => verifyReturn(keySecret, order, query),
    // The signature covers only the body, without a timestamp. A replay is harmless: it is the same event again.
    parseWebhook: (raw, headers) =>
      isHmac(webhookSecret, raw, headers.get("x-razorpay-signature")) ? razorpayEvent(raw) : "forged",
  };
}
