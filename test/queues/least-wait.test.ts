import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Outcome } from "../../src/model/message.ts";
import { leastWait } from "../../src/queues/in-turn.ts";
import { IN_TURN, QUEUED, around, carriersOf, deliver, only } from "../world/routed.ts";
import { route, routed, send, setUpCarriers, takeDown } from "../world/routed.ts";
import { openWorld } from "../world/world.ts";

// How long a message waits that none of its carriers took: until the soonest of them may take it.

const BUSY = (retryAfterMs?: number): Outcome => ({
  kind: "not_accepted",
  code: "http_429",
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});

const silent = (seconds: number) => () =>
  new Response(null, { status: 429, headers: { "retry-after": String(seconds) } });

const waits = fc.array(fc.option(fc.nat(10_000_000), { nil: undefined }), { minLength: 1, maxLength: 10 });

describe("the least of all waits", () => {
  it("is that of the soonest carrier, asked or not, and none where one says none", () => {
    fc.assert(
      fc.property(waits, fc.array(fc.nat(10_000_000), { maxLength: 10 }), (asked, passed) => {
        const outcomes = asked.map((ms) => BUSY(ms));
        const told = leastWait(outcomes, outcomes.at(-1) ?? BUSY(), passed);
        const least = Math.min(...asked.map((ms) => ms ?? 0), ...passed);
        expect(told).toEqual(least > 0 ? BUSY(least) : BUSY());
      }),
    );
  });

  it.each<Outcome>([
    { kind: "submitted" },
    { kind: "rejected", code: "http_400" },
    { kind: "unknown", code: "timeout", retryAfterMs: 5_000 },
    { kind: "not_sent", code: "internal_error" },
  ])("is nothing to a message that waits for none: $kind", (last) => {
    expect(leastWait([BUSY(60_000), last], last, [1_000])).toBe(last);
  });
});

describe("a message of which only the most patient carrier is asked", () => {
  beforeEach(setUpCarriers);
  afterEach(takeDown);

  it.each(["at once", "by a consumer"])("(%s) waits for the one that is back in seconds", async (how) => {
    await route({ ...IN_TURN, fallback: ["bravo"] });
    const [first, second, at] = [await openWorld(), await openWorld(), around()];
    const submit = async (world: typeof first) => {
      if (how === "at once") return send(world, at);
      await send(world, { ...at, ...QUEUED });
      await deliver(world, "single", at);
    };
    routed.answers = { acme: silent(8), bravo: () => Response.json({}) };
    await submit(first);
    routed.answers = { bravo: silent(3_600) };
    await submit(second);
    expect(carriersOf()).toEqual(["acme", "bravo", "bravo"]);
    expect(await only(second)).toMatchObject({ state: "queued", carrier: "bravo" });
    vi.setSystemTime(Date.now() + 20_000);
    await deliver(second, "single", around());
    expect(carriersOf()).toEqual(["acme", "bravo", "bravo", "acme"]);
    expect(await only(second)).toMatchObject({ state: "submitted", carrier: "acme" });
  });
});
