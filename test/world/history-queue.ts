import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { firstKeys, openCustomer } from "../../src/accounts/open.ts";
import { configOf } from "../../src/config/config.ts";
import { newKeyId } from "../../src/crypto/api-key.ts";
import { newAccountId, objectName } from "../../src/crypto/ids.ts";
import type { Mode } from "../../src/model/ref.ts";
import { UNITS_PER_COIN } from "../../src/money/money.ts";
import { consumeHistory } from "../../src/queues/history.ts";
import type { World } from "./world.ts";

// The queue of history, one batch at a time, and services with several databases of history.

/** Delivers a batch with a message for each body; returns the ids of those that were taken and of those to try again. */
export async function consume(bodies: unknown[], at: Partial<Env> = {}, attempts = 1) {
  vi.spyOn(console, "error").mockReturnValue();
  const messages = bodies.map((body, place) => ({ id: `m${place}`, timestamp: new Date(), attempts, body }));
  const batch = createMessageBatch("dastak-history", messages);
  await consumeHistory(batch, { ...env, ...at });
  const result = await getQueueResult(batch, createExecutionContext());
  const again = result.retryMessages as { msgId: string }[];
  return { taken: result.explicitAcks, again: again.map(({ msgId }) => msgId) };
}

export const bodyOf = (world: World, seqs: number[], profile?: true) => ({
  account: world.name,
  seqs,
  ...(profile && { profile }),
});

/** A database of which every query fails with this error. */
export function failing(message: string): D1Database {
  const fail = () => Promise.reject(new Error(message));
  const statement = { bind: () => statement, run: fail, all: fail, raw: fail, first: fail };
  return { prepare: () => statement, batch: fail } as unknown as D1Database;
}

/** A service with a second database of history. */
export const withSecond = { ...env, HISTORY_2: env.SPARE_HISTORY } as Env;

/** Opens a customer's account in this service, as a sign-up does; its worlds are its live and its test object. */
export async function openIn(at: Env): Promise<Record<Mode, World>> {
  const config = configOf(at);
  const accountId = newAccountId(config.KEY_SECRET, null);
  const wanted = { name: "Test", plan: "premium", balance: 1_000 * UNITS_PER_COIN } as const;
  await openCustomer(at, config, accountId, wanted);
  const keys = await firstKeys(at, config, accountId);
  const worldOf = (mode: Mode): World => {
    const ref = { accountId, mode };
    const name = objectName(ref);
    const apiKey = keys[mode] ?? "";
    const keyId = newKeyId(config.KEY_SECRET, mode, `first\0${accountId}`);
    return { ref, name, stub: env.ACCOUNT.getByName(name), keyId, apiKey };
  };
  return { live: worldOf("live"), test: worldOf("test") };
}
