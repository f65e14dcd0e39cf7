import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { configOf } from "../../src/config/config.ts";
import type { Config } from "../../src/config/settings.ts";
import { invoiceByOrder } from "../../src/db/invoices.ts";
import { notesOf } from "../../src/db/money/tax-notes.ts";
import { financialYear } from "../../src/money/gst.ts";
import { findNote, issueNote, noteNumber, noteSlug, printNote } from "../../src/payments/notes.ts";
import { issueInvoice } from "../../src/payments/invoices.ts";
import { placeOrder } from "../../src/payments/orders.ts";
import type { Order } from "../../src/payments/provider.ts";
import { atTheDesk } from "../world/operators.ts";
import { openShop, orderNow, tell } from "../world/shop.ts";
import { refundOf, settle } from "../world/settling.ts";
import { visit } from "../world/visitor.ts";

const SELLER = {
  SELLER_NAME: "Dastak Pvt Ltd",
  SELLER_ADDRESS: "1 MG Road\nBengaluru",
  SELLER_GSTIN: "29AAACD1234E1Z5",
};
const seller = (more: Partial<Config> = {}): Config => ({ ...configOf(env), ...SELLER, ...more });
const BUYER = { name: "Asha <b>Traders</b>", address: "2 Link Road", state: "27", gstin: "27AABCA1234F1Z3" };

/** A paid order with an invoice of a registered seller. */
async function invoiced(
  nowMs = Date.now(),
): Promise<{ order: Order; visitor: Awaited<ReturnType<typeof visit>>["visitor"] }> {
  const { visitor, person, world } = await visit({ plan: "starter", balance: 0 });
  const placed = await placeOrder(env, { ...world.ref, name: person.name, buyer: BUYER }, "business", "once");
  if (!placed.ok) throw new Error(placed.reason);
  await env.DB.prepare("UPDATE payment_order SET state = 'credited', payment_ref = 'pay_1' WHERE id = ?")
    .bind(placed.order.id)
    .run();
  await issueInvoice(env, seller(), placed.order.id, nowMs);
  return { order: await orderNow(placed.order), visitor };
}

const issue = (order: Order, totalPaise: number, { source = "refund", nowMs = Date.now(), config = seller() } = {}) =>
  issueNote(env, config, { order, source, totalPaise }, nowMs);

const noted = async (order: Order) =>
  (await notesOf(env.DB, [order.id])).map(({ kind, amountPaise, source }) => [kind, source, amountPaise]);

describe("credit notes", () => {
  it("are numbered without a gap or a duplicate within a year and kind, however many refunds are reported at once", async () => {
    const atMs = Date.parse("2061-05-01T12:00:00Z");
    const orders: Order[] = [];
    for (let nth = 0; nth < 12; nth++) {
      const { order } = await openShop();
      await issueInvoice(env, seller(), order.id, atMs);
      orders.push(order);
    }
    const totals = [10_000, 30_000, 199_900];
    for (const total of totals) {
      await Promise.all([...orders, ...orders].map((order) => issue(order, total, { nowMs: atMs })));
    }
    const rows = await env.DB.prepare(
      "SELECT number FROM tax_note WHERE year = '61-62' AND kind = 'credit' ORDER BY number",
    ).all<{ number: number }>();
    expect(rows.results.map(({ number }) => number)).toEqual(Array.from({ length: 36 }, (_, at) => at + 1));
    for (const order of orders) {
      expect(await noted(order)).toEqual([
        ["credit", "refund", 10_000],
        ["credit", "refund", 20_000],
        ["credit", "refund", 169_900],
      ]);
    }
    // The next year begins anew.
    const [order] = orders;
    if (!order) throw new Error("no order");
    const { order: later } = await openShop();
    await issueInvoice(env, seller(), later.id, atMs);
    await issue(later, 5, { nowMs: Date.parse("2062-04-01T00:00:00+05:30") });
    expect((await notesOf(env.DB, [later.id])).map(({ year, number }) => [year, number])).toEqual([["62-63", 1]]);
  });

  it("have at most 16 characters, of letters, digits, / and -, and never the number of an invoice", () => {
    const terms = { name: "", address: "", gstin: null, sac: "998413", gstPercent: 18, prefix: "DKX" };
    expect(noteNumber({ kind: "credit", year: "26-27", number: 12, terms })).toBe("DKX/26-27/C00012");
    for (const kind of ["credit", "debit", "financial", "receipt", "reversal"] as const) {
      expect(noteNumber({ kind, year: "26-27", number: 99_999, terms })).toMatch(/^[A-Z0-9/-]{1,16}$/u);
      expect(noteNumber({ kind, year: "26-27", number: 99_999, terms })).not.toMatch(/\/\d+$/u);
    }
  });

  it("of the parts of a price have the tax of the whole, to the paisa", async () => {
    const { order } = await invoiced();
    for (const total of [1, 60_001, 60_100, 133_333, 199_900]) await issue(order, total);
    let [taxable, tax, total] = [0, 0, 0];
    for (const row of await notesOf(env.DB, [order.id])) {
      const note = await printNote(env, seller(), order, row);
      taxable += note?.tax?.taxablePaise ?? Number.NaN;
      for (const line of note?.tax?.lines ?? []) tax += line.paise;
      total += row.amountPaise;
    }
    expect([taxable, tax, total]).toEqual([169_407, 30_493, 199_900]);
  });

  it("never take off more than the invoice has, and are undone by a debit note", async () => {
    const { order } = await invoiced();
    await issue(order, 150_000);
    await issue(order, 150_000, { source: "dispute:disp_1" });
    await issue(order, 150_000, { source: "dispute:disp_1" });
    await issue(order, 0, { source: "dispute:disp_1" });
    await issue(order, 0, { source: "dispute:disp_1" });
    expect(await noted(order)).toEqual([
      ["credit", "refund", 150_000],
      ["credit", "dispute:disp_1", 49_900],
      ["debit", "dispute:disp_1", 49_900],
    ]);
  });

  it("after the time limit of §34(2) leave the tax as it is", async () => {
    const soldMs = Date.parse("2031-06-01T00:00:00Z");
    const lastMs = Date.parse("2032-11-30T23:59:59.999+05:30");
    const [inTime, late] = [(await invoiced(soldMs)).order, (await invoiced(soldMs)).order];
    expect(financialYear(soldMs)).toBe("31-32");
    await issue(inTime, 100, { nowMs: lastMs });
    await issue(late, 100, { nowMs: lastMs + 1 });
    expect(await noted(inTime)).toEqual([["credit", "refund", 100]]);
    expect(await noted(late)).toEqual([["financial", "refund", 100]]);
    const [row] = await notesOf(env.DB, [late.id]);
    expect(row && (await printNote(env, seller(), late, row))).toMatchObject({ tax: null });
    const desk = await atTheDesk();
    expect((await desk.get("/desk/payments")).text).toContain("Credit note without GST");
  });

  it("need an invoice, and of a seller without a GSTIN are receipts", async () => {
    const { order } = await openShop();
    await issue(order, 100);
    expect(await noted(order)).toEqual([]);
    await issueInvoice(env, configOf(env), order.id, Date.now());
    // The seller registered since: the sale was without tax.
    await issue(order, 100);
    expect(await noted(order)).toEqual([["receipt", "refund", 100]]);
  });

  it("keep the seller's terms of the sale", async () => {
    const { order } = await invoiced();
    await issue(order, 50_000, { config: seller({ GST_PERCENT: 5, SELLER_GSTIN: "07AAACD1234E1Z5" }) });
    const [row] = await notesOf(env.DB, [order.id]);
    expect(row?.terms).toMatchObject({ gstPercent: 18, gstin: SELLER.SELLER_GSTIN });
  });
});

