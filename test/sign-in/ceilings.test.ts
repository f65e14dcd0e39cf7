import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PLANS } from "../../src/money/plans.ts";
import { forgetCounts, freshAddress, solved, ticketOf } from "../world/codes.ts";
import { codeFor, freshNumber, from, signInByPhone, twin } from "../world/people.ts";
import type { Page } from "../world/visitor.ts";
import { serviceWith } from "../world/deployment.ts";
import { Visitor } from "../world/visitor.ts";

// The ceilings of the whole service: 8 a minute, of which unknown browsers get 6, and 4 without a bot check.

const MINUTE_MS = 60_000;

const tight = serviceWith({ CODES_PER_MINUTE: "8" });
const unknown = () => new Visitor(tight);

/** The same browser, as a visitor of the service with tight ceilings. */
function there(known: Visitor, fetch = tight): Visitor {
  const visitor = new Visitor(fetch);
  for (const [name, value] of known.cookies) visitor.cookies.set(name, value);
  return visitor;
}

const laterByMs = (ms: number) => vi.setSystemTime(Date.now() + ms);

const ask = (visitor: Visitor, phone: string, more: Record<string, string> = {}, address = freshAddress()) =>
  visitor.submit("/sign-in", { phone, ...more }, from(address));

/** Asks as an unknown browser from one address, and proves work where the page asks for it. */
async function askWithWork(): Promise<Page> {
  const [phone, address] = [freshNumber(), freshAddress()];
  const page = await ask(unknown(), phone, {}, address);
  return ticketOf(page) === null ? page : ask(unknown(), phone, await solved(page), address);
}

/** A browser in which a person signed in before, at a quiet time. */
async function knownBrowser(): Promise<{ visitor: Visitor; number: string }> {
  const number = freshNumber();
  const { visitor } = await signInByPhone(number);
  return { visitor, number };
}

/** The levels of ceilings that were logged. */
const alertsIn = (log: { mock: { calls: unknown[][] } }) =>
  log.mock.calls.flatMap(([line]) => {
    const { event, ceiling, level } = JSON.parse(String(line)) as Record<string, string>;
    return event === "alert" && ceiling !== undefined ? [`${ceiling}: ${level}`] : [];
  });

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  await forgetCounts();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("the ceiling of a minute", () => {
  it("asks unknown browsers for a bot check from its half on, and refuses them before known browsers", async () => {
    const known = await knownBrowser();
    const other = await knownBrowser();
    laterByMs(MINUTE_MS);
    await forgetCounts();
    const log = vi.spyOn(console, "log");
    for (let n = 0; n < 4; n++) expect((await ask(unknown(), freshNumber())).status).toBe(303);
    const checked = await ask(unknown(), freshNumber());
    expect(checked.status).toBe(429);
    expect(ticketOf(checked)).not.toBeNull();
    expect(checked.text).toContain("your browser solves a small puzzle first");
    expect((await askWithWork()).status).toBe(303);
    expect((await askWithWork()).status).toBe(303);
    const full = await askWithWork();
    expect(full.status).toBe(429);
    expect(ticketOf(full)).toBeNull();
    expect(full.text).toContain("Too many codes requested.");
    // The rest belongs to known browsers, and to people who are signed in.
    known.visitor.cookies.delete("session");
    expect((await ask(there(known.visitor), known.number)).status).toBe(303);
    const confirming = await there(other.visitor).submit("/confirm/send", { next: "/" }, from(freshAddress()));
    expect(confirming.status).toBe(303);
    expect((await ask(there(known.visitor), known.number)).status).toBe(429);
    expect(alertsIn(log)).toEqual(["minute: near", "minute: reached for unknown browsers", "minute: reached"]);
    laterByMs(MINUTE_MS);
    expect((await ask(unknown(), freshNumber())).status).toBe(303);
    // The next minutes log nothing: a line an hour for each level.
    for (let n = 0; n < 4; n++) await ask(unknown(), freshNumber());
    expect(alertsIn(log)).toHaveLength(3);
  });

  it("admits exactly its number of thirty that arrive at the same time", async () => {
    const known = await knownBrowser();
    laterByMs(MINUTE_MS);
    const pages = await Promise.all(Array.from({ length: 30 }, () => ask(unknown(), freshNumber())));
    expect(pages.filter(({ status }) => status === 303)).toHaveLength(4);
    const own = await Promise.all(Array.from({ length: 30 }, () => ask(there(twin(known.visitor)), known.number)));
    expect(own.filter(({ status }) => status === 303)).toHaveLength(4);
  });

  it("is below the window of the account that sends: that never refuses", async () => {
    const widest = serviceWith({ CODES_PER_MINUTE: "80" });
    let sent = 0;
    // Two windows that meet: the last moment of one, the first of the next.
    await ask(new Visitor(widest), freshNumber());
    for (const ms of [MINUTE_MS - 1, 1]) {
      laterByMs(ms);
      for (let n = 0; n < 50; n++) {
        const page = await ask(new Visitor(widest), freshNumber());
        if (page.status === 303) sent += 1;
        else expect(ticketOf(page)).not.toBeNull();
      }
    }
    expect(sent).toBe(79);
    expect(2 * 80).toBeLessThan(PLANS.premium.requestsPerMinute);
  });
});

