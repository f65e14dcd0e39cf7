import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { customerWithLogin } from "../../world/people.ts";
import { NOTHING, carryOut, fullAccount, remainsOf, worldOf } from "../../world/leaving.ts";
import { openAccount } from "../../world/operating.ts";
import { sendSms } from "../../world/world.ts";
import { Visitor } from "../../world/visitor.ts";

// Accounts that leave, on the operator's desk, and numbers that it shows only when asked.

async function atDesk(): Promise<Visitor> {
  const visitor = new Visitor();
  await visitor.submit("/desk/sign-in", { token: env.OPERATOR_TOKEN });
  return visitor;
}

describe("the desk", () => {
  it("closes an account, shows it in the list, and keeps it", async () => {
    const desk = await atDesk();
    const { accountId, apiKey } = await openAccount({ balance: 0 });
    expect((await desk.get(`/desk/accounts/${accountId}`)).text).toContain(`/desk/accounts/${accountId}/leave`);
    const closed = await desk.submit(`/desk/accounts/${accountId}/close`, { graceDays: "3" });
    expect(closed.headers.get("location")).toBe("/desk/leaving?done=closing");
    expect((await desk.get("/desk/leaving?done=closing")).text).toContain(accountId);
    expect((await desk.get(`/desk/accounts/${accountId}`)).text).toContain("Closing");
    expect((await sendSms(worldOf({ accountId, apiKey }))).status).toBe(403);
    expect((await desk.submit(`/desk/accounts/${accountId}/keep`)).status).toBe(303);
    expect((await worldOf({ accountId, apiKey }).stub.view())?.status).toBe("active");
    const bad = await desk.submit(`/desk/accounts/${accountId}/close`, { graceDays: "999" });
    expect([bad.status, bad.text]).toEqual([400, expect.stringContaining("from 0 to 365")]);
  });

  it("erases an account whose ID was typed and whose balance was given up", async () => {
    const desk = await atDesk();
    const { accountId } = await fullAccount("Desk", 3);
    const path = `/desk/accounts/${accountId}/erase`;
    expect((await desk.submit(path, { typedId: "acc_other" })).text).toContain("This is not the ID of this account.");
    const refused = await desk.submit(path, { typedId: accountId });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("Tick this")]);
    const balance = String((await worldOf({ accountId, apiKey: "" }).stub.view())?.balance);
    const erased = await desk.submit(path, { typedId: accountId, balance, giveUp: "1" });
    expect(erased.headers.get("location")).toBe("/desk/leaving?done=erasing");
    expect(await carryOut(accountId)).toBe("erased");
    expect(await remainsOf(accountId)).toEqual(NOTHING);
    expect((await desk.get("/desk/leaving")).text).toContain("Erased; invoices are kept");
    expect((await desk.get(`/desk/accounts/${accountId}/leave`)).headers.get("location")).toBe("/desk/leaving");
  });

  it("exports an account", async () => {
    const desk = await atDesk();
    const { accountId } = await openAccount();
    const reply = await desk.get(`/desk/accounts/${accountId}/export`);
    expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "application/gzip"]);
  });

  it("shows whole numbers only on an account's page, when asked, and records that", async () => {
    const { number, email } = await customerWithLogin();
    const accountId = String(
      await env.DB.prepare("SELECT account_id FROM person WHERE email = ?").bind(email).first("account_id"),
    );
    const world = worldOf({ accountId, apiKey: "" });
    await world.stub.amend({ plan: "premium" });
    await env.DB.prepare("INSERT OR IGNORE INTO account VALUES (?, 'live', 1, 'Asha', 'active', 'premium', ?, 0)")
      .bind(accountId, Date.now())
      .run();
    const desk = await atDesk();
    const whole = `+91 ${number.slice(0, 5)} ${number.slice(5)}`;
    const cut = `+91 ••••• •${number.slice(-4)}`;
    for (const path of [`/desk?q=${number}`, `/desk/accounts/${accountId}`]) {
      const page = await desk.get(path);
      expect(page.text).toContain(cut);
      expect(page.text).not.toContain(whole);
    }
    expect((await desk.get(`/desk/accounts/${accountId}`)).text).not.toContain(email);
    const shown = await desk.submit(`/desk/accounts/${accountId}/reveal`, { mode: "live" });
    expect(shown.text).toContain(whole);
    expect(shown.text).toContain(email);
    const acts = "SELECT count(*) AS n FROM audit WHERE account_id = ? AND action = 'person.shown'";
    expect(await env.DB.prepare(acts).bind(accountId).first("n")).toBe(1);
  });

  it.each(["reveal", "close", "keep", "erase"])(
    "leads from the address of the form %s back, whatever its id is",
    async (form) => {
      const reply = await (await atDesk()).get(`/desk/accounts/%22a%0Ab%2C/${form}`);
      expect(reply.status).toBe(303);
      expect(reply.headers.get("location")).toMatch(/^\/desk\/accounts\/%22a%0Ab%2C(?:\/leave)?$/u);
    },
  );
});
