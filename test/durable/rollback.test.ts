import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { checkpointOf, moveCheckpoint } from "../../src/durable/account/archive/checkpoint.ts";
import { ACCOUNT_SCHEMA } from "../../src/durable/account/schema.ts";
import { INBOX_SCHEMA } from "../../src/durable/inbox/rows.ts";
import { migrate } from "../../src/durable/migrate.ts";
import type { Step } from "../../src/durable/migrate.ts";
import type { Schema } from "../../src/durable/tables.ts";
import {
  call,
  claim,
  bearer,
  ledgerOf,
  messagesOf,
  openWorld,
  recordHistory,
  runAlarm,
  sendSms,
} from "../world/world.ts";
import type { World } from "../world/world.ts";

// A rollback: the storage of an object has steps of a release that is newer than the code that opens it.

let logged: string[] = [];
beforeEach(() => {
  logged = [];
  vi.spyOn(console, "error").mockImplementation((line: string) => void logged.push(line));
});
afterEach(() => vi.restoreAllMocks());

/** Lets a newer release migrate the storage, and starts the object again with the present code. */
async function rollBack(stub: DurableObjectStub, schema: Schema, step: Step): Promise<void> {
  await runInDurableObject(stub, (_, { storage }) =>
    storage.transactionSync(() => migrate(storage.sql, [...schema.steps, step], schema.counted)),
  );
  await evictDurableObject(stub);
}

const ADDITIVE = `
  ALTER TABLE account ADD COLUMN colour TEXT NOT NULL DEFAULT 'red';
  ALTER TABLE job ADD COLUMN note TEXT NOT NULL DEFAULT '';
  ALTER TABLE ledger_entry ADD COLUMN series TEXT;
  ALTER TABLE idempotency ADD COLUMN made_by INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE recording ADD COLUMN place TEXT;
  ALTER TABLE key ADD COLUMN note TEXT;
  ALTER TABLE receipt_journal ADD COLUMN form INTEGER NOT NULL DEFAULT 1;
  CREATE TABLE later (id INTEGER PRIMARY KEY);
`;

/** A step of which the present code is too old. */
const tooNew = (schema: Schema) => ({ sql: "CREATE TABLE later (id INTEGER)", oldest: schema.steps.length + 1 });

const at = (seq = 0) => ({ seq, index: 0, attempt: 1 });

const alarmOf = (world: World) => runInDurableObject(world.stub, (_, { storage }) => storage.getAlarm());

describe("over an additive step", () => {
  it("an account sends, repeats, refunds, takes receipts, records history and runs its alarm; then forward again", async () => {
    const world = await openWorld();
    const once = { headers: { "idempotency-key": "before" } };
    const first = await sendSms(world, once);
    await rollBack(world.stub, ACCOUNT_SCHEMA, ADDITIVE);

    expect((await sendSms(world, once)).text).toBe(first.text);
    expect((await sendSms(world, { headers: { "idempotency-key": "after" } })).status).toBe(200);
    expect((await call("http://sms.localhost/account-balance", { headers: bearer(world.apiKey) })).status).toBe(200);
    const [one, two] = await claim(world);
    await world.stub.report(
      [
        { kind: "outcome", ...at(one?.seq), outcome: { kind: "submitted" } },
        { kind: "outcome", ...at(two?.seq), outcome: { kind: "rejected", code: "no" } },
        { kind: "receipt", seq: one?.seq ?? 0, index: 0, state: "delivered" },
      ],
      false,
    );
    expect((await messagesOf(world)).map(({ state }) => state)).toEqual(["delivered", "failed"]);
    expect((await ledgerOf(world)).map(({ type }) => type)).toEqual(["credit", "debit", "debit", "refund"]);
    expect(await runAlarm(world)).toBe(true);
    await recordHistory(world, [2, 3]);
    expect(await world.stub.reconcile()).toEqual([]);

    await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
      expect(migrate(sql, [...ACCOUNT_SCHEMA.steps, ADDITIVE, "CREATE TABLE latest (id INTEGER)"], 5)).toBe(1);
      expect(sql.exec("SELECT colour FROM account").one()).toEqual({ colour: "red" });
    });
    await evictDurableObject(world.stub);
    expect((await sendSms(world)).status).toBe(200);
    expect(await world.stub.reconcile()).toEqual([]);
    expect(logged).toEqual([]);
  });

  it("a number in `migration` alone, of which nothing else is known, stops nothing", async () => {
    const world = await openWorld();
    await runInDurableObject(world.stub, (_, { storage: { sql } }) =>
      sql.exec("INSERT INTO migration (number) VALUES (?)", ACCOUNT_SCHEMA.steps.length + 1),
    );
    await evictDurableObject(world.stub);
    expect((await sendSms(world)).status).toBe(200);
  });

  it("an inbox takes and lists messages", async () => {
    const stub = env.INBOX.getByName("rolled back");
    const caught = { account: "acc", requestId: "q", operation: "sms" as const, content: {}, text: null };
    await stub.put([{ ...caught, messages: [{ ref: "msg_1", to: "+919876543210" }] }]);
    await rollBack(stub, INBOX_SCHEMA, "ALTER TABLE caught ADD COLUMN note TEXT NOT NULL DEFAULT ''");
    await stub.put([{ ...caught, messages: [{ ref: "msg_2", to: "+919876543210" }] }]);
    expect((await stub.list({ account: null }, {}, 10))?.map(({ ref }) => ref)).toEqual(["msg_2", "msg_1"]);
  });
});

