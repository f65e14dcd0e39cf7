import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { JOBS_MAX } from "../../../src/durable/account/live.ts";
import { SOCKETS_MAX, SOCKET_MS_MAX } from "../../../src/durable/sockets.ts";
import { newKeyId, showKey } from "../../../src/crypto/api-key.ts";
import { messageId, objectName } from "../../../src/crypto/ids.ts";
import { liveRows } from "../../../src/model/live.ts";
import { claim, bearer, dispatch, follow, operator, post, runAlarm, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { askLive, listen } from "../../world/listener.ts";
import type { Listener } from "../../world/listener.ts";
import { Visitor, visit } from "../../world/visitor.ts";

const sendOtp = (world: World, body: object = {}) =>
  post("http://otp.localhost/send-otp", { phone: "9876543210", otp: "482913", ...body }, bearer(world.apiKey));

const sendBulk = (world: World, count: number) => {
  const recipients = Array.from({ length: count }, (_, at) => `98765${String(at).padStart(5, "0")}`);
  return post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
};

/** Opens the test object of a live account. */
async function openTwin({ ref }: World): Promise<World> {
  const twin = { ...ref, mode: "test" } as const;
  const name = objectName(twin);
  const stub = env.ACCOUNT.getByName(name);
  const keyId = newKeyId(env.KEY_SECRET, "test", null);
  await stub.open({ name: "Test", plan: "premium", otpRate: null, balance: 50_000, keyId, keyName: "first key" });
  return { ref: twin, name, stub, keyId, apiKey: showKey(env.KEY_SECRET, { ...twin, keyId }) };
}

afterEach(() => vi.useRealTimers());

describe("a live socket", () => {
  it("opens only for a page of this console with a valid session", async () => {
    const { visitor } = await visit();
    expect((await askLive(visitor)).status).toBe(101);
    for (const origin of ["https://evil.example", "null", ""]) {
      const reply = await askLive(visitor, undefined, { origin });
      expect(reply.status).toBe(403);
      expect(reply.webSocket).toBeFalsy();
    }
    expect((await askLive(new Visitor())).status).toBe(401);
    expect((await askLive(visitor, undefined, { upgrade: "" })).status).toBe(426);
  });

  it("carries no events of another account or of the other mode", async () => {
    const mine = await visit();
    const other = await visit();
    const listener = await listen(mine.visitor);
    expect((await listener.next()).jobs).toEqual([]);
    await sendSms(other.world);
    await sendSms(mine.world);
    const { jobs } = await listener.next();
    expect(jobs).toMatchObject([{ to: "+919876543210", seq: 2 }]);
    expect((await (await listen(other.visitor)).next()).jobs[0]?.requestId).not.toBe(jobs[0]?.requestId);
    mine.visitor.cookies.set("mode", "test");
    expect((await askLive(mine.visitor)).status).toBe(404);
    const test = await openTwin(mine.world);
    const testListener = await listen(mine.visitor);
    expect(await testListener.next()).toMatchObject({ jobs: [], account: { balance: 50_000 } });
    await sendSms(mine.world, { body: { message: "live" } });
    await sendSms(test, { body: { message: "test" } });
    await sendSms(mine.world, { body: { message: "live again" } });
    // The first event after each send is this mode's own; one of the other mode would have come before it.
    expect(await testListener.next()).toMatchObject({ jobs: [{ preview: "test" }], account: { balance: 40_000 } });
    const previews: string[] = [];
    await listener.until((news) => {
      previews.push(...news.jobs.map(({ preview }) => preview));
      return previews.includes("live again");
    });
    expect(previews).toEqual(["live", "live again"]);
  });

  it("is limited in number per account, and is closed when the session may have ended", async () => {
    const { visitor, world } = await visit();
    const listeners: Listener[] = [];
    for (let at = 0; at < SOCKETS_MAX; at++) listeners.push(await listen(visitor));
    expect((await askLive(visitor)).status).toBe(503);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + SOCKET_MS_MAX });
    await sendSms(world);
    for (const listener of listeners) expect(await listener.closed).toEqual({ code: 4000 });
  });

  it("is closed after any client message except the heartbeat", async () => {
    const { visitor } = await visit();
    const listener = await listen(visitor);
    listener.say("give me everything");
    expect(await listener.closed).toEqual({ code: 1008 });
  });
});

