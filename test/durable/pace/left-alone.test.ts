import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openAlerts } from "../../../src/db/health/alerts.ts";
import type { PermitsAsked, Seen } from "../../../src/model/pace.ts";

// A pacing object whose carrier fails: it is left alone, tried, and brought back (contract §16.2).

const NOTHING: Seen = { taken: 0, busy: 0 };
const FAILED: Seen = { taken: 0, busy: 0, away: 1, row: { failures: 1 } };
const TAKEN: Seen = { taken: 1, busy: 0, row: { failures: 0, takenAgoMs: 0 } };

beforeEach(() => {
  vi.spyOn(console, "log").mockReturnValue();
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

let opened = 0;
const openPace = () => {
  const name = `failing-${++opened}`;
  const stub = env.PACE.getByName(name);
  const asked: PermitsAsked = { lane: "single", account: "a", max: 3, hasOther: true, seen: NOTHING };
  const fail = async (times: number) => {
    for (let at = 0; at < times; at++) await stub.tell(FAILED);
  };
  return { name, stub, asked, fail, ask: (more: Partial<PermitsAsked> = {}) => stub.take({ ...asked, ...more }) };
};

const rowOf = (stub: ReturnType<typeof openPace>["stub"]) =>
  runInDurableObject(stub, (_object, state) => state.storage.kv.get("breaker"));

describe("a carrier that fails five times in a row", () => {
  it("gets no message that has another carrier, and the others as without a breaker", async () => {
    const { ask, fail } = openPace();
    await fail(4);
    expect(await ask()).toMatchObject({ state: "up", outMs: 0, merit: 1 });
    await fail(1);
    expect(await ask()).toMatchObject({ state: "out", atMs: [], isLimited: true });
    expect((await ask({ hasOther: false })).atMs).toHaveLength(3);
  });

  it("is tried by one message after that, whoever asks, and comes back with the first that it takes", async () => {
    const { stub, ask, fail } = openPace();
    await fail(5);
    pass(29_000);
    expect((await ask()).state).toBe("out");
    pass(1_500);
    const answers = await Promise.all(Array.from({ length: 6 }, (_, at) => ask({ account: `a${at}` })));
    expect(answers.filter(({ state }) => state === "trial")).toHaveLength(1);
    expect(answers.flatMap(({ atMs }) => atMs)).toHaveLength(1);
    expect(answers.filter(({ state }) => state === "out").every(({ outMs = 0 }) => outMs > 0 && outMs <= 1_000)).toBe(
      true,
    );
    expect(await stub.tell(TAKEN)).toMatchObject({ state: "up", outMs: 0 });
    expect((await ask()).atMs).toHaveLength(3);
  });

  it("is tried by the next message where the one that did is never heard of again, or went elsewhere", async () => {
    const { stub, ask, fail } = openPace();
    await fail(5);
    pass(30_000);
    expect((await ask()).state).toBe("trial");
    expect((await ask()).state).toBe("out");
    await stub.tell({ ...NOTHING, tried: true });
    expect((await ask()).state).toBe("trial");
    pass(20_000);
    expect((await ask()).state).toBe("trial");
  });

  it("is tried by no second message while the first may still be on its way, however long that takes", async () => {
    const { stub, ask, fail } = openPace();
    await fail(5);
    pass(30_000);
    expect((await ask({ longestMs: 60_000 })).state).toBe("trial");
    pass(69_999);
    expect((await ask({ longestMs: 60_000 })).state).toBe("out");
    pass(1);
    expect((await ask({ longestMs: 60_000 })).state).toBe("trial");
    await stub.tell(TAKEN);
    expect((await ask()).state).toBe("up");
  });

  it("stays left alone over an eviction, twice as long, with a row that is written only when that changes", async () => {
    const { stub, ask, fail } = openPace();
    await fail(3);
    expect(await rowOf(stub)).toBe(undefined);
    await fail(2);
    const row = await rowOf(stub);
    await fail(5);
    await ask();
    expect(await rowOf(stub)).toEqual(row);
    pass(30_000);
    await ask();
    await fail(1);
    expect(await rowOf(stub)).not.toEqual(row);
    await evictDurableObject(stub);
    pass(59_000);
    expect(await ask()).toMatchObject({ state: "out" });
    pass(1_000);
    expect((await ask()).state).toBe("trial");
    await stub.tell(TAKEN);
    await evictDurableObject(stub);
    expect((await ask()).state).toBe("up");
  });

  it("gives the permits back of who waited while it was taken out", async () => {
    vi.useRealTimers();
    const { stub, ask, fail } = openPace();
    await ask({ tps: 1, max: 1 });
    const waiting = ask({ tps: 1, account: "b" });
    await fail(5);
    expect(await waiting).toMatchObject({ state: "out", atMs: [] });
    expect((await stub.standing()).health.state).toBe("out");
  });
});

describe("a carrier that is busy", () => {
  it("is not taken out by 429s and silences, however many", async () => {
    vi.useRealTimers();
    const { stub, ask } = openPace();
    for (let at = 0; at < 50; at++) await stub.tell({ taken: 0, busy: 1, lately: [] });
    await stub.tell({ taken: 0, busy: 0, away: 1, quietMs: 500 });
    expect((await ask()).state).toBe("up");
  });
});

describe("a carrier that does not accept the deployment's account", () => {
  it("is taken out at once, and the operator told once until it takes a message", async () => {
    const { name, stub, ask } = openPace();
    const alerts = async () => (await openAlerts(env.DB, 100)).filter(({ subject }) => subject === name);
    const told: Seen = { taken: 0, busy: 0, away: 1, row: { failures: 0, trouble: "http_401" } };
    for (let at = 0; at < 3; at++) await stub.tell(told);
    await vi.waitFor(async () => expect(await alerts()).toHaveLength(1));
    expect(await alerts()).toMatchObject([{ kind: "carrier_account", count: 1, values: { code: "http_401" } }]);
    pass(30_000);
    expect((await ask()).state).toBe("trial");
    await stub.tell(told);
    expect(await ask()).toMatchObject({ state: "out" });
    pass(60_000);
    expect(await alerts()).toMatchObject([{ count: 1 }]);
    await stub.tell(TAKEN);
    await vi.waitFor(async () => expect(await alerts()).toEqual([]));
  });
});

describe("what a pacing object is told of receipts", () => {
  it("makes its health, and what its deliveries are worth; what the asking isolate knows counts too", async () => {
    const { stub } = openPace();
    const results = { delivered: 10, undelivered: 90 };
    const lately = [{ agoMs: 0, results, submitMs: [40], deliveryMs: [3_000] }];
    const { merit } = await stub.tell({ ...NOTHING, lately, error: { code: "http_404", agoMs: 0 } });
    expect(merit).toBeLessThan(0.5);
    const health = await stub.health({
      ...NOTHING,
      lately: [{ agoMs: 0, results: { submitted: 1 }, submitMs: [], deliveryMs: [] }],
    });
    expect(health).toMatchObject({
      state: "up",
      lastError: { code: "http_404" },
      minute: { submitted: 1, delivered: 10, undelivered: 90 },
      medianMs: 40,
    });
  });
});
