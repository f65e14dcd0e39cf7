import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Seen } from "../../../src/model/pace.ts";

afterEach(() => vi.useRealTimers());

const NOTHING: Seen = { taken: 0, busy: 0 };

let opened = 0;
/** A pacing object of its own for each test. */
const openPace = () => env.PACE.getByName(`carrier ${++opened}`);

type Stub = ReturnType<typeof openPace>;

const rowsOf = (stub: Stub) => runInDurableObject(stub, (_object, state) => [...state.storage.kv.list()]);

/** Makes it learn that the carrier takes about five a second. */
async function learn(stub: Stub): Promise<void> {
  await stub.take({ lane: "bulk", account: "a", max: 20, seen: NOTHING });
  await stub.tell({ taken: 5, busy: 15 });
}

describe("the pacing object of a carrier", () => {
  it("grants everything and stores nothing while no limit was met", async () => {
    const stub = openPace();
    const permits = await stub.take({ lane: "single", account: "a", max: 3, seen: { taken: 50, busy: 0 } });
    expect(permits).toMatchObject({ againMs: 0, quietMs: 0, isLimited: false });
    expect(permits.atMs).toEqual(Array(3).fill(permits.nowMs));
    expect(await rowsOf(stub)).toEqual([]);
  });

  it("keeps a learned limit over an eviction, in one row that is not written for each answer", async () => {
    const stub = openPace();
    await learn(stub);
    const [first] = await rowsOf(stub);
    for (let at = 0; at < 20; at++) await stub.tell({ taken: 1, busy: 1 });
    expect(await rowsOf(stub)).toEqual([first]);
    await evictDurableObject(stub);
    const permits = await stub.take({ lane: "bulk", account: "a", max: 60, seen: NOTHING });
    expect(permits.isLimited).toBe(true);
    expect(permits.atMs.length).toBeLessThanOrEqual(20);
    expect((permits.atMs.at(-1) ?? 0) - permits.nowMs).toBeGreaterThan(100);
  });

  it("tells those who have permits of a silence, and gives none meanwhile", async () => {
    const stub = openPace();
    await learn(stub);
    const heard = stub.listen(5_000);
    await stub.tell({ taken: 0, busy: 1, quietMs: 60_000 });
    expect(await heard).toBeGreaterThan(59_000);
    const permits = await stub.take({ lane: "otp", account: "a", max: 1, seen: NOTHING });
    expect(permits.atMs).toEqual([]);
    expect(permits.againMs).toBeGreaterThan(59_000);
  });

  it("remembers a long silence over an eviction", async () => {
    const stub = openPace();
    await learn(stub);
    await stub.tell({ taken: 0, busy: 1, quietMs: 60_000 });
    await evictDurableObject(stub);
    const permits = await stub.take({ lane: "otp", account: "a", max: 1, seen: NOTHING });
    expect(permits.atMs).toEqual([]);
    expect(permits.quietMs).toBeGreaterThan(50_000);
  });

  it("remembers it also where nothing was learned of the rate", async () => {
    const stub = openPace();
    await stub.tell({ taken: 0, busy: 0, away: 1, quietMs: 60_000 });
    await evictDurableObject(stub);
    const permits = await stub.take({ lane: "otp", account: "a", max: 1, seen: NOTHING });
    expect(permits.atMs).toEqual([]);
    expect(permits.quietMs).toBeGreaterThan(50_000);
  });

  it("answers a request that waits when a slot is near", async () => {
    const stub = openPace();
    await learn(stub);
    const all = await Promise.all(
      Array.from({ length: 4 }, (_, at) => stub.take({ lane: "single", account: `a${at}`, max: 5, seen: NOTHING })),
    );
    expect(all.every(({ atMs, againMs }) => atMs.length > 0 || againMs > 0)).toBe(true);
    expect(all.some(({ atMs }) => atMs.length > 0)).toBe(true);
  });

  it("goes on when the machine's clock is set back", async () => {
    const stub = openPace();
    await learn(stub);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 1_000);
    const before = await stub.take({ lane: "otp", account: "a", max: 1, seen: NOTHING });
    vi.setSystemTime(Date.now() - 3_600_000);
    const after = await stub.take({ lane: "otp", account: "b", max: 1, seen: NOTHING });
    expect(before.atMs).toHaveLength(1);
    expect(after.atMs.map((atMs) => atMs - after.nowMs).every((inMs) => inMs >= 0 && inMs <= 4_000)).toBe(true);
    vi.setSystemTime(Date.now() + 5_000);
    const later = await stub.take({ lane: "bulk", account: "c", max: 5, seen: NOTHING });
    expect(later.atMs.length).toBeGreaterThan(0);
  });

  it("keeps a silence over an eviction no longer than its carrier asked for, though the clock was set back meanwhile", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const stub = openPace();
    vi.setSystemTime(Date.now() + 3_600_000);
    await stub.tell({ taken: 0, busy: 1, quietMs: 30_000 });
    vi.setSystemTime(Date.now() - 3_600_000 + 1_000);
    await evictDurableObject(stub);
    const ask = () => stub.take({ lane: "otp", account: "a", max: 1, seen: NOTHING });
    const { quietMs } = await ask();
    expect(quietMs).toBeGreaterThan(28_000);
    expect(quietMs).toBeLessThanOrEqual(30_000);
    vi.setSystemTime(Date.now() + 40_000);
    expect((await ask()).quietMs).toBe(0);
  });
});
