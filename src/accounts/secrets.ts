import { consoleKeyId } from "../crypto/api-key.ts";
import { mac } from "../crypto/bytes.ts";
import { configOf } from "../config/config.ts";
import type { Config } from "../config/settings.ts";
import { FIRST_ID } from "../crypto/secrets.ts";
import type { Secrets } from "../crypto/secrets.ts";
import { accountsAfter } from "../db/account-list.ts";
import { storeOnce } from "../db/service-settings.ts";
import { logLine } from "../log.ts";
import type { KeyView } from "../model/account.ts";
import type { Endpoint } from "../model/webhook.ts";
import { bothOf } from "../objects.ts";

// Which secrets the service lists, since when, and what still depends on the older ones: what an operator must know
// before the next step of a rotation (docs/secrets.md).

/** The settings that are lists of secrets. */
export const LISTS = ["KEY_SECRET", "SEAL_SECRET"] as const;

const CHECK_SIZE = 9;

/** One listed secret. */
export interface ListedSecret {
  id: number;
  /** When it was first seen in the list, and when it was first seen as the one that makes; in ms, null for never. */
  listedSince: number;
  makesSince: number | null;
  /** Whether another secret had this id before: then nothing that the other one made is valid. */
  changed: boolean;
}

export interface ListInUse {
  name: (typeof LISTS)[number];
  /** The id of the secret that makes. */
  making: number;
  /** Until when what the others made before may still be under way, in ms; null where no other is listed. */
  neededUntil: number | null;
  listed: ListedSecret[];
}

/** Recognises a secret that was replaced under its id; says nothing about the secret. */
const checkOf = (value: string): string =>
  Buffer.from(mac(value, "secret-check/v1", "", CHECK_SIZE)).toString("base64url");

const DAY_MS = 86_400_000;

/** How long after the switch to another secret something that was made before it may come back, in ms. */
function heldMs(config: Config, name: ListInUse["name"]): number {
  const validityMs = Math.max(config.VALIDITY_SMS_MS, config.VALIDITY_OTP_MS, config.VALIDITY_CALL_MS);
  if (name === "SEAL_SECRET") return Math.max(validityMs, config.IDEMPOTENCY_DAYS * DAY_MS);
  const receiptMs = validityMs + Math.max(config.RECEIPT_WINDOW_MS, config.UNKNOWN_WINDOW_MS);
  return Math.max(receiptMs, validityMs + config.AUDIO_URL_TTL_MS);
}

async function inUse(env: Env, name: ListInUse["name"], secrets: Secrets, nowMs: number): Promise<ListInUse> {
  const { all, current } = secrets;
  const listedAs = (id: number) => `${name} ${id} listed`;
  const makesAs = (id: number) => `${name} ${id} makes`;
  const values = Object.fromEntries(all.map(({ id, value }) => [listedAs(id), `${nowMs} ${checkOf(value)}`]));
  values[makesAs(current.id)] = String(nowMs);
  const others = all.slice(1).map(({ id }) => makesAs(id));
  const stored = await storeOnce(env.DB, values, others);
  const listed = all.map(({ id, value }): ListedSecret => {
    const [since = "0", check] = (stored.get(listedAs(id)) ?? "").split(" ");
    const makesSince = stored.get(makesAs(id));
    return {
      id,
      listedSince: Number(since),
      makesSince: makesSince === undefined ? null : Number(makesSince),
      changed: check !== checkOf(value),
    };
  });
  const switchedAt = Number(stored.get(makesAs(current.id)));
  const neededUntil = all.length === 1 ? null : switchedAt + heldMs(configOf(env), name);
  return { name, making: current.id, neededUntil, listed };
}

/** The secrets in use, and since when. What is seen for the first time is noted. */
export async function secretsInUse(env: Env, nowMs: number): Promise<ListInUse[]> {
  const config = configOf(env);
  return Promise.all(LISTS.map((name) => inUse(env, name, config[name], nowMs)));
}

const noted = new WeakSet<object>();

/**
 * Notes the secrets in use, once for each isolate, so that it is known since when each is listed; logs an alert where an
 * id stands for another secret than before.
 */
export async function noteSecrets(env: Env, nowMs: number): Promise<void> {
  const config = configOf(env);
  if (noted.has(config)) return;
  for (const { name, listed } of await secretsInUse(env, nowMs)) {
    for (const { id } of listed.filter(({ changed }) => changed)) {
      logLine("alert", { what: "secret changed under its id", name, id });
    }
  }
  noted.add(config);
}

/** How many usable keys of an account each secret made, how many webhooks sign with it, and when a key was last used, in ms. */
export interface KeysOfSecret {
  secretId: number;
  keys: number;
  webhooks: number;
  lastUsedAt: number | null;
}

export interface KeysBySecret {
  accountId: string;
  secrets: KeysOfSecret[];
}

const isUsable = ({ keyId, mode, revokedAt, expiresAt }: KeyView, nowMs: number) =>
  keyId !== consoleKeyId(mode) && revokedAt === null && (expiresAt ?? Infinity) > nowMs;

/** The usable keys and webhooks of an account by the secret that made them, in both modes. */
async function keysBySecret(env: Env, accountId: string, nowMs: number): Promise<KeysBySecret> {
  const { live, test } = bothOf(env, accountId);
  const lists: (KeyView[] | null)[] = await Promise.all([live.keys(), test.keys()]);
  const webhooks: (Endpoint[] | null)[] = await Promise.all([live.endpoints(), test.endpoints()]);
  const signing = webhooks.flatMap((some) => some ?? []).filter(({ disabled }) => disabled !== "secret_removed");
  const usable = lists.flatMap((keys) => keys ?? []).filter((key) => isUsable(key, nowMs));
  const byKey = Map.groupBy(usable, ({ secretId = FIRST_ID }) => secretId);
  const byWebhook = Map.groupBy(signing, ({ secretId }) => secretId);
  const secrets = [...new Set([...byKey.keys(), ...byWebhook.keys()])].map((secretId): KeysOfSecret => {
    const keys = byKey.get(secretId) ?? [];
    const used = keys.flatMap(({ lastUsedAt }) => lastUsedAt ?? []);
    const lastUsedAt = used.length === 0 ? null : Math.max(...used);
    return { secretId, keys: keys.length, webhooks: byWebhook.get(secretId)?.length ?? 0, lastUsedAt };
  });
  return { accountId, secrets };
}

/** Accounts that are asked at the same time. */
const ASKED_TOGETHER = 10;

/** A page of all accounts, each with its usable keys by secret. The list comes from D1, the keys from the accounts. */
export async function keysPage(
  env: Env,
  after: string,
  limit: number,
  nowMs: number,
): Promise<{ accounts: KeysBySecret[]; next: string | null }> {
  const refs = await accountsAfter(env.DB, after, limit + 1);
  const ids = refs.slice(0, limit).map(({ accountId }) => accountId);
  const accounts: KeysBySecret[] = [];
  for (let from = 0; from < ids.length; from += ASKED_TOGETHER) {
    const some = ids.slice(from, from + ASKED_TOGETHER);
    accounts.push(...(await Promise.all(some.map((id) => keysBySecret(env, id, nowMs)))));
  }
  return { accounts, next: refs.length > limit ? (ids.at(-1) ?? null) : null };
}
