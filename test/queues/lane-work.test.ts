import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  away,
  overloaded,
  pacedAt,
  waitByClock,
  watchAccounts,
  watchGateway,
  watchLanes,
  watchPace,
} from "../world/carriers.ts";
import { deliverLane, messagesOf, openWorld, runAlarm, sendBulk, sendSms } from "../world/world.ts";
import type { World } from "../world/world.ts";

// One consumer's work for one lane, at a gateway with a pace.

const HTTP = { CARRIER: "http" };

let gateway: ReturnType<typeof watchGateway>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.spyOn(console, "error").mockReturnValue();
  waitByClock();
  gateway = watchGateway();
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const token = (world: World, lane = "bulk") => ({ kind: "send", account: world.name, lane });

async function bulkOf(count: number): Promise<World> {
  const world = await openWorld({ balance: 10_000 });
  await sendBulk(world, count);
  return world;
}

/** How many messages are in each state. */
async function countsOf(world: World): Promise<Record<string, number>> {
  const states = Map.groupBy(await messagesOf(world), ({ state }) => state);
  return Object.fromEntries([...states].map(([state, of]) => [state, of.length]));
}

/** Delivers a token, and the tokens that follow from it, each after its delay, until none is left. */
async function deliverAll(world: World, at: Partial<Env>, { lanes, sent }: ReturnType<typeof watchLanes>) {
  sent.push({ body: { kind: "send", account: world.name, lane: "bulk" } });
  let delivered = 0;
  for (let next = sent.shift(); next; next = sent.shift()) {
    vi.setSystemTime(Date.now() + (next.delaySeconds ?? 0) * 1_000);
    await deliverLane([next.body], { ...HTTP, ...lanes, ...at });
    delivered += 1;
    expect(delivered).toBeLessThan(1_000);
  }
  return delivered;
}

describe("the calls of one account", () => {
  it.each([5, 20, 200])("are at most one for 20 messages of a bulk at %d a second", async (perSec) => {
    const world = await bulkOf(400);
    const { ACCOUNT, calls } = watchAccounts();
    const began = Date.now();
    await deliverAll(world, { ACCOUNT, PACE: pacedAt(perSec).PACE }, watchLanes());
    expect(await countsOf(world)).toEqual({ submitted: 400 });
    expect(new Set(gateway.got.map(({ ref }) => ref)).size).toBe(400);
    expect(gateway.got).toHaveLength(400);
    expect(calls.length).toBeLessThanOrEqual(20);
    // Nothing leaves before its permit, and hardly a permit is lost.
    const tookSec = ((gateway.got.at(-1)?.at ?? 0) - began) / 1_000;
    expect(399 / tookSec).toBeLessThanOrEqual(perSec + 0.01);
    expect(399 / tookSec).toBeGreaterThan(perSec * 0.85);
  });

  it("are at most one for 20 messages without a limit", async () => {
    const world = await bulkOf(400);
    const { ACCOUNT, calls } = watchAccounts();
    await deliverAll(world, { ACCOUNT }, watchLanes());
    expect(await countsOf(world)).toEqual({ submitted: 400 });
    expect(calls.length).toBeLessThanOrEqual(20);
  });

  it("are two for a single message", async () => {
    const world = await openWorld();
    await sendSms(world);
    const { ACCOUNT, calls } = watchAccounts();
    await deliverLane([token(world, "single")], { ...HTTP, ACCOUNT });
    expect(calls).toEqual(["work", "report"]);
  });

  it("are none while there is no permit: the token comes again when there may be one", async () => {
    const world = await bulkOf(10);
    const { ACCOUNT, calls } = watchAccounts();
    const { lanes, sent } = watchLanes();
    const { PACE } = watchPace(() => ({ atMs: [], againMs: 7_200, isLimited: true }));
    await deliverLane([token(world)], { ...HTTP, ...lanes, ACCOUNT, PACE });
    expect(calls).toEqual([]);
    expect(gateway.got).toEqual([]);
    expect(sent).toEqual([{ body: token(world), delaySeconds: 8 }]);
  });
});

