import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { takeAttempt } from "../../src/sign-in/buckets.ts";
import { forgetCounts, freshAddress } from "../world/codes.ts";
import { codeFor, codesFor, freshNumber, from, signInByPhone, twin } from "../world/people.ts";
import { Visitor } from "../world/visitor.ts";

/** Asks for codes until one is refused; returns how many were sent. */
async function codesUntilRefused(number: () => string, address: () => string, most: number): Promise<number> {
  for (let sent = 0; sent < most; sent++) {
    const page = await new Visitor().submit("/sign-in", { phone: number() }, from(address()));
    if (page.status === 429) return sent;
    expect(page.status).toBe(303);
  }
  return most;
}

const rows = async () => Number(await env.DB.prepare("SELECT count(*) AS n FROM attempt").first("n"));

/** The ceilings of the whole service, which have tests of their own, start again. */
const laterByMs = (ms: number) => vi.setSystemTime(Date.now() + ms);

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  await forgetCounts();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("codes", () => {
  it("are limited to five an hour from one address to one phone, and the sixth attempt gets a Retry-After", async () => {
    const [number, address] = [freshNumber(), freshAddress()];
    expect(
      await codesUntilRefused(
        () => number,
        () => address,
        9,
      ),
    ).toBe(5);
    // Another address in the same /64 network, as a provider gives one customer.
    const page = await new Visitor().submit("/sign-in", { phone: number }, from(address.replace("::1", "::2")));
    expect(page.status).toBe(429);
    const retryAfterSec = Number(page.headers.get("retry-after"));
    expect(retryAfterSec).toBeGreaterThan(3_500);
    expect(retryAfterSec).toBeLessThanOrEqual(3_600);
    expect(page.text).toContain("Too many codes requested. Try again in 60 minutes.");
    expect(await codesFor(`+91${number}`)).toHaveLength(5);
    const json = await new Visitor().submit(
      "/sign-in",
      { phone: number },
      { ...from(address), accept: "application/json" },
    );
    expect(json.status).toBe(429);
    expect(JSON.parse(json.text)).toMatchObject({ success: false, code: "rate_limited" });
    expect(json.headers.get("retry-after")).not.toBeNull();
  });

  it("are limited to twenty an hour to one phone, from all addresses together", async () => {
    const number = freshNumber();
    expect(await codesUntilRefused(() => number, freshAddress, 25)).toBe(20);
  });

  it("are limited to thirty an hour from one address, to all phones together", async () => {
    const address = freshAddress();
    expect(await codesUntilRefused(freshNumber, () => address, 40)).toBe(30);
  });

  it("that were refused for one address do not count for others", async () => {
    const [number, address] = [freshNumber(), freshAddress()];
    for (let n = 0; n < 30; n++) await new Visitor().submit("/sign-in", { phone: number }, from(address));
    expect(await codesUntilRefused(() => number, freshAddress, 25)).toBe(15);
  });

  it("are still sent to a browser that signed in before, however many others were asked for", async () => {
    const number = freshNumber();
    const { visitor } = await signInByPhone(number);
    await visitor.submit("/sign-out");
    const address = freshAddress();
    await codesUntilRefused(() => number, freshAddress, 25);
    laterByMs(60_000);
    await codesUntilRefused(freshNumber, () => address, 40);
    const own = await visitor.submit("/sign-in", { phone: number }, from(address));
    expect(own.status).toBe(303);
    // The cookie selects a separate count; it does not bypass counting.
    const more = [];
    for (let n = 0; n < 12; n++) {
      more.push((await twin(visitor).submit("/sign-in", { phone: number }, from(address))).status);
    }
    expect(more.filter((status) => status === 303)).toHaveLength(9);
    // It has no effect for another number, or when altered.
    expect((await visitor.submit("/sign-in", { phone: freshNumber() }, from(address))).status).toBe(429);
    const forger = new Visitor();
    forger.cookies.set("device", (visitor.cookies.get("device") ?? "").replace(/\.dev_./u, ".dev_!"));
    expect((await forger.submit("/sign-in", { phone: number }, from(freshAddress()))).status).toBe(429);
  });

  it("are not renewed by answering without the browser's cookie: each phone has its limits", async () => {
    const [number, address] = [freshNumber(), freshAddress()];
    let { visitor } = await signInByPhone(number);
    let sent = 0;
    for (let n = 0; n < 41; n++) {
      laterByMs(30_000);
      const asked = await visitor.submit("/sign-in", { phone: number }, from(address));
      if (asked.status !== 303) continue;
      sent += 1;
      // Without the cookie the browser is a new one, and is remembered anew.
      visitor.cookies.delete("device");
      const next = new Visitor();
      next.cookies.set("challenge", visitor.cookies.get("challenge") ?? "");
      await next.submit("/sign-in/code", { code: await codeFor(`+91${number}`) }, from(address));
      visitor = next;
      visitor.cookies.delete("session");
    }
    expect(sent).toBe(10);
  });

  it("are not renewed by confirming: each confirmation makes a session, and the person's limit stays", async () => {
    const number = freshNumber();
    const { visitor } = await signInByPhone(number);
    const address = from(freshAddress());
    let sent = 0;
    for (let n = 0; n < 40; n++) {
      laterByMs(1_000);
      const asked = await visitor.submit("/confirm/send", { next: "/keys" }, address);
      if (asked.status !== 303) continue;
      sent += 1;
      const code = await codeFor(`+91${number}`);
      expect((await visitor.submit("/confirm/code", { code, next: "/keys" }, address)).status).toBe(303);
    }
    expect(sent).toBe(10);
  });

  it("are limited to a phone in a day in every case: from known browsers, and from all others", async () => {
    const number = freshNumber();
    const { visitor } = await signInByPhone(number);
    await forgetCounts();
    const sent = { known: 0, others: 0 };
    for (let hour = 0; hour < 23; hour++) {
      laterByMs(3_600_000);
      const ask = (who: Visitor) => twin(who).submit("/sign-in", { phone: number }, from(freshAddress()));
      for (let n = 0; n < 3; n++) if ((await ask(visitor)).status === 303) sent.known += 1;
      for (let n = 0; n < 3; n++) if ((await ask(new Visitor())).status === 303) sent.others += 1;
    }
    expect(sent).toEqual({ known: 20, others: 30 });
  });

  it("of one site are a part of what a phone gets in a day: another place still gets one", async () => {
    const number = freshNumber();
    let sent = 0;
    for (let hour = 0; hour < 6; hour++) {
      laterByMs(3_600_000);
      // Each /64 is another network of the same /48.
      let at = 0;
      sent += await codesUntilRefused(
        () => number,
        () => `2001:db8:ffff:${(hour * 10 + ++at).toString(16)}::1`,
        9,
      );
    }
    expect(sent).toBe(10);
    const late = await new Visitor().submit("/sign-in", { phone: number }, from("2001:db8:ffff:1::1"));
    expect(late.text).toContain("Try again in 19 hours.");
    expect((await new Visitor().submit("/sign-in", { phone: number }, from(freshAddress()))).status).toBe(303);
  });

  it("of one site to different phones are limited to thirty an hour without a bot check", async () => {
    let at = 0;
    expect(await codesUntilRefused(freshNumber, () => `2001:db8:fffe:${(++at).toString(16)}::1`, 40)).toBe(30);
  });

  it("write few rows: one for each limit, and none when refused", async () => {
    const number = freshNumber();
    await new Visitor().submit("/sign-in", { phone: number }, from(freshAddress()));
    expect(await rows()).toBe(8);
    const { visitor } = await signInByPhone(freshNumber());
    const before = await rows();
    await visitor.submit("/confirm/send", { next: "/" });
    expect(await rows()).toBe(before + 2);
  });

  it("leave neither numbers nor addresses in the table of attempts", async () => {
    const number = freshNumber();
    await new Visitor().submit("/sign-in", { phone: number }, from("203.0.113.77"));
    const { results } = await env.DB.prepare("SELECT * FROM attempt").all();
    expect(results.length).toBeGreaterThan(2);
    const buckets = results.map(({ bucket }) => Buffer.from(String(bucket), "base64url").toString("latin1"));
    for (const text of [JSON.stringify(results), ...buckets]) {
      expect(text).not.toContain(number);
      expect(text).not.toContain("203.0.113");
    }
  });
});

