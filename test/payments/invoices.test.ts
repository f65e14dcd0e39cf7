import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { configOf } from "../../src/config/config.ts";
import type { Config } from "../../src/config/settings.ts";
import { updatePerson } from "../../src/db/people.ts";
import { findInvoice, invoiceNumber, issueInvoice } from "../../src/payments/invoices.ts";
import { placeOrder } from "../../src/payments/orders.ts";
import type { Buyer } from "../../src/db/orders.ts";
import { visit } from "../world/visitor.ts";
import { openShop, orderNow, tell } from "../world/shop.ts";

const SELLER = {
  SELLER_NAME: "Dastak Pvt Ltd",
  SELLER_ADDRESS: "1 MG Road\nBengaluru",
  SELLER_GSTIN: "29AAACD1234E1Z5",
};
const seller = (more: Partial<Config> = {}): Config => ({ ...configOf(env), ...SELLER, ...more });
const BUYER: Buyer = { name: "Asha <b>Traders</b>", address: "2 Link Road", state: "27", gstin: "27AABCA1234F1Z3" };

async function numbersOf(year: string): Promise<number[]> {
  const rows = env.DB.prepare("SELECT number FROM invoice WHERE year = ? ORDER BY number").bind(year);
  return (await rows.all<{ number: number }>()).results.map(({ number }) => number);
}

describe("invoice numbers", () => {
  it("are consecutive for fifty orders paid at once, each reported twice: no duplicates, no gaps", async () => {
    const atMs = Date.parse("2041-05-01T12:00:00Z");
    const ids = Array.from({ length: 50 }, (_, at) => `ord_number_${at}`);
    await Promise.all([...ids, ...ids].map((id) => issueInvoice(env, seller(), id, atMs)));
    await Promise.all(ids.map((id) => issueInvoice(env, seller(), id, atMs)));
    expect(await numbersOf("41-42")).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
  });

  it("restart with the financial year of India", async () => {
    const lastMs = Date.parse("2051-03-31T23:59:59.999+05:30");
    for (const [id, ms] of [
      ["ord_last", lastMs],
      ["ord_last_2", lastMs],
      ["ord_first", lastMs + 1],
    ] as const) {
      await issueInvoice(env, seller(), id, ms);
    }
    expect(await numbersOf("50-51")).toEqual([1, 2]);
    expect(await numbersOf("51-52")).toEqual([1]);
  });

  it("have at most 16 characters, of letters, digits, / and - (Rule 46)", () => {
    const terms = { name: "", address: "", gstin: null, sac: "998413", gstPercent: 18, prefix: "DKX" };
    expect(invoiceNumber({ year: "26-27", number: 123, terms })).toBe("DKX/26-27/000123");
    expect(invoiceNumber({ year: "26-27", number: 999_999, terms })).toMatch(/^[A-Z0-9/-]{1,16}$/u);
  });
});

describe("an invoice", () => {
  it("is issued with the credit, and not before; if that was interrupted, on first view", async () => {
    const { order } = await openShop();
    expect(await findInvoice(env, seller(), order, Date.now())).toBeNull();
    await tell(order, "failure");
    expect(await findInvoice(env, seller(), await orderNow(order), Date.now())).toBeNull();
    await tell(order, "success");
    const paid = await orderNow(order);
    const issued = await findInvoice(env, seller(), paid, Date.now());
    expect(issued?.number).toMatch(/^DK\/\d\d-\d\d\/\d{6}$/u);
    await env.DB.prepare("DELETE FROM invoice WHERE order_id = ?").bind(order.id).run();
    const [one, two] = await Promise.all([1, 2].map(() => findInvoice(env, seller(), paid, Date.now())));
    expect(one?.number).toBe(two?.number);
  });

  it("never changes: not with the seller, the rate or the buyer", async () => {
    const { visitor, person, world } = await visit({ plan: "starter", balance: 0 });
    await updatePerson(env.DB, person.id, { buyer: BUYER });
    const placed = await placeOrder(env, { ...world.ref, name: person.name, buyer: BUYER }, "business", "once");
    if (!placed.ok) throw new Error(placed.reason);
    await env.DB.prepare("UPDATE payment_order SET state = 'credited' WHERE id = ?").bind(placed.order.id).run();
    await issueInvoice(env, seller(), placed.order.id, Date.now());
    const before = await findInvoice(env, seller(), await orderNow(placed.order), Date.now());
    await updatePerson(env.DB, person.id, { buyer: { ...BUYER, name: "Somebody else" } });
    const other = seller({
      SELLER_NAME: "Other",
      SELLER_GSTIN: "07AAACD1234E1Z5",
      GST_PERCENT: 5,
      INVOICE_PREFIX: "X",
    });
    expect(await findInvoice(env, other, await orderNow(placed.order), Date.now() + 1)).toEqual(before);
    expect(before).toMatchObject({
      seller: { name: SELLER.SELLER_NAME, gstin: SELLER.SELLER_GSTIN, state: "Karnataka (29)", sac: "998413" },
      buyer: { name: BUYER.name, gstin: BUYER.gstin, state: "Maharashtra (27)" },
      place: "Maharashtra (27)",
      tax: { taxablePaise: 169_407, lines: [{ name: "IGST", percent: 18, paise: 30_493 }] },
      totalInWords: "Rupees One Thousand Nine Hundred Ninety-Nine Only",
    });
    const page = await visitor.get(`/billing/orders/${placed.order.id}/invoice`);
    for (const text of [
      "Tax invoice",
      before?.number ?? "-",
      SELLER.SELLER_GSTIN,
      "Asha &lt;b&gt;Traders&lt;/b&gt;",
      BUYER.gstin,
      "998413",
      "Place of supply",
      "Maharashtra (27)",
      "IGST 18%",
      "₹1,694.07",
      "₹304.93",
      "₹1,999.00",
      "Rupees One Thousand Nine Hundred Ninety-Nine Only",
      "Reverse charge",
      "Computer generated",
    ]) {
      expect(page.text).toContain(text);
    }
  });

  it("within one state has CGST and SGST; a buyer without a state counts as in the seller's state", async () => {
    const { order } = await openShop();
    await tell(order, "success");
    await env.DB.prepare("DELETE FROM invoice WHERE order_id = ?").bind(order.id).run();
    const issued = await findInvoice(env, seller(), await orderNow(order), Date.now());
    expect(issued).toMatchObject({ place: "Karnataka (29)", buyer: { name: "Asha", state: null } });
    expect(issued?.tax?.lines).toEqual([
      { name: "CGST", percent: 9, paise: 15_247 },
      { name: "SGST", percent: 9, paise: 15_247 },
    ]);
  });

  it("of a seller without a GSTIN is a receipt without tax", async () => {
    const { visitor, person, world } = await visit({ plan: "starter", balance: 0 });
    const placed = await placeOrder(env, { ...world.ref, name: person.name, buyer: null }, "starter", "once");
    if (!placed.ok) throw new Error(placed.reason);
    await tell(placed.order, "success");
    const issued = await findInvoice(env, configOf(env), await orderNow(placed.order), Date.now());
    expect(issued).toMatchObject({ tax: null, place: null, totalPaise: 49_900 });
    const { text } = await visitor.get(`/billing/orders/${placed.order.id}/invoice`);
    expect(text).toContain("Receipt");
    expect(text).not.toMatch(/Tax invoice|CGST|SGST|IGST|Place of supply/u);
  });
});
