import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { housekeeping } from "../../../src/housekeeping.ts";
import { PHONE_WAIT_MS } from "../../../src/sign-in/phone-change.ts";
import { listen } from "../../world/listener.ts";
import {
  PASSWORD,
  codeFor,
  codesFor,
  customerWithLogin,
  freshEmail,
  freshNumber,
  from,
  noticesFor,
  sessionsWith,
  signInByPhone,
  twin,
} from "../../world/people.ts";
import { Visitor } from "../../world/visitor.ts";

afterEach(() => vi.useRealTimers());

/** Lets time pass, in ms: the clock that the service reads. */
const pass = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });

const LATER_MS = 11 * 60_000;

/** Changes the phone in a browser whose person answered a code to the old phone. */
async function changeTo(visitor: Visitor, number: string) {
  await visitor.submit("/settings/phone", { phone: number });
  return visitor.submit("/settings/phone/code", { code: await codeFor(`+91${number}`) });
}

/** Asks for a phone that replaces the lost one. */
async function replaceLost(visitor: Visitor, base: string, number: string) {
  const asked = await visitor.submit(base, { phone: number });
  expect(asked.headers.get("location")).toBe(`${base}/code`);
  return visitor.submit(`${base}/code`, { code: await codeFor(`+91${number}`) });
}

/** A browser in which the right password was typed, and where the code would go to the phone. */
async function atSecondStep(email: string): Promise<Visitor> {
  const visitor = new Visitor();
  const page = await visitor.submit("/sign-in/password", { email, password: PASSWORD });
  expect(page.headers.get("location")).toBe("/sign-in/password/code");
  return visitor;
}

const LOST = "/settings/phone/lost";
const LOST_AT_SIGN_IN = "/sign-in/password/lost";

describe("a change of phone", () => {
  it("ends every other session, its live feed and every known browser, and is told to the old phone", async () => {
    const { visitor: other, number: old, email } = await customerWithLogin();
    const feed = await listen(other);
    const { visitor } = await signInByPhone(old);
    const fresh = freshNumber();
    expect((await changeTo(visitor, fresh)).headers.get("location")).toBe("/settings?saved=phone");
    expect((await visitor.get("/settings?saved=phone")).text).toContain("All other browsers are signed out.");
    expect((await other.get("/settings")).status).toBe(303);
    expect(await feed.closed).toEqual({ code: 4000 });
    expect(await sessionsWith(`+91${fresh}`)).toBe(1);
    const known = await other.submit("/sign-in/password", { email, password: PASSWORD });
    expect(known.headers.get("location")).toBe("/sign-in/password/code");
    expect(await noticesFor(`+91${old}`)).toEqual([
      "Your Dastak account has a new mobile number; this one no longer signs in to it. Not you? Contact support at once.",
    ]);
    expect(await noticesFor(`+91${fresh}`)).toEqual([]);
  });

  it("needs a code to the old phone: a password, however fresh, is not enough", async () => {
    const { visitor, number: old } = await customerWithLogin();
    pass(LATER_MS);
    await visitor.submit("/confirm/password", { password: PASSWORD, next: "/settings" });
    const page = (await visitor.get("/settings")).text;
    expect(page).not.toContain('action="/settings/phone"');
    expect(page).toContain("Send a code to the current number");
    const fresh = freshNumber();
    const asked = await visitor.submit("/settings/phone", { phone: fresh });
    expect(asked.headers.get("location")).toBe("/confirm?next=%2Fsettings%23sign-in");
    expect(await codesFor(`+91${fresh}`)).toEqual([]);
    const sent = await visitor.submit("/confirm/send", { next: "/settings#sign-in" });
    expect(sent.headers.get("location")).toContain("/confirm/code");
    const confirmed = await visitor.submit("/confirm/code", { code: await codeFor(`+91${old}`) });
    expect(confirmed.headers.get("location")).toBe("/settings#sign-in");
    expect((await visitor.get("/settings")).text).toContain('action="/settings/phone"');
    expect((await changeTo(visitor, fresh)).headers.get("location")).toBe("/settings?saved=phone");
  });

  it("of a person without a phone needs no old one", async () => {
    const { visitor, number } = await customerWithLogin();
    await env.DB.prepare("UPDATE person SET phone = NULL WHERE phone = ?").bind(`+91${number}`).run();
    pass(LATER_MS);
    await visitor.submit("/confirm/password", { password: PASSWORD, next: "/settings" });
    const fresh = freshNumber();
    expect((await changeTo(visitor, fresh)).headers.get("location")).toBe("/settings?saved=phone");
  });

  it("is over if phone or password changed after its code was sent", async () => {
    const { visitor, email } = await customerWithLogin();
    const fresh = freshNumber();
    await visitor.submit("/settings/phone", { phone: fresh });
    await visitor.submit("/settings/login", { email, password: "another few words" });
    const page = await visitor.submit("/settings/phone/code", { code: await codeFor(`+91${fresh}`) });
    expect(page.headers.get("location")).not.toBe("/settings?saved=phone");
    expect(await sessionsWith(`+91${fresh}`)).toBe(0);
  });
});

