import { describe, expect, it } from "vitest";
import { hindi, inHindi } from "../../world/hindi.ts";
import { receiptsOf, sendBulk, submitBulk } from "../../world/bulk.ts";
import { atTheDesk } from "../../world/operators.ts";
import { orderOf, standingOf, tell } from "../../world/shop.ts";
import { visit } from "../../world/visitor.ts";
import type { Page } from "../../world/visitor.ts";

// What a customer sees of a payment that went back after its credit was spent: what is owed, from which order, what paid
// it, the dispute, and the receipt of what went back.

const textOf = ({ text }: Page) => text.replace(/<[^>]+>/gu, " ").replace(/\s+/gu, " ");

/** A customer who bought a plan, sent a bulk of 300, and lost the payment by a dispute. */
async function indebted() {
  const customer = await visit({ plan: "starter", balance: 0 });
  const { world } = customer;
  const order = await orderOf(world, "starter");
  await tell(order, "success");
  await sendBulk(world, 300);
  const places = await submitBulk(world, 300);
  await tell(order, "dispute");
  await tell(order, "dispute_lost");
  return { ...customer, order, places };
}

describe("a payment that was taken back after its credit was spent", () => {
  it("shows what is owed, from which order, and what paid it", async () => {
    const { visitor, world, order, places } = await indebted();
    const paths = ["/billing", `/billing/orders/${order.id}`];
    for (const path of paths) {
      const page = await visitor.get(path);
      expect(page.status).toBe(200);
      const text = textOf(page);
      for (const said of ["You owe ₹300.00", order.id, `disp_${order.id}`, "Lost", "Refund receipt", "₹499.00"]) {
        expect(text, path).toContain(said);
      }
      expect(text).not.toContain("Paid by refunds of messages");
    }
    await world.stub.report(receiptsOf(places.slice(0, 120), "failed"), false);
    for (const path of paths) {
      const page = await visitor.get(path);
      const text = textOf(page);
      for (const said of ["You owe ₹180.00", "₹120.00", "Paid by refunds of messages", "req_"]) {
        expect(text, path).toContain(said);
      }
    }
    const desk = textOf(await (await atTheDesk()).get(`/desk/accounts/${world.ref.accountId}`));
    for (const said of ["₹180.00", "₹120.00", "Paid by refunds of messages", `disp_${order.id}`]) {
      expect(desk).toContain(said);
    }
    await world.stub.report(receiptsOf(places.slice(120), "failed"), false);
    expect(textOf(await visitor.get("/billing"))).toContain("Everything that was owed has been paid.");
    expect(await standingOf(world)).toMatchObject({ balance: 0, status: "suspended" });
  });

  it("is said in Hindi, too, and of nobody else", async () => {
    const { visitor, order, places, world } = inHindi(await indebted());
    await world.stub.report(receiptsOf(places.slice(0, 10), "failed"), false);
    for (const path of ["/billing", `/billing/orders/${order.id}`]) {
      const page = await visitor.get(path);
      hindi(page, 200);
      for (const said of ["बकाया", "विवाद", "रिफ़ंड रसीद"]) expect(page.text).toContain(said);
      const [, note = ""] = /href="(\/billing\/orders\/[^"]+\/notes\/[^"]+)"/u.exec(page.text) ?? [];
      hindi(await visitor.get(note), 200);
      hindi(await visitor.get(`${note}9`), 404);
    }
    hindi(await visitor.get(`/pay/${order.id}`), 200);
    const other = await visit();
    const text = textOf(await other.visitor.get("/billing"));
    for (const said of ["Amount owed", "Disputes", "Credit notes"]) expect(text).not.toContain(said);
  });
});
