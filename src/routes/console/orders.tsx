import type { Context } from "hono";
import { audit } from "../../audit/audit.ts";
import { formOf } from "../../console/forms.ts";
import { at, page, personOf, show, signedIn, viewOf } from "../../console/page.tsx";
import { randomId } from "../../crypto/ids.ts";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { planName } from "../../money/plans.ts";
import { moneyBackOfOrder } from "../../payments/money-back.ts";
import { findOrder, isOpen, isPayable, placeOrder, refreshOrder, resumeOrder } from "../../payments/orders.ts";
import type { Placed } from "../../payments/orders.ts";
import type { Checkout, Order } from "../../payments/provider.ts";
import { DebtCard, Disputes, Notes, ownNotePath } from "../../ui/billing/money-back.tsx";
import { OrderFacts, OrderNews, OrderSteps } from "../../ui/billing/orders.tsx";
import { Card, Notice, PageHead } from "../../ui/parts.tsx";
import { billing } from "../../ui/words/billing.ts";
import { leavingWords } from "../../ui/words/leaving.ts";

/** A page that waits for a payment reloads after this. */
const REFRESH_SEC = 4;

/** After this the page stops reloading; the housekeeping still checks the payment. */
const WAITING_MS = 15 * 60_000;

async function ownOrder(c: Context<AppEnv>): Promise<Order> {
  const order = await findOrder(c.env, personOf(c).accountId, c.req.param("order") ?? "");
  return order ?? fail("not_found", "There is no such order.");
}

/** Redirects to where the order is paid, or to the order's page with the reason why it cannot be paid. */
function toPayment(c: Context<AppEnv>, order: Order, checkout: Checkout): Response {
  if (checkout.ok) return c.redirect(checkout.url.startsWith("/") ? at(c, checkout.url) : checkout.url, 303);
  const problem = isPayable(order) ? `?problem=${checkout.reason}` : "";
  return c.redirect(at(c, `/billing/orders/${order.id}${problem}`), 303);
}

function refuse(c: Context<AppEnv>, placed: Placed & { ok: false }): never {
  const t = billing[viewOf(c).lang];
  switch (placed.reason) {
    case "not_sold":
      return fail("permission_denied", t.notSold, { forReader: true });
    case "suspended":
      return fail("account_suspended", t.suspended, { forReader: true });
    case "closing":
      return fail("account_suspended", leavingWords[viewOf(c).lang].noOrders, { forReader: true });
    case "too_many":
      return fail("rate_limited", t.tooManyOrders, { forReader: true });
  }
}

/** Makes the page reload while the payment is pending: by a header, so that it needs no script. */
function waitFor(c: Context<AppEnv>, order: Order, returned: boolean): void {
  const waits = order.state === "pending" || (isOpen(order) && returned);
  if (waits && Date.now() - order.createdAt < WAITING_MS) c.header("Refresh", String(REFRESH_SEC));
}

/** `/billing/orders`: makes an order, shows one, and leads back to its payment. */
export const ordersPages = (app: Api) => {
  app.post("/billing/orders", page, signedIn, async (c) => {
    const form = await formOf(c);
    const plan = planName.safeParse(form["plan"]);
    if (!plan.success) return fail("invalid_request", "plan must be starter, business or premium.", { param: "plan" });
    const placed = await placeOrder(c.env, personOf(c), plan.data, form["once"] ?? randomId("once"));
    if (!placed.ok) return refuse(c, placed);
    const { id, amountPaise } = placed.order;
    const details = { plan: plan.data, amount: amountPaise / 100 };
    await audit(c, { action: "order.made", subject: id, details, once: id });
    return toPayment(c, placed.order, placed.checkout);
  });

  app.get("/billing/orders/:order", page, signedIn, async (c) => {
    const query = new URL(c.req.url).searchParams;
    const order = await refreshOrder(c.env, await ownOrder(c), query);
    const t = billing[viewOf(c).lang];
    const back = await moneyBackOfOrder(c.env, settings(c), order, Date.now());
    const problem = query.get("problem");
    waitFor(c, order, query.has("razorpay_payment_id"));
    return show(
      c,
      <>
        <PageHead title={t.orderTitle} />
        {isPayable(order) && (problem === "unavailable" || problem === "closed") && (
          <Notice tone="bad">{t[problem]}</Notice>
        )}
        <OrderNews order={order} />
        <Card>
          <OrderFacts order={order} />
        </Card>
        <DebtCard debts={back.debts} orderId={order.id} />
        <Disputes disputes={back.disputes} />
        <Notes notes={back.notes} pathOf={ownNotePath} />
        <div class="actions">
          <OrderSteps order={order} />
          <a class="btn quiet" href={at(c, "/billing")}>
            {t.toBilling}
          </a>
          {order.state === "credited" && (
            <a class="btn quiet" href={at(c, "/")}>
              {t.toOverview}
            </a>
          )}
        </div>
      </>,
      { title: t.orderTitle, active: "billing" },
    );
  });

  app.post("/billing/orders/:order/pay", page, signedIn, async (c) => {
    const order = await ownOrder(c);
    return toPayment(c, order, await resumeOrder(c.env, order));
  });
};
