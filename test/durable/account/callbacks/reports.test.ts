import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CallbackClaim, CallbackResult } from "../../../../src/model/twilio/callback.ts";
import { deliverStates, listenForStates, report, sendCalledBack, waitingStates } from "../../../world/twilio.ts";
import { openWorld } from "../../../world/world.ts";
import type { World } from "../../../world/world.ts";

// Reports of status callbacks that come late, or not at all.

const DAY_MS = 86_400_000;
const HOOK = "https://example.com/status?order=4711";
/** Longer than any lease. */
const LEASE_MS = 120_000;

beforeEach(() => {
  // A day ahead of the real clock, so that no alarm fires by itself.
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.now() + DAY_MS });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const pass = (ms: number) => void vi.setSystemTime(Date.now() + ms);

const hostIn = (url: string): string => new URL(url).host.replace(/\..*$/u, "");

/** The report that the first state of a claim was taken. */
function doneOf(claimed: CallbackClaim | undefined): CallbackResult {
  const [callback] = claimed?.callbacks ?? [];
  if (!callback) throw new Error("nothing was claimed");
  return { seq: callback.seq, from: callback.from, settled: 1, failed: null };
}

describe("a report that comes after its lease has ended", () => {
  const FAILED = { silent: false, retryAfterMs: null };

  it("drops no state that came after the one that it tells of was settled by another Worker", async () => {
    const world = await openWorld();
    const seq = await sendCalledBack(world, HOOK);
    await report(world, seq, "submitted");
    const [late] = (await world.stub.claimCallbacks()) ?? [];
    pass(LEASE_MS);
    const [again] = (await world.stub.claimCallbacks()) ?? [];
    await world.stub.ackCallbacks("example.com", again?.lease ?? 0, [doneOf(again)], false);
    expect(await waitingStates(world)).toEqual([]);
    await report(world, seq, "delivered");
    await world.stub.ackCallbacks("example.com", late?.lease ?? 0, [doneOf(late)], false);
    const told = listenForStates();
    await deliverStates(world);
    expect(told.map(({ status }) => status)).toEqual(["delivered"]);
  });

  it("counts no failure while another Worker has the claim, nor what was not posted at all", async () => {
    const world = await openWorld();
    const seq = await sendCalledBack(world, HOOK);
    await report(world, seq, "submitted");
    const [late] = (await world.stub.claimCallbacks()) ?? [];
    pass(LEASE_MS);
    const [again] = (await world.stub.claimCallbacks()) ?? [];
    const failed = { ...doneOf(late), settled: 0, failed: FAILED };
    await world.stub.ackCallbacks("example.com", late?.lease ?? 0, [failed], false);
    expect(await waitingStates(world)).toMatchObject([{ failures: 0 }]);
    await world.stub.ackCallbacks("example.com", again?.lease ?? 0, [failed], false);
    const counted = await waitingStates(world);
    expect(counted).toMatchObject([{ failures: 1 }]);
    pass(LEASE_MS);
    const [third] = (await world.stub.claimCallbacks()) ?? [];
    await world.stub.ackCallbacks("example.com", third?.lease ?? 0, [{ ...failed, failed: null }], false);
    expect(await waitingStates(world)).toEqual(counted);
  });
});

it("holds up no other host, where the report of some is lost", async () => {
  const world = await openWorld();
  const told = listenForStates();
  vi.spyOn(console, "log").mockReturnValue();
  // As many are lost as are posted to at once.
  const hosts = ["lost-1", "lost-2", "lost-3", "well-1", "well-2"];
  for (const host of hosts) {
    await report(world, await sendCalledBack(world, `https://${host}.example.com/`), "delivered");
    pass(1);
  }
  const ackCallbacks: World["stub"]["ackCallbacks"] = (host, ...more) => {
    if (host.startsWith("lost")) throw new Error("lost by a test");
    return world.stub.ackCallbacks(host, ...more);
  };
  const stub = { ackCallbacks, claimCallbacks: () => world.stub.claimCallbacks() };
  await deliverStates(world, { ...env, ACCOUNT: { getByName: () => stub } as unknown as Env["ACCOUNT"] });
  expect(told.map(({ url }) => hostIn(url)).toSorted()).toEqual(hosts);
  expect((await waitingStates(world)).map(({ host }) => host)).toEqual(
    hosts.slice(0, 3).map((one) => `${one}.example.com`),
  );
});
