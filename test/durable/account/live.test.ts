import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LiveFeed } from "../../../src/durable/account/live.ts";
import { dispatch, follow, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { stopClock } from "../../world/pass.ts";
import { listen } from "../../world/listener.ts";
import { visit } from "../../world/visitor.ts";

// What the live feed costs: nothing without a listener, and never a row.

// A day ahead, so that no alarm rings by itself, however slow the machine.
beforeEach(stopClock);
afterEach(() => vi.useRealTimers());

/** Counts what an account object writes and queries from now on. */
async function count(world: World): Promise<{ rows: number; alarms: number; queries: number }> {
  const counted = { rows: 0, alarms: 0, queries: 0 };
  await runInDurableObject(world.stub, (_, { storage }) => {
    const exec = storage.sql.exec.bind(storage.sql);
    const setAlarm = storage.setAlarm.bind(storage);
    Object.assign(storage.sql, {
      exec(query: string, ...bindings: unknown[]) {
        const cursor = exec(query, ...bindings);
        const found = cursor.toArray();
        counted.queries += 1;
        counted.rows += cursor.rowsWritten;
        return { toArray: () => found, one: () => found[0] };
      },
    });
    Object.assign(storage, {
      setAlarm(time: number) {
        counted.alarms += 1;
        return setAlarm(time);
      },
    });
  });
  return counted;
}

async function deliverOne(world: World): Promise<void> {
  await sendSms(world);
  await dispatch(world, [2]);
  await follow(world, [2]);
}

it("writes no row and sets no alarm for a listener, and reads nothing without one", async () => {
  const quiet = await visit();
  const watched = await visit();
  const listener = await listen(watched.visitor);
  await listener.next();
  const alone = await count(quiet.world);
  const heard = await count(watched.world);
  await deliverOne(quiet.world);
  await deliverOne(watched.world);
  await listener.until(({ jobs }) => jobs[0]?.states[0]?.state === "delivered");
  expect([heard.rows, heard.alarms]).toEqual([alone.rows, alone.alarms]);
  expect(heard.queries).toBeGreaterThan(alone.queries);

  let touched = false;
  const ctx = {
    getWebSockets: () => [],
    get storage() {
      touched = true;
      throw new Error("nobody listens");
    },
  };
  new LiveFeed(ctx as unknown as DurableObjectState, env).send([1, 2, 3]);
  expect(touched).toBe(false);
});

it("writes nothing when a listener connects or asks for a snapshot", async () => {
  const { visitor, world } = await visit();
  await sendSms(world);
  const counted = await count(world);
  await (await listen(visitor)).next();
  await (await listen(visitor, 2)).next();
  await world.stub.outline(0);
  expect(counted).toMatchObject({ rows: 0, alarms: 0 });
});

it("notifies a busy account's listeners at once, then of all further changes together", async () => {
  const { visitor, world } = await visit();
  const listener = await listen(visitor);
  await listener.next();
  for (let sent = 0; sent < 5; sent++) await sendSms(world);
  await listener.until(({ jobs }) => jobs.some(({ seq }) => seq === 6));
  await runInDurableObject(world.stub, (_, state) => {
    const feed = new LiveFeed(state, env);
    for (const seq of [2, 3, 4, 3, 5, 6]) feed.send([seq]);
  });
  expect((await listener.next()).jobs.map(({ seq }) => seq)).toEqual([2]);
  expect((await listener.next()).jobs.map(({ seq }) => seq)).toEqual([3, 4, 5, 6]);
});

it("shows the other jobs when the text of one cannot be opened", async () => {
  const { visitor, world } = await visit();
  await sendSms(world, { body: { message: "broken" } });
  await sendSms(world, { body: { message: "whole" } });
  await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
    sql.exec("UPDATE job SET text = x'0102' WHERE seq = 2");
  });
  const { jobs } = await (await listen(visitor)).next();
  expect(jobs.map(({ preview }) => preview)).toEqual(["", "whole"]);
});
