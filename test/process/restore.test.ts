import { cpSync, globSync, rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { balanceOf, differencesOf, messagesOf } from "../../harness/books.ts";
import { historyRows } from "../../harness/disk.ts";
import { until } from "../../harness/http.ts";
import { endPrograms, freshDirectory } from "../../harness/program.ts";
import { startService } from "../../harness/started.ts";
import { checkQuery, conflicts, missingRows, readExport } from "../../scripts/merge-database.mjs";

// What docs/backup.md says of a restore, on the files of a local service: a backup, more work, a loss, and the way back.

// A pass of history is due after twenty sweeps.
const SETTINGS = { SWEEP_MS: "200" };

afterAll(endPrograms);

async function start(state: string) {
  const service = await startService({ state, set: SETTINGS });
  onTestFinished(() => service.kill9());
  return service;
}

it("databases of D1 that are set back take nothing from the accounts, which fill history and the list again", async () => {
  const state = freshDirectory();
  const d1 = path.join(state, "v3", "d1");
  const backup = path.join(freshDirectory(), "d1");
  let service = await start(state);
  const early = await service.openAccount(100);
  await service.post(early.apiKey, "/send-sms", { phone: "9876543210", message: "before" });
  await until("the backup has history", () => historyRows(state).length > 0, { withinMs: 60_000 });
  await service.stop();
  cpSync(d1, backup, { recursive: true });

  service = await start(state);
  for (const message of ["after", "after, too"]) {
    await service.post(early.apiKey, "/send-sms", { phone: "9876543211", message });
  }
  const late = await service.openAccount(50);
  await service.post(late.apiKey, "/send-sms", { phone: "9876543212", message: "of a new account" });
  await until("all is in history", () => historyRows(state).length >= 4, { withinMs: 60_000 });
  await service.stop();
  rmSync(d1, { recursive: true });
  cpSync(backup, d1, { recursive: true });

  service = await start(state);
  expect(historyRows(state).length).toBeLessThan(4);
  // Keys, balances, messages and the ledger are in the accounts: they go on at once.
  expect(await balanceOf(service, early.id)).toBe(97);
  expect(await balanceOf(service, late.id)).toBe(49);
  expect(await messagesOf(service, early.id)).toHaveLength(3);
  expect((await service.post(late.apiKey, "/send-sms", { phone: "9876543213", message: "again" })).status).toBe(200);
  for (const { id } of [early, late]) expect(await differencesOf(service, id)).toEqual([]);
  // History, and the list of accounts, come back on request; an account that the list lost is named.
  expect((await service.operator("POST", "/history/rebuild", {})).status).toBe(200);
  for (const { id } of [early, late]) {
    expect((await service.operator("POST", `/accounts/${id}/history/rebuild`)).status).toBe(200);
  }
  const rows = () => historyRows(state).filter(({ account_id: id }) => id === early.id || id === late.id);
  await until("history has all of it again", () => rows().length === 5, { withinMs: 60_000 });
  const listed = () =>
    databasesWith(d1, "account", `SELECT 1 FROM account WHERE account_id = '${late.id}' AND mode = 'live'`);
  await until("the new account is in the list", () => listed() === 1, { withinMs: 60_000 });
});

/** How many rows a query finds in the local databases that have this table. */
function databasesWith(d1: string, table: string, query: string): number {
  let found = 0;
  for (const file of globSync("**/*.sqlite", { cwd: d1 })) {
    const database = new DatabaseSync(path.join(d1, file), { readOnly: true });
    const has = database.prepare("SELECT 1 FROM sqlite_master WHERE name = ?").all(table).length > 0;
    if (has) found += database.prepare(query).all().length;
    database.close();
  }
  return found;
}

const SCHEMA = `
  CREATE TABLE person (id TEXT PRIMARY KEY, account_id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, phone TEXT UNIQUE);
  CREATE TABLE invoice (year TEXT, number INTEGER, order_id TEXT NOT NULL UNIQUE, terms TEXT, PRIMARY KEY (year, number));
  CREATE TABLE payment_order (id TEXT PRIMARY KEY, state TEXT NOT NULL, buyer TEXT);
  CREATE TABLE session (hash TEXT PRIMARY KEY);`;

/** The last state of a database, as wrangler exports it. */
const EXPORT = `PRAGMA defer_foreign_keys=TRUE;${SCHEMA}
  INSERT INTO "person" ("id","account_id","name","phone") VALUES('p1','acc_1','Asha','+911');
  INSERT INTO "person" ("id","account_id","name","phone") VALUES('p2','acc_2','O''Neil; x
two lines',NULL);
  INSERT INTO "invoice" ("year","number","order_id","terms") VALUES('26-27',1,'ord_1','{}');
  INSERT INTO "invoice" ("year","number","order_id","terms") VALUES('26-27',2,'ord_2','{}');
  INSERT INTO "payment_order" ("id","state","buyer") VALUES('ord_1','credited',NULL);
  INSERT INTO "payment_order" ("id","state","buyer") VALUES('ord_2','credited','{"name":"x"}');
  INSERT INTO "session" ("hash") VALUES('h');`;

/** A database that was restored to before the second person and invoice. */
function restored(more = ""): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  database.exec(SCHEMA);
  database.exec(`
    INSERT INTO person VALUES ('p1', 'acc_1', 'Asha', '+911');
    INSERT INTO invoice VALUES ('26-27', 1, 'ord_1', '{}');
    INSERT INTO payment_order VALUES ('ord_1', 'paid', NULL);
    ${more}`);
  return database;
}

it("the export of the last state gives people, orders and invoice numbers back, and no session", () => {
  const last = readExport(EXPORT);
  const database = restored();
  database.exec(missingRows(last).join("\n"));
  expect(conflicts(last, (table: string) => database.prepare(checkQuery(table)).all())).toEqual([]);
  expect(database.prepare("SELECT name FROM person WHERE id = 'p2'").get()).toEqual({ name: "O'Neil; x\ntwo lines" });
  expect(database.prepare("SELECT max(number) + 1 AS next FROM invoice").get()).toEqual({ next: 3 });
  // What is there stays: the order is settled again by its provider, under the reference that the account knows.
  expect(database.prepare("SELECT state FROM payment_order ORDER BY id").all()).toEqual([
    { state: "paid" },
    { state: "credited" },
  ]);
  expect(database.prepare("SELECT count(*) AS sessions FROM session").get()).toEqual({ sessions: 0 });
  // Once more changes nothing.
  database.exec(missingRows(last).join("\n"));
  expect(database.prepare("SELECT count(*) AS people FROM person").get()).toEqual({ people: 2 });
});

it("a number that was given again meanwhile, and a person who signed up again, are named", () => {
  const last = readExport(EXPORT);
  const database = restored(`
    INSERT INTO invoice VALUES ('26-27', 2, 'ord_3', '{}');
    INSERT INTO person VALUES ('p9', 'acc_2', 'O''Neil', NULL);`);
  database.exec(missingRows(last).join("\n"));
  expect(conflicts(last, (table: string) => database.prepare(checkQuery(table)).all())).toEqual([
    "person p2 acc_2",
    "invoice 26-27 2 ord_2",
  ]);
});
