import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  PASSWORD,
  codeFor,
  codesFor,
  customerWithLogin,
  freshNumber,
  from,
  noticesFor,
  otherCode,
  sessionsWith,
  signInByPhone,
  twin,
} from "../../world/people.ts";
import { Visitor } from "../../world/visitor.ts";

const signIn = (visitor: Visitor, email: string, password = PASSWORD, headers: Record<string, string> = {}) =>
  visitor.submit("/sign-in/password", { email, password, next: "/keys" }, headers);

const CODE_PAGE = "/sign-in/password/code";

describe("a right password from an unknown browser", () => {
  it("signs nobody in before the code to the phone is answered, and shows two digits of that phone", async () => {
    const { number, email } = await customerWithLogin();
    const visitor = new Visitor();
    const page = await signIn(visitor, email);
    expect(page.headers.get("location")).toBe(CODE_PAGE);
    expect(visitor.cookies.has("session")).toBe(false);
    expect((await visitor.get("/keys")).status).toBe(303);
    const form = (await visitor.get(CODE_PAGE)).text;
    expect(form).toContain(`+91 ••••• •••${number.slice(-2)}`);
    expect(form).not.toContain(number.slice(0, 5));
    expect(form).not.toContain(number.slice(5));
    const code = await codeFor(`+91${number}`);
    expect((await visitor.submit(CODE_PAGE, { code: otherCode(code) })).status).toBe(401);
    expect(visitor.cookies.has("session")).toBe(false);
    expect((await visitor.submit(CODE_PAGE, { code })).headers.get("location")).toBe("/keys");
    expect((await visitor.get("/keys")).status).toBe(200);
  });

  it("is enough from then on in that browser, and in the browser of the sign-up", async () => {
    const { visitor: own, number, email } = await customerWithLogin();
    const second = new Visitor();
    await signIn(second, email);
    await second.submit(CODE_PAGE, { code: await codeFor(`+91${number}`) });
    for (const visitor of [own, second]) {
      await visitor.submit("/sign-out");
      expect((await signIn(visitor, email)).headers.get("location")).toBe("/keys");
    }
    // The cookie of a browser means nothing for another person.
    const { email: other } = await customerWithLogin();
    await own.submit("/sign-out");
    expect((await signIn(own, other)).headers.get("location")).toBe(CODE_PAGE);
  });

  it("answers a wrong password as before, with no code", async () => {
    const { number, email } = await customerWithLogin();
    const before = (await codesFor(`+91${number}`)).length;
    const visitor = new Visitor();
    expect((await signIn(visitor, email, `${PASSWORD}!`)).status).toBe(401);
    expect((await visitor.get(CODE_PAGE)).headers.get("location")).toBe("/sign-in/password");
    expect((await visitor.submit(CODE_PAGE, { code: await codeFor(`+91${number}`) })).status).toBe(303);
    expect(visitor.cookies.has("session")).toBe(false);
    expect(await codesFor(`+91${number}`)).toHaveLength(before);
  });

  it("sends a second code on request, and no code is valid elsewhere", async () => {
    const { number, email } = await customerWithLogin();
    const visitor = new Visitor();
    await signIn(visitor, email);
    await visitor.submit("/sign-in/password/resend");
    const [code = ""] = await codesFor(`+91${number}`);
    const stranger = new Visitor();
    await signIn(stranger, email);
    const [theirs = ""] = await codesFor(`+91${number}`);
    if (theirs !== code) expect((await stranger.submit(CODE_PAGE, { code })).status).toBe(401);
    // Each code belongs to its step: not even the same browser can use it for a sign-in by phone.
    expect((await visitor.submit("/sign-in/code", { code })).headers.get("location")).toBe("/sign-in");
    expect((await visitor.submit(CODE_PAGE, { code })).headers.get("location")).toBe("/keys");
  });

  it("is over once the password or the phone was changed", async () => {
    const changes = { password: "scrypt$1024$8$16$TmFDbA$AAAA", phone: `+91${freshNumber()}` };
    for (const [column, value] of Object.entries(changes)) {
      const { number, email } = await customerWithLogin();
      const visitor = new Visitor();
      await signIn(visitor, email);
      const code = await codeFor(`+91${number}`);
      await env.DB.prepare(`UPDATE person SET ${column} = ? WHERE email = ?`).bind(value, email).run();
      const sent = (await codesFor(`+91${number}`)).length;
      await visitor.submit("/sign-in/password/resend");
      expect(await codesFor(`+91${number}`)).toHaveLength(sent);
      await visitor.submit(CODE_PAGE, { code });
      expect(visitor.cookies.has("session")).toBe(false);
    }
  });

  it("lets a person in who has no phone", async () => {
    const { number, email } = await customerWithLogin();
    await env.DB.prepare("UPDATE person SET phone = NULL WHERE phone = ?").bind(`+91${number}`).run();
    expect((await signIn(new Visitor(), email)).headers.get("location")).toBe("/keys");
  });
});

