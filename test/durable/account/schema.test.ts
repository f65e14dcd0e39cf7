import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { readJob, writeJob } from "../../../src/durable/account/jobs.ts";
import { ACCOUNT_SCHEMA, MIGRATIONS } from "../../../src/durable/account/schema.ts";
import { beginTurn } from "../../../src/durable/account/turn.ts";
import { isOpened, migrate, needCode, sqlOf } from "../../../src/durable/migrate.ts";
import { newAccountId } from "../../../src/crypto/ids.ts";
import { openWorld, sendSms } from "../../world/world.ts";

/** Runs on the storage of an unopened object: only its SQL matters here. */
function onFreshStorage<T>(work: (sql: SqlStorage) => T): Promise<T> {
  const stub = env.ACCOUNT.getByName(newAccountId(env.KEY_SECRET, null));
  return runInDurableObject(stub, (_, state) => work(state.storage.sql));
}

const schemaOf = (sql: SqlStorage) =>
  sql
    .exec("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name")
    .toArray();

const migrationsOf = (sql: SqlStorage) =>
  sql
    .exec("SELECT number FROM migration ORDER BY number")
    .toArray()
    .map((row) => row["number"]);

const highest = (sql: SqlStorage) => Math.max(...migrationsOf(sql).map(Number));

async function sha256(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toString("hex");
}

