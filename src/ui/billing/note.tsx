import type { FC } from "hono/jsx";
import { PRODUCT } from "../../config/settings.ts";
import type { NoteKind } from "../../model/paying/tax-note.ts";
import type { Note } from "../../payments/notes.ts";
import { timeText } from "../format.ts";
import { shell } from "../words/shell.ts";
import { Foot, Party, Sums, money } from "./paper.tsx";

// A credit note for paper: A4, in English for every reader, like the invoice. Rule 53(1A) of the CGST Rules prescribes the
// content of credit and debit notes; the other documents have the same form.

const TITLES: Record<NoteKind, string> = {
  credit: "Credit note",
  debit: "Debit note",
  financial: "Credit note (financial, without GST)",
  receipt: "Refund receipt",
  reversal: "Reversal of a refund",
};

const FOOTERS: Record<NoteKind, string> = {
  credit: "Credit note under section 34(1) of the CGST Act. The amounts include GST.",
  debit: "Debit note under section 34(3) of the CGST Act. The amounts include GST.",
  financial:
    "Issued after the time limit of section 34(2) of the CGST Act: it changes what is owed, and not the tax of the invoice.",
  receipt: "The supplier was not registered for GST; no tax was charged.",
  reversal: "It takes back an earlier document, and does not change any tax.",
};

/** Why money went back, in a few words. */
function reasonOf({ kind, source }: Note["row"]): string {
  if (source === "refund") return "Refund of the payment";
  const id = source.replace(/^dispute:/u, "");
  return kind === "debit" || kind === "reversal" ? `Dispute ${id} was won` : `Payment taken back by dispute ${id}`;
}

const Head: FC<{ note: Note }> = ({ note: { row, number, invoice, order } }) => (
  <header>
    <div>
      <p class="seller">{row.terms.name}</p>
      <h1>{TITLES[row.kind]}</h1>
    </div>
    <dl class="facts">
      <dt>No.</dt>
      <dd class="mono">{number}</dd>
      <dt>Date</dt>
      <dd>{timeText(row.issuedAt, "date", "en")}</dd>
      <dt>{invoice.seller.gstin === null ? "Receipt no." : "Against invoice no."}</dt>
      <dd class="mono">{invoice.number}</dd>
      <dt>{invoice.seller.gstin === null ? "Receipt date" : "Invoice date"}</dt>
      <dd>{timeText(invoice.issuedAt, "date", "en")}</dd>
      <dt>Order</dt>
      <dd class="mono">{order.id}</dd>
      {invoice.place !== null && (
        <>
          <dt>Place of supply</dt>
          <dd>{invoice.place}</dd>
        </>
      )}
    </dl>
  </header>
);

/** The whole note. */
export const NoteSheet: FC<{ note: Note }> = ({ note }) => {
  const { row, invoice, order, tax } = note;
  const { seller, buyer } = invoice;
  return (
    <article class="paper" lang="en">
      <Head note={note} />
      <div class="parties">
        <Party
          title="Supplier"
          name={row.terms.name}
          address={row.terms.address}
          gstin={seller.gstin}
          state={seller.state}
        />
        <Party title="Recipient" {...buyer} gstin={seller.gstin === null ? buyer.gstin || null : buyer.gstin} />
      </div>
      <table>
        <thead>
          <tr>
            <th>Description</th>
            <th>{tax ? "SAC" : ""}</th>
            <th class="num">{tax ? "Taxable value" : "Amount"}</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>
              {reasonOf(row)}: {PRODUCT} {shell.en.plans[order.plan]} plan
            </td>
            <td class="mono">{tax ? row.terms.sac : ""}</td>
            <td class="num">{money(tax ? tax.taxablePaise : row.amountPaise)}</td>
          </tr>
        </tbody>
        <Sums tax={tax} totalPaise={row.amountPaise} columns={2} />
      </table>
      <p class="words">
        <span>In words</span> {note.totalInWords}
      </p>
      <Foot says={FOOTERS[row.kind]} seller={row.terms.name} />
    </article>
  );
};
