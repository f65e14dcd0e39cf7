import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { recountAccounts } from "../../src/accounts/recount-all.ts";
import { endedAlerts, openAlerts } from "../../src/db/health/alerts.ts";
import { writeCursor } from "../../src/db/cursors.ts";
import { addDelivered } from "../world/recount.ts";
import { forgetAlerts } from "../world/alerts.ts";
import { openWorld, recordHistory, sendSms } from "../world/world.ts";
import type { World } from "../world/world.ts";

const DAY_MS = 86_400_000;

beforeEach(async () => {
  await forgetAlerts();
  await env.DB.prepare("DELETE FROM account").run();
  await writeCursor(env.DB, "reconcile", null);
});
afterEach(() => vi.restoreAllMocks());

async function listedWorlds(count: number): Promise<World[]> {
  const worlds: World[] = [];
  for (let nth = 0; nth < count; nth++) {
    const world = await openWorld({ plan: "premium", balance: 10_000 });
    await recordHistory(world, []);
    worlds.push(world);
  }
  return worlds.toSorted((a, b) => (a.ref.accountId < b.ref.accountId ? -1 : 1));
}

const tamper = ({ stub }: World, by: number) =>
  runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec("UPDATE ledger_entry SET balance_after = balance_after + ? WHERE seq = 1", by);
  });

const openSubjects = async () =>
  (await openAlerts(env.DB, 100)).map(({ kind, subject }) => `${kind} ${subject}`).toSorted();

/** The accounts of which a page was asked for. */
function askedAccounts(): string[] {
  const asked: string[] = [];
  const getByName = env.ACCOUNT.getByName.bind(env.ACCOUNT);
  vi.spyOn(env.ACCOUNT, "getByName").mockImplementation((name, ...more) => {
    asked.push(name);
    return getByName(name, ...more);
  });
  return asked;
}

describe("the recount of all accounts", () => {
  it("raises an alert for each account with a difference, and ends it when the difference is gone", async () => {
    const [one, two] = await listedWorlds(3);
    if (!one || !two) throw new Error("no worlds");
    for (const world of [one, two]) await tamper(world, 5);
    await recountAccounts(env, Date.now());
    const subjects = [one, two].map(({ ref }) => `reconcile_difference ${ref.accountId}`);
    expect(await openSubjects()).toEqual(subjects);
    const [alert] = await openAlerts(env.DB, 1);
    expect(alert?.values).toMatchObject({ differences: 2 });
    expect(String(alert?.values["first"])).toContain("ledger: entry 1 says balance");
    await tamper(one, -5);
    await recountAccounts(env, Date.now() + DAY_MS);
    expect(await openSubjects()).toEqual(subjects.slice(1));
    expect(await endedAlerts(env.DB, 10)).toMatchObject([{ subject: one.ref.accountId }]);
  });

  it("is one round a day, however often it runs, and goes on where a run stopped", async () => {
    const worlds = await listedWorlds(5);
    const names = worlds.map(({ name }) => name);
    const asked = askedAccounts();
    const startMs = Date.now();
    for (const nth of [1, 2, 3, 4, 5, 6]) await recountAccounts(env, startMs + nth * 60_000, 2);
    expect(asked).toEqual(names);
    await recountAccounts(env, startMs + DAY_MS - 1);
    expect(asked).toEqual(names);
    await recountAccounts(env, startMs + DAY_MS + 60_000, 100);
    expect(asked).toEqual([...names, ...names]);
  });

  it("of a large account spans runs, also where another account is opened meanwhile", async () => {
    const [one, two] = await listedWorlds(2);
    if (!one || !two) throw new Error("no worlds");
    await addDelivered(two, 2_000);
    await tamper(two, 5);
    await recountAccounts(env, Date.now(), 3);
    for (const _ of [1, 2]) await listedWorlds(2);
    for (const nth of [1, 2, 3, 4, 5, 6, 7, 8]) await recountAccounts(env, Date.now() + nth, 3);
    expect(await openSubjects()).toEqual([`reconcile_difference ${two.ref.accountId}`]);
    // The difference is on the account's first page: its later pages do not end the alert.
    expect(await endedAlerts(env.DB, 10)).toEqual([]);
  });

  it("reads an account that was found right only from there on", async () => {
    const [world] = await listedWorlds(1);
    if (!world) throw new Error("no world");
    await addDelivered(world, 2_000);
    await runInDurableObject(world.stub, (_, { storage }) => {
      storage.sql.exec("UPDATE account SET settled_seq = 2001");
    });
    await recountAccounts(env, Date.now());
    await sendSms(world);
    const asked = askedAccounts();
    await recountAccounts(env, Date.now() + DAY_MS);
    expect(asked).toEqual([world.name]);
  });

  it("goes on to the next account where one cannot be recounted", async () => {
    const [one, two] = await listedWorlds(2);
    if (!one || !two) throw new Error("no worlds");
    await tamper(two, 5);
    await runInDurableObject(one.stub, (_, { storage }) => {
      storage.sql.exec("ALTER TABLE ledger_entry RENAME TO ledger_entry_away");
    });
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    await recountAccounts(env, Date.now());
    expect(await openSubjects()).toEqual([`reconcile_difference ${two.ref.accountId}`]);
    expect(logged).toHaveBeenCalled();
  });
});