describe("the page of a credit note", () => {
  it("has what Rule 53(1A) requires, for its owner and the operator alone", async () => {
    const { order, visitor } = await invoiced();
    await issue(order, 50_000);
    const [row] = await notesOf(env.DB, [order.id]);
    const invoice = await invoiceByOrder(env.DB, order.id);
    if (!row || !invoice) throw new Error("no note");
    const path = `/billing/orders/${order.id}/notes/${noteSlug(row)}`;
    const page = await visitor.get(path);
    const desk = await (await atTheDesk()).get(`/desk/notes/${noteSlug(row)}`);
    for (const { status, text } of [page, desk]) {
      expect(status).toBe(200);
      for (const part of [
        "Credit note",
        noteNumber(row),
        `DK/${invoice.year}/${String(invoice.number).padStart(6, "0")}`,
        SELLER.SELLER_NAME,
        SELLER.SELLER_GSTIN,
        "Asha &lt;b&gt;Traders&lt;/b&gt;",
        "2 Link Road",
        BUYER.gstin,
        "Maharashtra (27)",
        "Taxable value",
        "₹423.73",
        "IGST 18%",
        "₹76.27",
        "₹500.00",
        "Rupees Five Hundred Only",
        "section 34(1)",
        "valid without a signature",
      ]) {
        expect(text).toContain(part);
      }
    }
    expect((await visitor.get(`/billing/orders/${order.id}`)).text).toContain(path);
    expect((await visitor.get("/billing")).text).toContain(path);
    const stranger = await visit();
    expect((await stranger.visitor.get(path)).status).toBe(404);
    const other = await invoiced();
    expect((await other.visitor.get(`/billing/orders/${other.order.id}/notes/${noteSlug(row)}`)).status).toBe(404);
    expect((await visitor.get(`/desk/notes/${noteSlug(row)}`)).status).not.toBe(200);
  });

  it("is one for each refund that a provider reports, and is issued on first view where that was interrupted", async () => {
    const { visitor, person, world } = await visit({ plan: "starter", balance: 0 });
    const placed = await placeOrder(env, { ...world.ref, name: person.name, buyer: null }, "business", "once");
    if (!placed.ok) throw new Error(placed.reason);
    const { order } = placed;
    await tell(order, "success");
    await tell(order, "partial_refund", { twice: true });
    await tell(order, "refund", { twice: true });
    expect(await noted(order)).toEqual([
      ["receipt", "refund", 99_950],
      ["receipt", "refund", 99_950],
    ]);
    await env.DB.prepare("DELETE FROM tax_note WHERE order_id = ?").bind(order.id).run();
    expect((await visitor.get(`/billing/orders/${order.id}`)).text).toContain("Refund receipt");
    expect(await noted(order)).toEqual([["receipt", "refund", 199_900]]);
  });

  it("is not found by another slug", async () => {
    for (const slug of ["", "X26-27-1", "C26-27-0", "C26-27-999999999", "C26-27-1e3", "C2627-1"]) {
      expect(await findNote(env, slug)).toBeNull();
    }
  });

  it("that a refund before its payment makes is issued with the payment", async () => {
    const shop = await openShop();
    await settle(refundOf(shop, { refundedPaise: 40_000, paymentRef: "pay_1" }));
    expect(await noted(shop.order)).toEqual([]);
    await settle({ ...refundOf(shop), id: "evt_paid", kind: "paid", refundedPaise: 0, paymentRef: "pay_1" });
    expect(await noted(shop.order)).toEqual([["receipt", "refund", 40_000]]);
  });
});
