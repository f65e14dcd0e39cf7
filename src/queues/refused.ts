import { objectName } from "../crypto/ids.ts";
import { historyDatabase } from "../db/history-databases.ts";
import { insertRefused } from "../db/requests/refused.ts";
import { logProblem } from "../log.ts";
import type { RefusedByKey, RefusedDoor } from "../model/requests/refused.ts";
import { objectOf } from "../objects.ts";
import { batcherPerBinding } from "./batcher.ts";

// Carries refused requests to the log of their account: in the database that has the account's history, because it grows
// with what accounts do, as history does. The account itself says which, whether the key is active, and how many it takes.

/** Requests that one round takes, of all accounts. */
const TAKEN_TOGETHER = 200;

/** What one key's account takes of its requests, with its database; null where it takes none. */
async function admitted(env: Env, of: RefusedByKey): Promise<{ database: D1Database; of: RefusedByKey } | null> {
  const { keyId, secretId, requests } = of;
  const door: RefusedDoor | null = await objectOf(env, of).admitRefused(keyId, secretId, requests.length);
  if (!door || door.admitted === 0) return null;
  const taken = { ...of, requests: requests.slice(0, door.admitted) };
  return { database: historyDatabase(env, door.historyDb), of: taken };
}

/** Stores them; what fails is logged and lost, of one account without the others. */
async function store(env: Env, given: RefusedByKey[]): Promise<void> {
  const byKey = Map.groupBy(given, (one) => `${objectName(one)} ${one.keyId} ${one.secretId}`);
  const asked = [...byKey.values()].flatMap((same) => {
    const [first] = same;
    return first ? [{ ...first, requests: same.flatMap(({ requests }) => requests) }] : [];
  });
  const answers = await Promise.allSettled(asked.map((of) => admitted(env, of)));
  const taken = answers.flatMap((answer) => {
    if (answer.status === "rejected") logProblem("request log", answer.reason);
    return answer.status === "fulfilled" && answer.value ? [answer.value] : [];
  });
  const byDatabase = Map.groupBy(taken, ({ database }) => database);
  const stored = [...byDatabase].map(([database, all]) =>
    insertRefused(
      database,
      all.map(({ of }) => of),
    ),
  );
  for (const one of await Promise.allSettled(stored)) {
    if (one.status === "rejected") logProblem("request log", one.reason);
  }
}

const batcherOf = batcherPerBinding("request log", store, { itemsMax: TAKEN_TOGETHER });

/** Notes refused requests of a key, together with those that other requests of this isolate note meanwhile. Never throws. */
export function noteRefused(env: Env, ctx: Pick<ExecutionContext, "waitUntil">, of: RefusedByKey): void {
  batcherOf(env).add(ctx, [of]);
}
