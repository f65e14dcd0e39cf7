import type { Context } from "hono";
import type { Api, AppEnv } from "../../app.ts";
import { settings } from "../../app.ts";
import { paymentsOf } from "../../config.ts";
import { at, formOf, page, personOf, show, signedIn, viewOf } from "../../console.tsx";
import type { AccountView } from "../../durable/account-types.ts";
import { fail } from "../../errors.ts";
import { objectName, randomId } from "../../ids.ts";
import { findOrder, isOpen, listOrders, placeOrder, refreshOrder, resumeOrder } from "../../payments/orders.ts";
import type { Checkout, Order } from "../../payments/provider.ts";
import { planName } from "../../plans.ts";
import { BuyerCard, OrderFacts, OrderNews, OrderSteps, Orders, Plans, Standing } from "../../ui/billing.tsx";
import { Card, Notice, PageHead } from "../../ui/parts.tsx";
import { billing } from "../../ui/words/billing.ts";

/** A page that waits for a payment loads again after this. */
const REFRESH_SEC = 4;

/** After this nobody waits any more; the housekeeping goes on looking. */
const WAITING_MS = 15 * 60_000;

/** Plans are bought for the live account, whatever mode the pages show. */
async function liveAccount(c: Context<AppEnv>): Promise<AccountView> {
  const stub = c.env.ACCOUNT.getByName(objectName({ accountId: personOf(c).accountId, mode: "live" }));
  return (await stub.view()) ?? fail("not_found", "There is no account here.");
}

async function ownOrder(c: Context<AppEnv>): Promise<Order> {
  const order = await findOrder(c.env, personOf(c).accountId, c.req.param("order") ?? "");
  return order ?? fail("not_found", "There is no such order.");
}

/** Leads to where an order is paid, or to the order with the reason why not. */
function toPayment(c: Context<AppEnv>, order: Order, checkout: Checkout): Response {
  if (checkout.ok) return c.redirect(checkout.url.startsWith("/") ? at(c, checkout.url) : checkout.url, 303);
  const problem = isOpen(order) ? `?problem=${checkout.reason}` : "";
  return c.redirect(at(c, `/billing/orders/${order.id}${problem}`), 303);
}

/** `/billing` and its orders. */
export const billingPages = (app: Api) => {
  app.get("/billing", page, signedIn, async (c) => {
    const person = personOf(c);
    const [account, orders] = await Promise.all([liveAccount(c), listOrders(c.env, person.accountId)]);
    const { lang, mode } = viewOf(c);
    const t = billing[lang];
    const sold = paymentsOf(settings(c)) !== "none";
    return show(
      c,
      <>
        <PageHead title={t.title} lead={t.lead} />
        {mode === "test" && <Notice tone="info">{t.testNotice}</Notice>}
        {!sold && <Notice tone="info">{t.notSold}</Notice>}
        {account.status === "suspended" && <Notice tone="bad">{t.suspended}</Notice>}
        <Standing account={account} />
        <Plans account={account} sold={sold} />
        <Orders orders={orders} />
        <BuyerCard buyer={person.buyer} />
      </>,
      { title: t.title, active: "billing", kind: "billing" },
    );
  });

  app.post("/billing/orders", page, signedIn, async (c) => {
    const form = await formOf(c);
    const plan = planName.safeParse(form["plan"]);
    if (!plan.success) return fail("invalid_request", "plan must be starter, business or premium.", { param: "plan" });
    if ((await liveAccount(c)).status === "suspended") {
      return fail("account_suspended", "This account is suspended; ask the operator to activate it.");
    }
    const placed = await placeOrder(c.env, personOf(c), plan.data, form["once"] ?? randomId("once"));
    if (placed.ok) return toPayment(c, placed.order, placed.checkout);
    return placed.reason === "not_sold"
      ? fail("permission_denied", "Plans are not sold online here; ask the operator.")
      : fail("rate_limited", "Too many orders in one hour; pay one of them, or try again later.");
  });

  app.get("/billing/orders/:order", page, signedIn, async (c) => {
    const query = new URL(c.req.url).searchParams;
    const order = await refreshOrder(c.env, await ownOrder(c), query);
    const t = billing[viewOf(c).lang];
    const problem = query.get("problem");
    const returned = query.has("razorpay_payment_id");
    const waits = order.state === "pending" || (isOpen(order) && returned);
    // By a header, so that it needs no script.
    if (waits && Date.now() - order.createdAt < WAITING_MS) c.header("Refresh", String(REFRESH_SEC));
    return show(
      c,
      <>
        <PageHead title={t.orderTitle} />
        {isOpen(order) && (problem === "unavailable" || problem === "closed") && (
          <Notice tone="bad">{t[problem]}</Notice>
        )}
        <OrderNews order={order} />
        <Card>
          <OrderFacts order={order} />
        </Card>
        <div class="actions">
          <OrderSteps order={order} />
          <a class="btn quiet" href={at(c, "/billing")}>
            {t.toBilling}
          </a>
        </div>
      </>,
      { title: t.orderTitle, active: "billing", kind: "billing" },
    );
  });

  app.post("/billing/orders/:order/pay", page, signedIn, async (c) => {
    const order = await ownOrder(c);
    return toPayment(c, order, await resumeOrder(c.env, order));
  });
};