describe("over a step that this code cannot live with", () => {
  it("an account answers 503, keeps its alarm and its data, and serves again with the right release", async () => {
    const world = await openWorld();
    await sendSms(world);
    await rollBack(world.stub, ACCOUNT_SCHEMA, tooNew(ACCOUNT_SCHEMA));

    const refused = await sendSms(world);
    expect(refused).toMatchObject({ status: 503, body: { success: false, code: "unavailable" } });
    expect(refused.headers.get("Retry-After")).toBe("60");
    const feed = await world.stub.fetch("http://account/").catch((problem: unknown) => problem);
    expect(feed).toMatchObject({ unavailable: true });
    expect(logged.join("\n")).toContain(
      `needs a release that knows its schema ${ACCOUNT_SCHEMA.steps.length + 1}, and this one knows`,
    );
    expect(logged.join("\n")).toContain(world.name);
    // The platform answers for the object itself, which has started.
    expect(await world.stub.ping()).toBe("pong");
    expect(await runAlarm(world)).toBe(true);
    expect(await alarmOf(world)).toBeGreaterThan(Date.now());

    await runInDurableObject(
      world.stub,
      (_, { storage: { sql } }) => void sql.exec("UPDATE schema_step SET oldest = 0"),
    );
    expect((await sendSms(world)).status).toBe(200);
    await evictDurableObject(world.stub);
    expect(await messagesOf(world)).toHaveLength(2);
    expect(await world.stub.reconcile()).toEqual([]);
  });

  it("an inbox refuses, and holds what it had", async () => {
    const stub = env.INBOX.getByName("too new");
    const caught = { account: "acc", requestId: "q", operation: "sms" as const, content: {}, text: null };
    const one = { ...caught, messages: [{ ref: "msg_1", to: "+919876543210" }] };
    await stub.put([one]);
    await rollBack(stub, INBOX_SCHEMA, tooNew(INBOX_SCHEMA));
    const refused = await Promise.resolve(stub.put([one])).catch((problem: unknown) => problem);
    expect(refused).toMatchObject({ unavailable: true });
    await runInDurableObject(stub, (_, { storage: { sql } }) => void sql.exec("UPDATE schema_step SET oldest = 0"));
    expect(await stub.list({ account: null }, {}, 10)).toHaveLength(1);
  });
});

it("an account of which entries left is refused by the release that knows no checkpoint, and by no other", async () => {
  const world = await openWorld();
  const refusing = (highest: number) =>
    runInDurableObject(world.stub, (_, { storage: { sql } }) => {
      expect(sql.exec("SELECT max(number) AS highest FROM migration").one()).toEqual({ highest });
    });
  await refusing(5);
  await runInDurableObject(world.stub, (_, { storage }) =>
    storage.transactionSync(() =>
      moveCheckpoint(storage.sql, { ...checkpointOf(storage.sql), seq: 1, balance: 10_000_000 }),
    ),
  );
  await refusing(6);
  await evictDurableObject(world.stub);
  expect((await sendSms(world)).status).toBe(200);
});