describe("a Retry-After", () => {
  it("stops this isolate's submissions at once: what is claimed is given back, and counts nowhere", async () => {
    const world = await bulkOf(60);
    const { lanes, sent } = watchLanes();
    const { PACE, seen } = watchPace();
    gateway.answer = () => new Response(null, { status: 429, headers: { "retry-after": "90" } });
    await deliverLane([token(world)], { ...HTTP, ...lanes, PACE, DISPATCH_CONCURRENCY: "6" });
    expect(gateway.got).toHaveLength(6);
    expect(seen[0]).toMatchObject({ quietMs: 90_000 });
    expect((await messagesOf(world)).filter(({ attempts }) => attempts === 0)).toHaveLength(54);
    expect(await countsOf(world)).toEqual({ queued: 60 });
    expect(sent).toMatchObject([{ body: token(world) }]);
    expect(sent[0]?.delaySeconds).toBeGreaterThanOrEqual(90);
    // A single message of the same isolate waits, too; afterwards everything is submitted.
    await sendSms(world);
    await deliverLane([token(world, "single")], { ...HTTP, ...lanes, PACE });
    expect(gateway.got).toHaveLength(6);
    gateway.answer = () => Response.json({});
    vi.setSystemTime(Date.now() + 200_000);
    await deliverLane([token(world), token(world, "single")], { ...HTTP, ...lanes, PACE });
    expect(await countsOf(world)).toEqual({ submitted: 61 });
    expect(new Set(gateway.got.map(({ ref }) => ref)).size).toBe(61);
  });
});

describe("a claimed message", () => {
  it("is given back unused rather than submitted so late that its lease ends before its report", async () => {
    const world = await bulkOf(10);
    const { lanes } = watchLanes();
    gateway.answer = () => (vi.setSystemTime(Date.now() + 9_000), Response.json({}));
    await deliverLane([token(world)], { ...HTTP, ...lanes, DISPATCH_CONCURRENCY: "1" });
    const messages = await messagesOf(world);
    const submitted = messages.filter(({ state }) => state === "submitted").length;
    expect(submitted).toBeGreaterThanOrEqual(3);
    expect(submitted).toBeLessThan(10);
    expect(gateway.got).toHaveLength(submitted);
    expect(messages.filter(({ state, attempts }) => state === "queued" && attempts === 0)).toHaveLength(10 - submitted);
    expect((await countsOf(world))["unknown"]).toBeUndefined();
  });

  it("is given back when there is no permit for it any more, and its unused permits are", async () => {
    const world = await bulkOf(40);
    const { lanes, sent } = watchLanes();
    let turns = 0;
    const { PACE } = watchPace(({ max }) => {
      turns += 1;
      const atMs = turns === 1 ? Array.from({ length: Math.min(20, max) }, () => Date.now()) : [];
      return { atMs, againMs: 30_000, isLimited: true };
    });
    await deliverLane([token(world)], { ...HTTP, ...lanes, PACE });
    expect(await countsOf(world)).toEqual({ submitted: 20, queued: 20 });
    expect((await messagesOf(world)).filter(({ attempts }) => attempts === 0)).toHaveLength(20);
    expect(sent).toEqual([{ body: token(world), delaySeconds: 30 }]);
  });

  it("does not wait for permits that are far ahead since the clock was set back: it asks for others", async () => {
    const world = await bulkOf(5);
    let asked = 0;
    const { PACE } = watchPace(({ max }) => {
      asked += 1;
      const atMs = Date.now() + (asked === 1 ? 7_200_000 : 0);
      return { atMs: Array.from({ length: max }, () => atMs), isLimited: true };
    });
    const began = Date.now();
    await deliverLane([token(world)], { ...HTTP, PACE });
    expect(await countsOf(world)).toEqual({ submitted: 5 });
    expect(Date.now() - began).toBeLessThan(5_000);
  });

  it("is given back, and its token put back, where no permit is of use", async () => {
    const world = await bulkOf(5);
    const { lanes, sent } = watchLanes();
    const { PACE, asked } = watchPace(() => ({ atMs: [Date.now() - 60_000], isLimited: true }));
    await deliverLane([token(world)], { ...HTTP, ...lanes, PACE });
    expect(gateway.got).toEqual([]);
    expect(asked.length).toBeLessThan(10);
    expect(await countsOf(world)).toEqual({ queued: 5 });
    expect(sent).toMatchObject([{ body: token(world), delaySeconds: 4 }]);
  });

  it("gives the permits back that nothing waits for", async () => {
    const world = await bulkOf(5);
    const pace = pacedAt(5);
    await deliverLane([token(world)], { ...HTTP, PACE: pace.PACE });
    expect(await countsOf(world)).toEqual({ submitted: 5 });
    expect(pace.seen.flatMap(({ returned }) => returned ?? [])).toHaveLength(15);
  });
});