describe("the ceiling of a day", () => {
  it("keeps its share for known browsers too, and ends with the day", async () => {
    const known = await knownBrowser();
    await forgetCounts();
    laterByMs(MINUTE_MS);
    const day = serviceWith({ CODES_PER_DAY: "8" });
    const stranger = async () => {
      laterByMs(MINUTE_MS);
      const [phone, address] = [freshNumber(), freshAddress()];
      const page = await ask(new Visitor(day), phone, {}, address);
      return ticketOf(page) === null ? page : ask(new Visitor(day), phone, await solved(page), address);
    };
    const log = vi.spyOn(console, "log");
    for (let n = 0; n < 6; n++) expect((await stranger()).status).toBe(303);
    expect((await stranger()).status).toBe(429);
    for (let n = 0; n < 2; n++) expect((await ask(there(known.visitor, day), known.number)).status).toBe(303);
    expect((await ask(there(known.visitor, day), known.number)).status).toBe(429);
    expect(alertsIn(log)).toEqual(["day: near", "day: reached for unknown browsers", "day: reached"]);
    laterByMs(24 * 60 * MINUTE_MS);
    expect((await stranger()).status).toBe(303);
  });
});

/** A browser in an autonomous system. */
const inSystem = (asn: number, fetch = tight) => new Visitor((url, init) => fetch(url, { ...init, cf: { asn } }));

async function askFrom(asn: number): Promise<Page> {
  const [phone, address] = [freshNumber(), freshAddress()];
  const page = await ask(inSystem(asn), phone, {}, address);
  return ticketOf(page) === null ? page : ask(inSystem(asn), phone, await solved(page), address);
}

describe("an autonomous system", () => {
  it("gets half of what unknown browsers get: visitors of another one still get codes", async () => {
    for (let n = 0; n < 3; n++) expect((await askFrom(64_500)).status).toBe(303);
    expect((await askFrom(64_500)).status).toBe(429);
    expect((await askFrom(64_501)).status).toBe(303);
  });

  it("cannot use up the codes of another person's phone", async () => {
    const number = freshNumber();
    const wide = serviceWith({});
    let sent = 0;
    for (let n = 0; n < 60; n++) {
      laterByMs(10 * MINUTE_MS);
      if ((await ask(inSystem(64_500, wide), number)).status === 303) sent += 1;
    }
    expect(sent).toBe(15);
    const visitor = inSystem(64_501, wide);
    expect((await ask(visitor, number)).status).toBe(303);
    const done = await visitor.submit("/sign-in/code", { code: await codeFor(`+91${number}`) });
    expect(done.headers.get("location")).toBe("/");
  });
});
