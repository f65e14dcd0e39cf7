import { at, page, personOf, show, signedIn, viewOf } from "../../console/page.tsx";
import { settings } from "../../http/app.ts";
import type { Api } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { findInvoice } from "../../payments/invoices.ts";
import { findOrder } from "../../payments/orders.ts";
import { InvoiceSheet } from "../../ui/billing/invoice.tsx";
import { invoiceWords } from "../../ui/words/invoice.ts";

/** `/billing/orders/:order/invoice`. */
export const invoicePages = (app: Api) =>
  app.get("/billing/orders/:order/invoice", page, signedIn, async (c) => {
    const order = await findOrder(c.env, personOf(c).accountId, c.req.param("order"));
    const invoice = order && (await findInvoice(c.env, settings(c), order, Date.now()));
    if (!order || !invoice) return fail("not_found", "There is no such invoice.");
    const t = invoiceWords[viewOf(c).lang];
    return show(
      c,
      <>
        <nav class="actions no-print" aria-label={t.title}>
          <a class="btn quiet" href={at(c, "/billing")}>
            {t.back}
          </a>
          <button type="button" class="btn" data-print hidden>
            {t.print}
          </button>
          <p class="dim small">{t.hint}</p>
        </nav>
        <InvoiceSheet invoice={invoice} order={order} />
      </>,
      { title: `${t.title} ${invoice.number}`, bare: true, kind: "invoice" },
    );
  });
