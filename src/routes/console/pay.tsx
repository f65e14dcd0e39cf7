import type { Context } from "hono";
import { formOf } from "../../console/forms.ts";
import { at, page, show, viewOf } from "../../console/page.tsx";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { findSandboxOrder } from "../../payments/orders.ts";
import type { Order } from "../../payments/provider.ts";
import { OUTCOMES, sandboxWebhooks } from "../../payments/sandbox.ts";
import type { SandboxOutcome, SignedWebhook } from "../../payments/sandbox.ts";
import { fetchOwn } from "../../sending/own-api.ts";
import { SandboxPage } from "../../ui/billing/pay.tsx";
import { billing } from "../../ui/words/billing.ts";

// The payment page of the sandbox. Like a real provider's it needs no sign-in: the order's id is enough to pay.

/** Sends a webhook to the endpoint for all providers' webhooks, signed as a real provider signs it. */
async function deliver(c: Context<AppEnv>, { body, headers }: SignedWebhook): Promise<void> {
  const { ok } = await fetchOwn(c, "/webhooks/payments/sandbox", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body,
  });
  if (!ok) fail("unavailable", "The payment event was not taken in; try again.");
}

const isOutcome = (text: string | undefined): text is SandboxOutcome => OUTCOMES.some((outcome) => outcome === text);

async function orderOf(c: Context<AppEnv>): Promise<Order> {
  const order = await findSandboxOrder(c.env, c.req.param("order") ?? "");
  return order ?? fail("not_found", "There is no such payment.");
}

/** `/pay/:order`. */
export const payPages = (app: Api) => {
  app.get("/pay/:order", page, async (c) => {
    const order = await orderOf(c);
    const title = billing[viewOf(c).lang].payTitle;
    return show(c, <SandboxPage order={order} />, { title, bare: true, kind: "pay" });
  });

  app.post("/pay/:order", page, async (c) => {
    const order = await orderOf(c);
    const { outcome, twice, disorder, wrong } = await formOf(c);
    if (!isOutcome(outcome)) return fail("invalid_request", "outcome is not one of this page's.", { param: "outcome" });
    const trouble = { twice: twice === "on", disorder: disorder === "on", wrongAmount: wrong === "on" };
    for (const webhook of sandboxWebhooks(settings(c), order, outcome, trouble)) await deliver(c, webhook);
    return c.redirect(at(c, `/billing/orders/${order.id}`), 303);
  });
};
