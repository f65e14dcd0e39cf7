import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { rebuildSome } from "../../src/accounts/rebuild.ts";
import { historyOf, settledSeq } from "../world/history.ts";
import { alarm, deliver, later, PASS_MS, stopClock } from "../world/pass.ts";
import { claim, openWorld, operator, runAlarm, sendSms } from "../world/world.ts";
import type { World } from "../world/world.ts";

// History that D1 lost comes back from the accounts.

beforeEach(async () => {
  stopClock();
  await env.DB.exec("DELETE FROM account; DELETE FROM cursor");
  await env.HISTORY_1.exec("DELETE FROM message_group");
});
afterEach(() => vi.useRealTimers());

/** An account whose history is recorded: of two messages, one delivered and one open for long. */
async function recorded(): Promise<World> {
  const world = await openWorld();
  await sendSms(world);
  await sendSms(world);
  await claim(world, { max: 1 });
  await world.stub.report([{ kind: "receipt", seq: 2, index: 0, state: "delivered" }], false);
  later(PASS_MS);
  await record(world);
  return world;
}

/** Runs the passes until nothing is named. */
async function record(world: World): Promise<void> {
  for (let passes = 0; passes < 5; passes += 1) {
    await deliver(world, await alarm(world));
    later(PASS_MS / 2);
  }
}

const profiles = async () => (await env.DB.prepare("SELECT account_id FROM account").all()).results.length;

it("records an account's messages and its profile again, and what comes meanwhile", async () => {
  const world = await recorded();
  const before = await historyOf(world);
  expect(before).toHaveLength(2);
  await env.HISTORY_1.exec("DELETE FROM message_group");
  await env.DB.exec("DELETE FROM account");
  const path = `/operator/accounts/${world.ref.accountId}/history/rebuild`;
  expect((await operator("POST", path)).body).toMatchObject({ success: true, mode: "live" });
  expect(await settledSeq(world)).toBe(0);
  await sendSms(world);
  later(PASS_MS);
  await record(world);
  expect((await historyOf(world)).slice(0, 2)).toEqual(before);
  expect(await historyOf(world)).toHaveLength(3);
  expect(await profiles()).toBe(1);
  expect(await settledSeq(world)).toBe(4);
  // Once more, with nothing lost: no row is written, since all revisions are there.
  await operator("POST", path);
  await record(world);
  expect(await settledSeq(world)).toBe(4);
});

it("walks over all accounts of one database in runs of the periodic work, and ends", async () => {
  const worlds = [await recorded(), await recorded()];
  const test = await openWorld({ mode: "test" });
  await runAlarm(test);
  expect((await operator("POST", "/operator/history/rebuild", { database: 2 })).status).toBe(200);
  await rebuildSome(env, Date.now());
  for (const world of worlds) expect(await settledSeq(world)).toBe(3);
  expect((await operator("POST", "/operator/history/rebuild", {})).body).toMatchObject({ database: null });
  await rebuildSome(env, Date.now());
  for (const world of worlds) expect(await settledSeq(world)).toBe(0);
  expect((await env.DB.prepare("SELECT count(*) AS n FROM cursor").first("n")) ?? -1).toBe(0);
});

it("refuses what is no database, and an account that was never opened", async () => {
  expect((await operator("POST", "/operator/history/rebuild", { database: 0 })).status).toBe(400);
  const world = await openWorld();
  const other = `${world.ref.accountId}/history/rebuild?mode=test`;
  expect((await operator("POST", `/operator/accounts/${other}`)).status).toBe(404);
});
