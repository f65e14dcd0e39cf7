import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { configOf } from "../../src/config/config.ts";
import type { Operation } from "../../src/model/operations.ts";
import { directTake } from "../../src/queues/direct.ts";
import { ACME, setCarrier } from "../world/carrier-set.ts";
import { watchAccounts, watchLanes } from "../world/carriers.ts";
import { IN_TURN, around, carriersOf, deliver, only, order } from "../world/routed.ts";
import { route, routed, send, setUpCarriers, takeDown } from "../world/routed.ts";
import { messagesOf, openWorld } from "../world/world.ts";
import type { World } from "../world/world.ts";

// A claim's lease outlasts the longest attempt that may begin under it, and none begins later than it has time for.

beforeEach(setUpCarriers);
afterEach(takeDown);

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

/** A carrier that may have to wait for a sound before a call. */
const SPEAKING = {
  kind: "infobip",
  settings: { base_url: "https://relay.example.com" },
  secrets: { api_key: "key-1" },
};

/** Sets carriers up whose limit is known, so that each message takes a permit. */
async function limited(...names: string[]): Promise<void> {
  for (const name of names) {
    await setCarrier(name, { ...ACME, settings: { url: `https://${name}.example.com/messages` }, tps: 5 });
  }
}

describe("a lease", () => {
  const { CARRIER_TIMEOUT_MS, TTS_TIMEOUT_MS } = configOf(env);

  it("of a consumer's claim has time for the sound of a call, at any carrier of the routes", async () => {
    await setCarrier("relay", SPEAKING);
    await route({ ...IN_TURN, fallback: ["relay"] });
    const world = await openWorld();
    await order(world, ["9876543210", "9876543211"]);
    const leases: number[] = [];
    const { ACCOUNT } = watchAccounts({
      work: async (...[asked]: Parameters<World["stub"]["work"]>) => {
        if (asked.claim) leases.push(asked.claim.leaseMs);
        return env.ACCOUNT.getByName(world.name).work(asked);
      },
    });
    await deliver(world, "bulk", around({ ACCOUNT }));
    expect(await messagesOf(world)).toMatchObject([{ state: "submitted" }, { state: "submitted" }]);
    expect(leases.length).toBeGreaterThan(0);
    // 25 s to begin, and 10 s for the report.
    for (const lease of leases) expect(lease).toBe(CARRIER_TIMEOUT_MS + 2 * TTS_TIMEOUT_MS + 35_000);
  });

  it("of a message that its request submits has that time for calls, and not for texts", async () => {
    await setCarrier("relay", SPEAKING);
    await route({ carriers: [{ name: "relay", weight: 1 }] });
    const at = around();
    const take = async (operation: Operation) => {
      const one = { requestId: "r", operation, recipients: ["+919876543210"] };
      return (await directTake(at, createExecutionContext(), { mode: "live" }, one))?.leaseMs;
    };
    expect(await take("sms")).toBe(CARRIER_TIMEOUT_MS + 30_000);
    expect(await take("tts")).toBe(CARRIER_TIMEOUT_MS + 2 * TTS_TIMEOUT_MS + 30_000);
  });
});

describe("a submission that would begin too late for its lease", () => {
  it("is not made by the message's request: its claim is given back, and a token sent", async () => {
    await limited("acme");
    await route({ carriers: [{ name: "acme", weight: 1 }] });
    routed.permits = { acme: () => (pass(12_000), { atMs: [Date.now()], nowMs: Date.now(), isLimited: true }) };
    const world = await openWorld();
    const { lanes, sent } = watchLanes();
    await send(world, around(lanes));
    expect(carriersOf()).toEqual([]);
    expect(await only(world)).toMatchObject({ state: "queued", attempts: 0 });
    expect(sent).toHaveLength(1);
  });

  it("is not made at the next carrier, whose permit came too late", async () => {
    await limited("bravo");
    await route({ ...IN_TURN, fallback: ["bravo"] });
    const world = await openWorld();
    await order(world, ["9876543210", "9876543211"]);
    routed.answers = { acme: () => new Response(null, { status: 503 }) };
    routed.permits = { bravo: () => (pass(26_000), { isLimited: true }) };
    await deliver(world);
    expect(carriersOf()).toEqual(["acme", "acme"]);
    expect(await messagesOf(world)).toMatchObject([
      { state: "queued", carrier: "acme", attempts: 1 },
      { state: "queued", carrier: "acme", attempts: 1 },
    ]);
  });
});
