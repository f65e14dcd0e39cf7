import { at, page, personOf, show, signedIn, viewOf } from "../../console/page.tsx";
import { settings } from "../../http/app.ts";
import type { Api } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { findInvoice } from "../../payments/invoices.ts";
import { findNote, printNote } from "../../payments/notes.ts";
import { findOrder } from "../../payments/orders.ts";
import { InvoiceSheet } from "../../ui/billing/invoice.tsx";
import { NoteSheet } from "../../ui/billing/note.tsx";
import { PrintBar } from "../../ui/billing/print-bar.tsx";
import { invoiceWords } from "../../ui/words/invoice.ts";
import { moneyBack } from "../../ui/words/money-back.ts";

/** `/billing/orders/:order/invoice`, and the credit notes on it. */
export const invoicePages = (app: Api) => {
  app.get("/billing/orders/:order/invoice", page, signedIn, async (c) => {
    const order = await findOrder(c.env, personOf(c).accountId, c.req.param("order"));
    const invoice = order && (await findInvoice(c.env, settings(c), order, Date.now()));
    if (!order || !invoice) return fail("not_found", "There is no such invoice.");
    const { lang } = viewOf(c);
    const t = invoiceWords[lang];
    return show(
      c,
      <>
        <PrintBar lang={lang} label={t.title} back={{ href: at(c, "/billing"), label: t.back }} />
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
    const { lang } = viewOf(c);
    const kind = moneyBack[lang].kinds[note.row.kind];
    return show(
      c,
      <>
        <PrintBar
          lang={lang}
          label={kind}
          back={{ href: at(c, `/billing/orders/${order.id}`), label: invoiceWords[lang].toOrder }}
        />
        <NoteSheet note={note} />
      </>,
      { title: `${kind} ${note.number}`, bare: true, kind: "invoice" },
    );
  });
};
