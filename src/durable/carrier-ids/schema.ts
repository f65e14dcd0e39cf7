import type { Schema, Step } from "../tables.ts";

const STEPS: readonly Step[] = [
  // Keys begin with the day, so that the oldest go without a scan; a row has no second index to write.
  `CREATE TABLE part (
     day INTEGER NOT NULL, id TEXT NOT NULL, ref TEXT NOT NULL, nth INTEGER NOT NULL, parts INTEGER NOT NULL,
     PRIMARY KEY (day, id)
   ) WITHOUT ROWID;
   CREATE TABLE early (
     day INTEGER NOT NULL, id TEXT NOT NULL, state TEXT NOT NULL, code TEXT,
     PRIMARY KEY (day, id)
   ) WITHOUT ROWID;
   CREATE TABLE arrived (
     ref TEXT NOT NULL, nth INTEGER NOT NULL, day INTEGER NOT NULL,
     PRIMARY KEY (ref, nth)
   ) WITHOUT ROWID;
   CREATE TABLE outbox (number INTEGER PRIMARY KEY, item TEXT NOT NULL);`,
];

/** What an object that has ids of a carrier stores: these, receipts that came early, and what it has to tell others. */
export const IDS_SCHEMA: Schema = { steps: STEPS, counted: STEPS.length };
