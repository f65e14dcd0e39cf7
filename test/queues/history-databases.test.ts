import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { olderPage } from "../../src/activity/list.ts";
import { usageOf, usageStartMs } from "../../src/activity/usage.ts";
import { openAlerts } from "../../src/db/health/alerts.ts";
import { searchHistory } from "../../src/db/activity.ts";
import type { MessageView } from "../../src/model/message.ts";
import { forgetAlerts } from "../world/alerts.ts";
import { bodyOf, consume, failing, openIn, withSecond } from "../world/history-queue.ts";
import { rowsOf, settledSeq } from "../world/history.ts";
import { PASS_MS, alarm, alarmMs, later, restingWorld, sendDelivered, stopClock } from "../world/pass.ts";
import { dispatch, follow, messagesOf, sendSms } from "../world/world.ts";
import type { World } from "../world/world.ts";

// Each account's history is in the database that was the newest when the account was opened.

afterEach(() => vi.restoreAllMocks());

const FULL = failing("D1_ERROR: Exceeded maximum DB size: SQLITE_FULL");

/** Sends, and takes what was sent through its carrier and receipts; returns the job numbers. */
async function deliver(world: World, count = 2): Promise<number[]> {
  for (let sent = 0; sent < count; sent += 1) await sendSms(world);
  const seqs = [...new Set((await messagesOf(world)).map(({ seq }) => seq))];
  await dispatch(world, seqs);
  await follow(world, seqs);
  return seqs;
}

/** What a database has of an account. */
async function heldBy(database: D1Database, { ref }: World): Promise<MessageView[]> {
  const whole = { terms: [], from: null, limit: 1_000, groups: 1_000, low: 0, high: Number.MAX_SAFE_INTEGER };
  return (await searchHistory(database, ref, { ...whole, direction: "newer", except: [] })).rows;
}

const listIn = (at: Env, { ref, stub }: World) => olderPage({ env: at, ref, stub }, [], null);

async function chartIn(at: Env, { ref, stub }: World): Promise<number | null> {
  const outline = await stub.outline(usageStartMs(Date.now()));
  const days = outline && (await usageOf(at, ref, outline, Date.now()));
  return days?.reduce((sum, { sms }) => sum + sms, 0) ?? null;
}

const profileOf = ({ ref }: World) =>
  env.DB.prepare("SELECT rev FROM account WHERE account_id = ? AND mode = ?").bind(ref.accountId, ref.mode).first();

describe("a second database of history", () => {
  it("gets new accounts, in both modes; those from before stay where they are", async () => {
    const [old, fresh] = [await openIn(env), await openIn(withSecond)];
    // Opened again after the deploy, as a repeated request does.
    await old.live.stub.open({ ...OPENING, keyId: old.live.keyId, historyDb: 2 });
    const places = [
      [old.live, env.HISTORY_1, env.SPARE_HISTORY],
      [old.test, env.HISTORY_1, env.SPARE_HISTORY],
      [fresh.live, env.SPARE_HISTORY, env.HISTORY_1],
      [fresh.test, env.SPARE_HISTORY, env.HISTORY_1],
    ] as const;
    const bodies = [];
    for (const [world] of places) bodies.push(bodyOf(world, await deliver(world), true));
    expect((await consume(bodies, withSecond)).again).toEqual([]);
    for (const [world, its, other] of places) {
      const sent = await messagesOf(world);
      expect(await settledSeq(world)).toBe(sent.at(-1)?.seq);
      expect(await heldBy(its, world)).toEqual(sent);
      expect(await heldBy(other, world)).toEqual([]);
      const page = await listIn(withSecond, world);
      expect(page).toMatchObject({ rows: sent.toReversed(), away: false });
      expect(await chartIn(withSecond, world)).toBe(2);
      expect(await profileOf(world)).not.toBeNull();
    }
  });
});

const OPENING = {
  name: "Test",
  plan: "premium",
  otpRate: null,
  balance: 10_000_000,
  keyName: "first key",
} as const;