describe("a changed e-mail or password", () => {
  it("ends every other session, and is told to the phone", async () => {
    const { visitor: other, number, email } = await customerWithLogin();
    const { visitor } = await signInByPhone(number);
    // Saving the form as it was shown changes nothing.
    await visitor.submit("/settings/login", { email, password: "" });
    expect((await other.get("/settings")).status).toBe(200);
    const changed = await visitor.submit("/settings/login", { email: freshEmail(), password: "" });
    expect(changed.headers.get("location")).toBe("/settings?saved=email");
    expect((await other.get("/settings")).status).toBe(303);
    expect((await visitor.get("/settings")).status).toBe(200);
    await visitor.submit("/settings/login", { email: freshEmail(), password: "another few words" });
    const notices = await noticesFor(`+91${number}`);
    expect(notices).toHaveLength(2);
    expect(notices[1]).toMatch(/^The e-mail address of your Dastak account was changed\./u);
    expect(notices[0]).toMatch(/^E-mail address and password of your Dastak account were changed\./u);
    for (const notice of notices) expect(notice.length).toBeLessThanOrEqual(160);
  });

  it("is refused after ten in an hour and twenty in a day: the phone does not get notices without end", async () => {
    const { visitor, number, email } = await customerWithLogin();
    const address = from("203.0.113.80");
    let password = PASSWORD;
    // Not random: one random text in thousands is taken for a common password.
    let nth = 0;
    /** Changes the password up to eleven times; how often it was changed, and the last page. */
    const changeMany = async () => {
      await visitor.submit("/confirm/password", { password, next: "/" });
      for (let changed = 0; ; changed++) {
        const next = `another few words ${++nth}`;
        const page = await visitor.submit("/settings/login", { email, password: next }, address);
        if (page.status !== 303 || changed > 10) return { changed, page };
        password = next;
      }
    };
    const first = await changeMany();
    expect(first.changed).toBe(10);
    expect(first.page.status).toBe(429);
    expect(first.page.text).toContain("Too many changes in the past hour.");
    pass(3_601_000);
    expect((await changeMany()).changed).toBe(10);
    pass(3_601_000);
    const last = await changeMany();
    expect(last.changed).toBe(0);
    expect(last.page.status).toBe(429);
    expect(last.page.text).toContain("Too many changes today.");
    expect(await noticesFor(`+91${number}`)).toHaveLength(20);
  });
});

