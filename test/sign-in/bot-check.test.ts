import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WORK_BITS, issueTicket, provesWork, readTicket } from "../../src/sign-in/proof-of-work.ts";
import { prove } from "../../src/client/prove.ts";
import { forgetCounts, freshAddress, solved, ticketOf } from "../world/codes.ts";
import { codeFor, freshNumber, from } from "../world/people.ts";
import type { Page } from "../world/visitor.ts";
import { serviceWith } from "../world/deployment.ts";
import { Visitor } from "../world/visitor.ts";

// The bot check before a code when a ceiling nears: here after the first code of a minute or day.

const MINUTE_MS = 60_000;
const BUSY = { CODES_PER_DAY: "8", CODES_PER_MINUTE: "80" };
const busy = serviceWith(BUSY);

const laterByMs = (ms: number) => vi.setSystemTime(Date.now() + ms);

/** A phone at an address that is asked for a bot check, and the page that asks. */
interface Checked {
  phone: string;
  address: string;
  page: Page;
}

async function checked(fetch = busy, address = freshAddress()): Promise<Checked> {
  const phone = freshNumber();
  const page = await new Visitor(fetch).submit("/sign-in", { phone }, from(address));
  expect([page.status, ticketOf(page) !== null]).toEqual([429, true]);
  return { phone, address, page };
}

const again = ({ phone, address }: Pick<Checked, "phone" | "address">, more: Record<string, string>, fetch = busy) =>
  new Visitor(fetch).submit("/sign-in", { phone, ...more }, from(address));

const ticketIn = (page: Page) => ({ ticket: ticketOf(page) ?? "" });

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  await forgetCounts();
  for (let n = 0; n < 4; n++) {
    await new Visitor(busy).submit("/sign-in", { phone: freshNumber() }, from(freshAddress()));
  }
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a ticket", () => {
  const [secret, nowMs] = [env.KEY_SECRET, 1_700_000_000_000];
  const binding = { phone: "+919876543210", network: "203.0.113.9" };

  it("is valid for its phone, its network and ten minutes, and not when altered", () => {
    const { text } = issueTicket(secret, binding, nowMs);
    expect(readTicket(secret, binding, text, nowMs + 10 * MINUTE_MS - 1)).toEqual({ text, issuedAt: nowMs });
    expect(readTicket(secret, binding, text, nowMs + 10 * MINUTE_MS)).toBeNull();
    expect(readTicket(secret, { ...binding, phone: "+919876543211" }, text, nowMs)).toBeNull();
    expect(readTicket(secret, { ...binding, network: "203.0.113.10" }, text, nowMs)).toBeNull();
    expect(readTicket(secret, { ...binding, network: null }, text, nowMs)).toBeNull();
    expect(readTicket(`${secret}x`, binding, text, nowMs)).toBeNull();
    const later = (nowMs + MINUTE_MS).toString(36);
    for (const altered of ["", "x", text.replace(nowMs.toString(36), later), text.slice(1), `${text}.1`]) {
      expect(readTicket(secret, binding, altered, nowMs)).toBeNull();
    }
  });

  it("is proved by a number that the browser's script finds, and by few others", async () => {
    const ticket = issueTicket(secret, binding, nowMs);
    const number = await prove(ticket.text, WORK_BITS);
    expect(provesWork(ticket, String(number))).toBe(true);
    expect(provesWork(issueTicket(secret, binding, nowMs), String(number))).toBe(false);
    for (const wrong of ["", "-1", "1e5", " 1", "9".repeat(16), String(number + 1)]) {
      expect(provesWork(ticket, wrong)).toBe(false);
    }
  });

  it("costs its browser 2^17 hashes on average, about a second on a phone", async () => {
    // With fewer bits the same search takes that many times fewer hashes: the mean of 64 searches is within 4 sigma.
    const bits = 8;
    const found = [];
    for (let n = 0; n < 64; n++) found.push(await prove(issueTicket(secret, binding, nowMs).text, bits));
    const mean = found.reduce((sum, number) => sum + number + 1, 0) / found.length;
    expect(mean).toBeGreaterThan(2 ** bits / 2);
    expect(mean).toBeLessThan(2 ** bits * 1.5);
    expect(WORK_BITS).toBe(17);
  });
});

describe("the search for a number", () => {
  it("leaves the page its turn after each slice of time", async () => {
    let nowMs = 0;
    // Every look at the clock is later than a slice lasts.
    vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 25));
    const turns = vi.spyOn(globalThis, "setTimeout");
    const number = await prove(issueTicket(env.KEY_SECRET, { phone: "+919876543210", network: null }, 0).text, 12);
    expect(turns).toHaveBeenCalledTimes(Math.floor(number / 256));
  });
});

