import { configOf, paymentsOf } from "../config/config.ts";
import type { Config } from "../config/settings.ts";
import { base62 } from "../crypto/base62.ts";
import { digest } from "../crypto/bytes.ts";
import { insertOrder, nameOrder, orderById, ordersOf, takeCheck } from "../db/orders.ts";
import { logProblem } from "../log.ts";
import type { Person } from "../model/person.ts";
import { UNITS_PER_COIN } from "../money/money.ts";
import { PLANS } from "../money/plans.ts";
import type { Plan } from "../money/plans.ts";
import { objectOf } from "../objects.ts";
import type { Checkout, Order } from "./provider.ts";
import { settleEvent } from "./settle.ts";
import { paymentProvider, providerNamed } from "./table.ts";

// Orders of plans: created once per form, paid at a provider, and checked there in case its webhook does not arrive.

const CURRENCY = "INR";

/** Orders that one account may make in an hour: more than people buy, few enough for the provider. */
export const ORDERS_PER_HOUR_MAX = 20;

const HOUR_MS = 3_600_000;

/** How many orders the page lists. */
const LISTED_MAX = 100;

/** How long after its creation an order is checked with its provider; a payment link is valid for a day. */
export const CHECKS_MS: readonly number[] = [2, 10, 60, 360, 1_500, 2_940].map((minutes) => minutes * 60_000);

/** Reloading the page of an order asks the provider at most this often. */
const ASK_AGAIN_MS = 5_000;

/** When an order that was made at `createdAt` is checked next, or null when no check is left. In ms. */
export function nextCheck(createdAt: number, nowMs: number): number | null {
  const offsetMs = CHECKS_MS.find((ms) => createdAt + ms > nowMs);
  return offsetMs === undefined ? null : createdAt + offsetMs;
}

/**
 * The id of the order that a form makes: the same form gives the same id, however the secrets changed meanwhile, and another
 * cannot guess it, because the form has a random number.
 */
function orderIdOf(accountId: string, plan: Plan, once: string): string {
  return `ord_${base62(digest("order/v2", `${accountId}\0${plan}\0${once}`, 16))}`;
}

export type Placed =
  { ok: true; order: Order; checkout: Checkout } | { ok: false; reason: "not_sold" | "suspended" | "too_many" };

const CLOSED: Checkout = { ok: false, reason: "closed" };

/** Opens the page where an order is paid, or finds the existing one. */
async function openCheckout(env: Env, config: Config, order: Order, again: boolean): Promise<Checkout> {
  const provider = providerNamed(config, order.provider);
  if (!provider) return CLOSED;
  const checkout = await provider.createCheckout(order, again);
  if (checkout.ok && checkout.providerRef !== null) await nameOrder(env.DB, order.id, checkout.providerRef);
  return checkout;
}

/** Makes the order of a form, once per `once`, and opens its checkout. */
export async function placeOrder(
  env: Env,
  person: Pick<Person, "accountId" | "name" | "buyer">,
  plan: Plan,
  once: string,
): Promise<Placed> {
  const config = configOf(env);
  const provider = paymentProvider(config);
  if (!provider) return { ok: false, reason: "not_sold" };
  const { accountId, name } = person;
  const account = await objectOf(env, { accountId, mode: "live" }).view();
  if (account?.status !== "active") return { ok: false, reason: "suspended" };
  const nowMs = Date.now();
  const id = orderIdOf(accountId, plan, once);
  const made: Order = {
    id,
    accountId,
    plan,
    amountPaise: PLANS[plan].priceRupees * 100,
    currency: CURRENCY,
    creditUnits: PLANS[plan].creditCoins * UNITS_PER_COIN,
    provider: provider.name,
    providerRef: null,
    paymentRef: null,
    state: "created",
    refundedPaise: 0,
    reason: null,
    // A copy, so that later changes of the buyer do not change earlier invoices.
    buyer: person.buyer ?? { name, address: "", state: "", gstin: "" },
    createdAt: nowMs,
    updatedAt: nowMs,
    checkAt: provider.fetchStatus ? nextCheck(nowMs, nowMs) : null,
  };
  const limit = { sinceMs: nowMs - HOUR_MS, max: ORDERS_PER_HOUR_MAX };
  const fresh = await insertOrder(env.DB, made, limit);
  const order = await orderById(env.DB, id);
  if (!order) return { ok: false, reason: "too_many" };
  const checkout = isPayable(order) ? await openCheckout(env, config, order, !fresh) : CLOSED;
  return { ok: true, order, checkout };
}

