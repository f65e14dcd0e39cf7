import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { randomId } from "../../src/crypto/ids.ts";
import { wrapText } from "../../src/durable/account/retention/text-keys.ts";
import { beginTurn } from "../../src/durable/account/turn.ts";
import type { Done } from "../../src/model/command.ts";
import { bearer, call, openWorld, recordHistory, runAlarm } from "./world.ts";
import type { Opening, World } from "./world.ts";

// Counts what an account object writes, which is its bill.

/** What was counted. */
export interface Rows {
  rows: number;
  /** Each time the alarm is set is billed as a row. */
  alarms: number;
  read: number;
  /** Bytes of the messages in rewritten jobs. */
  bytes: number;
}

/** Counts what an account object writes from now on. */
export async function countRows(world: World): Promise<Rows> {
  const counted: Rows = { rows: 0, alarms: 0, read: 0, bytes: 0 };
  await runInDurableObject(world.stub, (_, state) => {
    const { sql } = state.storage;
    const exec = sql.exec.bind(sql);
    const setAlarm = state.storage.setAlarm.bind(state.storage);
    Object.assign(sql, {
      exec(query: string, ...bindings: unknown[]) {
        const cursor = exec(query, ...bindings);
        // A cursor's row counts are complete only once it is read to its end.
        const found = cursor.toArray();
        counted.rows += cursor.rowsWritten;
        counted.read += cursor.rowsRead;
        if (/^\s*(INSERT INTO|UPDATE) job/u.test(query)) {
          counted.bytes += bindings.reduce<number>((sum, value) => sum + String(value).length, 0);
        }
        return { toArray: () => found, one: () => found[0] };
      },
    });
    Object.assign(state.storage, {
      setAlarm(time: number) {
        counted.alarms += 1;
        return setAlarm(time);
      },
    });
  });
  return counted;
}

/** A world at rest: its key was used this hour, a text was stored this day, history has the account, no alarm is set. */
export async function warmWorld(opening: Opening = {}): Promise<World> {
  const world = await openWorld(opening);
  await recordHistory(world, []);
  await runAlarm(world);
  await call("http://sms.localhost/account-balance", { headers: bearer(world.apiKey) });
  await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
    wrapText(beginTurn(sql, { times: null }, env), new Uint8Array(1), Date.now());
  });
  return world;
}

/** Sends an SMS that its sender submits: it is stored already claimed. */
export async function sendTaken(world: World): Promise<Done> {
  const done = await world.stub.send({
    keyId: world.keyId,
    requestId: randomId("req"),
    operation: "sms",
    recipients: ["+919876543210"],
    price: { kind: "fixed", units: 10_000 },
    content: {},
    text: null,
    validityMs: 86_400_000,
    take: { carrier: "http", leaseMs: 60_000 },
  });
  if (!done?.ok) throw new Error("the account refused");
  return done;
}
