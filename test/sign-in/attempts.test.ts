import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { forgetOldAttempts, networkOf } from "../../src/sign-in/attempts.ts";
import { countAttempt } from "../../src/db/sign-in.ts";
import { mac } from "../../src/crypto/bytes.ts";
import { codesFor, freshNumber, from, signInByPhone, twin } from "../world/people.ts";
import { Visitor } from "../world/visitor.ts";

const HOUR_MS = 3_600_000;

const count = async (nowMs: number) => (await countAttempt(env.DB, "window", 1_000, nowMs)).count;

describe("a count of attempts", () => {
  it("restarts when its window is over, and counts every one of many parallel attempts", async () => {
    expect(await count(5_000)).toBe(1);
    expect(await count(5_999)).toBe(2);
    expect(await count(6_000)).toBe(1);
    const all = await Promise.all(Array.from({ length: 30 }, () => countAttempt(env.DB, "many", HOUR_MS, 1)));
    expect(all.map((one) => one.count).toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 30 }, (_, at) => at + 1),
    );
    expect(new Set(all.map((one) => one.resetsAt))).toEqual(new Set([HOUR_MS + 1]));
  });

  it("is deleted when its window is over", async () => {
    await countAttempt(env.DB, "old", 1_000, 1);
    await countAttempt(env.DB, "new", HOUR_MS, Date.now());
    await forgetOldAttempts(env, Date.now());
    const { results } = await env.DB.prepare("SELECT bucket FROM attempt WHERE bucket IN ('old', 'new')").all();
    expect(results).toEqual([{ bucket: "new" }]);
  });
});

describe("the network of an address", () => {
  it.each([
    ["203.0.113.9", "203.0.113.9"],
    ["::ffff:203.0.113.9", "203.0.113.9"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:0DB8:0001:0002::ffff", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
  ])("of %s is %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

/** Asks for codes until one is refused; returns how many were sent. */
async function codesUntilRefused(number: () => string, address: () => string, most: number): Promise<number> {
  for (let sent = 0; sent < most; sent++) {
    const page = await new Visitor().submit("/sign-in", { phone: number() }, from(address()));
    if (page.status === 429) return sent;
    expect(page.status).toBe(303);
  }
  return most;
}

let network = 0;
const freshAddress = () => {
  network += 1;
  return `2001:db8:${network.toString(16)}::1`;
};

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
    const bucket = mac(env.KEY_SECRET, "attempt/v1/passwordAddress", address, 16);
    for (let n = 0; n < 48; n++) {
      await countAttempt(env.DB, Buffer.from(bucket).toString("base64url"), HOUR_MS, Date.now());
    }
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await attempt(`${crypto.randomUUID()}@example.com`, address)).status);
    expect(statuses).toEqual([401, 401, 429]);
  });
});
