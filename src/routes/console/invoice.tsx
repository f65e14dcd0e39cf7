import { at, page, personOf, show, signedIn, viewOf } from "../../console/page.tsx";
import { settings } from "../../http/app.ts";
import type { Api } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { findInvoice } from "../../payments/invoices.ts";
import { findNote, printNote } from "../../payments/notes.ts";
import { findOrder } from "../../payments/orders.ts";
import { InvoiceSheet } from "../../ui/billing/invoice.tsx";
import { NoteSheet } from "../../ui/billing/note.tsx";
import { invoiceWords } from "../../ui/words/invoice.ts";
import { moneyBack } from "../../ui/words/money-back.ts";

/** `/billing/orders/:order/invoice`, and the credit notes on it. */
export const invoicePages = (app: Api) => {
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

  app.get("/billing/orders/:order/notes/:note", page, signedIn, async (c) => {
    const order = await findOrder(c.env, personOf(c).accountId, c.req.param("order"));
    const row = order && (await findNote(c.env, c.req.param("note")));
    const note = order && row?.orderId === order.id && (await printNote(c.env, settings(c), order, row));
    if (!note) return fail("not_found", "There is no such credit note.");
    const t = invoiceWords[viewOf(c).lang];
    const kind = moneyBack[viewOf(c).lang].kinds[note.row.kind];
    return show(
      c,
      <>
        <nav class="actions no-print" aria-label={kind}>
          <a class="btn quiet" href={at(c, `/billing/orders/${order.id}`)}>
            {t.toOrder}
          </a>
          <button type="button" class="btn" data-print hidden>
            {t.print}
          </button>
          <p class="dim small">{t.hint}</p>
        </nav>
        <NoteSheet note={note} />
      </>,
      { title: `${kind} ${note.number}`, bare: true, kind: "invoice" },
    );
  });
};
