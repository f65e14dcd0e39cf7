import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { watchDatabases } from "../../src/alerts/databases.ts";
import { openAlerts } from "../../src/db/health/alerts.ts";
import { databaseFill, sizeOf } from "../../src/db/health/fill.ts";
import { housekeeping } from "../../src/housekeeping.ts";
import { forgetAlerts } from "../world/alerts.ts";
import { failing, withSecond } from "../world/history-queue.ts";

beforeEach(forgetAlerts);
afterEach(() => vi.restoreAllMocks());

const NOW = Date.parse("2026-11-22T10:00:00Z");

/** The service with a limit for each database, and with other databases of history. */
function limitedTo(bytes: number, databases: Record<string, D1Database> = {}): Env {
  const limit = { HISTORY_BYTES_MAX: String(Math.round(bytes)) };
  return { ...withSecond, ...databases, ...limit };
}

const alerted = async () => (await openAlerts(env.DB, 10)).map(({ kind, subject }) => `${kind} ${subject}`).toSorted();

/** A database of this size. */
const ofSize = (bytes: number) =>
  ({ prepare: () => ({ run: async () => ({ meta: { size_after: bytes } }) }) }) as unknown as D1Database;

/** The service with databases of history of these sizes. */
const sized = (first: number, second: number) =>
  limitedTo(1e9, { HISTORY_1: ofSize(first), HISTORY_2: ofSize(second) });

it("alerts at 70 % of a database, of each one apart, and ends when it is below that again", async () => {
  await watchDatabases(sized(699_999_999, 0), NOW);
  expect(await alerted()).toEqual([]);
  await watchDatabases(sized(700_000_000, 950_000_000), NOW);
  expect(await alerted()).toEqual(["database_fill HISTORY_1", "database_fill HISTORY_2"]);
  const open = await openAlerts(env.DB, 10);
  const values = open.find(({ subject }) => subject === "HISTORY_2")?.values;
  expect(values).toEqual({ bytes: 950_000_000, max: 1_000_000_000, percent: 95 });
  await watchDatabases(sized(700_000_000, 100), NOW + 1);
  expect(await alerted()).toEqual(["database_fill HISTORY_1"]);
});

it("measures the real databases, DB among them, each time the cron runs", async () => {
  const size = await sizeOf(env.DB);
  expect(size).toBeGreaterThan(10_000);
  const fill = await databaseFill(limitedTo(size));
  expect(fill).toMatchObject([
    { name: "DB", bytes: size, max: size },
    { name: "HISTORY_1", max: size },
    { name: "HISTORY_2", max: size },
  ]);
  await housekeeping(limitedTo(size / 0.71), NOW);
  expect(await alerted()).toContain("database_fill DB");
  // What stores the alert is a row or two more.
  await housekeeping(limitedTo(size * 2), NOW + 1);
  expect(await alerted()).not.toContain("database_fill DB");
});

it("leaves a database out that does not answer, and looks at the others", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  const at = limitedTo(1e9, { HISTORY_1: failing("away"), HISTORY_2: ofSize(9e8) });
  await watchDatabases(at, NOW);
  expect(await alerted()).toEqual(["database_fill HISTORY_2"]);
  expect((await databaseFill(at)).find(({ name }) => name === "HISTORY_1")?.bytes).toBeNull();
});
