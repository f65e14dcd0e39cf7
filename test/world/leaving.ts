import { env } from "cloudflare:workers";
import { objectName } from "../../src/crypto/ids.ts";
import { erasureOf } from "../../src/db/leaving.ts";
import { insertRefused } from "../../src/db/requests/refused.ts";
import { SWEEP_AGAIN_MS, advance } from "../../src/leaving/advance.ts";
import type { Opened } from "./operating.ts";
import { openAccount } from "./operating.ts";
import { refusedBy } from "./refused.ts";
import { bearer, claim, dispatch, post, recordHistory } from "./world.ts";
import type { World } from "./world.ts";

// An account with something in every place, for tests of what is left of it.

/** The object of an account in one of its modes, as the other helpers take it. */
export function worldOf(
  { accountId, apiKey }: Pick<Opened, "accountId" | "apiKey">,
  mode: "live" | "test" = "live",
): World {
  const ref = { accountId, mode };
  const name = objectName(ref);
  return { ref, name, stub: env.ACCOUNT.getByName(name), keyId: 0, apiKey };
}

/** Sends one SMS in a mode and carries it to its end, into history and (in test mode) into the test inbox. */
async function sendOne(opened: Opened, mode: "live" | "test"): Promise<void> {
  const world = worldOf(opened, mode);
  const key = mode === "live" ? opened.apiKey : opened.testKey;
  const sent = await post("http://sms.localhost/send-sms", { phone: "9876543210", message: "Namaste" }, bearer(key));
  if (sent.status !== 200) throw new Error(sent.text);
  await dispatch(world);
  await world.stub.report([{ kind: "receipt", seq: 2, index: 0, state: "delivered" }], false);
  await recordHistory(world, [2]);
}

/** Opens an account with a name, and leaves something of it everywhere but in the tables of people and orders. */
export async function fullAccount(name: string, balance = 5): Promise<Opened> {
  const opened = await openAccount({ name, balance });
  await sendOne(opened, "live");
  await sendOne(opened, "test");
  for (const folder of [opened.accountId, `${opened.accountId}.test`]) {
    await env.RECORDINGS.put(`${folder}/aa`, "bytes");
    await env.RECORDINGS.put(`${folder}/export/x`, "bytes");
  }
  const letter = { kind: "send", account: `${opened.accountId}.test`, lane: "single" };
  await env.DB.prepare(
    "INSERT INTO long_wait (account_id, lane, carrier, oldest_at, seen_at) VALUES (?, 'bulk', '', 1, 1)",
  )
    .bind(opened.accountId)
    .run();
  for (const mode of ["live", "test"] as const) {
    await insertRefused(env.HISTORY_1, [refusedBy({ accountId: opened.accountId, mode }, Date.now())]);
  }
  await env.DB.prepare("INSERT INTO dead_letter (id, body, at) VALUES (?, ?, 1)")
    .bind(`letter ${opened.accountId}`, JSON.stringify(letter))
    .run();
  return opened;
}

/** How many rows and files of an account there are in each place, and how many objects that answer. */
export async function remainsOf(accountId: string): Promise<Record<string, number>> {
  const count = async (query: string, database = env.DB) =>
    Number(await database.prepare(query).bind(accountId).first("n"));
  const folders = [`${accountId}/`, `${accountId}.test/`];
  const files = await Promise.all(
    [env.RECORDINGS, env.ARCHIVE].flatMap((bucket) => folders.map((prefix) => bucket.list({ prefix }))),
  );
  const views = await Promise.all(
    (["live", "test"] as const).map((mode) => worldOf({ accountId, apiKey: "" }, mode).stub.view()),
  );
  const inbox = await env.INBOX.getByName("local").list({ account: `${accountId}.test` }, {}, 10);
  return {
    objects: views.filter((view) => view !== null).length,
    files: files.reduce((sum, { objects }) => sum + objects.length, 0),
    inbox: inbox?.length ?? 0,
    groups: await count("SELECT count(*) AS n FROM message_group WHERE account_id = ?", env.HISTORY_1),
    refused: await count("SELECT count(*) AS n FROM refused_request WHERE account_id = ?", env.HISTORY_1),
    listed: await count("SELECT count(*) AS n FROM account WHERE account_id = ?"),
    waits: await count("SELECT count(*) AS n FROM long_wait WHERE account_id = ?"),
    letters: await count("SELECT count(*) AS n FROM dead_letter WHERE instr(body, ?) > 0"),
  };
}

export const NOTHING = { objects: 0, files: 0, inbox: 0, groups: 0, refused: 0, listed: 0, waits: 0, letters: 0 };

/** Lets the periodic work carry an erasure to its end; returns the state in which it is. */
export async function carryOut(accountId: string): Promise<string | undefined> {
  for (let run = 0; run < 5; run += 1) {
    const row = await erasureOf(env.DB, accountId);
    await advance(env, accountId, Math.max(Date.now(), row?.closesAt ?? 0) + run * (SWEEP_AGAIN_MS + 1));
  }
  return (await erasureOf(env.DB, accountId))?.state;
}

/** Claims what waits, as a consumer of a carrier does that will not report for a while. */
export const claimAll = (world: World) => claim(world, { lane: "single" });
