import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { configOf } from "../../../src/config/config.ts";
import { insertPerson } from "../../../src/db/people.ts";
import { DEFAULT_RATE_CARD } from "../../../src/money/pricing.ts";
import { writeRateCard } from "../../../src/sending/rate-card.ts";
import { codeSenderRef } from "../../../src/sign-in/code-sender.ts";
import { newAccountId, objectName, randomId } from "../../../src/crypto/ids.ts";
import { operator } from "../../world/world.ts";
import {
  allOfD1,
  codeFor,
  codesFor,
  freshNumber,
  otherCode,
  same,
  sessionsWith,
  signInByPhone,
} from "../../world/people.ts";
import { serviceWith } from "../../world/deployment.ts";
import { Visitor } from "../../world/visitor.ts";

const personWith = (phone: string) => env.DB.prepare("SELECT * FROM person WHERE phone = ?").bind(phone).all();

/** The number of messages that the sign-in account has sent. */
async function sentByHouse(): Promise<number> {
  const sender = env.ACCOUNT.getByName(objectName(await codeSenderRef(env, configOf(env))));
  return (await sender.messages({ seq: 0, index: 0 }, 20_000))?.length ?? 0;
}

/** What a browser shows when it asks for a code, answers wrongly and asks again. */
async function see(number: string) {
  const visitor = new Visitor();
  const written = `${number.slice(0, 5)} ${number.slice(5)}`;
  const pages = [await visitor.submit("/sign-in", { phone: number }), await visitor.get("/sign-in/code")];
  const wrong = otherCode(await codeFor(`+91${number}`));
  pages.push(await visitor.submit("/sign-in/code", { code: wrong }), await visitor.submit("/sign-in/resend"));
  return { pages: pages.map((page) => same(page, written)), cookies: [...visitor.cookies.keys()] };
}

describe("signing in by phone", () => {
  it("sends a code, accepts it, and opens an account for a new person", async () => {
    const number = freshNumber();
    const visitor = new Visitor();
    const asked = await visitor.submit("/sign-in", { phone: number, next: "/keys" });
    expect(asked.status).toBe(303);
    expect(asked.headers.get("location")).toBe("/sign-in/code");
    const form = await visitor.get("/sign-in/code");
    expect(form.text).toContain(`+91 ${number.slice(0, 5)} ${number.slice(5)}`);
    expect(form.text).toContain('href="/inbox"');
    const done = await visitor.submit("/sign-in/code", { code: await codeFor(`+91${number}`) });
    expect(done.headers.get("location")).toBe("/keys");
    expect((await visitor.get("/settings")).status).toBe(200);
    const [person] = (await personWith(`+91${number}`)).results;
    const accountId = String(person?.["account_id"]);
    const live = env.ACCOUNT.getByName(accountId);
    expect(await live.view()).toMatchObject({ plan: "starter", status: "active", balance: 1_000_000 });
    expect(await live.keys()).toHaveLength(1);
    expect(await env.ACCOUNT.getByName(objectName({ accountId, mode: "test" })).keys()).toHaveLength(1);
  });

  it("finds the person by number, however it is written", async () => {
    const number = freshNumber();
    await signInByPhone(number);
    const devanagari = number.replaceAll(/\d/gu, (digit) => String.fromCodePoint(0x0966 + Number(digit)));
    for (const typed of [`0${number}`, `+91 ${number.slice(0, 5)}-${number.slice(5)}`, devanagari]) {
      const visitor = new Visitor();
      expect((await visitor.submit("/sign-in", { phone: typed })).status).toBe(303);
      await visitor.submit("/sign-in/code", { code: await codeFor(`+91${number}`) });
    }
    expect((await personWith(`+91${number}`)).results).toHaveLength(1);
    expect(await sessionsWith(`+91${number}`)).toBe(4);
  });

  it.each([
    ["", "Enter a valid mobile number"],
    ["12345", "“12345” has 5 digits; an Indian number has 10. Outside India, begin with +"],
    ["1234567890", "+91 12345 67890 is not a mobile number."],
    ["+91 22 2345 6789", "+91 22234 56789 is not a mobile number."],
    ["+999 12345678", "+99912345678 begins with a country code that does not exist."],
    ["98765432101", "“98765432101” has 11 digits"],
    ["call me", "“call me” is not one phone number"],
  ])("refuses %j with what was read, and sends nothing", async (phone, sentence) => {
    const before = await sentByHouse();
    const page = await new Visitor().submit("/sign-in", { phone });
    expect(page.status).toBe(400);
    expect(page.text).toContain(sentence);
    expect(page.headers.getSetCookie()).toEqual([]);
    expect(await sentByHouse()).toBe(before);
  });

  it("answers the same whether the phone is known or not", async () => {
    const [known, unknown] = [freshNumber(), freshNumber()];
    await signInByPhone(known);
    expect(await see(known)).toEqual(await see(unknown));
  });

  it("never stores a code in D1", async () => {
    const number = freshNumber();
    const visitor = new Visitor();
    await visitor.submit("/sign-in", { phone: number });
    await visitor.submit("/sign-in/resend");
    const codes = await codesFor(`+91${number}`);
    expect(codes).toEqual([expect.stringMatching(/^\d{6}$/u), expect.stringMatching(/^\d{6}$/u)]);
    const stored = await allOfD1();
    // Checks the search itself: the phone number, which is not sealed, must be found.
    expect(stored).toContain(`+91${number}`);
    for (const code of codes) expect(stored).not.toMatch(new RegExp(`(?<!\\d)${code}(?!\\d)`, "u"));
  });

  it("never redirects to another site", async () => {
    for (const next of ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"]) {
      const number = freshNumber();
      const visitor = new Visitor();
      await visitor.submit("/sign-in", { phone: number, next });
      const page = await visitor.submit("/sign-in/code", { code: await codeFor(`+91${number}`) });
      expect(page.headers.get("location")).toBe("/");
    }
  });

  it("opens an account that an earlier sign-in left unopened, once", async () => {
    const phone = `+91${freshNumber()}`;
    const accountId = newAccountId(env.KEY_SECRET, null);
    const rest = { name: "", email: null, password: null, buyer: null, createdAt: Date.now() };
    await insertPerson(env.DB, { id: randomId("psn"), accountId, phone, ...rest });
    await signInByPhone(phone.slice(3));
    expect(await env.ACCOUNT.getByName(accountId).view()).toMatchObject({ balance: 1_000_000 });
    // The account is open and the person was changed; another sign-in must not open it again.
    await env.DB.prepare("UPDATE person SET name = 'Asha' WHERE phone = ?").bind(phone).run();
    const { page } = await signInByPhone(phone.slice(3));
    expect(page.status).toBe(303);
    expect(await env.ACCOUNT.getByName(accountId).view()).toMatchObject({ balance: 1_000_000 });
  });

  it("creates one person for two simultaneous first sign-ins", async () => {
    const number = freshNumber();
    const [one, other] = [new Visitor(), new Visitor()];
    await one.submit("/sign-in", { phone: number });
    const first = await codeFor(`+91${number}`);
    await other.submit("/sign-in", { phone: number });
    const second = await codeFor(`+91${number}`);
    const pages = await Promise.all([
      one.submit("/sign-in/code", { code: first }),
      other.submit("/sign-in/code", { code: second }),
    ]);
    expect(pages.map((page) => page.status)).toEqual([303, 303]);
    expect((await personWith(`+91${number}`)).results).toHaveLength(1);
    expect(await sessionsWith(`+91${number}`)).toBe(2);
  });
});

