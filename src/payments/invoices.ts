import type { Config } from "../config/settings.ts";
import { insertInvoice, invoiceByOrder } from "../db/invoices.ts";
import type { InvoiceRow } from "../db/invoices.ts";
import { amountInWords, financialYear, taxBetween } from "../money/gst.ts";
import type { Tax } from "../money/gst.ts";
import { GST_STATES, isGstState } from "../money/gstin.ts";
import type { Order } from "./provider.ts";

// Invoices of paid orders, with the fields of Rule 46 of the CGST Rules. An issued invoice never changes: seller and
// tax are stored with the number, the buyer with the order.

/** Digits of the number: with the longest prefix and the year it has 16 characters, the most that Rule 46 allows. */
const NUMBER_DIGITS = 6;

/** What an invoice shows. */
export interface Invoice {
  number: string;
  issuedAt: number;
  seller: { name: string; address: string; gstin: string | null; sac: string; state: string | null };
  buyer: { name: string; address: string; gstin: string; state: string | null };
  /** The place of supply, such as "Karnataka (29)"; null on a receipt. */
  place: string | null;
  /** Null when the seller is not registered: the document is then a receipt. */
  tax: Tax | null;
  /** The GST codes of the states between which the tax is, where there is one. */
  states: { seller: string; place: string } | null;
  totalPaise: number;
  totalInWords: string;
  refundedPaise: number;
}

/** Gives a paid order its number in the current financial year. Idempotent. */
export async function issueInvoice(env: Env, config: Config, orderId: string, nowMs: number): Promise<void> {
  const terms = {
    name: config.SELLER_NAME,
    address: config.SELLER_ADDRESS,
    gstin: config.SELLER_GSTIN ?? null,
    sac: config.SELLER_SAC,
    gstPercent: config.GST_PERCENT,
    prefix: config.INVOICE_PREFIX,
  };
  await insertInvoice(env.DB, { year: financialYear(nowMs), orderId, issuedAt: nowMs, terms });
}

/** The number as printed, such as DK/26-27/000123. */
export function invoiceNumber(row: Pick<InvoiceRow, "year" | "number" | "terms">): string {
  return `${row.terms.prefix}/${row.year}/${String(row.number).padStart(NUMBER_DIGITS, "0")}`;
}

const named = (code: string) => `${GST_STATES.find((state) => state.code === code)?.en ?? "Unknown state"} (${code})`;

/** The invoice of an order. A buyer without a state is treated as being where the seller is (IGST Act, §12(2)(b)). */
function invoiceOf(order: Order, row: InvoiceRow): Invoice {
  const { name, address, gstin, sac, gstPercent } = row.terms;
  const buyer = order.buyer ?? { name: "", address: "", state: "", gstin: "" };
  const given = buyer.gstin.slice(0, 2) || buyer.state;
  const seller = gstin?.slice(0, 2) ?? null;
  const place = isGstState(given) ? given : seller;
  return {
    number: invoiceNumber(row),
    issuedAt: row.issuedAt,
    seller: { name, address, gstin, sac, state: seller && named(seller) },
    buyer: { ...buyer, state: isGstState(given) ? named(given) : null },
    place: seller && place && named(place),
    tax: seller && place ? taxBetween(order.amountPaise, gstPercent, seller, place) : null,
    states: seller && place ? { seller, place } : null,
    totalPaise: order.amountPaise,
    totalInWords: amountInWords(order.amountPaise),
    refundedPaise: order.refundedPaise,
  };
}

/** The invoice of an order, issued now if crediting was interrupted before that; null when the order is not paid. */
export async function findInvoice(env: Env, config: Config, order: Order, nowMs: number): Promise<Invoice | null> {
  if (order.state !== "credited" && order.state !== "refunded") return null;
  const known = await invoiceByOrder(env.DB, order.id);
  if (known) return invoiceOf(order, known);
  await issueInvoice(env, config, order.id, nowMs);
  const issued = await invoiceByOrder(env.DB, order.id);
  return issued && invoiceOf(order, issued);
}
