import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { erasureOf } from "../../../src/db/leaving.ts";
import { NOTHING, carryOut, remainsOf, worldOf } from "../../world/leaving.ts";
import { allOfD1, codeFor, customerWithLogin, noticesFor, signInByPhone } from "../../world/people.ts";
import { sendSms } from "../../world/world.ts";
import { hindi, inHindi } from "../../world/hindi.ts";
import { visit } from "../../world/visitor.ts";
import { firstKeys } from "../../../src/accounts/open.ts";
import { configOf } from "../../../src/config/config.ts";

// A customer closes the account in the settings, takes that back, and is forgotten.

async function customer() {
  const made = await customerWithLogin();
  const row = await env.DB.prepare("SELECT id, account_id FROM person WHERE phone = ?")
    .bind(`+91${made.number}`)
    .first<{ id: string; account_id: string }>();
  const accountId = row?.account_id ?? "";
  const apiKey = (await firstKeys(env, configOf(env), accountId)).live ?? "";
  return { ...made, personId: row?.id ?? "", accountId, world: worldOf({ accountId, apiKey }) };
}

const balanceIn = (text: string) => /name="balance" value="(\d+)"/u.exec(text)?.[1] ?? "";

/** Opens the page and closes the account with all that it asks for. */
async function close({ visitor }: Awaited<ReturnType<typeof customer>>) {
  const page = await visitor.get("/settings/close");
  return visitor.submit("/settings/close", { balance: balanceIn(page.text), giveUp: "1" });
}

