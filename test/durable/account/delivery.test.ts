import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Done, SendCommand } from "../../../src/model/command.ts";
import type { ClaimAsked, News, Outcome, WorkDone } from "../../../src/model/message.ts";
import { balanceOf, claim, messagesOf, openWorld, runAlarm } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// Claims and outcomes as consumers make them: by lane, in one call and one transaction per round.

const T0 = Date.now() + 86_400_000;
const HOUR_MS = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: T0 });
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const TAKE = { carrier: "http", leaseMs: 60_000 };

async function send(world: World, more: Partial<SendCommand> = {}): Promise<Done> {
  const done = await world.stub.send({
    keyId: world.keyId,
    requestId: crypto.randomUUID(),
    operation: "sms",
    recipients: ["+919876543210"],
    price: { kind: "fixed", units: 10_000 },
    content: {},
    text: null,
    validityMs: 24 * HOUR_MS,
    ...more,
  });
  if (!done?.ok) throw new Error("the account refused");
  return done;
}

/** An Idempotency-Key. */
function once(name: number) {
  const bytes = new Uint8Array(32).fill(name);
  return { key: bytes, fingerprint: bytes, template: bytes };
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => `+9198765${String(at).padStart(5, "0")}`);

interface Round {
  news?: News[];
  claim?: Partial<ClaimAsked> | null;
  resubmits?: boolean;
}

async function round(world: World, { news = [], claim: asked = {}, resubmits = false }: Round): Promise<WorkDone> {
  const wanted = asked && { lane: "single" as const, max: 60, ...TAKE, ...asked };
  const done = await world.stub.work({ news, follow: false, resubmits, claim: wanted });
  if (!done) throw new Error("the account is open");
  return done;
}

/** The same outcome for everything that was claimed. */
const allOf = ({ jobs }: Pick<WorkDone, "jobs">, outcome: Outcome): News[] =>
  jobs.flatMap(({ seq, messages }) =>
    messages.map(({ index, attempt }): News => ({ kind: "outcome", seq, index, attempt, outcome })),
  );

const placesOf = ({ jobs }: WorkDone) => jobs.flatMap(({ seq, messages }) => messages.map(({ index }) => [seq, index]));

const SUBMITTED: Outcome = { kind: "submitted" };
const BUSY: Outcome = { kind: "not_accepted", code: "http_429" };
const RELEASED: Outcome = { kind: "released" };
const UNKNOWN: Outcome = { kind: "unknown", code: "timeout" };

const rowOf = (world: World, seq: number) =>
  runInDurableObject(world.stub, (_, { storage }) =>
    storage.sql.exec("SELECT lane, ready_at, due_at, rev FROM job WHERE seq = ?", seq).one(),
  );

