import { SmppBind } from "../../src/durable/smpp.ts";
import { applyD1Migrations, reset } from "cloudflare:test";
import type { D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { wrapInvokeOnce, wrapPrototypesOnce } from "./wrap-once.ts";

wrapPrototypesOnce();
wrapInvokeOnce();
// Test files share a runtime with its loaded modules; each file begins with empty storage.
await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS as D1Migration[]);
for (const database of [env.HISTORY_1, env.SPARE_HISTORY]) {
  await applyD1Migrations(database, env.HISTORY_MIGRATIONS as D1Migration[]);
}

// No test reaches a network: the objects of carriers over SMPP find no connection, unless a test gives them one.
SmppBind.dial = () => {
  throw new Error("No test reaches a network.");
};
