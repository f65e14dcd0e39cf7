import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { ACTIVITY_OPERATORS, PAGE_SIZE, newerPage, olderPage, stretches } from "../../src/activity/list.ts";
import type { ActivityPage, Source } from "../../src/activity/list.ts";
import { messageId } from "../../src/crypto/ids.ts";
import type { MessagePlace } from "../../src/model/ref.ts";
import { matches } from "../../src/search/match.ts";
import { parseSearch } from "../../src/search/parse.ts";
import type { Term } from "../../src/search/terms.ts";
import { bearer, dispatch, follow, messagesOf, openWorld, post, recordHistory, sendSms } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { settledSeq } from "../world/history.ts";
import { visit } from "../world/visitor.ts";

function termsOf(q: string): Term[] {
  const { terms, faults } = parseSearch(q, { nowMs: Date.now(), operators: ACTIVITY_OPERATORS });
  expect(faults).toEqual([]);
  return terms;
}

const places = (rows: readonly MessagePlace[]) => rows.map(({ seq, index }) => `${seq}.${index}`);

const sourceOf = (world: World): Source => ({ env, ref: world.ref, stub: world.stub });

/** Sends one bulk to `count` numbers that start at 9000000000 + `first`. */
async function bulk(world: World, count: number, first: number) {
  const recipients = Array.from({ length: count }, (_, at) => String(9_000_000_000 + first + at));
  const reply = await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
  expect(reply.status).toBe(200);
}

const jobsOf = async (world: World) => [...new Set((await messagesOf(world)).map(({ seq }) => seq))];

/** Delivers, records and settles everything that this world has sent so far. */
async function settleAll(world: World) {
  const seqs = await jobsOf(world);
  await dispatch(world, seqs);
  await follow(world, seqs);
  await recordHistory(world, seqs);
}

async function pagesDown(world: World, terms: Term[], between: (page: number) => Promise<void> = async () => {}) {
  const pages: ActivityPage[] = [];
  let from: MessagePlace | null = null;
  do {
    const page: ActivityPage = await olderPage(sourceOf(world), terms, from);
    pages.push(page);
    await between(pages.length);
    from = page.older;
  } while (from);
  return pages;
}

