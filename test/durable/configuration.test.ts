import { createExecutionContext, createMessageBatch, getQueueResult, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Account } from "../../src/durable/account.ts";
import { Inbox } from "../../src/durable/inbox.ts";
import { Pace } from "../../src/durable/pace.ts";
import service from "../../src/worker.ts";
import { balanceOf, claim, dispatch, messagesOf, openWorld, sendSms } from "../world/world.ts";
import { stopClock } from "../world/pass.ts";

// A setting that is wrong is live at once, as after `wrangler secret put`: every object starts all the same, no alarm ends,
// and all goes on once the setting is mended.

const DAY_MS = 86_400_000;
const BROKEN = { ...env, CARRIER_HTTP_SECRET: "no whsec" };
const NOTHING = { taken: 0, busy: 0 };

let logged: string[] = [];
beforeEach(() => {
  stopClock();
  logged = [];
  vi.spyOn(console, "error").mockImplementation((line: string) => void logged.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it("an account starts, keeps its alarm through any number of rings, and refunds once the setting is mended", async () => {
  const world = await openWorld();
  const full = await balanceOf(world);
  await sendSms(world);
  await claim(world, { leaseMs: 10_000 });
  vi.setSystemTime(Date.now() + 2 * DAY_MS);
  await runInDurableObject(world.stub, async (_, ctx) => {
    // Overdue work, and no alarm: all that a start can meet.
    await ctx.storage.deleteAlarm();
    const account = new Account(ctx, BROKEN);
    expect(await account.heal()).toBe(true);
    for (let rings = 0; rings < 10; rings += 1) {
      const setTo = await ctx.storage.getAlarm();
      expect(setTo).toBeGreaterThan(Date.now());
      vi.setSystemTime(setTo ?? 0);
      await ctx.storage.deleteAlarm();
      await account.alarm();
    }
    expect(account.view()?.balance).toBe(full - 10_000);
    expect(logged.join("\n")).toContain("CARRIER_HTTP_SECRET: must be whsec_");
    await ctx.storage.deleteAlarm();
    await new Account(ctx, env).alarm();
  });
  expect(await balanceOf(world)).toBe(full);
});

it("an account that waits in its lane sends once the setting is mended", async () => {
  const world = await openWorld();
  await sendSms(world);
  await runInDurableObject(world.stub, async (_, ctx) => {
    await ctx.storage.deleteAlarm();
    expect(await new Account(ctx, BROKEN).heal()).toBe(true);
    expect(await ctx.storage.getAlarm()).not.toBeNull();
  });
  await dispatch(world);
  expect((await messagesOf(world))[0]?.state).not.toBe("queued");
});

it("an inbox starts and takes messages, and a pace starts and gives permits", async () => {
  const inbox = env.INBOX.getByName("misconfigured");
  const caught = { account: "acc", requestId: "q", operation: "sms" as const, content: {}, text: null };
  await inbox.put([{ ...caught, messages: [{ ref: "msg_1", to: "+919876543210" }] }]);
  await runInDurableObject(inbox, async (_, ctx) => {
    const broken = new Inbox(ctx, BROKEN);
    broken.put([{ ...caught, messages: [{ ref: "msg_2", to: "+919876543210" }] }]);
    expect(new Inbox(ctx, env).list({ account: null }, {}, 9)?.map(({ ref }) => ref)).toEqual(["msg_2", "msg_1"]);
  });
  await runInDurableObject(env.PACE.getByName("misconfigured"), async (_, ctx) => {
    const permits = await new Pace(ctx, BROKEN).take({ lane: "otp", account: "acc", max: 1, seen: NOTHING });
    expect(permits.atMs).toHaveLength(1);
  });
});

it("a pace that finds a stored form of another release learns anew, and reads one with more fields", async () => {
  await runInDurableObject(env.PACE.getByName("newer"), async (_, ctx) => {
    for (const stored of ["soon", { ceiling: "7", form: 2 }, { busyAtMs: Number.NaN }]) {
      ctx.storage.kv.put("learned", stored);
      expect((await new Pace(ctx, env).take({ lane: "otp", account: "acc", max: 1, seen: NOTHING })).atMs).toHaveLength(
        1,
      );
    }
    const quietUntilMs = Date.now() + 60_000;
    ctx.storage.kv.put("learned", { ceiling: null, busyAtMs: -Infinity, spanMs: 8_000, quietUntilMs, form: 2 });
    expect(
      (await new Pace(ctx, env).take({ lane: "otp", account: "acc", max: 1, seen: NOTHING })).quietMs,
    ).toBeGreaterThan(50_000);
  });
});

it("queue messages wait for the mended setting, and only dead letters are taken", async () => {
  const results = [];
  for (const [queue, attempts] of [
    ["dastak-single", 1],
    ["dastak-history", 19],
    ["dastak-dead", 1],
  ] as const) {
    const body = { kind: "send", account: "acc", lane: "single" };
    const batch = createMessageBatch(queue, [{ id: queue, timestamp: new Date(), attempts, body }]);
    const delays: (number | undefined)[] = [];
    for (const message of batch.messages) {
      const retry = message.retry.bind(message);
      vi.spyOn(message, "retry").mockImplementation((options) => {
        delays.push(options?.delaySeconds);
        retry(options);
      });
    }
    await service.queue(batch, BROKEN, createExecutionContext());
    const { retryMessages, explicitAcks, ackAll } = await getQueueResult(batch, createExecutionContext());
    results.push([retryMessages.length, delays, explicitAcks.length + Number(ackAll)]);
  }
  expect(results).toEqual([
    [1, [30], 0],
    [1, [900], 0],
    [0, [], 1],
  ]);
});