/** Whether an order can be paid. While a payment is pending it cannot: a second one would be money for nothing. */
export const isPayable = ({ state }: Order): boolean => state === "created" || state === "failed";

/** Whether an order's payment may still arrive. */
export const isOpen = (order: Order): boolean => isPayable(order) || order.state === "pending";

/** Opens the checkout of an unpaid order again; a pending one has none. */
export async function resumeOrder(env: Env, order: Order): Promise<Checkout> {
  const checkout = isPayable(order) ? await openCheckout(env, configOf(env), order, true) : CLOSED;
  if (!checkout.ok && checkout.reason === "closed") await checkOrder(env, order, Date.now());
  return checkout;
}

/** An account's orders, newest first. */
export async function listOrders(env: Env, accountId: string): Promise<Order[]> {
  return ordersOf(env.DB, accountId, LISTED_MAX);
}

/** Whether the account ever paid for a plan. False while that cannot be read: only a hint on a page depends on it. */
export async function hasBought(env: Env, accountId: string): Promise<boolean> {
  try {
    return (await ordersOf(env.DB, accountId, LISTED_MAX)).some(({ state }) => state === "credited");
  } catch (problem) {
    logProblem("orders", problem);
    return false;
  }
}

/** An order of this account; null for another account's order, as for one that does not exist. */
export async function findOrder(env: Env, accountId: string, id: string): Promise<Order | null> {
  const order = await orderById(env.DB, id);
  return order?.accountId === accountId ? order : null;
}

/** The order of a credit note, for the operator. */
export const orderOfNote = (env: Env, { orderId }: { orderId: string }): Promise<Order | null> =>
  orderById(env.DB, orderId);

/** An order of the sandbox, by its id alone: the payer need not be signed in. */
export async function findSandboxOrder(env: Env, id: string): Promise<Order | null> {
  if (paymentsOf(configOf(env)) !== "sandbox") return null;
  const order = await orderById(env.DB, id);
  return order?.provider === "sandbox" ? order : null;
}

/** What became of a check: `not_asked` where another caller had claimed it, or there is nothing to ask. */
type Checked = "answered" | "silent" | "not_asked";

/** Asks the provider for the status of an order, and applies the answer. */
export async function askAbout(env: Env, order: Order, nowMs: number): Promise<Checked> {
  const provider = providerNamed(configOf(env), order.provider);
  // Claimed before the provider is asked: a check that fails is repeated at the next time, not at once.
  const next = isOpen(order) ? nextCheck(order.createdAt, nowMs) : null;
  if (!(await takeCheck(env.DB, order, next, nowMs))) return "not_asked";
  if (!provider?.fetchStatus || !isOpen(order)) return "not_asked";
  const standing = await provider.fetchStatus(order);
  if (standing?.providerRef) await nameOrder(env.DB, order.id, standing.providerRef);
  for (const event of standing?.events ?? []) await settleEvent(env, provider.name, event, nowMs);
  return standing === null ? "silent" : "answered";
}

/** Checks an order with its provider; false when there was no answer, or nothing to ask. */
export async function checkOrder(env: Env, order: Order, nowMs: number): Promise<boolean> {
  return (await askAbout(env, order, nowMs)) === "answered";
}

/** The current state of an order, for its page and for a buyer who returns from the payment. */
export async function refreshOrder(env: Env, order: Order, query: URLSearchParams): Promise<Order> {
  const provider = providerNamed(configOf(env), order.provider);
  const nowMs = Date.now();
  const returned = provider?.verifyReturn?.(order, query) === "genuine";
  if (!isOpen(order) || !(returned || nowMs - order.updatedAt >= ASK_AGAIN_MS)) return order;
  try {
    await checkOrder(env, order, nowMs);
  } catch (problem) {
    // The webhook or the next check will still report the payment; the page shows what is known.
    logProblem("payments", problem);
  }
  return (await orderById(env.DB, order.id)) ?? order;
}
