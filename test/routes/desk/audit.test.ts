import { describe, expect, it } from "vitest";
import { atTheDesk } from "../../world/operators.ts";
import { Visitor, visit } from "../../world/visitor.ts";
import type { Page } from "../../world/visitor.ts";
import { bearer, call, openWorld, operator } from "../../world/world.ts";
import { operatorSuite } from "../../world/operating.ts";

// The audit trail as the operator reads it, and the security log of a customer.

const status = async (query: string) => (await operator("GET", `/operator/audit?${query}`)).status;

describe("GET /operator/audit", () => {
  operatorSuite("GET", "/operator/audit");

  it("refuses an unknown account and a cursor that it did not give", async () => {
    expect(await status("account=acc_x")).toBe(404);
    for (const after of ["", "x", "-1.act_x", "1.", "1.act x", "1e5.act_x"]) {
      expect(await status(`after=${encodeURIComponent(after)}`), after).toBe(400);
    }
    for (const limit of ["0", "501", "x"]) expect(await status(`limit=${limit}`)).toBe(400);
  });

  it("is not for a customer's key", async () => {
    const { apiKey } = await openWorld();
    expect((await call("http://console.localhost/operator/audit", { headers: bearer(apiKey) })).status).toBe(401);
  });
});

const rowsIn = ({ text }: Page) => text.match(/<tr><td><time/gu)?.length ?? 0;

describe("the desk's page of the audit trail", () => {
  it("filters by account, actor and action, and refuses what is no account id", async () => {
    const desk = await atTheDesk();
    const world = await openWorld();
    const { accountId } = world.ref;
    const form = { mode: "live", amount: "5", note: "" };
    const credit = `/desk/accounts/${accountId}/credits`;
    for (const reference of ["a", "b"]) await desk.submit(credit, { ...form, reference });
    await desk.submit(`/desk/accounts/${accountId}/standing`, { plan: "starter" });
    const page = (query: string) => desk.get(`/desk/audit?account=${accountId}${query}`);
    expect(rowsIn(await page(""))).toBe(3);
    expect(rowsIn(await page("&action=money.credited"))).toBe(2);
    expect(rowsIn(await page("&action=account.plan&actor=token"))).toBe(1);
    expect(rowsIn(await page("&actor=alice@example.com"))).toBe(0);
    const bad = await desk.get("/desk/audit?account=me");
    expect([bad.status, rowsIn(bad), bad.text.includes("This is not an account id.")]).toEqual([400, 0, true]);
  });

  it("shows what was typed as text", async () => {
    const desk = await atTheDesk();
    const { ref } = await openWorld();
    const reference = `<img src=x> "r"`;
    await desk.submit(`/desk/accounts/${ref.accountId}/credits`, { mode: "live", amount: "5", reference, note: "<b>" });
    const { text } = await desk.get(`/desk/audit?account=${ref.accountId}`);
    expect(text).not.toMatch(/<img|<b>(?!Dastak)/u);
    expect(text).toContain("&lt;img src=x&gt;");
  });
});

describe("a customer's security log", () => {
  it("shows the customer's own acts and the operator's, without the operator's name, notes and references", async () => {
    const { visitor, world } = await visit();
    const other = await visit();
    await visitor.submit("/settings/name", { name: "Asha Rao" });
    await other.visitor.submit("/keys", { name: "another customer's", once: crypto.randomUUID() });
    const desk = await atTheDesk();
    await desk.submit(`/desk/accounts/${world.ref.accountId}/credits`, {
      mode: "live",
      amount: "5",
      reference: "secret-reference",
      note: "secret-note",
    });
    const { text } = await visitor.get("/settings/activity");
    for (const part of ["Changed the name", "Added credit", "The operator", "₹5.00"]) expect(text).toContain(part);
    for (const part of ["secret-", "token", "Created a key", "another customer"]) expect(text).not.toContain(part);
    visitor.cookies.set("lang", "hi");
    const hindi = (await visitor.get("/settings/activity")).text;
    for (const part of ["सुरक्षा लॉग", "नाम बदला", "क्रेडिट जोड़ा", "ऑपरेटर ने"]) expect(hindi).toContain(part);
    expect((await visitor.get("/settings")).text).toContain('href="/settings/activity"');
  });

  it("needs a sign-in", async () => {
    const page = await new Visitor().get("/settings/activity");
    expect(page.headers.get("location")).toBe("/sign-in?next=%2Fsettings%2Factivity");
  });
});