describe("proof of work", () => {
  it("is accepted once, for the phone and the network that it was made for", async () => {
    const asked = await checked();
    const work = await solved(asked.page);
    expect((await again({ ...asked, phone: freshNumber() }, work)).status).toBe(429);
    expect((await again({ ...asked, address: freshAddress() }, work)).status).toBe(429);
    expect((await again(asked, { ...work, work: "1" })).status).toBe(429);
    expect((await again(asked, work)).status).toBe(303);
    const used = await again(asked, work);
    expect(used.status).toBe(429);
    expect(ticketOf(used)).not.toBeNull();
    expect(ticketOf(used)).not.toBe(work.ticket);
  });

  it("is accepted once of thirty that arrive at the same time", async () => {
    const asked = await checked();
    const work = await solved(asked.page);
    const pages = await Promise.all(Array.from({ length: 30 }, () => again(asked, work)));
    expect(pages.filter(({ status }) => status === 303)).toHaveLength(1);
  });

  it("leads a sign-up and another code to the same end, with what was typed", async () => {
    const visitor = new Visitor(busy);
    const address = from(freshAddress());
    const typed = {
      name: "Asha",
      email: `${crypto.randomUUID()}@example.com`,
      phone: freshNumber(),
      password: "a long pass phrase",
    };
    const page = await visitor.submit("/sign-up", typed, address);
    expect(page.status).toBe(429);
    expect(page.text).toContain(`value="${typed.email}"`);
    expect(page.text).not.toContain(typed.password);
    expect((await visitor.submit("/sign-up", { ...typed, ...(await solved(page)) }, address)).status).toBe(303);
    const resent = await visitor.submit("/sign-in/resend", {}, address);
    expect(resent.status).toBe(429);
    expect((await visitor.submit("/sign-in/resend", await solved(resent), address)).status).toBe(303);
    const code = await codeFor(`+91${typed.phone}`);
    expect((await visitor.submit("/sign-in/code", { code })).headers.get("location")).toBe("/");
  });

  it("is asked of programs in the words of the API, with the time after which they may ask again", async () => {
    const json = { ...from(freshAddress()), accept: "application/json" };
    const reply = await new Visitor(busy).submit("/sign-in", { phone: freshNumber() }, json);
    expect(reply.status).toBe(429);
    expect(JSON.parse(reply.text)).toMatchObject({ success: false, code: "rate_limited" });
    expect(reply.headers.get("retry-after")).toBe("20");
  });

  it("is explained in Hindi too", async () => {
    const visitor = new Visitor(busy);
    visitor.cookies.set("lang", "hi");
    const page = await visitor.submit("/sign-in", { phone: freshNumber() }, from(freshAddress()));
    expect(page.text).toContain("आपका ब्राउज़र पहले एक छोटी पहेली हल करेगा");
  });
});

describe("without a script", () => {
  it("a browser waits twenty seconds, and its ticket is accepted once", async () => {
    const asked = await checked();
    expect(asked.page.headers.get("retry-after")).toBe("20");
    expect(asked.page.text).toContain("Please wait 20 seconds, then press the button again.");
    laterByMs(12_000);
    const early = await again(asked, ticketIn(asked.page));
    expect([early.status, early.headers.get("retry-after")]).toEqual([429, "8"]);
    expect(ticketOf(early)).toBe(ticketOf(asked.page));
    laterByMs(8_000);
    expect((await again(asked, ticketIn(asked.page))).status).toBe(303);
    const used = await again(asked, ticketIn(asked.page));
    expect(used.status).toBe(429);
    expect(ticketOf(used)).not.toBe(ticketOf(asked.page));
  });

  it("a ticket that was used by waiting is not accepted with work as well", async () => {
    const asked = await checked();
    laterByMs(20_000);
    expect((await again(asked, ticketIn(asked.page))).status).toBe(303);
    expect((await again(asked, await solved(asked.page))).status).toBe(429);
  });

  it("three codes in ten minutes for one network, however many tickets it saved, and ten for one site", async () => {
    const wide = serviceWith({ ...BUSY, CODES_PER_DAY: "100" });
    for (let n = 0; n < 46; n++) {
      await new Visitor(wide).submit("/sign-in", { phone: freshNumber() }, from(freshAddress()));
      if (n === 30) laterByMs(MINUTE_MS);
    }
    const waited = async (address: (n: number) => string, count: number) => {
      const all = [];
      for (let n = 0; n < count; n++) all.push(await checked(wide, address(n)));
      laterByMs(20_000);
      const pages = [];
      for (const one of all) pages.push(await again(one, ticketIn(one.page), wide));
      return pages.filter(({ status }) => status === 303).length;
    };
    expect(await waited(() => "2001:db8:aaaa:1::1", 6)).toBe(3);
    expect(await waited((n) => `2001:db8:aaab:${n.toString(16)}::1`, 14)).toBe(10);
  });
});
