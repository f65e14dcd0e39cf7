import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Outcome } from "../../src/model/message.ts";
import type { Permits, Seen } from "../../src/model/pace.ts";
import { isPermitted } from "../../src/queues/in-turn.ts";
import { PaceClient } from "../../src/queues/pace-client.ts";
import { paceOf } from "../../src/queues/pace/clients.ts";

// The one permit of the message that tries a carrier: what does not use it gives it back at once (contract §16.2).

const NOW_MS = 1_000_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS });
  vi.spyOn(console, "error").mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const TRIAL: Permits = {
  atMs: [NOW_MS],
  nowMs: NOW_MS,
  againMs: 0,
  quietMs: 0,
  isLimited: false,
  state: "trial",
  outMs: 0,
  merit: 1,
};

/** An isolate's client of a carrier that was out, whose object lets this one message try it. */
function openTrial(take: () => Promise<Permits> = async () => TRIAL) {
  const told: Seen[] = [];
  const object = { take, tell: async (seen: Seen) => (told.push(seen), { state: "out", outMs: 1_000, merit: 1 }) };
  const PACE = { getByName: () => object } as unknown as Env["PACE"];
  const ctx = createExecutionContext();
  const tries = () => told.filter(({ tried }) => tried === true).length;
  return { at: { ...env, PACE }, PACE, ctx, told, tries, settled: () => waitOnExecutionContext(ctx) };
}

const ASKED = { lane: "single", account: "a", max: 1, hasOther: true } as const;
const CARRIER = {
  name: "acme",
  isPaced: true,
  resubmits: false,
  operations: new Set(["sms"] as const),
  tps: 5,
  submit: async (): Promise<Outcome> => ({ kind: "submitted" }),
};
const asks = { account: "a", lane: "single", hasOther: true } as const;

describe("the permit of the message that tries a carrier", () => {
  it("is asked for with the time that an attempt may take, where that is not the settings'", async () => {
    const take = vi.fn(async () => TRIAL);
    const { at, ctx } = openTrial(take);
    expect(await isPermitted(at, ctx, { ...CARRIER, longestMs: 60_000 }, { ...asks, untilMs: Infinity })).toBe(true);
    expect(take).toHaveBeenLastCalledWith(expect.objectContaining({ hasOther: true, longestMs: 60_000 }));
  });

  it("is given back where the carrier asks for silence before its time", async () => {
    const { at, ctx, tries, settled } = openTrial(async () => ({ ...TRIAL, atMs: [NOW_MS + 1_000] }));
    vi.spyOn(scheduler, "wait").mockImplementation(async (ms) => {
      if (ms === 5_000) return new Promise(() => undefined);
      paceOf(at, "acme").saw(ctx, { taken: 0, busy: 0, away: 1, quietMs: 60_000 });
    });
    expect(await isPermitted(at, ctx, CARRIER, { ...asks, untilMs: Infinity })).toBe(false);
    await settled();
    expect(tries()).toBe(1);
  });

  it("is given back where it comes too late for its message", async () => {
    const { at, ctx, tries, settled } = openTrial(async () => (vi.setSystemTime(NOW_MS + 9_000), TRIAL));
    expect(await isPermitted(at, ctx, CARRIER, { ...asks, untilMs: NOW_MS + 8_000 })).toBe(false);
    await settled();
    expect(tries()).toBe(1);
  });

  it("is given back where it comes while a silence runs", async () => {
    const { promise, resolve } = Promise.withResolvers<Permits>();
    const { PACE, ctx, tries, settled } = openTrial(() => promise);
    const client = new PaceClient(PACE, "acme", false);
    const taking = client.take(ASKED);
    client.saw(ctx, { taken: 0, busy: 1, quietMs: 60_000 });
    resolve(TRIAL);
    expect(await taking).toMatchObject({ atMs: [] });
    await settled();
    expect(tries()).toBe(1);
  });

  it.each([false, true])("is given back where it was not waited for any more (limited: %s)", async (isLimited) => {
    const { promise, resolve } = Promise.withResolvers<Permits>();
    const { PACE, told } = openTrial(() => promise);
    vi.spyOn(scheduler, "wait").mockResolvedValue();
    await new PaceClient(PACE, "acme", false).take(ASKED);
    resolve({ ...TRIAL, isLimited });
    await vi.waitFor(() => expect(told).toEqual([{ taken: 0, busy: 0, returned: [NOW_MS], tried: true }]));
  });

  it.each<Outcome>([
    { kind: "not_sent", code: "internal_error" },
    { kind: "not_accepted", code: "speech_unavailable" },
    { kind: "not_accepted", code: "no_voice" },
    { kind: "rejected", code: "http_400" },
    { kind: "not_accepted", code: "http_429" },
    { kind: "not_accepted", code: "http_503", retryAfterMs: 5_000 },
  ])("is given back where its answer says nothing of the carrier: $kind $code", async (outcome) => {
    const { PACE, ctx, tries, settled } = openTrial();
    const client = new PaceClient(PACE, "acme", false);
    expect((await client.take(ASKED)).state).toBe("trial");
    client.made(ctx, { ref: "r", news: { outcome } }, 10);
    await settled();
    expect(tries()).toBe(1);
    // Once: the next message's trial is none of this one's.
    client.made(ctx, { ref: "r", news: { outcome } }, 10);
    await settled();
    expect(tries()).toBe(1);
  });

  it("is not given back beside an answer that decides", async () => {
    for (const outcome of [{ kind: "submitted" }, { kind: "unknown", code: "timeout" }] as const) {
      const { PACE, ctx, told, tries, settled } = openTrial();
      const client = new PaceClient(PACE, "acme", false);
      await client.take(ASKED);
      client.made(ctx, { ref: "r", news: { outcome } }, 10);
      await settled();
      expect(tries()).toBe(0);
      expect(told).toHaveLength(1);
    }
  });
});