describe("a client of the live feed", () => {
  it("gets an answer to its close frame", async () => {
    const { visitor } = await visit();
    const listener = await listen(visitor);
    await listener.next();
    listener.close();
    expect((await listener.closed).code).toBe(1000);
  });

  it("receives a send, every state after it, and the balance", async () => {
    const { visitor, world } = await visit({ balance: 10 });
    const listener = await listen(visitor);
    expect(await listener.next()).toMatchObject({ from: 0, jobs: [], account: { balance: 100_000, status: "active" } });
    await sendSms(world, { body: { message: "Hello\n  there" } });
    const sent = await listener.next();
    expect(sent.from).toBeUndefined();
    expect(sent.account.balance).toBe(90_000);
    expect(sent.jobs).toEqual([
      {
        requestId: expect.stringMatching(/^req_/u),
        seq: 2,
        operation: "sms",
        to: "+919876543210",
        recipients: 1,
        total: 1,
        states: [{ state: "queued", count: 1 }],
        refunded: 0,
        charge: 10_000,
        debit: 10_000,
        createdAt: expect.any(Number),
        preview: "Hello there",
        messageId: messageId(env.KEY_SECRET, world.ref, "sms", { seq: 2, index: 0 }),
        keyId: world.keyId,
      },
    ]);
    await dispatch(world, [2]);
    await listener.until(({ jobs }) => jobs[0]?.states[0]?.state === "submitted");
    await follow(world, [2]);
    await listener.until(({ jobs }) => jobs[0]?.states[0]?.state === "delivered");
  });

  it("receives credits, changes of the account, and what the alarm changes", async () => {
    const { visitor, world } = await visit({ balance: 10 });
    const listener = await listen(visitor);
    const { accountId } = world.ref;
    await operator("POST", `/operator/accounts/${accountId}/credits`, { amount: 5, reference: "gift" });
    await listener.until(({ account }) => account.balance === 150_000);
    await operator("PATCH", `/operator/accounts/${accountId}`, { plan: "starter", status: "suspended" });
    await listener.until(({ account }) => account.plan === "starter" && account.status === "suspended");
    await operator("PATCH", `/operator/accounts/${accountId}`, { status: "active" });
    await sendOtp(world);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 300_001 });
    await runAlarm(world);
    const ended = await listener.until(({ jobs }) => jobs[0]?.states[0]?.state === "failed");
    expect(ended.jobs[0]?.refunded).toBe(1);
    expect(ended.account.balance).toBe(150_000);
  });

  it("receives no digit of a live OTP, and in test mode all of it", async () => {
    const live = await visit();
    const test = await visit({ mode: "test" });
    for (const { visitor, world } of [live, test]) {
      const listener = await listen(visitor);
      await listener.next();
      await sendOtp(world, { brandName: "Shop 482913" });
      const [job] = (await listener.next()).jobs;
      const masked = "•••••• is your one-time password for Shop ••••••. Do not s…";
      const whole = "482913 is your one-time password for Shop 482913. Do not sh…";
      expect(job?.preview).toBe(world === live.world ? masked.replace("s…", "sh…") : whole);
      // The same holds for what a page or a later connection receives.
      expect(JSON.stringify(await (await listen(visitor)).next()).includes("482913")).toBe(world === test.world);
    }
  });

  it("receives no text of an OTP once its carrier is done with it", async () => {
    const { visitor, world } = await visit();
    await sendOtp(world);
    await claim(world, { lane: "otp" });
    await world.stub.report([{ kind: "receipt", seq: 2, index: 0, state: "delivered" }], false);
    expect((await (await listen(visitor)).next()).jobs).toMatchObject([{ operation: "otp", preview: "" }]);
  });

  it("misses nothing while disconnected: it reconnects with the oldest job that it shows", async () => {
    const { visitor, world } = await visit();
    await sendSms(world, { body: { message: "one" } });
    await sendSms(world, { body: { message: "two" } });
    const listener = await listen(visitor);
    expect((await listener.next()).jobs.map(({ preview }) => preview)).toEqual(["one", "two"]);
    listener.close();
    await sendSms(world, { body: { message: "three" } });
    await dispatch(world, [2, 3, 4]);
    const again = await (await listen(visitor, 3)).next();
    expect(again.from).toBe(3);
    expect(again.jobs.map(({ preview, states }) => [preview, states[0]?.state])).toEqual([
      ["two", "submitted"],
      ["three", "submitted"],
    ]);
  });

  it("still receives events after its object hibernated", async () => {
    const { visitor, world } = await visit();
    const listener = await listen(visitor);
    await listener.next();
    await evictDurableObject(world.stub, { webSockets: "hibernate" });
    await sendSms(world, { body: { message: "awake" } });
    expect((await listener.next()).jobs).toMatchObject([{ preview: "awake" }]);
  });

  it("receives a bulk job by job, and the jobs add up to the request", async () => {
    const { visitor, world } = await visit();
    const listener = await listen(visitor);
    await listener.next();
    await sendBulk(world, 250);
    const { jobs } = await listener.next();
    expect(jobs.map(({ recipients, total }) => [recipients, total])).toEqual([
      [100, 250],
      [100, null],
      [50, null],
    ]);
    await dispatch(world, [2, 3, 4]);
    await follow(world, [2, 3, 4]);
    const known = new Map(jobs.map((job) => [job.seq, job]));
    for (;;) {
      const [row] = liveRows([...known.values()]);
      expect(row).toMatchObject({ total: 250, cost: 2_500_000, seq: 2 });
      if (row?.delivered === 250) break;
      for (const job of (await listener.next()).jobs) known.set(job.seq, job);
    }
    expect(liveRows([...known.values()])).toMatchObject([{ state: "delivered", delivered: 250 }]);
    // A cursor in the middle of a request returns the whole request.
    expect((await (await listen(visitor, 3)).next()).from).toBe(2);
  });

  it("receives whole requests of the newest jobs only, however old its cursor is", async () => {
    const { visitor, world } = await visit();
    await sendBulk(world, 250);
    await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
      const columns = "request_id, operation, balance_after, charge, created_at, expires_at, content, messages, rev";
      sql.exec(`WITH RECURSIVE n(seq) AS (SELECT 5 UNION ALL SELECT seq + 1 FROM n WHERE seq < ${JOBS_MAX + 2})
        INSERT INTO job (seq, debit, ${columns}) SELECT n.seq, 1, ${columns} FROM n JOIN job WHERE job.seq = 4`);
    });
    // The newest 500 jobs begin with the bulk's second job, so the bulk is left out.
    const all = await (await listen(visitor, 1)).next();
    expect(all).toMatchObject({ from: 5 });
    expect(all.jobs).toHaveLength(JOBS_MAX - 2);
    expect((await (await listen(visitor)).next()).jobs).toHaveLength(30);
  });

  it("cannot fail a send when its socket throws", async () => {
    const { visitor, world } = await visit();
    const listener = await listen(visitor);
    await listener.next();
    await runInDurableObject(world.stub, (_, state) => {
      const real = state.getWebSockets.bind(state);
      const broken = {
        deserializeAttachment: () => ({ openedAt: Date.now() }),
        send: () => {
          throw new Error("gone");
        },
      };
      Object.assign(state, { getWebSockets: () => [broken, ...real()] });
    });
    expect((await sendSms(world)).status).toBe(200);
    expect((await listener.next()).jobs).toHaveLength(1);
  });
});