describe("an attacker", () => {
  it("with wrong passwords cannot keep the owner's browser from signing in", async () => {
    const { visitor, email } = await customerWithLogin();
    await visitor.submit("/sign-out");
    const address = from("203.0.113.70");
    const statuses = [];
    for (let n = 0; n < 12; n++) statuses.push((await signIn(new Visitor(), email, "not it", address)).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await signIn(visitor, email, PASSWORD, address)).headers.get("location")).toBe("/keys");
  });

  it("with the right password cannot send codes without bound, nor lock the owner's browser out", async () => {
    const { visitor, number, email } = await customerWithLogin();
    await visitor.submit("/sign-out");
    const address = from("203.0.113.71");
    const before = (await codesFor(`+91${number}`)).length;
    const attacker = new Visitor();
    const statuses = [];
    for (let n = 0; n < 9; n++) statuses.push((await signIn(attacker, email, PASSWORD, address)).status);
    for (let n = 0; n < 9; n++) {
      statuses.push((await attacker.submit("/sign-in/password/resend", {}, address)).status);
    }
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(10);
    expect((await codesFor(`+91${number}`)).length - before).toBeLessThanOrEqual(5);
    expect((await signIn(visitor, email, PASSWORD, address)).headers.get("location")).toBe("/keys");
    await visitor.submit("/sign-out");
    expect((await visitor.submit("/sign-in", { phone: number }, address)).status).toBe(303);
  });
});

describe("a forgotten password", () => {
  it("leads to a code, and the code to a new password that ends the old one and every other session", async () => {
    const { visitor: old, number, email } = await customerWithLogin();
    const visitor = new Visitor();
    expect((await visitor.get("/sign-in/password")).text).toContain('href="/sign-in/forgot"');
    const page = (await visitor.get("/sign-in/forgot")).text;
    expect(page).toContain("Then you can set a new password in Settings.");
    const next = /name="next" value="([^"]+)"/u.exec(page)?.[1] ?? "";
    await visitor.submit("/sign-in", { phone: number, next });
    const done = await visitor.submit("/sign-in/code", { code: await codeFor(`+91${number}`) });
    expect(done.headers.get("location")).toBe(next);
    const settings = (await visitor.get(next)).text;
    expect(settings).toContain("Set your new password below.");
    expect(settings).toContain('action="/settings/login"');
    // Nothing asks for the old password.
    const set = await visitor.submit("/settings/login", { email, password: "another few words" });
    expect(set.headers.get("location")).toBe("/settings?saved=password");
    expect((await signIn(new Visitor(), email)).status).toBe(401);
    expect((await signIn(visitor, email, "another few words")).headers.get("location")).toBe("/keys");
    expect((await old.get("/settings")).status).toBe(303);
    expect(await noticesFor(`+91${number}`)).toEqual([
      "The password of your Dastak account was changed. Not you? Sign in with this number and set a new password in Settings.",
    ]);
  });

  it("makes every other browser unknown: there, the new password needs a code", async () => {
    const { visitor, number, email } = await customerWithLogin();
    const { visitor: other } = await signInByPhone(number);
    await visitor.submit("/settings/login", { email, password: "another few words" });
    expect((await signIn(other, email, "another few words")).headers.get("location")).toBe(CODE_PAGE);
    expect((await signIn(twin(visitor), email, "another few words")).headers.get("location")).toBe("/keys");
    expect(await sessionsWith(`+91${number}`)).toBe(1);
  });

  it("of a signed-in person leads straight to the form", async () => {
    const { visitor } = await customerWithLogin();
    expect((await visitor.get("/sign-in/forgot")).headers.get("location")).toBe("/settings?note=password#sign-in");
  });
});
