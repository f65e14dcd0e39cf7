import type { FC } from "hono/jsx";
import { PRODUCT } from "../../config/settings.ts";
import { coins } from "../../money/money.ts";
import type { Invoice } from "../../payments/invoices.ts";
import type { Order } from "../../payments/provider.ts";
import { timeText } from "../format.ts";
import { shell } from "../words/shell.ts";
import { Foot, Party, Sums, money } from "./paper.tsx";

// An invoice for paper: A4, in English for every reader. Rule 46 of the CGST Rules prescribes its content.

const Head: FC<{ invoice: Invoice; order: Order }> = ({ invoice, order }) => (
  <header>
    <div>
      <p class="seller">{invoice.seller.name}</p>
      <h1>{invoice.tax ? "Tax invoice" : "Receipt"}</h1>
    </div>
    <dl class="facts">
      <dt>{invoice.tax ? "Invoice no." : "Receipt no."}</dt>
      <dd class="mono">{invoice.number}</dd>
      <dt>Date</dt>
      <dd>{timeText(invoice.issuedAt, "date", "en")}</dd>
      <dt>Order</dt>
      <dd class="mono">{order.id}</dd>
      <dt>Payment</dt>
      <dd class="mono">{order.paymentRef}</dd>
      {invoice.place !== null && (
        <>
          <dt>Place of supply</dt>
          <dd>{invoice.place}</dd>
          <dt>Reverse charge</dt>
          <dd>No</dd>
        </>
      )}
    </dl>
  </header>
);

/** The whole invoice, or receipt. */
export const InvoiceSheet: FC<{ invoice: Invoice; order: Order }> = ({ invoice, order }) => {
  const { seller, buyer, tax } = invoice;
  const credit = new Intl.NumberFormat("en-IN").format(coins(order.creditUnits));
  return (
    <article class="paper" lang="en">
      <Head invoice={invoice} order={order} />
      <div class="parties">
        <Party title="Supplier" {...seller} />
        <Party title="Recipient" {...buyer} gstin={tax ? buyer.gstin : buyer.gstin || null} />
      </div>
      <table>
        <thead>
          <tr>
            <th>Description</th>
            <th>{tax ? "SAC" : ""}</th>
            <th class="num">Qty</th>
            <th class="num">{tax ? "Taxable value" : "Amount"}</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>
              {PRODUCT} {shell.en.plans[order.plan]} plan: {credit} coins of messaging credit, valid for ever
            </td>
            <td class="mono">{tax ? seller.sac : ""}</td>
            <td class="num">1</td>
            <td class="num">{money(tax ? tax.taxablePaise : invoice.totalPaise)}</td>
          </tr>
        </tbody>
        <Sums tax={tax} totalPaise={invoice.totalPaise} columns={3} />
      </table>
      <p class="words">
        <span>In words</span> {invoice.totalInWords}
      </p>
      {invoice.refundedPaise > 0 && <p class="refunded">Of this, {money(invoice.refundedPaise)} was refunded.</p>}
      <Foot
        says={
          tax ? "The price of the plan includes GST." : "The supplier is not registered for GST; no tax is charged."
        }
        seller={seller.name}
      />
    </article>
  );
};
