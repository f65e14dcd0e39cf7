import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { codeFor, codesFor, freshNumber, from, otherCode, sessionsWith, signInByPhone } from "../../world/people.ts";
import { Visitor, visit } from "../../world/visitor.ts";

const PASSWORD = "a few words to remember";
const freshEmail = () => `${crypto.randomUUID()}@example.com`;

const login = (email: string, password: string) => new Visitor().submit("/sign-in/password", { email, password });

const rowOf = (id: string) => env.DB.prepare("SELECT * FROM person WHERE id = ?").bind(id).first();

describe("the name and the invoice details", () => {
  it("are saved, and shown as text", async () => {
    const { visitor, person } = await visit();
    const page = await visitor.submit("/settings/name", { name: " <img src=x onerror=alert(1)>\u202E " });
    expect(page.headers.get("location")).toBe("/settings?saved=name");
    const settings = await visitor.get("/settings?saved=name");
    expect(settings.text).toContain("Name saved.");
    expect(settings.text).not.toContain("<img src=x");
    expect((await rowOf(person.id))?.["name"]).toBe("<img src=x onerror=alert(1)>");
  });

  it("accept a buyer only with a valid GSTIN, and delete the buyer when all fields are empty", async () => {
    const { visitor, person } = await visit();
    const form = {
      buyer_name: "Asha Traders",
      buyer_address: "12 MG Road\nPune",
      buyer_state: "27",
      buyer_gstin: "27AAPFU0939F1ZV",
    };
    const wrong = await visitor.submit("/settings/buyer", { ...form, buyer_gstin: "27AAPFU0939F1ZW" });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain("Invalid GSTIN.");
    expect(wrong.text).toContain("27AAPFU0939F1ZW");
    expect((await visitor.submit("/settings/buyer", form)).status).toBe(303);
    expect(JSON.parse(String((await rowOf(person.id))?.["buyer"]))).toEqual({
      name: "Asha Traders",
      address: "12 MG Road\nPune",
      state: "27",
      gstin: "27AAPFU0939F1ZV",
    });
    const empty = { buyer_name: "", buyer_address: "", buyer_state: "", buyer_gstin: "" };
    await visitor.submit("/settings/buyer", empty);
    expect((await rowOf(person.id))?.["buyer"]).toBeNull();
  });
});

describe("the phone", () => {
  it("changes once the new number is proved, and not before", async () => {
    const [old, fresh] = [freshNumber(), freshNumber()];
    const { visitor } = await signInByPhone(old);
    expect((await visitor.submit("/settings/phone", { phone: fresh })).headers.get("location")).toBe("/settings/phone");
    expect((await visitor.get("/settings/phone")).text).toContain(fresh.slice(0, 5));
    const code = await codeFor(`+91${fresh}`);
    expect((await visitor.submit("/settings/phone/code", { code: otherCode(code) })).status).toBe(401);
    expect(await sessionsWith(`+91${fresh}`)).toBe(0);
    await visitor.submit("/settings/phone/resend");
    const [second = ""] = await codesFor(`+91${fresh}`);
    const page = await visitor.submit("/settings/phone/code", { code: second });
    expect(page.headers.get("location")).toBe("/settings?saved=phone");
    expect(await sessionsWith(`+91${fresh}`)).toBe(1);
    expect(await sessionsWith(`+91${old}`)).toBe(0);
  });

  it("of another person is refused after its proof, with identical answers before", async () => {
    const [taken, own, free] = [freshNumber(), freshNumber(), freshNumber()];
    await signInByPhone(taken);
    const { visitor } = await signInByPhone(own);
    const asked = await visitor.submit("/settings/phone", { phone: taken });
    const page = await visitor.submit("/settings/phone/code", { code: await codeFor(`+91${taken}`) });
    expect(page.status).toBe(400);
    expect(page.text).toContain("This number is already used by another account.");
    expect(await sessionsWith(`+91${own}`)).toBe(1);
    const other = await visitor.submit("/settings/phone", { phone: free });
    expect(other.headers.get("location")).toBe(asked.headers.get("location"));
  });

  it("is proved only by the person who asked, not by the next person in the same browser", async () => {
    const fresh = freshNumber();
    const { visitor } = await signInByPhone(freshNumber());
    await visitor.submit("/settings/phone", { phone: fresh });
    const code = await codeFor(`+91${fresh}`);
    const { visitor: other } = await visit();
    visitor.cookies.set("session", other.cookies.get("session") ?? "");
    expect((await visitor.get("/settings/phone")).headers.get("location")).toBe("/settings");
    expect((await visitor.submit("/settings/phone/code", { code })).status).not.toBe(303);
    expect(await sessionsWith(`+91${fresh}`)).toBe(0);
  });

  it("counts its codes against the usual limits", async () => {
    const { visitor } = await signInByPhone(freshNumber());
    const fresh = freshNumber();
    const statuses = [];
    for (let n = 0; n < 6; n++) {
      statuses.push((await visitor.submit("/settings/phone", { phone: fresh }, from("203.0.113.60"))).status);
    }
    expect(statuses).toEqual([303, 303, 303, 303, 303, 429]);
  });
});

