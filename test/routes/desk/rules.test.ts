import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { DEFAULT_NUMBER_RULES, writeNumberRules } from "../../../src/sending/number-rules.ts";
import { hindi, inHindi } from "../../world/hindi.ts";
import { atTheDesk } from "../../world/operators.ts";
import { visit } from "../../world/visitor.ts";
import { bearer, openWorld, operator, post, sendSms } from "../../world/world.ts";

// Where an account may send, and how much: on the desk, and the cap that its owner sets in the settings.

const FORM = { countries: "in", allow: "", refuse: "", cap: "", perNumber: "", perPrefix: "" };

describe("the rules on an account's page", () => {
  it("are saved as typed, hold for the next request, and stand in the trail", async () => {
    const desk = await atTheDesk();
    const world = await openWorld();
    const page = `/desk/accounts/${world.ref.accountId}`;
    const form = {
      ...FORM,
      countries: "IN, +44",
      allow: "+8821",
      refuse: "+91987650 +1212",
      cap: "1.5",
      perNumber: "4",
    };
    expect((await desk.submit(`${page}/rules`, form)).headers.get("location")).toBe(`${page}?done=changed`);
    expect((await world.stub.rules())?.rules).toEqual({
      countries: ["IN", "+44"],
      allowPrefixes: ["+8821"],
      refusePrefixes: ["+91987650", "+1212"],
      dayCap: 15_000,
      ownDayCap: null,
      otpPerNumber: 4,
      otpPerPrefix: null,
    });
    expect((await sendSms(world)).status).toBe(200);
    expect((await sendSms(world)).body).toMatchObject({ code: "spend_cap_reached" });
    const shown = (await desk.get(page)).text;
    for (const value of ["IN +44", "+91987650 +1212", "1.5"]) expect(shown).toContain(`value="${value}"`);
    const trail = await operator("GET", `/operator/audit?account=${world.ref.accountId}`);
    const details = { countries: "IN +44", cap: 1.5, per_number: 4, per_prefix: null };
    expect(trail.body.data[0]).toMatchObject({ action: "account.rules", details });
    hindi(await inHindi({ visitor: desk }).visitor.get(page), 200);
  });

  it.each([
    ["countries", "India", "two capital letters"],
    ["allow", "8821", "+ and digits for each prefix"],
    ["refuse", "+91x", "+ and digits for each prefix"],
    ["cap", "-1", "an amount of 0 or more"],
    ["perNumber", "1.5", "a whole number up to"],
    ["perPrefix", "1000000", "a whole number up to"],
  ])("refuse %s = %s in one sentence, in both languages, and change nothing", async (field, typed, sentence) => {
    const desk = await atTheDesk();
    const world = await openWorld();
    const path = `/desk/accounts/${world.ref.accountId}/rules`;
    const form = { ...FORM, countries: "", [field]: typed };
    const page = await desk.submit(path, form);
    expect([page.status, page.text.includes(sentence), page.text.includes(`value="${typed}"`)]).toEqual([
      400,
      true,
      true,
    ]);
    expect((await world.stub.rules())?.rules).toMatchObject({ countries: null, dayCap: null });
    hindi(await inHindi({ visitor: desk }).visitor.submit(path, form), 400);
  });
});

describe("the refused numbers", () => {
  afterEach(() => writeNumberRules(env.RECORDINGS, DEFAULT_NUMBER_RULES));

  it("are saved with their notes, and refused to the next request", async () => {
    const desk = await atTheDesk();
    const world = await openWorld();
    const prefixes = "+1212  a list,   March\r\n\r\n+8821\r\n";
    const saved = await desk.submit("/desk/number-rules", { premium: "allow", prefixes });
    expect(saved.headers.get("location")).toBe("/desk/number-rules?done=changed");
    const shown = await desk.get("/desk/number-rules?done=changed");
    expect(shown.text).toContain("+1212 a list, March\n+8821</textarea>");
    const fields = { phone: "+12125550123", message: "Hi" };
    const url = "http://sms.localhost/send-international-sms";
    expect((await post(url, fields, bearer(world.apiKey))).body).toMatchObject({ code: "number_blocked" });
    const wrong = { premium: "allow", prefixes: "+1212\n1213 x" };
    const refused = await desk.submit("/desk/number-rules", wrong);
    expect([refused.status, refused.text.includes("Line 2 is not a prefix")]).toEqual([400, true]);
    hindi(await inHindi({ visitor: desk }).visitor.submit("/desk/number-rules", wrong), 400);
  });
});

describe("the owner's daily limit", () => {
  it("is saved in the settings, shown with what is left, and recorded", async () => {
    const { visitor, person, world } = await visit();
    expect((await visitor.submit("/settings/spend-cap", { cap: "1.5" })).headers.get("location")).toBe(
      "/settings?saved=cap",
    );
    expect((await sendSms(world)).status).toBe(200);
    expect((await sendSms(world)).body).toMatchObject({
      code: "spend_cap_reached",
      hint: "The account's owner can raise the cap in the dashboard's settings.",
    });
    const { text } = await visitor.get("/settings?saved=cap");
    expect(text).toContain("Daily limit saved.");
    expect(text).toContain('value="1.5"');
    expect(text).toContain("₹0.50");
    const wrong = await visitor.submit("/settings/spend-cap", { cap: "much" });
    expect([wrong.status, wrong.text.includes("an amount of 0 or more")]).toEqual([400, true]);
    const trail = await operator("GET", `/operator/audit?account=${world.ref.accountId}`);
    expect(trail.body.data[0]).toMatchObject({ action: "account.own_cap", actor: person.id });
    hindi(await inHindi({ visitor }).visitor.get("/settings"), 200);
    await visitor.submit("/settings/spend-cap", { cap: " " });
    expect((await world.stub.rules())?.rules.ownDayCap).toBeNull();
  });

  it("does not raise the operator's, and is of the signed-in account alone", async () => {
    const [one, other] = [await visit(), await visit()];
    await one.world.stub.setRules({ dayCap: 10_000 });
    await one.visitor.submit("/settings/spend-cap", { cap: "500" });
    expect((await sendSms(one.world)).status).toBe(200);
    expect((await sendSms(one.world)).body).toMatchObject({ hint: "Ask the operator to raise the cap." });
    expect((await other.world.stub.rules())?.rules).toMatchObject({ dayCap: null, ownDayCap: null });
  });
});