describe("migrations", () => {
  it("are append-only: every shipped migration is unchanged, to the byte", async () => {
    // A failure here means that a migration was edited. Undo the edit and append a new one, then add its hash.
    const shipped = [
      "e6dfd82782863365efa38da05ad710a5c38f1ee64df2ba88410ddc3ed84d2978",
      "79aaafb0443a9dead76b3fdd3cdfbda650aea685a9c8813163e2ca2bb9556f93",
      "5588bbdaf3ba1a335c7bb86e05170169b6e5063c201e4b0aeed90c5f9cf05701",
      "f0e4d6f18236d5fde9d009ab0ecbca8bbb3661ff6f59b041d0629ca5d6bb4f29",
      "796349c4c6ba090ef09ba85f5a54978c526424f47a8b03ec9e2c3e1bd24f3833",
      "52fa972c2e01c6a7b79ff3003e03922e487d1dfb7e4199af2b1f10505d9fbeb4",
      "8e03f7010f9770530a4a0b0fd03ea1e8f18dec192a22e95f1e93d55538dfb2da",
      "e92e9adac13043c7c646724e3d9c6ffabd30733bbd759a275b6060534ef66706",
      "5ca69758bd2c59b8fae60ab0f282e99045c1b95f081eb4dcbbb6a1e33276f0f1",
      "7caf0f0cddeabca0062e214a18bf5ae038882a5771451b86b0d51e5e090bf38c",
    ];
    const now = await Promise.all(MIGRATIONS.map((step) => sha256(sqlOf(step))));
    expect(now).toEqual(shipped);
  });

  it("leave an unopened object empty", async () => {
    await onFreshStorage((sql) => {
      expect(isOpened(sql)).toBe(false);
      expect(schemaOf(sql)).toEqual([]);
    });
  });

  it("are idempotent: a second run changes neither schema nor rows", async () => {
    await onFreshStorage((sql) => {
      migrate(sql, MIGRATIONS);
      expect(isOpened(sql)).toBe(true);
      sql.exec(
        "INSERT INTO account (id, name, status, plan, created_at, rev) VALUES (1, 'a', 'active', 'starter', 1, 1)",
      );
      const before = schemaOf(sql);
      migrate(sql, MIGRATIONS);
      migrate(sql, MIGRATIONS);
      expect(schemaOf(sql)).toEqual(before);
      expect(migrationsOf(sql)).toEqual(MIGRATIONS.map((_, at) => at + 1));
      expect(sql.exec("SELECT name FROM account").one()["name"]).toBe("a");
    });
  });

  it("bring every earlier version to the same schema, one step at a time", async () => {
    const steps = [...MIGRATIONS, "ALTER TABLE account ADD COLUMN note TEXT", "CREATE TABLE extra (id INTEGER)"];
    const whole = await onFreshStorage((sql) => {
      migrate(sql, steps);
      return schemaOf(sql);
    });
    for (let version = 1; version < steps.length; version++) {
      const grown = await onFreshStorage((sql) => {
        migrate(sql, steps.slice(0, version));
        migrate(sql, steps);
        expect(migrationsOf(sql)).toEqual(steps.map((_, at) => at + 1));
        return schemaOf(sql);
      });
      expect(grown, `from version ${version}`).toEqual(whole);
    }
  });

  it("know the content of recordings from before it was stored: it was the last part of their key", async () => {
    await onFreshStorage((sql) => {
      migrate(sql, MIGRATIONS.slice(0, 2));
      const values = "('file_a', 'a.wav', 'acc_x.test/00ff', 'audio/wav', 1, 1, 1)";
      sql.exec(`INSERT INTO recording VALUES ${values}`);
      migrate(sql, MIGRATIONS);
      expect(sql.exec("SELECT content, state, due_at FROM recording").one()).toEqual({
        content: "00ff",
        state: "stored",
        due_at: null,
      });
    });
  });

  it("give open jobs from before lanes their lane and the time at which they can be claimed", async () => {
    await onFreshStorage((sql) => {
      migrate(sql, MIGRATIONS.slice(0, 3));
      sql.exec(
        "INSERT INTO account (id, name, status, plan, created_at, rev) VALUES (1, 'a', 'active', 'starter', 1, 1)",
      );
      const to = "+919876543210";
      const queued = { to, state: "queued", attempts: 0 };
      const retried = {
        ...queued,
        attempts: 1,
        dueMs: 5_000,
        log: [
          ["sending", 1_100],
          ["queued", 1_200],
        ],
      };
      const submitted = {
        to,
        rev: 3,
        state: "submitted",
        attempts: 1,
        dueMs: 9_000,
        log: [
          ["sending", 1_100],
          ["submitted", 1_200],
        ],
      };
      const delivered = {
        to,
        rev: 4,
        state: "delivered",
        attempts: 1,
        log: [
          ["sending", 1_100],
          ["delivered", 1_200],
        ],
      };
      // Number, operation, debit, due_at, messages: of a charge of 10 each.
      const jobs: [number, string, number | null, number | null, object[]][] = [
        [2, "sms", 10, 31_000, [queued]],
        [3, "otp", 10, 5_000, [retried]],
        [4, "sms", 1_010, 5_000, [submitted, retried, queued]],
        [5, "sms", null, 31_000, [queued]],
        [6, "sms", 10, 9_000, [submitted]],
        [7, "sms", 10, null, [delivered]],
      ];
      for (const [seq, operation, debit, dueAt, messages] of jobs) {
        sql.exec(
          `INSERT INTO job (seq, request_id, operation, debit, balance_after, charge, created_at, expires_at, content,
                            messages, due_at, rev) VALUES (?, 'q', ?, ?, 0, 10, 1000, 100000, '{}', ?, ?, 4)`,
          seq,
          operation,
          debit,
          JSON.stringify(messages),
          dueAt,
        );
      }
      migrate(sql, MIGRATIONS);
      const rows = sql.exec("SELECT seq, lane, ready_at, due_at FROM job ORDER BY seq").toArray();
      expect(rows).toEqual([
        { seq: 2, lane: "single", ready_at: 1_000, due_at: 31_000 },
        { seq: 3, lane: "otp", ready_at: 5_000, due_at: 5_000 },
        { seq: 4, lane: "bulk", ready_at: 1_000, due_at: 5_000 },
        { seq: 5, lane: "bulk", ready_at: 1_000, due_at: 31_000 },
        { seq: 6, lane: "single", ready_at: null, due_at: 9_000 },
        { seq: 7, lane: "single", ready_at: null, due_at: null },
      ]);
      // The rows are read as they were, and rewritten in the present form.
      const before = readJob(sql, 4);
      expect(before).toMatchObject({ messages: [submitted, retried, queued], isCompact: false });
      const turn = beginTurn(sql, { times: null }, env);
      if (before) writeJob(turn, before, before.messages.with(2, { ...queued, state: "queued", attempts: 0, busy: 1 }));
      const after = readJob(sql, 4);
      expect(after).toMatchObject({ messages: [submitted, retried, { ...queued, busy: 1, rev: 5 }], isCompact: true });
      expect(sql.exec("SELECT messages FROM job WHERE seq = 4").one()["messages"]).toBe(JSON.stringify([to, to, to]));
      // Nothing is left of the plan to walk all jobs: both indexes are used.
      const plan = (query: string) => sql.exec(`EXPLAIN QUERY PLAN ${query}`).toArray()[0]?.["detail"];
      expect(plan("SELECT seq FROM job WHERE due_at <= 1 ORDER BY due_at LIMIT 1")).toContain("job_due");
      const ready = "SELECT seq FROM job WHERE lane = 'otp' AND ready_at <= 1 ORDER BY ready_at, seq LIMIT 1";
      expect(plan(ready)).toContain("job_ready");
    });
  });

  it("leave storage as it is that is newer than the code, where every step is additive", async () => {
    await onFreshStorage((sql) => {
      const { counted } = ACCOUNT_SCHEMA;
      migrate(sql, [...MIGRATIONS, "CREATE TABLE from_the_future (id INTEGER)"], counted);
      const before = schemaOf(sql);
      expect(migrate(sql, MIGRATIONS, counted)).toBe(0);
      expect(schemaOf(sql)).toEqual(before);
    });
  });

  it("refuse storage with a step that the code is too old for, say what to do, and change nothing", async () => {
    await onFreshStorage((sql) => {
      const { counted } = ACCOUNT_SCHEMA;
      const known = MIGRATIONS.length;
      migrate(sql, [...MIGRATIONS, { sql: "CREATE TABLE from_the_future (id INTEGER)", oldest: known + 1 }], counted);
      const before = schemaOf(sql);
      expect(() => migrate(sql, MIGRATIONS, counted)).toThrow(
        `the storage needs a release that knows its schema ${known + 1}, and this one knows ${known}: deploy such a release`,
      );
      expect(schemaOf(sql)).toEqual(before);
    });
  });

  it("are seen by releases from before the rule only as far as those can live with them", async () => {
    // Such a release refuses storage if the table `migration` counts beyond the five steps that it knows.
    await onFreshStorage((sql) => {
      migrate(sql, ACCOUNT_SCHEMA.steps, ACCOUNT_SCHEMA.counted);
      expect(highest(sql)).toBe(5);
      needCode(sql, 6);
      needCode(sql, 6);
      expect(highest(sql)).toBe(6);
      expect(migrate(sql, ACCOUNT_SCHEMA.steps, ACCOUNT_SCHEMA.counted)).toBe(0);
      expect(() => migrate(sql, MIGRATIONS.slice(0, 5), 5)).toThrow("needs a release that knows its schema 6");
    });
  });

  it("leave no trace when they fail", async () => {
    const stub = env.ACCOUNT.getByName(newAccountId(env.KEY_SECRET, null));
    await runInDurableObject(stub, (_, { storage }) => {
      const broken = [...MIGRATIONS, "CREATE TABLE half (id INTEGER); INSERT INTO nowhere VALUES (1)"];
      expect(() => storage.transactionSync(() => migrate(storage.sql, broken))).toThrow("nowhere");
      expect(isOpened(storage.sql)).toBe(false);
      expect(schemaOf(storage.sql)).toEqual([]);
    });
  });
});

