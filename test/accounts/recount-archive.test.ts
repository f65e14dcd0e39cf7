import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { recountAccounts } from "../../src/accounts/recount-all.ts";
import { objectName } from "../../src/crypto/ids.ts";
import { openAlerts } from "../../src/db/alerts.ts";
import { writeCursor } from "../../src/db/cursors.ts";
import { archiveKeys } from "../../src/model/archive.ts";
import { forgetAlerts } from "../world/alerts.ts";
import { DAY_MS, archive, manifestsOf, settle } from "../world/archive.ts";
import { later, sendDelivered, stopClock } from "../world/pass.ts";
import { recountAll } from "../world/recount.ts";
import { openWorld, operator, sendSms } from "../world/world.ts";
import type { World } from "../world/world.ts";

// The recount of an account of which a part is in files: the rows from the checkpoint on, then the files.

beforeEach(async () => {
  stopClock();
  await forgetAlerts();
  await env.DB.prepare("DELETE FROM account").run();
  await writeCursor(env.DB, "reconcile", null);
});
afterEach(() => vi.useRealTimers());

/** An account with seven files, which is more than one step checks, and a message after them. */
async function archivedWorld(): Promise<World> {
  const world = await openWorld();
  for (let month = 0; month < 7; month += 1) {
    await sendDelivered(world, 2);
    later(32 * DAY_MS);
  }
  await settle(world);
  later(401 * DAY_MS);
  await archive(world);
  expect(await manifestsOf(world)).toHaveLength(7);
  await sendSms(world);
  await settle(world);
  return world;
}

/** Replaces a file of the archive by another text, and puts it back. */
async function damage(world: World): Promise<() => Promise<unknown>> {
  const manifest = (await manifestsOf(world))[5];
  if (!manifest) throw new Error("no sixth file");
  const { file } = archiveKeys(objectName(world.ref), manifest);
  const bytes = await (await env.ARCHIVE.get(file))?.arrayBuffer();
  await env.ARCHIVE.put(file, "damaged");
  return () => env.ARCHIVE.put(file, bytes ?? "");
}

it("finds no difference where there is none, and a damaged file", async () => {
  const world = await archivedWorld();
  expect(await recountAll(world)).toEqual([]);
  const path = `/operator/reconcile?account=${world.ref.accountId}`;
  expect((await operator("GET", path)).body).toMatchObject({ differences: [], has_more: false });
  await damage(world);
  const { body } = await operator("GET", path);
  expect(body.differences).toMatchObject([{ account_id: world.ref.accountId, mode: "live", kind: "archive" }]);
  const place = `${world.ref.accountId}.live.archive:0:`;
  expect((await operator("GET", `${path}&after=${place}`)).body.differences).toHaveLength(1);
  for (const wrong of ["x", "1", "1.2", "1.2.x", "1.2.3.4"]) {
    expect((await operator("GET", `${path}&after=${place}${wrong}`)).status).toBe(400);
  }
});

it("of all accounts checks the files in one round of thirty, and alerts about them until they are right", async () => {
  const world = await archivedWorld();
  const restore = await damage(world);
  const subject = `${world.ref.accountId} archive`;
  const startMs = Date.now();
  const openIn = async (round: number) => {
    await recountAccounts(env, startMs + round * DAY_MS);
    return (await openAlerts(env.DB, 10)).map((alert) => alert.subject);
  };
  const rounds: boolean[] = [];
  for (let round = 0; round < 30; round += 1) rounds.push((await openIn(round)).includes(subject));
  const found = rounds.indexOf(true);
  expect(found).toBeGreaterThanOrEqual(0);
  // The rounds between, which find the rows right, do not end the alert.
  expect(rounds).toEqual(rounds.map((_, round) => round >= found));
  await restore();
  expect(await openIn(found + 29)).toEqual([subject]);
  expect(await openIn(found + 30)).toEqual([]);
});