/** A service that sends codes to more countries than India. */
const abroad = serviceWith({ SIGN_IN_COUNTRIES: "IN,US,GB" });

describe("a number abroad", () => {
  afterEach(() => writeRateCard(env.RECORDINGS, DEFAULT_RATE_CARD));

  it("gets its code as an international SMS, at the price of the rate card", async () => {
    const visitor = new Visitor(abroad);
    const sender = env.ACCOUNT.getByName(objectName(await codeSenderRef(env, configOf(env))));
    await signInByPhone(freshNumber());
    const before = (await sender.view())?.balance ?? 0;
    expect((await visitor.submit("/sign-in", { phone: "+1 415 555 0132" })).status).toBe(303);
    expect((await sender.view())?.balance).toBe(before - 50_000);
    const page = await visitor.submit("/sign-in/code", { code: await codeFor("+14155550132") });
    expect(page.status).toBe(303);
    expect((await personWith("+14155550132")).results).toHaveLength(1);
    await writeRateCard(env.RECORDINGS, { ...DEFAULT_RATE_CARD, smsByCountry: { GB: 9 } });
    const paid = (await sender.view())?.balance ?? 0;
    await new Visitor(abroad).submit("/sign-in", { phone: "+44 7400 123456" });
    expect((await sender.view())?.balance).toBe(paid - 90_000);
  });

  it("gets no code where the operator has not listed its country, or where it cannot be a mobile", async () => {
    const before = await sentByHouse();
    const sentence = "We can&#39;t send codes to this number: we send them only to mobile numbers in ";
    for (const phone of ["+1 415 555 0132", "+44 7400 123456", "+881612345678", "+979123456789"]) {
      const page = await new Visitor().submit("/sign-in", { phone });
      expect([page.status, page.text.includes(`${sentence}India.`)], phone).toEqual([400, true]);
    }
    for (const phone of [
      "+1 900 555 0123",
      "+44 20 7946 0958",
      "+8821612345678",
      "+883510012345678",
      "+870773111632",
    ]) {
      const page = await new Visitor(abroad).submit("/sign-in", { phone });
      const named = `${sentence}India, United States, and United Kingdom.`;
      expect([page.status, page.text.includes(named)], phone).toEqual([400, true]);
    }
    const hindi = new Visitor();
    hindi.cookies.set("lang", "hi");
    const page = await hindi.submit("/sign-in", { phone: "+881612345678" });
    expect(page.text).toContain("कोड सिर्फ़ भारत के मोबाइल नंबरों पर भेजे जाते हैं।");
    expect(await sentByHouse()).toBe(before);
  });

  it("is refused in one sentence while the sign-in account has no credit, and Indian numbers are not", async () => {
    await signInByPhone(freshNumber());
    const { accountId } = await codeSenderRef(env, configOf(env));
    const balance = (await env.ACCOUNT.getByName(accountId).view())?.balance ?? 0;
    const taken = { amount: -balance / 10_000, reference: "empty the house" };
    expect((await operator("POST", `/operator/accounts/${accountId}/credits`, taken)).status).toBe(200);
    const visitor = new Visitor(abroad);
    const page = await visitor.submit("/sign-in", { phone: "+44 7400 123456" });
    expect(page.status).toBe(400);
    expect(page.text).toContain("Use an Indian number, or your email and password.");
    expect(visitor.cookies.has("challenge")).toBe(false);
    expect((await signInByPhone(freshNumber())).page.status).toBe(303);
  });
});
