import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { allOfD1, codeFor, freshNumber, same, sessionsWith, signInByPhone } from "../../world/people.ts";
import { Visitor } from "../../world/visitor.ts";

const PASSWORD = "a few words to remember";

const freshEmail = () => `${crypto.randomUUID()}@example.com`;

const personWith = (phone: string) =>
  env.DB.prepare("SELECT * FROM person WHERE phone = ?").bind(`+91${phone}`).first<Record<string, string | null>>();

/** Signs up and answers with the code. */
async function signUp(form: Record<string, string>, visitor = new Visitor()) {
  const asked = await visitor.submit("/sign-up", { name: "", password: PASSWORD, ...form });
  expect(asked.headers.get("location")).toBe("/sign-in/code");
  const page = await visitor.submit("/sign-in/code", { code: await codeFor(`+91${form["phone"]}`) });
  return { visitor, page };
}

const byPassword = (email: string, password: string, visitor = new Visitor()) =>
  visitor.submit("/sign-in/password", { email, password });

/** What a browser shows during a sign-up. */
async function see({ phone, email }: { phone: string; email: string }) {
  const visitor = new Visitor();
  const asked = await visitor.submit("/sign-up", { name: "", email, phone, password: PASSWORD });
  const pages = [asked, await visitor.get("/sign-in/code")];
  return pages.map((page) => same(page, `${phone.slice(0, 5)} ${phone.slice(5)}`));
}

const seeWrong = async (email: string) => same(await byPassword(email, "not the password"), email);

describe("signing up by e-mail", () => {
  it("proves the phone, and then allows e-mail and password", async () => {
    const [phone, email] = [freshNumber(), freshEmail()];
    const { visitor, page } = await signUp({
      name: "  Asha\nRao ",
      email: ` ${email.toUpperCase()}`,
      phone,
      next: "/billing",
    });
    expect(page.headers.get("location")).toBe("/billing");
    expect(await personWith(phone)).toMatchObject({ name: "Asha Rao", email });
    expect((await byPassword(email, PASSWORD, visitor)).headers.get("location")).toBe("/");
    expect((await byPassword(email, `${PASSWORD}!`, visitor)).status).toBe(401);
    const account = await env.ACCOUNT.getByName((await personWith(phone))?.["account_id"] ?? "").view();
    expect(account?.name).toBe("Asha Rao");
  });

  it("stores nothing before the code is answered, and never a password in plain text", async () => {
    const [phone, email] = [freshNumber(), freshEmail()];
    await new Visitor().submit("/sign-up", { name: "", email, phone, password: PASSWORD });
    expect(await personWith(phone)).toBeNull();
    expect((await byPassword(email, PASSWORD)).status).toBe(401);
    expect(await allOfD1()).toContain("scrypt$16384$8$1$");
    expect(await allOfD1()).not.toContain(PASSWORD);
  });

  it("answers the same for e-mails and phones that are taken, until the phone is proved", async () => {
    const taken = { phone: freshNumber(), email: freshEmail() };
    await signUp(taken);
    const fresh = await see({ phone: freshNumber(), email: freshEmail() });
    expect(await see(taken)).toEqual(fresh);
    expect(await see({ ...taken, phone: freshNumber() })).toEqual(fresh);
    expect(await see({ ...taken, email: freshEmail() })).toEqual(fresh);
  });

  it("with another person's e-mail signs in without it, and takes nothing from that person", async () => {
    const [owner, other, email] = [freshNumber(), freshNumber(), freshEmail()];
    await signUp({ phone: owner, email });
    const { visitor, page } = await signUp({ phone: other, email, password: "another password" });
    expect(page.headers.get("location")).toBe("/settings?note=email");
    expect((await visitor.get("/settings?note=email")).text).toContain("your email wasn&#39;t added");
    expect(await personWith(other)).toMatchObject({ email: null, password: null });
    expect((await byPassword(email, "another password")).status).toBe(401);
    expect((await byPassword(email, PASSWORD)).status).toBe(303);
  });

  it("adds an e-mail to a person without one, and never replaces one", async () => {
    const [phone, email] = [freshNumber(), freshEmail()];
    await signInByPhone(phone);
    const before = await personWith(phone);
    expect((await signUp({ phone, email, name: "Other" })).page.headers.get("location")).toBe("/");
    expect(await personWith(phone)).toMatchObject({ id: before?.["id"], email, name: "" });
    const { page } = await signUp({ phone, email: freshEmail(), password: "another password" });
    expect(page.headers.get("location")).toBe("/settings?note=email");
    expect((await byPassword(email, PASSWORD)).status).toBe(303);
    expect(await sessionsWith(`+91${phone}`)).toBe(3);
  });

  it("gives an e-mail to only one of two people who ask for it at the same time", async () => {
    const [one, other, email] = [freshNumber(), freshNumber(), freshEmail()];
    const pages = await Promise.all([signUp({ phone: one, email }), signUp({ phone: other, email })]);
    const locations = pages.map(({ page }) => page.headers.get("location"));
    expect(new Set(locations)).toEqual(new Set(["/", "/settings?note=email"]));
  });

  it.each([
    [{ password: "too short" }, "Use at least 10 characters."],
    [{ password: "x".repeat(201) }, "Use at most 200 characters."],
    [{ password: "password123" }, "This password is too easy to guess. Choose another one."],
    [{ password: "asha@example.com" }, "This password is too easy to guess. Choose another one."],
    [{ email: "asha" }, "Enter a valid email address"],
    [{ email: "asha@example.com, b@example.com" }, "Enter a valid email address"],
    [{ phone: "12" }, "“12” has 2 digits; an Indian number has 10."],
  ])("refuses %j in a sentence at its field", async (change, sentence) => {
    const form = { name: "Asha", email: "asha@example.com", phone: freshNumber(), password: PASSWORD, ...change };
    const page = await new Visitor().submit("/sign-up", form);
    expect(page.status).toBe(400);
    expect(page.text).toContain(sentence);
    expect(page.text).toContain('aria-invalid="true"');
    expect(page.text).toContain('value="Asha"');
    expect(page.text).not.toContain(PASSWORD);
  });
});

describe("signing in by e-mail", () => {
  it("answers the same for a wrong password, an unknown e-mail, and a person without a password", async () => {
    const [phone, email] = [freshNumber(), freshEmail()];
    await signUp({ phone, email });
    const unknown = freshEmail();
    const known = await seeWrong(email);
    expect(known.status).toBe(401);
    expect(known.text).toContain("Incorrect email or password.");
    expect(await seeWrong(unknown)).toEqual(known);
    await env.DB.prepare("UPDATE person SET password = NULL WHERE email = ?").bind(email).run();
    expect(await seeWrong(email)).toEqual(known);
  });

  it("is safe against hostile text", async () => {
    for (const email of [
      "' OR 1=1 --@example.com",
      "<img src=x onerror=alert(1)>@example.com",
      "a@example.com\u0000",
    ]) {
      const page = await byPassword(email, PASSWORD);
      expect([400, 401]).toContain(page.status);
      expect(page.text).not.toContain("<img src=x");
    }
  });
});
