import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { UNITS_PER_COIN } from "../../../src/money/money.ts";
import { claim, balanceOf, ledgerOf, messagesOf, openWorld, operator, runAlarm, sendSms } from "../../world/world.ts";
import { QUOTA, uploadOf } from "../../world/recordings.ts";
import type { World } from "../../world/world.ts";

// All or nothing: whichever write of an operation fails, none of the others remains. In a Durable Object an exception
// alone rolls nothing back, so each of these tests fails when the operation is not one transaction.

/**
 * Makes the n-th write from now on fail, as a full disk or a violated constraint would. Returns a function that undoes
 * this.
 */
async function failWrite(world: World, nth: number): Promise<{ writes: () => number; mend: () => Promise<void> }> {
  let writes = 0;
  let own: SqlStorage["exec"] | undefined;
  await runInDurableObject(world.stub, (_, { storage }) => {
    own = storage.sql.exec.bind(storage.sql);
    const exec = own;
    Object.assign(storage.sql, {
      exec(query: string, ...bindings: unknown[]) {
        if (/^\s*(INSERT|UPDATE|DELETE)/iu.test(query)) {
          writes += 1;
          if (writes === nth) throw new Error(`write ${nth} failed`);
        }
        return exec(query, ...bindings);
      },
    });
  });
  return {
    writes: () => writes,
    mend: () => runInDurableObject(world.stub, (_, { storage }) => void Object.assign(storage.sql, { exec: own })),
  };
}

/** Everything that a customer or operator could see of an account. */
async function picture(world: World) {
  const counted = await runInDurableObject(world.stub, (_, { storage }) =>
    ["idempotency", "key", "recording"].map(
      (table) => storage.sql.exec(`SELECT count(*) AS n FROM ${table}`).one()["n"],
    ),
  );
  const recordings = await world.stub.recordings(null, 10);
  const [messages, ledger, balance] = [await messagesOf(world), await ledgerOf(world), await balanceOf(world)];
  return { messages, ledger, balance, recordings, counted };
}

afterEach(() => vi.useRealTimers());

interface Work {
  prepare?: (world: World) => Promise<unknown>;
  run: (world: World) => Promise<unknown>;
  /** The number of writes of one run, so that a new write cannot go untested. */
  writes: number;
}

const keyed = { headers: { "idempotency-key": "once" } };
const rejected = { kind: "rejected" as const, code: "no" };

const once = new Uint8Array(32);
const uploader = ({ keyId }: World) => {
  const idempotency = { key: once, fingerprint: once, template: once };
  return { keyId, requestId: "req_x", idempotency };
};

const WORKS: Record<string, Work> = {
  "a send with an Idempotency-Key": { run: (world) => sendSms(world, keyed), writes: 3 },
  "a report of three rejections": {
    prepare: async (world) => {
      await world.stub.send({
        keyId: world.keyId,
        requestId: "req_bulk",
        operation: "sms",
        recipients: ["+919876500001", "+919876500002", "+919876500003"],
        price: { kind: "fixed", units: UNITS_PER_COIN },
        content: {},
        text: null,
        validityMs: 60_000,
      });
      await claim(world, { lane: "bulk" });
    },
    run: (world) => {
      const news = [0, 1, 2].map((index) => ({
        kind: "outcome" as const,
        seq: 2,
        index,
        attempt: 1,
        outcome: rejected,
      }));
      return world.stub.report(news, false).catch(() => undefined);
    },
    writes: 5,
  },
  "a credit": {
    run: (world) =>
      operator("POST", `/operator/accounts/${world.ref.accountId}/credits`, { amount: 5, reference: "r" }),
    writes: 1,
  },
  "a rotation of a key": {
    run: (world) => world.stub.rotateKey(world.keyId, world.keyId + 1, 0).catch(() => undefined),
    writes: 2,
  },
  "the beginning of an upload": {
    run: (world) => world.stub.beginUpload(uploader(world), uploadOf("file_x"), QUOTA).catch(() => undefined),
    writes: 3,
  },
  "the end of an upload": {
    prepare: async (world) => {
      await world.stub.beginUpload(uploader(world), uploadOf("file_x"), QUOTA);
    },
    run: (world) => world.stub.endUpload(uploader(world), uploadOf("file_x"), true).catch(() => undefined),
    writes: 2,
  },
  "the end of an upload that failed": {
    prepare: async (world) => {
      await world.stub.beginUpload(uploader(world), uploadOf("file_x"), QUOTA);
    },
    run: (world) => world.stub.endUpload(uploader(world), uploadOf("file_x"), false).catch(() => undefined),
    writes: 3,
  },
};

describe.each(Object.entries(WORKS))("%s", (_, { prepare, run, writes }) => {
  it.each(Array.from({ length: writes }, (_, at) => at + 1))(
    "leaves nothing behind when write %i fails",
    async (nth) => {
      const world = await openWorld({ balance: 10 });
      // The first use of a key in an hour needs an extra write.
      await sendSms(world, { body: { phone: "no" } });
      await world.stub.balance({ keyId: world.keyId, requestId: "req_first" });
      await prepare?.(world);
      const before = await picture(world);
      const { mend } = await failWrite(world, nth);
      await run(world);
      await mend();
      expect(await picture(world)).toEqual(before);
      expect(await world.stub.reconcile()).toEqual([]);
      // The same operation succeeds afterwards.
      await run(world);
      expect(await picture(world)).not.toEqual(before);
      expect(await world.stub.reconcile()).toEqual([]);
    },
  );

  it(`makes ${writes} writes`, async () => {
    const world = await openWorld({ balance: 10 });
    await world.stub.balance({ keyId: world.keyId, requestId: "req_first" });
    await prepare?.(world);
    const counted = await failWrite(world, Infinity);
    await run(world);
    await counted.mend();
    expect(counted.writes()).toBe(writes);
  });
});

it("runs again after an alarm whose writes failed", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
  const world = await openWorld();
  await sendSms(world);
  await claim(world);
  // The housekeeping pass indexes the job, and the sweep after it finds the lease ended.
  vi.setSystemTime(Date.now() + 601_000);
  const { mend } = await failWrite(world, 1);
  expect(await runAlarm(world)).toBe(true);
  await mend();
  expect((await messagesOf(world))[0]?.state).toBe("sending");
  expect(await runAlarm(world)).toBe(true);
  expect((await messagesOf(world))[0]?.state).toBe("unknown");
});
