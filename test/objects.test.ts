import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { openCustomer } from "../src/accounts/open.ts";
import { configOf } from "../src/config/config.ts";
import { newAccountId, objectName } from "../src/crypto/ids.ts";
import { inboxNamed } from "../src/inbox/landing.ts";
import { bothOf, objectOf } from "../src/objects.ts";
import { paceOf } from "../src/queues/pace/clients.ts";
import { PRODUCTION, faultsOf } from "./world/settings.ts";

// Where objects live is decided by their first call, so every stub that may make it has the hint.

/** An environment that notes how its objects are addressed. */
function watched(variables: Record<string, string>) {
  const stubs: [name: string, place: unknown][] = [];
  const watch = <Binding extends Pick<Env["ACCOUNT"], "getByName">>(binding: Binding): Binding =>
    new Proxy(binding, {
      get: (target, property) =>
        property === "getByName"
          ? (...asked: [string, DurableObjectNamespaceGetDurableObjectOptions?]) => {
              stubs.push([asked[0], asked[1]]);
              return target.getByName(...asked);
            }
          : (Reflect.get(target, property) as unknown),
    });
  const at = { ...env, ...variables, ACCOUNT: watch(env.ACCOUNT) };
  return { at: at as Env, stubs };
}

it("opens both objects of an account with the location hint", async () => {
  const { at, stubs } = watched({ ACCOUNT_LOCATION: "apac" });
  const accountId = newAccountId(env.KEY_SECRET, null);
  expect(await openCustomer(at, configOf(at), accountId, { name: "Here" })).toBe("opened");
  const name = (mode: "live" | "test") => objectName({ accountId, mode });
  expect(stubs).toEqual([
    [name("test"), { locationHint: "apac" }],
    [name("live"), { locationHint: "apac" }],
  ]);
});

it("has the hint in every way to an object that may be its first, and none without the setting", () => {
  for (const [variables, place] of [
    [{ ACCOUNT_LOCATION: "apac" }, { locationHint: "apac" }],
    [{}, {}],
  ] as const) {
    const asked: unknown[] = [];
    const binding = { getByName: (name: string, options: unknown) => void asked.push([name, options]) };
    const at = { ...env, ...variables, ACCOUNT: binding, INBOX: binding, PACE: binding } as unknown as Env;
    objectOf(at, { accountId: "acc_1", mode: "live" });
    bothOf(at, "acc_2");
    inboxNamed(at, "inbox");
    expect(asked.length).toBe(4);
    expect(asked.every((one) => JSON.stringify(one).endsWith(`,${JSON.stringify(place)}]`))).toBe(true);
  }
});

it("asks for permits, and tells what it saw, with the hint", async () => {
  const asked: unknown[] = [];
  const pace = { take: async () => ({ atMs: [], nowMs: Date.now(), againMs: 1, quietMs: 0, isLimited: true }) };
  const object = { ...pace, tell: async () => undefined };
  const getByName = (name: string, options: unknown) => {
    asked.push([name, options]);
    return object;
  };
  const at = { ...env, ACCOUNT_LOCATION: "apac", PACE: { getByName } } as unknown as Env;
  const works: Promise<unknown>[] = [];
  const client = paceOf(at, "http");
  await client.take({ lane: "single", account: "acc", max: 1 });
  client.saw({ waitUntil: (work) => void works.push(work) }, { taken: 0, busy: 1 });
  await Promise.all(works);
  expect(asked).toEqual([
    ["http", { locationHint: "apac" }],
    ["http", { locationHint: "apac" }],
  ]);
});

it.each(["india", "", "APAC"])("refuses %j as a location, and names those that there are", (location) => {
  const [fault, ...more] = faultsOf({ ...PRODUCTION, ACCOUNT_LOCATION: location });
  expect(fault).toMatch(/^ACCOUNT_LOCATION: must be a location hint of Durable Objects: wnam, .*apac/u);
  expect(more).toEqual([]);
});