describe("a lost phone", () => {
  it("is replaced after a wait, of which the old phone is told, and then nothing else is signed in", async () => {
    const { visitor, number: old, email } = await customerWithLogin();
    const fresh = freshNumber();
    expect((await visitor.get(LOST)).text).toContain("The change takes effect after 7 days.");
    const begun = await replaceLost(visitor, LOST, fresh);
    expect(begun.headers.get("location")).toBe("/settings?saved=wait");
    const [notice = "", ...more] = await noticesFor(`+91${old}`);
    expect(notice).toMatch(/^Your Dastak account gets a new mobile number on \d{1,2} \w{3,4} \d{4}\. Not you\?/u);
    expect(more).toEqual([]);
    await housekeeping(env, Date.now() + PHONE_WAIT_MS - 60_000);
    expect(await sessionsWith(`+91${old}`)).toBe(1);
    pass(PHONE_WAIT_MS + 1_000);
    await housekeeping(env, Date.now());
    expect((await visitor.get("/settings")).status).toBe(303);
    const { visitor: later } = await signInByPhone(fresh);
    expect((await later.get("/settings")).text).toContain(email);
    expect(await sessionsWith(`+91${old}`)).toBe(0);
  });

  it("can be replaced from an unknown browser, with the password", async () => {
    const { number: old, email } = await customerWithLogin();
    const visitor = await atSecondStep(email);
    expect((await visitor.get("/sign-in/password/code")).text).toContain(`href="${LOST_AT_SIGN_IN}"`);
    const fresh = freshNumber();
    const begun = await replaceLost(visitor, LOST_AT_SIGN_IN, fresh);
    expect(begun.headers.get("location")).toBe("/sign-in/password?note=wait");
    expect((await visitor.get("/sign-in/password?note=wait")).text).toContain("Your new number is verified.");
    expect(visitor.cookies.has("session")).toBe(false);
    expect(await noticesFor(`+91${old}`)).toHaveLength(1);
    // Without housekeeping in between, the sign-in itself makes the change.
    pass(PHONE_WAIT_MS + 1_000);
    await visitor.submit("/sign-in/password", { email, password: PASSWORD });
    const page = await visitor.submit("/sign-in/password/code", { code: await codeFor(`+91${fresh}`) });
    expect(page.headers.get("location")).toBe("/");
    expect(await sessionsWith(`+91${fresh}`)).toBe(1);
  });

  it("needs the password, where there is one, and no more than the session where there is none", async () => {
    const { visitor, number } = await customerWithLogin();
    pass(LATER_MS);
    expect((await visitor.get(LOST)).headers.get("location")).toMatch(/^\/confirm\?next=/u);
    expect((await visitor.submit(LOST, { phone: freshNumber() })).headers.get("location")).toMatch(/^\/confirm/u);
    await env.DB.prepare("UPDATE person SET password = NULL WHERE phone = ?").bind(`+91${number}`).run();
    expect((await visitor.get(LOST)).status).toBe(200);
    expect((await new Visitor().get(LOST)).headers.get("location")).toMatch(/^\/sign-in\?/u);
    expect((await new Visitor().get(LOST_AT_SIGN_IN)).headers.get("location")).toBe("/sign-in/password");
    const begun = await new Visitor().submit(LOST_AT_SIGN_IN, { phone: freshNumber() });
    expect(begun.headers.get("location")).toBe("/sign-in/password");
  });

  it("is shown on every page of every session, where one button stops the change for good", async () => {
    const { visitor: owner, number: old, email } = await customerWithLogin();
    const thief = await atSecondStep(email);
    const theirs = freshNumber();
    await replaceLost(thief, LOST_AT_SIGN_IN, theirs);
    for (const path of ["/", "/keys", "/settings"]) {
      const { text } = await owner.get(path);
      expect(text).toContain(`+91 ${theirs.slice(0, 5)} ${theirs.slice(5)}`);
      expect(text).toContain('action="/settings/phone/stop"');
    }
    const stopped = await owner.submit("/settings/phone/stop");
    expect(stopped.headers.get("location")).toBe("/settings?saved=stopped");
    expect((await owner.get("/")).text).not.toContain("/settings/phone/stop");
    pass(PHONE_WAIT_MS + 1_000);
    await housekeeping(env, Date.now());
    expect(await sessionsWith(`+91${old}`)).toBe(1);
    expect((await signInByPhone(old)).page.status).toBe(303);
  });

  it("does not sign in with the new one before its time, and opens no second account", async () => {
    const { visitor } = await customerWithLogin();
    const fresh = freshNumber();
    await replaceLost(visitor, LOST, fresh);
    const { visitor: early, page } = await signInByPhone(fresh);
    expect(page.status).toBe(403);
    expect(page.text).toContain("This number will sign in to your account from");
    expect(early.cookies.has("session")).toBe(false);
    const { results } = await env.DB.prepare("SELECT id FROM person WHERE phone = ?").bind(`+91${fresh}`).all();
    expect(results).toEqual([]);
  });

  it("is not replaced by a number that another person signs in with by then", async () => {
    const { visitor, number: old } = await customerWithLogin();
    const { number: taken, visitor: other } = await customerWithLogin();
    await replaceLost(visitor, LOST, taken);
    pass(PHONE_WAIT_MS + 1_000);
    await housekeeping(env, Date.now());
    expect((await other.get("/settings")).status).toBe(200);
    expect(await sessionsWith(`+91${old}`)).toBe(1);
    expect((await visitor.get("/settings")).text).not.toContain("/settings/phone/stop");
  });

  it("cannot be replaced through another person's request in the same browser", async () => {
    const { visitor, number } = await customerWithLogin();
    const { visitor: other } = await customerWithLogin();
    const theirs = freshNumber();
    await other.submit(LOST, { phone: theirs });
    const mixed = twin(other);
    mixed.cookies.set("session", visitor.cookies.get("session") ?? "");
    const page = await mixed.submit(`${LOST}/code`, { code: await codeFor(`+91${theirs}`) });
    expect(page.headers.get("location")).toBe("/settings");
    expect(await noticesFor(`+91${number}`)).toEqual([]);
  });
});
