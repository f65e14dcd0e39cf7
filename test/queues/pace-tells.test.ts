import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Seen } from "../../src/model/pace.ts";
import { PaceClient } from "../../src/queues/pace-client.ts";

// What several carriers' pacing objects are told by one isolate.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.spyOn(console, "error").mockReturnValue();
  vi.spyOn(scheduler, "wait").mockImplementation(async (ms) => {
    // What the test does at once comes before the end of the wait.
    await new Promise((resolve) => setTimeout(resolve, 0));
    vi.setSystemTime(Date.now() + ms);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The clients of two carriers; the first one's object answers when the test wants. */
function openTwo() {
  const slow = Promise.withResolvers<void>();
  const told: { carrier: string; seen: Seen }[] = [];
  const getByName = (carrier: string) => ({
    tell: async (seen: Seen) => {
      told.push({ carrier, seen });
      if (carrier === "slow") await slow.promise;
    },
  });
  const binding = { getByName } as unknown as Env["PACE"];
  const ctx = createExecutionContext();
  const clients = { slow: new PaceClient(binding, "slow", false), other: new PaceClient(binding, "other", false) };
  const namesTold = () => told.map(({ carrier }) => carrier);
  return { ...clients, ctx, slowly: slow, told, namesTold, settled: () => waitOnExecutionContext(ctx) };
}

describe("a pacing object that is slow or away", () => {
  it.each(["answers late", "fails"])("(%s) holds up no other carrier's", async (how) => {
    const { slow, other, ctx, slowly, namesTold, settled } = openTwo();
    slow.saw(ctx, { taken: 0, busy: 1 });
    other.saw(ctx, { taken: 0, busy: 1 });
    slow.saw(ctx, { taken: 0, busy: 1 });
    other.saw(ctx, { taken: 0, busy: 2 });
    await vi.waitFor(() => expect(namesTold().toSorted()).toEqual(["other", "other", "slow"]));
    if (how === "fails") slowly.reject(new Error("away"));
    else slowly.resolve();
    await settled();
    expect(namesTold().toSorted()).toEqual(["other", "other", "slow", "slow"]);
  });

  it("holds up no other carrier's receipts", async () => {
    const { slow, other, ctx, slowly, told, namesTold, settled } = openTwo();
    slow.receipts(ctx, [{ ref: "1", state: "delivered" }]);
    other.receipts(ctx, [{ ref: "2", state: "failed" }]);
    await vi.waitFor(() => expect(namesTold().toSorted()).toEqual(["other", "slow"]));
    slowly.resolve();
    await settled();
    expect(told.map(({ seen }) => seen.lately?.map(({ results }) => results))).toEqual([
      [{ delivered: 1 }],
      [{ failed: 1 }],
    ]);
  });
});

describe("the rest", () => {
  it("is told once for all who asked meanwhile, and not at all where there is none", async () => {
    const { other, ctx, told, settled } = openTwo();
    for (const ref of ["1", "2", "3"]) other.receipts(ctx, [{ ref, state: "delivered" }]);
    other.receipts(ctx, [{ ref: "4", state: "submitted" }]);
    await settled();
    expect(told).toHaveLength(1);
    expect(told[0]?.seen).toMatchObject({ taken: 0, busy: 0, lately: [{ results: { delivered: 3 } }] });
    await other.tellRest();
    expect(told).toHaveLength(1);
  });

  it("has each message's receipt once, however often the carrier repeats it", async () => {
    const { other, ctx, told, settled } = openTwo();
    for (const state of ["submitted", "delivered", "delivered", "failed"] as const) {
      other.receipts(ctx, [{ ref: "1", state }]);
    }
    await settled();
    other.receipts(ctx, [
      { ref: "1", state: "delivered" },
      { ref: "2", state: "undelivered" },
      { ref: "2", state: "undelivered" },
    ]);
    await settled();
    expect(told.map(({ seen }) => seen.lately?.map(({ results }) => results))).toEqual([
      [{ delivered: 1 }],
      [{ undelivered: 1 }],
    ]);
  });

  it("is what the carrier took, and what counts for its breaker", async () => {
    const { other, ctx, told } = openTwo();
    other.made(ctx, { ref: "1", news: { outcome: { kind: "submitted" } } }, 40);
    other.made(ctx, { ref: "2", news: { outcome: { kind: "rejected", code: "http_400" } } }, 60);
    await other.tellRest();
    expect(told).toMatchObject([
      {
        carrier: "other",
        seen: {
          taken: 2,
          row: { failures: 0, takenAgoMs: expect.any(Number) as number },
          lately: [{ results: { submitted: 1, rejected: 1 }, submitMs: [40, 60] }],
          error: { code: "http_400" },
        },
      },
    ]);
    await other.tellRest();
    expect(told).toHaveLength(1);
  });
});