describe("the schema refuses", () => {
  const ENTRY = "INSERT INTO ledger_entry (seq, type, amount, balance_after, reference, created_at) VALUES ";
  const JOB =
    "INSERT INTO job (seq, request_id, operation, debit, balance_after, charge, created_at, expires_at, content, messages, rev) VALUES ";

  it.each([
    ["a balance below zero after an entry", `${ENTRY} (900, 'adjustment', -1, -1, 'r', 1)`],
    ["a balance below zero after a debit", `${JOB} (901, 'q', 'sms', 1, -1, 1, 1, 1, '{}', '[]', 1)`],
    ["a negative debit", `${JOB} (902, 'q', 'sms', -1, 5, 1, 1, 1, '{}', '[]', 1)`],
    ["a negative charge", `${JOB} (903, 'q', 'sms', 1, 5, -1, 1, 1, '{}', '[]', 1)`],
    ["an entry of another type", `${ENTRY} (904, 'gift', 1, 1, 'r', 1)`],
    [
      "a second account",
      "INSERT INTO account (id, name, status, plan, created_at, rev) VALUES (2, 'b', 'active', 'x', 1, 1)",
    ],
    ["an unknown account status", "UPDATE account SET status = 'closed'"],
  ])("%s", async (_, statement) => {
    const world = await openWorld();
    await runInDurableObject(world.stub, (_account, { storage }) => {
      expect(() => storage.sql.exec(statement)).toThrow("CHECK constraint failed");
    });
  });

  it("a second entry with the same reference or with the same number", async () => {
    const world = await openWorld();
    await runInDurableObject(world.stub, (_, { storage }) => {
      storage.sql.exec(`${ENTRY} (900, 'refund', 1, 1, 'refund:1.0', 1)`);
      expect(() => storage.sql.exec(`${ENTRY} (901, 'refund', 1, 2, 'refund:1.0', 1)`)).toThrow("UNIQUE");
      expect(() => storage.sql.exec(`${ENTRY} (900, 'refund', 1, 2, 'refund:1.1', 1)`)).toThrow("UNIQUE");
    });
  });

  it("nothing that an opened account needs: it sends with a single job row", async () => {
    const world = await openWorld();
    expect((await sendSms(world)).status).toBe(200);
    await runInDurableObject(world.stub, (_, { storage }) => {
      expect(storage.sql.exec("SELECT count(*) AS jobs FROM job").one()["jobs"]).toBe(1);
      const steps = storage.sql.exec("SELECT number FROM schema_step ORDER BY number").toArray();
      const all = [...migrationsOf(storage.sql), ...steps.map((row) => row["number"])];
      expect(all).toEqual(MIGRATIONS.map((__, at) => at + 1));
    });
  });
});