describe("what is known when the account is away", () => {
  it.each([
    ["work", "busy with the next claim", overloaded],
    ["report", "away at the end", away],
  ])("is handed to the lane's queue (%s: %s)", async (method, _, fails) => {
    const world = await bulkOf(100);
    const { lanes, bodies } = watchLanes();
    let calls = 0;
    const work = (...asked: Parameters<World["stub"]["work"]>) => {
      calls += 1;
      return calls > 1 ? fails() : env.ACCOUNT.getByName(world.name).work(...asked);
    };
    const { ACCOUNT } = watchAccounts(method === "work" ? { work, report: fails } : { report: fails });
    gateway.answer = () => new Response(null, { status: 400 });
    await deliverLane([token(world)], { ...HTTP, ...lanes, ACCOUNT });
    const count = gateway.got.length;
    expect(count).toBeGreaterThanOrEqual(60);
    expect((await countsOf(world))["sending"]).toBeGreaterThan(0);
    const reports = bodies().filter(({ kind }) => kind === "report");
    await deliverLane(reports, lanes);
    expect((await countsOf(world))["failed"]).toBe(count);
    expect(await world.stub.reconcile()).toEqual([]);
  });
});

/** Lets time pass until the carrier has taken the message, for an hour at most. */
async function untilKnown(world: World, at: Partial<Env> | Record<string, string>): Promise<void> {
  for (let round = 0; round < 60 && (await countsOf(world))["submitted"] === undefined; round++) {
    vi.setSystemTime(Date.now() + 60_000);
    await runAlarm(world);
    await deliverLane([token(world, "single")], at);
  }
}

describe("a gateway that recognises references", () => {
  const DEDUPES = { ...HTTP, CARRIER_HTTP_DEDUPES: "on" };

  // A gateway takes each reference once.
  it("gets a message again whose consumer died in the middle of the attempt, under the same reference", async () => {
    vi.spyOn(env.SINGLE_LANE, "sendBatch").mockResolvedValue(undefined as never);
    const world = await openWorld();
    await sendSms(world);
    const { ACCOUNT } = watchAccounts({ report: away });
    const { lanes } = watchLanes(away);
    await deliverLane([token(world, "single")], { ...DEDUPES, ...lanes, ACCOUNT });
    expect(await countsOf(world)).toEqual({ sending: 1 });
    await untilKnown(world, DEDUPES);
    expect(await countsOf(world)).toEqual({ submitted: 1 });
    expect(gateway.got.length).toBeGreaterThan(1);
    expect(new Set(gateway.got.map(({ ref }) => ref)).size).toBe(1);
  });

  it("is asked until an unknown outcome is known; meanwhile the message is unknown to readers", async () => {
    vi.spyOn(env.SINGLE_LANE, "sendBatch").mockResolvedValue(undefined as never);
    const world = await openWorld();
    await sendSms(world);
    gateway.answer = () => new Response(null, { status: gateway.got.length < 3 ? 504 : 200 });
    await deliverLane([token(world, "single")], DEDUPES);
    expect(await countsOf(world)).toEqual({ unknown: 1 });
    await untilKnown(world, DEDUPES);
    expect(await countsOf(world)).toEqual({ submitted: 1 });
    expect(gateway.got).toHaveLength(3);
    expect(new Set(gateway.got.map(({ ref }) => ref)).size).toBe(1);
  });

  it("and one that does not, is never asked again", async () => {
    vi.spyOn(env.SINGLE_LANE, "sendBatch").mockResolvedValue(undefined as never);
    const world = await openWorld();
    await sendSms(world);
    gateway.answer = () => new Response(null, { status: 504 });
    await deliverLane([token(world, "single")], HTTP);
    await untilKnown(world, HTTP);
    expect(await countsOf(world)).toEqual({ unknown: 1 });
    expect(gateway.got).toHaveLength(1);
  });
});
