import { createHash } from "node:crypto";
import { runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { checkArchives, planArchives } from "../../../src/accounts/archives.ts";
import { archiveKeys } from "../../../src/model/archive.ts";
import { DAY_MS, archive, archiveWith, manifestsOf, ring, settle, stateOf, withBindings } from "../../world/archive.ts";
import { operatorSuite, pageSuite, unknownAccountSuite } from "../../world/operating.ts";
import { later, sendDelivered, stopClock } from "../../world/pass.ts";
import { bearer, openWorld, operator } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

beforeEach(stopClock);
afterEach(() => vi.useRealTimers());

const pathOf = (id: string) => `/operator/accounts/${id}/archives`;

/** An account with a file for each of some months. */
async function archivedWorld(months: number): Promise<World> {
  const world = await openWorld();
  for (let month = 0; month < months; month += 1) {
    await sendDelivered(world, 2);
    later(32 * DAY_MS);
  }
  await settle(world);
  later(401 * DAY_MS);
  await archive(world);
  expect(await manifestsOf(world)).toHaveLength(months);
  return world;
}

describe("GET /operator/accounts/:id/archives", () => {
  operatorSuite("GET", pathOf);
  unknownAccountSuite("GET", pathOf);
  pageSuite(pathOf);

  it("lists the files with their manifests, the same for any page size", async () => {
    const world = await archivedWorld(3);
    const { body } = await operator("GET", pathOf(world.ref.accountId));
    const manifests = await manifestsOf(world);
    expect(body).toMatchObject({ success: true, checkpoint: { seq: 7, balance: 994 }, has_more: false, next: null });
    expect(body.data).toHaveLength(3);
    expect(body.data[1]).toMatchObject({
      name: `${manifests[1]?.month}-4.ndjson.gz`,
      first: 4,
      last: 5,
      lines: { job: 2, ledger_entry: 0 },
      sums: { debit: -2, refund: 0, credit: 0, adjustment: 0 },
      balance_before: 998,
      balance_after: 996,
      sha256: manifests[1]?.file.sha256,
    });
    const pages: unknown[] = [];
    for (let after: string | null = "0"; after !== null;) {
      const page: { data: unknown[]; next: string | null } = (
        await operator("GET", `${pathOf(world.ref.accountId)}?limit=1&after=${after}`)
      ).body;
      pages.push(...page.data);
      after = page.next;
    }
    expect(pages).toEqual(body.data);
  });

  it("hands out a file as it is stored, and its manifest, and nothing else", async () => {
    const world = await archivedWorld(1);
    const [manifest] = await manifestsOf(world);
    const path = `http://console.localhost${pathOf(world.ref.accountId)}`;
    const get = (name: string) => exports.default.fetch(`${path}/${name}`, { headers: bearer(env.OPERATOR_TOKEN) });
    const file = await get(`${manifest?.month}-1.ndjson.gz`);
    expect(file.status).toBe(200);
    expect(file.headers.get("content-disposition")).toBe(`attachment; filename="${manifest?.month}-1.ndjson.gz"`);
    const bytes = new Uint8Array(await file.arrayBuffer());
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(manifest?.file.sha256);
    expect(await (await get(`${manifest?.month}-1.json`)).json()).toEqual(manifest);
    for (const name of [`${manifest?.month}-2.ndjson.gz`, "2020-01-1.ndjson.gz", `${manifest?.month}-1.txt`, "1"]) {
      expect((await get(name)).status).toBe(404);
    }
    const other = await openWorld();
    const foreign = await operator("GET", `${pathOf(other.ref.accountId)}/${manifest?.month}-1.ndjson.gz`);
    expect(foreign.status).toBe(404);
  });
});

const forgetFile = (world: World, first: number) =>
  runInDurableObject(world.stub, (_, { storage }) => {
    storage.sql.exec("DELETE FROM archive_file WHERE first_seq = ?", first);
  });

/** All that a check finds, page by page. */
const check = async (world: World) => {
  const found = [];
  for (let after: string | null = null; ;) {
    const checked: Awaited<ReturnType<typeof checkArchives>> = await checkArchives(env, world.ref, after);
    found.push(...(checked?.differences ?? []));
    after = checked?.next ?? null;
    if (after === null) return found.map(({ detail }) => detail);
  }
};

const cursor = () => env.DB.prepare("SELECT value FROM cursor WHERE name = 'archive'").first("value");

const open = () =>
  env.DB.prepare("SELECT count(*) AS open FROM alert WHERE kind = 'archive_failed' AND ended_at IS NULL").first("open");

describe("a check of the archives", () => {
  it("finds nothing where all is well, in pages", async () => {
    expect(await check(await archivedWorld(7))).toEqual([]);
    expect(await check(await openWorld())).toEqual([]);
    const test = await openWorld({ mode: "test" });
    await sendDelivered(test, 2);
    await settle(test);
    later(8 * DAY_MS);
    await archive(test);
    expect(await stateOf(test)).toMatchObject({ checkpoint_seq: 3 });
    expect(await check(test)).toEqual([]);
  });

  it("finds a file that is missing, changed or cut, and a chain that is broken", async () => {
    const world = await archivedWorld(3);
    const [first, second, third] = await manifestsOf(world);
    if (!first || !second || !third) throw new Error("no files");
    const key = archiveKeys(world.name, second);
    const object = await env.ARCHIVE.get(key.file);
    const bytes = new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer());
    const named = (detail: string) => [`${second.month}-4.ndjson.gz: ${detail}`];
    await env.ARCHIVE.delete(key.file);
    expect(await check(world)).toEqual(named("the file is missing"));
    await env.ARCHIVE.put(key.file, bytes.slice(0, -9));
    expect(await check(world)).toEqual(named("the file is not the one in the manifest"));
    await env.ARCHIVE.put(key.file, bytes);
    await env.ARCHIVE.put(key.manifest, JSON.stringify({ ...second, last: 6 }));
    expect(await check(world)).toEqual(named("the manifest beside the file is another one"));
    await env.ARCHIVE.put(key.manifest, JSON.stringify(second));
    expect(await check(world)).toEqual([]);
    await forgetFile(world, 4);
    expect(await check(world)).toEqual([
      `${third.month}-6.ndjson.gz begins at 6, and not at 4`,
      `${third.month}-6.ndjson.gz begins with 9960000, and not with 9980000`,
    ]);
    await forgetFile(world, 6);
    expect(await check(world)).toEqual(["the files end at 3 with 9980000, the checkpoint is 7 with 9940000"]);
  });
});

