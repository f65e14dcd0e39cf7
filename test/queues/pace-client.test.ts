import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Permits, PermitsAsked, Seen } from "../../src/model/pace.ts";
import { PaceClient, QUIET_MS_MAX } from "../../src/queues/pace-client.ts";
import { paceOf } from "../../src/queues/pace/clients.ts";

const NOW_MS = 1_000_000;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS });
  vi.spyOn(console, "error").mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** What the object answers in these tests; its clock is a minute ahead. */
const permits = (own: Partial<Permits>): Permits => ({
  atMs: [],
  nowMs: NOW_MS + 60_000,
  againMs: 0,
  quietMs: 0,
  isLimited: true,
  ...own,
});

/** A client whose object answers as the test wants, and records what it is told. */
function openClient(own: { answer?: Permits | Error; quietMs?: number; isSet?: boolean } = {}) {
  const { answer = permits({}), quietMs = 0, isSet = false } = own;
  const asked: PermitsAsked[] = [];
  const told: Seen[] = [];
  const listened: number[] = [];
  const object = {
    take: async (ask: PermitsAsked) => {
      asked.push(ask);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    tell: async (seen: Seen) => void told.push(seen),
    listen: async (forMs: number) => {
      listened.push(forMs);
      return quietMs;
    },
  };
  const binding = { getByName: () => object } as unknown as Env["PACE"];
  const client = new PaceClient(binding, "http", isSet);
  const ctx = createExecutionContext();
  const take = (lane: PermitsAsked["lane"] = "bulk", max = 20) => client.take({ lane, account: "a", max });
  return { client, ctx, take, asked, told, listened, settled: () => waitOnExecutionContext(ctx) };
}

describe("a carrier of which no limit is known", () => {
  it("is free for single messages, and nothing is told of what it takes", async () => {
    const { client, ctx, told, settled } = openClient();
    expect(client.standing(NOW_MS, "single")).toBe("free");
    for (let at = 0; at < 100; at++) client.saw(ctx, { taken: 1, busy: 0 });
    await settled();
    expect(told).toEqual([]);
  });

  it("is limited where a limit is set, from the first message on", () => {
    expect(openClient({ isSet: true }).client.standing(NOW_MS, "single")).toBe("limited");
  });
});

describe('a "not now"', () => {
  it("is known in this isolate at once, and told with what was taken before", async () => {
    const { client, ctx, told, settled } = openClient();
    client.saw(ctx, { taken: 7, busy: 0 });
    client.saw(ctx, { taken: 0, busy: 1 });
    expect(client.standing(NOW_MS, "single")).toBe("congested");
    expect(client.standing(NOW_MS, "otp")).toBe("limited");
    expect(client.standing(NOW_MS + 1_000, "single")).toBe("limited");
    expect(client.standing(NOW_MS + 60_000, "single")).toBe("free");
    await settled();
    expect(told).toEqual([{ taken: 7, busy: 1 }]);
  });

  it("with a Retry-After means silence for every lane, for an hour at most", async () => {
    const { client, ctx, take, asked, told, settled } = openClient();
    client.saw(ctx, { taken: 0, busy: 1, quietMs: 86_400_000 });
    expect(client.quietMs(NOW_MS)).toBe(QUIET_MS_MAX);
    expect(client.standing(NOW_MS, "otp")).toBe("congested");
    expect(client.standing(NOW_MS + QUIET_MS_MAX, "otp")).toBe("free");
    await settled();
    expect(told).toEqual([{ taken: 0, busy: 1, quietMs: QUIET_MS_MAX }]);
    const taken = await take("otp", 1);
    expect(taken.atMs).toEqual([]);
    expect(taken.againMs).toBeGreaterThanOrEqual(QUIET_MS_MAX);
    expect(asked).toEqual([]);
  });

  it.each([
    ["otp", 0, 0],
    ["single", 0, 200],
    ["bulk", 300, 2_000],
  ] as const)("with a Retry-After lets lane %s begin %i to %i ms after it", async (lane, leastMs, mostMs) => {
    const { client, ctx, take } = openClient();
    client.saw(ctx, { taken: 0, busy: 1, quietMs: 5_000 });
    for (let at = 0; at < 50; at++) {
      const { againMs } = await take(lane, 1);
      expect(againMs).toBeGreaterThanOrEqual(5_000 + leastMs);
      expect(againMs).toBeLessThanOrEqual(5_000 + mostMs);
    }
  });

  it("that asks for silence while permits are under way makes them void", async () => {
    const { client, ctx, take } = openClient({ answer: permits({ atMs: [NOW_MS + 60_000, NOW_MS + 60_100] }) });
    const taking = take();
    client.saw(ctx, { taken: 0, busy: 1, quietMs: 3_000 });
    const taken = await taking;
    expect(taken).toMatchObject({ atMs: [], quietMs: 3_000 });
    expect(taken.againMs).toBeGreaterThanOrEqual(3_000);
  });

  it("that says nothing of the rate is told, and leaves single messages alone", async () => {
    const { client, ctx, told, settled } = openClient();
    client.saw(ctx, { taken: 0, busy: 0, away: 1 });
    expect(client.standing(NOW_MS, "single")).not.toBe("congested");
    await settled();
    expect(told).toEqual([{ taken: 0, busy: 0, away: 1 }]);
  });

  it("is not remembered longer because the clock is set back", () => {
    const { client, ctx } = openClient();
    client.saw(ctx, { taken: 0, busy: 1, quietMs: 5_000 });
    expect(client.quietMs(NOW_MS - 3_600_000)).toBe(5_000);
    expect(client.quietMs(NOW_MS - 3_600_000 + 5_000)).toBe(0);
  });

  it("is told in one call with those that others saw meanwhile", async () => {
    const { client, ctx, told, settled } = openClient();
    for (let at = 0; at < 50; at++) client.saw(ctx, { taken: 1, busy: 1, quietMs: at });
    await settled();
    expect(told.length).toBeLessThanOrEqual(2);
    expect(told.reduce((sum, { taken, busy }) => sum + taken + busy, 0)).toBe(100);
    expect(told.at(-1)?.quietMs).toBe(49);
  });
});

describe("permits", () => {
  it("come on the clock of this isolate, and go back on the object's", async () => {
    const dated = permits({ atMs: [0, 200, 400, 600].map((inMs) => NOW_MS + 60_000 + inMs) });
    const { client, ctx, take, asked, told, listened, settled } = openClient({ answer: dated });
    client.saw(ctx, { taken: 4, busy: 0 });
    const taken = await take();
    expect(asked).toEqual([{ lane: "bulk", account: "a", max: 20, seen: { taken: 4, busy: 0 } }]);
    expect(taken.atMs).toEqual([0, 200, 400, 600].map((inMs) => NOW_MS + inMs));
    expect(listened).toHaveLength(1);
    client.giveBack(ctx, taken, 1);
    await settled();
    expect(told).toEqual([{ taken: 0, busy: 0, returned: [200, 400, 600].map((inMs) => NOW_MS + 60_000 + inMs) }]);
    client.giveBack(ctx, taken, 4);
    await settled();
    expect(told).toHaveLength(1);
  });

  it("end when the object hears of a silence from another consumer", async () => {
    const answer = permits({ atMs: [NOW_MS + 60_000, NOW_MS + 63_000] });
    const { client, take } = openClient({ answer, quietMs: 8_000 });
    await take();
    await vi.waitFor(() => expect(client.quietMs(NOW_MS)).toBe(8_000));
  });

  it("that are not there leave single messages to their queue for a while, but not OTPs", async () => {
    const { client, take } = openClient({ answer: permits({ againMs: 60_000 }) });
    await take("single", 1);
    expect(client.standing(NOW_MS, "single")).toBe("congested");
    expect(client.standing(NOW_MS, "otp")).toBe("limited");
    expect(client.standing(NOW_MS + 5_000, "single")).toBe("limited");
  });

  it("of a carrier without a limit make it free again", async () => {
    const { client, ctx, take } = openClient({ answer: permits({ atMs: [NOW_MS + 60_000], isLimited: false }) });
    client.saw(ctx, { taken: 0, busy: 1 });
    vi.setSystemTime(NOW_MS + 2_000);
    await take("single", 1);
    expect(client.standing(NOW_MS + 2_000, "single")).toBe("free");
  });

  it("are not waited for where the object is away: an OTP goes, a bulk comes back", async () => {
    const { take } = openClient({ answer: new Error("away") });
    expect((await take("otp", 1)).atMs).toEqual([NOW_MS]);
    const bulk = await take("bulk", 20);
    expect(bulk.atMs).toEqual([]);
    expect(bulk.againMs).toBeGreaterThanOrEqual(2_000);
    expect(bulk.againMs).toBeLessThanOrEqual(4_000);
  });
});

describe("the client of a carrier", () => {
  it("is one in an isolate", () => {
    expect(paceOf(env, "http")).toBe(paceOf(env, "http"));
    expect(paceOf(env, "http")).not.toBe(paceOf(env, "other"));
  });
});
