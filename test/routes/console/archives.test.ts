import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { archiveName } from "../../../src/model/archive.ts";
import { DAY_MS, archive, manifestsOf, settle } from "../../world/archive.ts";
import { later, sendDelivered, stopClock } from "../../world/pass.ts";
import { visit } from "../../world/visitor.ts";
import { openWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

beforeEach(stopClock);
afterEach(() => vi.useRealTimers());

async function archiveTwo(world: World): Promise<void> {
  await sendDelivered(world, 2);
  await settle(world);
  later(432 * DAY_MS);
  await archive(world);
}

it("lists a customer's files by month, with their size and a link to each, in English and Hindi", async () => {
  vi.setSystemTime(Date.UTC(2027, 2, 3));
  const { visitor, world } = await visit();
  expect((await visitor.get("/settings")).text).toContain('href="/settings/archives"');
  expect((await visitor.get("/settings/archives")).text).toContain("Nothing archived yet");
  await archiveTwo(world);
  const [manifest] = await manifestsOf(world);
  // Back to when the session began.
  vi.setSystemTime(Date.UTC(2027, 2, 3));
  const { text } = await visitor.get("/settings/archives");
  expect(text).toContain("March 2027");
  expect(text).toContain("1 KiB");
  expect(text).toContain('href="/settings/archives/2027-03-1.ndjson.gz"');
  visitor.cookies.set("lang", "hi");
  expect((await visitor.get("/settings/archives")).text).toContain("मार्च 2027");
  expect(manifest?.month).toBe("2027-03");
});

it("hands out one's own files only, and none to a visitor who is not signed in", async () => {
  const stranger = await openWorld();
  vi.setSystemTime(Date.UTC(2027, 1, 3));
  await archiveTwo(stranger);
  vi.setSystemTime(Date.UTC(2027, 2, 3));
  const { visitor, world } = await visit();
  await archiveTwo(world);
  // Back to when the session began.
  vi.setSystemTime(Date.UTC(2027, 2, 3));
  const [manifest] = await manifestsOf(world);
  if (!manifest) throw new Error("no file");
  const path = "/settings/archives/2027-03-1.ndjson.gz";
  const file = await visitor.get(path);
  expect(file.status).toBe(200);
  expect(file.headers.get("content-disposition")).toBe('attachment; filename="2027-03-1.ndjson.gz"');
  expect(file.headers.get("content-length")).toBe(String(manifest.file.bytes));
  const names = (await manifestsOf(stranger)).map(archiveName);
  expect(names.at(-1)).toBe("2027-02-2.ndjson.gz");
  for (const name of [...names, "x"]) expect((await visitor.get(`/settings/archives/${name}`)).status).toBe(404);
  visitor.cookies.clear();
  expect((await visitor.get(path)).status).toBe(303);
});