describe("e-mail and password", () => {
  it("are set and changed separately, and a new password ends every other session", async () => {
    const number = freshNumber();
    const { visitor: other } = await signInByPhone(number);
    const { visitor } = await signInByPhone(number);
    const email = freshEmail();
    const first = await visitor.submit("/settings/login", { email, password: "" });
    expect(first.status).toBe(400);
    const set = await visitor.submit("/settings/login", { email, password: PASSWORD });
    expect(set.headers.get("location")).toBe("/settings?saved=password");
    expect((await other.get("/settings")).status).toBe(303);
    expect((await visitor.get("/settings")).status).toBe(200);
    const second = freshEmail();
    await visitor.submit("/settings/login", { email: second, password: "" });
    expect((await login(second, PASSWORD)).status).toBe(303);
    expect((await login(email, PASSWORD)).status).toBe(401);
    await visitor.submit("/settings/login", { email: second, password: "another password" });
    expect((await login(second, PASSWORD)).status).toBe(401);
    expect((await login(second, "another password")).status).toBe(303);
  });

  it("of another person are refused neutrally, and attempts are limited", async () => {
    const email = freshEmail();
    const { visitor: owner } = await signInByPhone(freshNumber());
    await owner.submit("/settings/login", { email, password: PASSWORD });
    const { visitor } = await signInByPhone(freshNumber());
    const ask = () => visitor.submit("/settings/login", { email, password: PASSWORD }, from("203.0.113.61"));
    const page = await ask();
    expect(page.status).toBe(400);
    expect(page.text).toContain("This email can&#39;t be used here.");
    const statuses = [];
    for (let n = 0; n < 10; n++) statuses.push((await ask()).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await owner.get("/settings")).text).toContain(email);
  });

  it("and the phone need a fresh sign-in", async () => {
    const { visitor, person } = await visit({ authenticatedAgoMs: 11 * 60_000 });
    for (const path of ["/settings/login", "/settings/phone"]) {
      const page = await visitor.submit(path, { email: freshEmail(), password: PASSWORD, phone: freshNumber() });
      expect(page.headers.get("location")).toMatch(/^\/confirm\?next=/u);
    }
    const settings = await visitor.get("/settings");
    expect(settings.text).not.toContain('action="/settings/login"');
    expect(settings.text).toContain("/confirm?next=%2Fsettings%23sign-in");
    expect(await rowOf(person.id)).toMatchObject({ email: null, phone: null });
  });
});

describe("the sessions of a person", () => {
  it("are listed with their browsers, this one marked, and one button ends the others", async () => {
    const number = freshNumber();
    const browsers = [
      "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Safari/604.1",
    ];
    const visitors = [];
    for (const agent of browsers) {
      const visitor = new Visitor();
      await visitor.submit("/sign-in", { phone: number });
      await visitor.submit("/sign-in/code", { code: await codeFor(`+91${number}`) }, { "user-agent": agent });
      visitors.push(visitor);
    }
    const [first, second] = visitors;
    const { text = "" } = (await second?.get("/settings")) ?? {};
    expect(text.indexOf("Safari, iPhone")).toBeGreaterThan(0);
    expect(text.indexOf("Firefox, Linux")).toBeGreaterThan(text.indexOf("This browser"));
    expect(text.split("This browser")).toHaveLength(2);
    await second?.submit("/settings/sessions");
    expect((await first?.get("/settings"))?.status).toBe(303);
    expect((await second?.get("/settings"))?.status).toBe(200);
  });

  it("do not include those of other people, which do not end either", async () => {
    const { visitor } = await signInByPhone(freshNumber());
    const { visitor: other } = await signInByPhone(freshNumber());
    await visitor.submit("/settings/sessions");
    await visitor.submit("/sign-out/everywhere");
    expect((await other.get("/settings")).status).toBe(200);
  });
});

it("follows the colours of the system again once the theme is set back to it", async () => {
  const { visitor } = await visit();
  await visitor.submit("/preferences", { theme: "dark", next: "/settings" });
  expect((await visitor.get("/settings")).text).toContain('data-theme="dark"');
  await visitor.submit("/preferences", { theme: "system", next: "/settings" });
  expect((await visitor.get("/settings")).text).not.toContain("data-theme=");
});