describe("a single message whose sender submits it", () => {
  it("is stored claimed, and waits for no one", async () => {
    const world = await openWorld();
    const done = await send(world, { take: TAKE });
    expect(done).toMatchObject({ seq: 2, waiting: null, replayed: false });
    expect(done.claimed).toEqual([
      {
        seq: 2,
        carrier: "http",
        requestId: expect.any(String),
        operation: "sms",
        content: {},
        text: null,
        messages: [{ index: 0, to: "+919876543210", attempt: 1 }],
      },
    ]);
    expect(await rowOf(world, 2)).toEqual({ lane: "single", ready_at: null, due_at: null, rev: 1 });
    expect((await messagesOf(world))[0]).toMatchObject({ state: "sending", attempts: 1, carrier: "http" });
    expect(await claim(world)).toEqual([]);
    expect(await balanceOf(world)).toBe(999 * 10_000);
  });

  it("is dispatched by no replay, and by a replay only where nothing was ever claimed", async () => {
    const world = await openWorld();
    await send(world, { idempotency: once(1), take: TAKE });
    expect(await send(world, { idempotency: once(1), take: TAKE })).toMatchObject({ claimed: [], waiting: null });
    const bulk = { idempotency: once(2), recipients: numbers(150), take: TAKE };
    expect(await send(world, bulk)).toMatchObject({ claimed: [], waiting: "bulk", replayed: false });
    expect(await send(world, bulk)).toMatchObject({ claimed: [], waiting: "bulk", replayed: true });
    await claim(world, { lane: "bulk", max: 1 });
    expect(await send(world, bulk)).toMatchObject({ claimed: [], waiting: null, replayed: true });
  });

  it("is claimed again by the same invocation that repeats its call, until something happened to the message", async () => {
    const world = await openWorld();
    const bytes = new Uint8Array(32).fill(1);
    const command = {
      requestId: "req_own",
      idempotency: { key: bytes, fingerprint: bytes, template: bytes },
      take: TAKE,
    };
    const { claimed } = await send(world, command);
    expect(await send(world, command)).toMatchObject({ replayed: true, claimed, waiting: null });
    expect((await send(world, { ...command, requestId: "req_other" })).claimed).toEqual([]);
    await round(world, { news: allOf({ jobs: claimed }, SUBMITTED), claim: null });
    expect((await send(world, command)).claimed).toEqual([]);
  });

  it("is unknown when its invocation dies, from the housekeeping pass on, and a receipt still corrects it", async () => {
    const world = await openWorld();
    await send(world, { take: TAKE });
    await evictDurableObject(world.stub);
    vi.setSystemTime(T0 + 600_000);
    await runAlarm(world);
    expect((await messagesOf(world))[0]).toMatchObject({ state: "unknown", errorCode: "attempt_interrupted" });
    // Now its window is in the index; its carrier cannot be asked before.
    expect((await rowOf(world, 2))["due_at"]).toBe(T0 + 24 * HOUR_MS);
    await world.stub.report([{ kind: "receipt", seq: 2, index: 0, state: "delivered" }], false);
    expect((await messagesOf(world))[0]).toMatchObject({ state: "delivered", refunded: false });
    expect((await rowOf(world, 2))["due_at"]).toBeNull();
  });

  it("waits in its lane after a busy answer, and as before it after a claim given back", async () => {
    const world = await openWorld();
    await send(world, { take: TAKE });
    await round(world, { news: [{ kind: "outcome", seq: 2, index: 0, attempt: 1, outcome: BUSY }], claim: null });
    expect(await rowOf(world, 2)).toMatchObject({ ready_at: T0 + 2_000, due_at: null });
    await send(world, { operation: "otp", take: TAKE });
    await round(world, { news: [{ kind: "outcome", seq: 3, index: 0, attempt: 1, outcome: RELEASED }], claim: null });
    expect((await messagesOf(world))[1]).toMatchObject({ state: "queued", attempts: 0, errorCode: null });
    expect((await messagesOf(world))[1]?.timeline.map(({ state }) => state)).toEqual(["queued"]);
    expect(placesOf(await round(world, { claim: { lane: "otp" } }))).toEqual([[3, 0]]);
    expect((await messagesOf(world))[1]).toMatchObject({ state: "sending", attempts: 1 });
  });
});

describe("a round of a consumer", () => {
  it("gets messages of its lane only, longest ready first, and is told when the next can be claimed", async () => {
    const world = await openWorld();
    await send(world, { operation: "otp" });
    await send(world);
    vi.setSystemTime(T0 + 1);
    await send(world, { recipients: numbers(130) });
    await send(world);
    expect(placesOf(await round(world, { claim: { lane: "otp" } }))).toEqual([[2, 0]]);
    const singles = await round(world, { claim: { max: 1 } });
    expect([placesOf(singles), singles.againMs]).toEqual([[[3, 0]], 0]);
    const bulk = await round(world, { claim: { lane: "bulk", max: 60 } });
    expect(placesOf(bulk)).toEqual(Array.from({ length: 60 }, (_, index) => [4, index]));
    // The busy messages wait; the rest of the jobs comes first.
    const rest = await round(world, { news: allOf(bulk, BUSY), claim: { lane: "bulk", max: 100 } });
    expect(placesOf(rest)).toHaveLength(70);
    expect(rest.againMs).toBe(2_000);
    const none = await round(world, { news: allOf(rest, SUBMITTED), claim: { lane: "bulk" } });
    expect(none).toEqual({ jobs: [], againMs: 2_000 });
    vi.setSystemTime(T0 + 2_001);
    expect(placesOf(await round(world, { claim: { lane: "bulk" } }))).toEqual(placesOf(bulk));
    expect(await round(world, { claim: { lane: "bulk" } })).toEqual({ jobs: [], againMs: null });
    expect(placesOf(await round(world, {}))).toEqual([[6, 0]]);
  });

  it("writes each job once, also where it reports messages of the job from which it claims", async () => {
    const world = await openWorld();
    await send(world, { recipients: numbers(100) });
    const first = await round(world, { claim: { lane: "bulk", max: 60 } });
    const second = await round(world, { news: allOf(first, SUBMITTED), claim: { lane: "bulk", max: 60 } });
    expect(placesOf(second)).toHaveLength(40);
    expect(await rowOf(world, 2)).toEqual({ lane: "bulk", ready_at: null, due_at: null, rev: 3 });
  });

  it("changes nothing when it is reported twice, late, or about a claim given back", async () => {
    const world = await openWorld();
    await send(world, { recipients: numbers(3) });
    const first = await round(world, { claim: { lane: "bulk" } });
    const back = allOf(first, RELEASED);
    const second = await round(world, { news: back, claim: { lane: "bulk", max: 2 } });
    expect(second.jobs[0]?.messages).toMatchObject([
      { index: 0, attempt: 2 },
      { index: 1, attempt: 2 },
    ]);
    const before = await messagesOf(world);
    for (const outcome of [RELEASED, BUSY, UNKNOWN, SUBMITTED]) {
      await round(world, { news: [...allOf(first, outcome), ...allOf(first, outcome)], claim: null });
      expect(await messagesOf(world)).toEqual(before);
    }
    await round(world, { news: [...allOf(second, BUSY), ...allOf(second, BUSY)], claim: null });
    expect((await messagesOf(world)).map(({ state, attempts }) => [state, attempts])).toEqual([
      ["queued", 1],
      ["queued", 1],
      ["queued", 0],
    ]);
    expect(await world.stub.reconcile()).toEqual([]);
  });

  it("is passed over by messages whose validity has ended, which the alarm refunds", async () => {
    const world = await openWorld();
    const before = await balanceOf(world);
    await send(world, { validityMs: HOUR_MS });
    await send(world);
    vi.setSystemTime(T0 + HOUR_MS);
    expect(placesOf(await round(world, {}))).toEqual([[3, 0]]);
    expect((await rowOf(world, 2))["ready_at"]).toBeNull();
    await runAlarm(world);
    expect((await messagesOf(world))[0]).toMatchObject({ state: "failed", errorCode: "validity_ended" });
    expect(await balanceOf(world)).toBe(before - 10_000);
  });
});

