import { and, asc, count, gte, lt, min, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Tally } from "../model/delivery.ts";
import type { LongWait } from "../model/history.ts";
import { deliveryTally, longWait } from "./health-schema.ts";

// What the history consumer saw of deliveries and long waits, in D1.

/** A wait, with its account and when the account said so. */
type AccountWait = LongWait & { accountId: string; seenAt: number };

export interface Observed {
  tallies: Tally[];
  /** Accounts that said what waits: their earlier waits are over unless they are in `waits`. */
  accounts: string[];
  waits: AccountWait[];
}

/** Deliveries are counted by five minutes, which are kept one by one for two hours. */
const SLOT_MS = 300_000;
const SLOTS_KEPT_MS = 7_200_000;

const COUNTS = {
  delivered: deliveryTally.delivered,
  undelivered: deliveryTally.undelivered,
  failed: deliveryTally.failed,
  unconfirmed: deliveryTally.unconfirmed,
  sumMs: deliveryTally.sumMs,
  within5: deliveryTally.within5,
  within15: deliveryTally.within15,
  within60: deliveryTally.within60,
  within300: deliveryTally.within300,
  within1800: deliveryTally.within1800,
} as const;

const ADDED = Object.fromEntries(
  Object.entries(COUNTS).map(([name, column]) => [name, sql`${column} + ${sql.raw(`excluded.${column.name}`)}`]),
);

type Database = ReturnType<typeof drizzle>;

function addTally(db: Database, { within, ...tally }: Tally, slot: number) {
  const [within5 = 0, within15 = 0, within60 = 0, within300 = 0, within1800 = 0] = within;
  const row = { ...tally, slot, within5, within15, within60, within300, within1800 };
  const target = [deliveryTally.carrier, deliveryTally.slot];
  return db.insert(deliveryTally).values(row).onConflictDoUpdate({ target, set: ADDED });
}

/** Adds tallies to the present five minutes, and replaces the waits of these accounts; in one batch. */
export async function storeObserved(binding: D1Database, observed: Observed, nowMs: number): Promise<void> {
  const { tallies, accounts, waits } = observed;
  const db = drizzle(binding);
  const among = sql`${longWait.accountId} IN (SELECT value FROM json_each(${JSON.stringify(accounts)}))`;
  const fields = sql.join(
    ["accountId", "lane", "carrier", "oldestAt", "seenAt"].map((name) => sql.raw(`value ->> '${name}'`)),
    sql`, `,
  );
  const rows = sql`SELECT ${fields} FROM json_each(${JSON.stringify(waits)}) WHERE true`;
  const statements = [
    ...tallies.map((tally) => addTally(db, tally, nowMs - (nowMs % SLOT_MS))),
    ...(accounts.length > 0 ? [db.delete(longWait).where(among)] : []),
    ...(waits.length > 0 ? [db.insert(longWait).select(rows).onConflictDoNothing()] : []),
  ];
  const [first, ...rest] = statements;
  if (first) await db.batch([first, ...rest]);
}

const totalOf = (column: SQLiteColumn) => sql<number>`coalesce(sum(${column}), 0)`;

/** How messages ended since a time, by carrier; since 0: in all. */
export async function talliesSince(binding: D1Database, sinceMs: number): Promise<Tally[]> {
  const rows = await drizzle(binding)
    .select({
      carrier: deliveryTally.carrier,
      delivered: totalOf(COUNTS.delivered),
      undelivered: totalOf(COUNTS.undelivered),
      failed: totalOf(COUNTS.failed),
      unconfirmed: totalOf(COUNTS.unconfirmed),
      sumMs: totalOf(COUNTS.sumMs),
      within5: totalOf(COUNTS.within5),
      within15: totalOf(COUNTS.within15),
      within60: totalOf(COUNTS.within60),
      within300: totalOf(COUNTS.within300),
      within1800: totalOf(COUNTS.within1800),
    })
    .from(deliveryTally)
    .where(gte(deliveryTally.slot, sinceMs))
    .groupBy(deliveryTally.carrier)
    .orderBy(asc(deliveryTally.carrier));
  return rows.map(({ within5, within15, within60, within300, within1800, ...tally }) => ({
    ...tally,
    within: [within5, within15, within60, within300, within1800],
  }));
}

/** The longest waits: the oldest message by lane and carrier, and how many accounts wait. */
export async function waitsByLane(binding: D1Database) {
  return drizzle(binding)
    .select({
      lane: longWait.lane,
      carrier: longWait.carrier,
      accounts: count(),
      oldestAt: sql<number>`${min(longWait.oldestAt)}`,
      /** When the account of the oldest one said so (SQLite takes it from the row with the minimum). */
      seenAt: longWait.seenAt,
    })
    .from(longWait)
    .groupBy(longWait.lane, longWait.carrier)
    .orderBy(asc(min(longWait.oldestAt)));
}

/** Adds the slots that are not kept one by one to the sum of all before, so that the sums of all slots never fall. */
export async function foldTallies(binding: D1Database, nowMs: number): Promise<void> {
  const db = drizzle(binding);
  const old = and(lt(deliveryTally.slot, nowMs - SLOTS_KEPT_MS), sql`${deliveryTally.slot} > 0`);
  const found = await db.select({ slot: deliveryTally.slot }).from(deliveryTally).where(old).limit(1);
  if (found.length === 0) return;
  const sums = sql.join(
    Object.values(COUNTS).map((column) => sql`sum(${sql.raw(column.name)})`),
    sql`, `,
  );
  const before = nowMs - SLOTS_KEPT_MS;
  const rows = sql`SELECT carrier, 0, ${sums} FROM delivery_tally WHERE slot > 0 AND slot < ${before} GROUP BY carrier`;
  const target = [deliveryTally.carrier, deliveryTally.slot];
  const fold = db.insert(deliveryTally).select(rows).onConflictDoUpdate({ target, set: ADDED });
  await db.batch([fold, db.delete(deliveryTally).where(old)]);
}