describe("a database of history that is away or full", () => {
  it("holds up no account of another one, and no profile", async () => {
    const [ill, well] = [(await openIn(env)).live, (await openIn(withSecond)).live];
    const bodies = [bodyOf(ill, await deliver(ill), true), bodyOf(well, await deliver(well), true)];
    const alone = bodyOf(ill, [], true);
    const result = await consume([...bodies, alone], { ...withSecond, HISTORY_1: FULL });
    expect(result).toEqual({ taken: ["m1", "m2"], again: ["m0"] });
    expect(await settledSeq(ill)).toBe(0);
    expect(await heldBy(env.SPARE_HISTORY, well)).toEqual(await messagesOf(well));
    expect(await settledSeq(well)).toBe(3);
    for (const world of [ill, well]) expect(await profileOf(world)).not.toBeNull();
    // What it misses is in the account, whose list and chart are complete.
    expect((await listIn({ ...withSecond, HISTORY_1: FULL }, ill)).rows).toHaveLength(2);
    expect(await consume([bodyOf(ill, [2, 3])], withSecond)).toEqual({ taken: ["m0"], again: [] });
    expect(await settledSeq(ill)).toBe(3);
  });

  it("is tried again with gaps that double, by the queue for a minute and then by its account; profiles go on", async () => {
    stopClock();
    onTestFinished(() => void vi.useRealTimers());
    const world = await restingWorld();
    await sendDelivered(world);
    later(PASS_MS);
    let named = await alarm(world);
    const gaps: number[] = [];
    while (gaps.length < 6) {
      expect(await consume(named, { HISTORY_1: FULL }, 5)).toEqual({ taken: [], again: ["m0"] });
      await world.stub.amend({ plan: gaps.length % 2 === 0 ? "business" : "premium" });
      await consume([bodyOf(world, [], true)], { HISTORY_1: FULL });
      expect(await profileOf(world)).toEqual({ rev: (await world.stub.view())?.rev });
      expect(await consume(named, { HISTORY_1: FULL }, 6)).toEqual({ taken: ["m0"], again: [] });
      const since = Date.now();
      do {
        later(((await alarmMs(world)) ?? 0) - Date.now());
        named = await alarm(world);
      } while (named.length === 0);
      gaps.push(Date.now() - since);
    }
    expect(gaps).toEqual(gaps.toSorted((one, other) => one - other));
    expect(gaps.at(-1)).toBeGreaterThan(8 * (gaps[0] ?? 0));
    expect(await consume(named)).toEqual({ taken: ["m0"], again: [] });
    expect(await heldBy(env.HISTORY_1, world)).toEqual(await messagesOf(world));
  });

  it("leaves what is recorded as it is while only the list of accounts is away", async () => {
    const { live } = await openIn(env);
    const body = bodyOf(live, await deliver(live), true);
    expect(await consume([body], { DB: FULL })).toEqual({ taken: [], again: ["m0"] });
    expect(await settledSeq(live)).toBe(3);
    expect(await profileOf(live)).toBeNull();
    expect(await consume([body])).toEqual({ taken: ["m0"], again: [] });
    expect(await profileOf(live)).not.toBeNull();
  });
});

describe("a database of history that is not bound any more", () => {
  it("loses nothing: the history waits in its accounts, and the operator is alerted", async () => {
    await forgetAlerts();
    const log = vi.spyOn(console, "log").mockReturnValue();
    const { live } = await openIn(withSecond);
    expect(await consume([bodyOf(live, await deliver(live, 1))], withSecond)).toMatchObject({
      taken: ["m0"],
      again: [],
    });
    const seqs = await deliver(live, 1);
    expect(await consume([bodyOf(live, seqs)])).toEqual({ taken: [], again: ["m0"] });
    expect(await openAlerts(env.DB, 10)).toMatchObject([{ kind: "history_unbound", subject: "HISTORY_2", count: 1 }]);
    // The next batch meets the same, and reports nothing again.
    expect(await consume([bodyOf(live, seqs)])).toEqual({ taken: [], again: ["m0"] });
    expect(log.mock.calls.filter(([line]) => String(line).includes("history_unbound"))).toHaveLength(1);
    await forgetAlerts();
    const page = await listIn(env, live);
    expect(page.away).toBe(true);
    expect(page.rows.map(({ seq }) => seq)).toEqual([3]);
    expect(await chartIn(env, live)).toBeNull();
    expect((await live.stub.messageDetail({ seq: 2, index: 0 }))?.message.state).toBe("delivered");
    expect(await consume([bodyOf(live, seqs)], withSecond)).toEqual({ taken: ["m0"], again: [] });
    expect((await listIn(withSecond, live)).rows).toHaveLength(2);
  });
});

describe("two versions side by side", () => {
  it("count nothing as recorded that a consumer of the version before wrote elsewhere", async () => {
    const { live } = await openIn(env);
    const seqs = await deliver(live);
    const jobs = (await live.stub.records(seqs, false))?.groups.flatMap((group) => group.jobs) ?? [];
    await live.stub.recorded({ jobs, profileRev: 1 });
    expect(await settledSeq(live)).toBe(0);
    await live.stub.recorded({ historyDb: 2, jobs, profileRev: null });
    expect(await settledSeq(live)).toBe(0);
    await live.stub.recorded({ historyDb: 1, jobs, profileRev: null });
    expect(await settledSeq(live)).toBe(3);
  });

  it("leave what an object of the version before gives in the queue, until it runs this one", async () => {
    const { live } = await openIn(env);
    const seqs = await deliver(live);
    const told = vi.fn<() => void>();
    const older = new Proxy(live.stub, {
      get: (of, call) => {
        if (call === "recorded") return told;
        if (call !== "records") return Reflect.get(of, call);
        return async () => {
          const { groups = [], profile = null } = (await of.records(seqs, false)) ?? {};
          return { groups, profile };
        };
      },
    });
    const at = { ACCOUNT: { getByName: () => older } as unknown as Env["ACCOUNT"] };
    expect(await consume([bodyOf(live, seqs)], at)).toEqual({ taken: [], again: ["m0"] });
    expect(told).not.toHaveBeenCalled();
    expect(await rowsOf(live)).toBe(0);
  });
});
