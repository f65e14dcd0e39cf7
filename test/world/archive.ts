import { createMessageBatch, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { linesIn } from "../../src/archive/verify.ts";
import type { Line } from "../../src/archive/tally.ts";
import type { Account } from "../../src/durable/account.ts";
import { archiveKeys } from "../../src/model/archive.ts";
import type { Manifest } from "../../src/model/archive.ts";
import { consumeHistory } from "../../src/queues/history.ts";
import { alarmMs } from "./pass.ts";
import { recordHistory } from "./world.ts";
import type { World } from "./world.ts";

// The archive of one account, one alarm at a time.

export const DAY_MS = 24 * 3_600_000;

/** Lets history record all that the account sent, so that it may leave. */
export async function settle(world: World): Promise<void> {
  const seqs = await runInDurableObject(world.stub, (_, { storage }) =>
    storage.sql
      .exec("SELECT seq FROM job ORDER BY seq")
      .toArray()
      .map((row) => Number(row["seq"])),
  );
  for (let at = 0; at < seqs.length; at += 100) await recordHistory(world, seqs.slice(at, at + 100));
}

/** Rings the alarm, with the bindings that the object has. */
export const ring = (world: World) => runInDurableObject(world.stub, (account) => account.alarm());

/** A day's alarms of an account whose history and messages wait, each of which rings every few minutes, and a run's. */
const RINGS_MAX = 1_500;

/**
 * Plans a run as the cron does, and rings the alarm until it is over; false where nothing was old enough. The run begins at
 * night in India, up to a day later: until then the alarm also rings for what is not delivered or recorded.
 */
export async function archive(world: World): Promise<boolean> {
  const planned = await world.stub.archive();
  if (!planned || planned.nextAt === null) return false;
  for (let rings = 0; rings < RINGS_MAX; rings += 1) {
    const state = await stateOf(world);
    if (state.archive_at === null) return true;
    if (Number(state.archive_failures) > 0) return true;
    const dueMs = await alarmMs(world);
    if (dueMs === null) throw new Error("a run was planned, and no alarm is set");
    vi.setSystemTime(Math.max(Date.now(), dueMs));
    await ring(world);
  }
  throw new Error(`the run was not over after ${RINGS_MAX} alarms`);
}

/** What the account's row says of the archive. */
export const stateOf = (world: World) =>
  runInDurableObject(world.stub, (_, { storage }) =>
    storage.sql
      .exec(
        `SELECT checkpoint_seq, checkpoint_balance, checkpoint_revs, cleared_seq, archive_at, archived_at,
                archive_failures, archive_problem FROM account`,
      )
      .one(),
  );

/** The rows of both tables that are left. */
export const rowsLeft = (world: World) =>
  runInDurableObject(world.stub, (_, { storage: { sql } }) => ({
    jobs: sql
      .exec("SELECT seq FROM job ORDER BY seq")
      .toArray()
      .map(({ seq }) => Number(seq)),
    entries: sql
      .exec("SELECT seq, type FROM ledger_entry ORDER BY seq")
      .toArray()
      .map(({ seq }) => Number(seq)),
  }));

/** The account's files, oldest first. */
export async function manifestsOf(world: World): Promise<Manifest[]> {
  return (await world.stub.archives(0, 1_000))?.manifests ?? [];
}

/** Every line of the account's files, in order. */
export async function linesOf(world: World): Promise<Line[]> {
  const lines: Line[] = [];
  for (const manifest of await manifestsOf(world)) {
    const object = await env.ARCHIVE.get(archiveKeys(world.name, manifest).file);
    if (!object) throw new Error("a file of the archive is missing");
    for await (const line of linesIn(new Uint8Array(await object.arrayBuffer()))) lines.push(line);
  }
  return lines;
}

/** Writes lines of an archive into storage that has the tables and none of these rows. */
export function restoreLines(sql: SqlStorage, lines: readonly Line[]): void {
  for (const { kind, row } of lines) {
    const columns = Object.keys(row);
    const places = columns.map(() => "?").join(", ");
    // An entry that stayed in the account is there already.
    sql.exec(`INSERT OR IGNORE INTO ${kind} (${columns.join(", ")}) VALUES (${places})`, ...Object.values(row));
  }
}

/** Puts the lines of the archive back into the account, which then has no checkpoint any more. */
export const restore = async (world: World, lines: readonly Line[]) => {
  await runInDurableObject(world.stub, (_, { storage }) => {
    storage.transactionSync(() => {
      restoreLines(storage.sql, lines);
      storage.sql.exec("DELETE FROM archive_file");
      storage.sql.exec("UPDATE account SET checkpoint_seq = 0, checkpoint_balance = 0, checkpoint_revs = 0");
    });
  });
  await evictDurableObject(world.stub);
};

/** Gives the account's object other bindings; `null` ends that. */
export const withBindings = (world: World, changed: Partial<Cloudflare.Env>) =>
  runInDurableObject(world.stub, (account) => {
    Object.assign(account as Account & { env: Env }, { env: { ...env, ...changed } });
  });

/** The bucket of the archive with other methods in place of its own. */
export function archiveWith(changed: Partial<R2Bucket>): R2Bucket {
  return new Proxy(env.ARCHIVE, {
    get: (bucket, name) => {
      const value: unknown = Reflect.get(changed, name) ?? Reflect.get(bucket, name);
      return typeof value === "function" && !(name in changed) ? value.bind(bucket) : value;
    },
  });
}

/** Delivers the order to clear history to its consumer. */
export async function deliverClear(world: World, at: Env = env): Promise<void> {
  const batch = createMessageBatch("dastak-history", [
    { id: "clear", timestamp: new Date(), attempts: 1, body: { account: world.name, seqs: [], clear: true } },
  ]);
  await consumeHistory(batch, at);
}