describe("the periodic work", () => {
  beforeEach(async () => {
    await env.DB.batch([env.DB.prepare("DELETE FROM cursor"), env.DB.prepare("DELETE FROM account")]);
  });

  it("lets every account plan its run at its own moment of the night, once a day", async () => {
    const worlds = [];
    for (let count = 0; count < 4; count += 1) {
      const world = await openWorld();
      await sendDelivered(world);
      await settle(world);
      worlds.push(world);
    }
    later(432 * DAY_MS);
    await planArchives(env, Date.now());
    const times = await Promise.all(worlds.map(async (world) => Number((await stateOf(world)).archive_at)));
    expect(new Set(times).size).toBe(4);
    for (const time of times) {
      expect(time).toBeGreaterThanOrEqual(Date.now());
      const hour = (time % DAY_MS) / 3_600_000;
      expect(hour).toBeGreaterThanOrEqual(19.5);
    }
    expect(await cursor()).toBe(`${new Date().toISOString().slice(0, 10)} end`);
    // It rests until the next day.
    const late = await openWorld();
    await sendDelivered(late);
    await settle(late);
    await planArchives(env, Date.now());
    expect((await stateOf(late)).archive_at).toBeNull();
  });

  it("raises an alert while an account's run fails, and ends it", async () => {
    const world = await openWorld();
    await sendDelivered(world);
    await settle(world);
    later(432 * DAY_MS);
    await planArchives(env, Date.now());
    expect(await open()).toBe(0);
    await withBindings(world, { ARCHIVE: archiveWith({ put: () => Promise.reject(new Error("R2 is away")) }) });
    vi.setSystemTime(Number((await stateOf(world)).archive_at));
    await ring(world);
    later(DAY_MS);
    await planArchives(env, Date.now());
    expect(await open()).toBe(1);
    await withBindings(world, {});
    await ring(world);
    later(DAY_MS);
    await planArchives(env, Date.now());
    expect(await open()).toBe(0);
  });
});