const attempt = (email: string, address: string) =>
  new Visitor().submit("/sign-in/password", { email, password: "not the password" }, from(address));

describe("passwords", () => {
  it("are limited to ten per quarter of an hour for one e-mail from one address, without locking out others", async () => {
    const [email, address] = [`${crypto.randomUUID()}@example.com`, freshAddress()];
    for (let n = 0; n < 10; n++) expect((await attempt(email, address)).status).toBe(401);
    const page = await attempt(email, address);
    expect(page.status).toBe(429);
    expect(page.text).toContain("Too many attempts. Try again in 15 minutes.");
    expect(Number(page.headers.get("retry-after"))).toBeLessThanOrEqual(900);
    expect((await attempt(email, freshAddress())).status).toBe(401);
  });

  it("are limited to fifty per quarter of an hour from one address", async () => {
    const address = "203.0.113.90";
    // All but the last two attempts are counted directly, to avoid hashing that many passwords.
    const limit = { name: "passwordAddress", subject: address, max: 50, windowMs: 900_000 };
    for (let n = 0; n < 48; n++) await takeAttempt({ db: env.DB, secret: env.KEY_SECRET }, [limit], Date.now());
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await attempt(`${crypto.randomUUID()}@example.com`, address)).status);
    expect(statuses).toEqual([401, 401, 429]);
  });

  it("are limited to two hundred per quarter of an hour from one site, whatever its networks", async () => {
    const limit = { name: "passwordSite", subject: "2001:db8:fffd", max: 200, windowMs: 900_000 };
    for (let n = 0; n < 198; n++) await takeAttempt({ db: env.DB, secret: env.KEY_SECRET }, [limit], Date.now());
    const statuses = [];
    for (const network of ["1", "2", "3"]) {
      statuses.push((await attempt(`${crypto.randomUUID()}@example.com`, `2001:db8:fffd:${network}::1`)).status);
    }
    expect(statuses).toEqual([401, 401, 429]);
  });
});