describe("the list", () => {
  it("shows a message at once with its current state, whether or not it is in history yet", async () => {
    const world = await openWorld();
    const stateOf = async (q = "") =>
      (await olderPage(sourceOf(world), termsOf(q), null)).rows.map(({ state }) => state);
    await sendSms(world);
    expect(await stateOf()).toEqual(["queued"]);
    await recordHistory(world, [2]);
    await dispatch(world, [2]);
    expect(await stateOf()).toEqual(["submitted"]);
    // In history the message is still queued.
    expect(await stateOf("state:queued")).toEqual([]);
    expect(await stateOf("state:submitted")).toEqual(["submitted"]);
    await follow(world, [2]);
    expect(await stateOf("state:delivered")).toEqual(["delivered"]);
    await recordHistory(world, [2]);
    expect(await stateOf()).toEqual(["delivered"]);
  });

  it("shows a late job in its account's state, not in the older state from history", async () => {
    const world = await openWorld({ mode: "test" });
    for (let sent = 0; sent < 40; sent += 1) await sendSms(world, { body: { phone: "7000000003" } });
    await settleAll(world);
    expect(await settledSeq(world)).toBe(0);
    // The jobs have been open for long, so they are recorded as they are, and the settled mark moves past them.
    await runInDurableObject(world.stub, (_, state) => {
      state.storage.sql.exec("UPDATE job SET created_at = created_at - 3600000");
    });
    await settleAll(world);
    expect(await settledSeq(world)).toBe(41);
    await world.stub.report(
      [{ seq: 20, index: 0, kind: "receipt", state: "undelivered", code: "absent_subscriber" }],
      false,
    );
    const { rows } = await olderPage(sourceOf(world), termsOf("state:undelivered"), null);
    expect(places(rows)).toEqual(["20.0"]);
    expect((await olderPage(sourceOf(world), termsOf("state:submitted"), null)).rows).toHaveLength(39);
  });

  it("shows every message exactly once over its pages while new ones arrive and old ones change", async () => {
    const world = await openWorld({ mode: "test" });
    await bulk(world, 230, 0);
    for (let sent = 0; sent < 35; sent += 1) await sendSms(world);
    await settleAll(world);
    expect(await settledSeq(world)).toBeGreaterThan(30);
    await bulk(world, 130, 1_000);
    await dispatch(world, await jobsOf(world));
    const before = places(await messagesOf(world)).toReversed();
    const pages = await pagesDown(world, [], async (page) => {
      await sendSms(world);
      if (page === 2) await settleAll(world);
    });
    expect(pages.flatMap(({ rows }) => places(rows))).toEqual(before);
    expect(pages.slice(0, -1).every(({ rows, cut }) => rows.length === PAGE_SIZE && !cut)).toBe(true);
    // Back up again: the pages are those of the list as it is now.
    const now = places(await messagesOf(world)).toReversed();
    const up: string[][] = [];
    for (let newer = pages.at(-1)?.newer ?? null; newer;) {
      const page: ActivityPage = await newerPage(sourceOf(world), [], newer);
      up.unshift(places(page.rows));
      newer = page.newer;
    }
    expect(up[0]).toEqual(now.slice(0, PAGE_SIZE));
    expect(new Set(up.flat()).size).toBe(now.length - (pages.at(-1)?.rows.length ?? 0));
  });

  it("returns the same over several stretches as one filter over all messages", async () => {
    const world = await openWorld({ mode: "test" });
    await bulk(world, 150, 0);
    for (let at = 0; at < 35; at += 1) {
      await sendSms(world, { body: { phone: `70000000${at % 2 === 0 ? "01" : "00"}` } });
    }
    await settleAll(world);
    await bulk(world, 40, 500);
    for (const q of [
      "state:refunded",
      "-state:delivered",
      "to:7000000001",
      "kind:otp",
      "9000000 cost:1",
      "after:1h",
      "before:2h",
    ]) {
      const { terms } = parseSearch(q, { nowMs: Date.now(), operators: ACTIVITY_OPERATORS });
      const wanted = places((await messagesOf(world)).filter((row) => matches(terms, row))).toReversed();
      for (const limit of [3, 1_000]) {
        const found: string[] = [];
        const asked = { terms, direction: "older" as const, from: null, limit };
        for await (const { rows } of stretches(sourceOf(world), asked)) found.push(...places(rows));
        expect(found).toEqual(wanted);
      }
    }
  });

  it("is complete when its messages are settled while it is being read", async () => {
    const world = await openWorld({ mode: "test" });
    for (let sent = 0; sent < 80; sent += 1) await sendSms(world);
    const wanted = places(await messagesOf(world)).toReversed();
    for (const direction of ["older", "newer"] as const) {
      const found: string[] = [];
      const asked = { terms: [], direction, from: null, limit: 25 };
      for await (const { rows } of stretches(sourceOf(world), asked)) {
        found.push(...places(rows));
        await sendSms(world);
        await settleAll(world);
      }
      expect(direction === "older" ? found : found.toReversed().slice(-80)).toEqual(wanted);
    }
  });

  it("still shows the newest messages while history is unavailable", async () => {
    const { world } = await visit();
    await sendSms(world);
    const broken = {
      prepare: () => {
        throw new Error("D1 is away");
      },
    } as unknown as D1Database;
    const page = await olderPage({ ...sourceOf(world), env: { HISTORY_1: broken } }, [], null);
    expect(page).toMatchObject({ away: true, older: null });
    expect(places(page.rows)).toEqual(["2.0"]);
  });
});

describe("/activity", () => {
  it("lists what was sent and links to each message", async () => {
    const { visitor, world } = await visit();
    await sendSms(world);
    const page = await visitor.get("/activity");
    expect(page.status).toBe(200);
    expect(page.text).toContain("+91 98765 43210");
    expect(page.text).toContain("first key");
    expect(page.text).toContain(`/activity/${messageId(env.KEY_SECRET, world.ref, "sms", { seq: 2, index: 0 })}`);
    expect((await visitor.get("/activity?q=kind:otp")).text).not.toContain("+91 98765 43210");
    expect((await visitor.get("/activity?q=kind:otp")).text).toContain("No messages match this search");
  });

  it("offers the next step when nothing was sent yet", async () => {
    const { visitor } = await visit();
    const page = await visitor.get("/activity");
    expect(page.text).toContain("Nothing sent yet");
    expect(page.text).toContain('href="/send"');
  });

  it.each([
    "/activity?q=blah:1",
    "/activity?q=kind:fax",
    "/activity?q=%22open",
    "/activity?q=key:nobody",
    "/activity?q=%00%FF",
    "/activity?q=" + "x".repeat(3_000),
    "/activity?older=1.2.3&newer=x",
    "/activity?newer=999999999999999.99999",
  ])("answers %s with the page", async (path) => {
    const { visitor, world } = await visit();
    await sendSms(world);
    const page = await visitor.get(path);
    expect(page.status).toBe(200);
    if (/blah|fax|open|nobody/u.test(path)) expect(page.text).toMatch(/class="notice bad".*was ignored/su);
  });

  it("shows hostile search text as plain text", async () => {
    const { visitor } = await visit();
    const hostile = `<img src=x onerror=alert(1)> "><script>alert(1)</script> foo:<i>`;
    const { text } = await visitor.get(`/activity?q=${encodeURIComponent(hostile)}`);
    expect(text).not.toContain("<img");
    expect(text).not.toContain("<script>");
    expect(text).not.toContain("<i>");
    expect(text).toContain("&lt;img src=x onerror=alert(1)&gt;");
  });
});