describe("closing in the settings", () => {
  it("says what goes and what stays, stops sending, notifies by SMS and can be taken back after a sign-in", async () => {
    const mine = await customer();
    const { visitor, number, accountId, world } = mine;
    expect((await visitor.get("/settings")).text).toContain('href="/settings/close"');
    const page = await visitor.get("/settings/close");
    expect(page.text).toContain("What is erased");
    expect(page.text).toContain("CGST Act §36");
    expect(page.text).toContain("₹100.00");
    const closed = await close(mine);
    expect(closed.headers.get("location")).toBe("/settings?saved=closed");
    expect(await noticesFor(`+91${number}`)).toEqual([expect.stringMatching(/being closed.*erased on \d/u)]);
    expect((await sendSms(world)).body.code).toBe("account_suspended");
    const { visitor: other } = await signInByPhone(number);
    expect((await other.get("/")).text).toContain("Keep this account");
    expect((await other.get("/settings/close")).headers.get("location")).toBe("/settings");
    expect((await other.submit("/settings/keep")).headers.get("location")).toBe("/settings?saved=kept");
    expect((await sendSms(world)).status).toBe(200);
    expect(await erasureOf(env.DB, accountId)).toBeNull();
    expect((await other.get("/")).text).not.toContain("Keep this account");
    const acts = await env.DB.prepare(
      "SELECT action FROM audit WHERE account_id = ? AND action LIKE 'account.%' ORDER BY at",
    )
      .bind(accountId)
      .all();
    expect(acts.results.map(({ action }) => action)).toEqual(["account.opened", "account.closing", "account.kept"]);
  });

  it("needs a code that was just answered", async () => {
    const mine = await customer();
    const { visitor, number, accountId } = mine;
    const old = Date.now() - 3_600_000;
    await env.DB.prepare("UPDATE session SET authenticated_at = ?, phone_proved_at = ? WHERE holder = ?")
      .bind(old, old, mine.personId)
      .run();
    const page = await visitor.get("/settings/close");
    expect(page.text).not.toContain('name="balance"');
    expect((await visitor.submit("/settings/close", { balance: "1000000", giveUp: "1" })).status).toBe(303);
    expect((await visitor.get("/settings/export")).headers.get("location")).toContain("/confirm");
    expect(await erasureOf(env.DB, accountId)).toBeNull();
    await visitor.submit("/confirm/send", { next: "/settings/close" });
    const done = await visitor.submit("/confirm/code", { code: await codeFor(`+91${number}`) });
    expect(done.headers.get("location")).toBe("/settings/close");
    expect((await close(mine)).headers.get("location")).toBe("/settings?saved=closed");
  });

  it("gives no balance up that was not named", async () => {
    const { visitor, accountId, world } = await customer();
    const shown = balanceIn((await visitor.get("/settings/close")).text);
    expect((await visitor.submit("/settings/close", { balance: shown })).text).toContain(
      "Tick this to close an account",
    );
    await world.stub.credit({ amount: 5, reference: "more", requestId: "req_1" });
    const refused = await visitor.submit("/settings/close", { balance: shown, giveUp: "1" });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("Your balance has changed")]);
    expect(await erasureOf(env.DB, accountId)).toBeNull();
  });

  it("leaves nothing that names the person, and their phone signs up anew", async () => {
    const mine = await customer();
    const { visitor, number, email, accountId, personId } = mine;
    await visitor.submit("/settings/name", { name: "Asha Unmistakable" });
    await visitor.submit("/settings/buyer", {
      buyer_name: "Unmistakable Ltd",
      buyer_address: "1 Road",
      buyer_state: "29",
    });
    await visitor.submit("/billing/orders", { plan: "business" });
    const before = await allOfD1();
    for (const trace of [number, email, "Unmistakable"]) expect(before).toContain(trace);
    expect((await close(mine)).status).toBe(303);
    expect(await carryOut(accountId)).toBe("erased");
    const after = await allOfD1();
    for (const trace of [number, email, "Unmistakable"]) expect(after).not.toContain(trace);
    expect(await remainsOf(accountId)).toEqual(NOTHING);
    expect(await env.DB.prepare("SELECT count(*) AS n FROM session WHERE holder = ?").bind(personId).first("n")).toBe(
      0,
    );
    // What was done stays, without what is personal.
    const acts = await env.DB.prepare("SELECT action, details, address, session FROM audit WHERE account_id = ?")
      .bind(accountId)
      .all<{ action: string; details: string; address: string | null; session: string | null }>();
    expect(acts.results.map(({ action }) => action)).toContain("person.name");
    const byService = new Set(["money.adjusted", "account.erased"]);
    for (const act of acts.results) {
      expect([act.address, act.session]).toEqual([null, null]);
      if (!byService.has(act.action)) expect(act.details).not.toMatch(/device|name|note/u);
    }
    expect((await visitor.get("/settings")).headers.get("location")).toContain("/sign-in");
    const { page } = await signInByPhone(number);
    expect(page.status).toBe(303);
    const again = await env.DB.prepare("SELECT account_id FROM person WHERE phone = ?")
      .bind(`+91${number}`)
      .first("account_id");
    expect(again).not.toBe(accountId);
  });

  it("is in Hindi, too", async () => {
    const { visitor } = await customer();
    await visitor.submit("/preferences", { lang: "hi", next: "/settings/close" });
    expect((await visitor.get("/settings/close")).text).toContain("यह खाता बंद करें");
  });
});

describe("closing in Hindi", () => {
  it("has no English sentence, whatever is refused", async () => {
    const { visitor, world } = inHindi(await visit());
    hindi(await visitor.get("/settings/close"), 200);
    hindi(await visitor.submit("/settings/close", { balance: "10" }), 400);
    hindi(await visitor.submit("/settings/close", { balance: "10", giveUp: "1" }), 400);
    hindi(await visitor.submit("/settings/keep"), 403);
    const balance = String((await world.stub.view())?.balance);
    expect((await visitor.submit("/settings/close", { balance, giveUp: "1" })).status).toBe(303);
    for (const path of ["/", "/settings", "/billing"]) hindi(await visitor.get(path), 200);
    hindi(await visitor.submit("/send/sms", { phone: "9876543210", message: "नमस्ते", mode: "live" }), 403);
    hindi(await visitor.submit("/billing/orders", { plan: "business" }), 403);
  });
});