describe("a deadline is never missed", () => {
  it("where one message of a job is unknown and the consumer of the others died", async () => {
    const world = await openWorld();
    await send(world, { recipients: numbers(2) });
    const first = await round(world, { claim: { lane: "bulk" } });
    await round(world, { news: allOf(first, UNKNOWN).slice(0, 1), claim: null });
    expect((await rowOf(world, 2))["due_at"]).toBe(T0 + 60_000);
    vi.setSystemTime(T0 + 60_000);
    await runAlarm(world);
    expect((await messagesOf(world)).map(({ state }) => state)).toEqual(["unknown", "unknown"]);
  });

  it("where a receipt opens a message again that time had ended", async () => {
    const world = await openWorld();
    const { claimed } = await send(world, { take: TAKE });
    await round(world, { news: allOf({ jobs: claimed }, UNKNOWN), claim: null });
    vi.setSystemTime(T0 + 24 * HOUR_MS);
    await runAlarm(world);
    expect((await messagesOf(world))[0]).toMatchObject({ state: "unknown", refunded: true });
    await world.stub.report([{ kind: "receipt", seq: 2, index: 0, state: "submitted" }], false);
    expect((await rowOf(world, 2))["due_at"]).toBe(T0 + 96 * HOUR_MS);
    vi.setSystemTime(T0 + 96 * HOUR_MS);
    await runAlarm(world);
    expect((await messagesOf(world))[0]?.state).toBe("unconfirmed");
  });
});

describe("at a carrier that recognises references", () => {
  const take = { ...TAKE, resubmits: true };

  it("an interrupted attempt is found when its lease ends, and made again under the same place", async () => {
    const world = await openWorld();
    await send(world, { take });
    expect(await rowOf(world, 2)).toMatchObject({ ready_at: null, due_at: T0 + 60_000 });
    vi.setSystemTime(T0 + 60_000);
    await runAlarm(world);
    expect((await messagesOf(world))[0]).toMatchObject({ state: "unknown", attempts: 1 });
    const again = await round(world, { resubmits: true });
    expect(again.jobs[0]?.messages).toEqual([{ index: 0, to: "+919876543210", attempt: 2 }]);
    expect((await messagesOf(world))[0]).toMatchObject({ state: "unknown", attempts: 2 });
    await round(world, { news: allOf(again, SUBMITTED), claim: null, resubmits: true });
    expect((await messagesOf(world))[0]).toMatchObject({ state: "submitted", attempts: 2 });
  });

  it("an unknown outcome waits in its lane, and for its window only once no consumer may submit it again", async () => {
    const world = await openWorld();
    const { claimed } = await send(world, { take });
    await round(world, { news: allOf({ jobs: claimed }, UNKNOWN), claim: null, resubmits: true });
    expect(await rowOf(world, 2)).toMatchObject({ ready_at: T0 + 2_000 });
    vi.setSystemTime(T0 + 2_000);
    expect(await round(world, { resubmits: false })).toEqual({ jobs: [], againMs: null });
    expect(await rowOf(world, 2)).toMatchObject({ ready_at: null });
    const before = await balanceOf(world);
    vi.setSystemTime(T0 + 24 * HOUR_MS);
    await runAlarm(world);
    expect((await messagesOf(world))[0]).toMatchObject({ state: "unknown", refunded: true });
    expect(await balanceOf(world)).toBe(before + 10_000);
  });
});
