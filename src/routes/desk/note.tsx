import { atDesk } from "../../console/desk-gate.tsx";
import { at, page, show, viewOf } from "../../console/page.tsx";
import { settings } from "../../http/app.ts";
import type { Api } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { findNote, printNote } from "../../payments/notes.ts";
import { orderOfNote } from "../../payments/orders.ts";
import { NoteSheet } from "../../ui/billing/note.tsx";
import { PrintBar } from "../../ui/billing/print-bar.tsx";
import { deskMoney } from "../../ui/words/desk-money.ts";
import { moneyBack } from "../../ui/words/money-back.ts";

/** `/desk/notes/:note`: a credit note, as the customer has it. */
export const deskNote = (app: Api) =>
  app.get("/desk/notes/:note", page, atDesk("read"), async (c) => {
    const row = await findNote(c.env, c.req.param("note"));
    const order = row && (await orderOfNote(c.env, row));
    const note = row && order && (await printNote(c.env, settings(c), order, row));
    if (!note) return fail("not_found", "There is no such credit note.");
    const { lang } = viewOf(c);
    const kind = moneyBack[lang].kinds[note.row.kind];
    return show(
      c,
      <>
        <PrintBar
          lang={lang}
          label={kind}
          back={{ href: at(c, `/desk/accounts/${note.order.accountId}`), label: deskMoney[lang].toAccount }}
        />
        <NoteSheet note={note} />
      </>,
      { title: `${kind} ${note.number}`, bare: true, kind: "invoice" },
    );
  });
