import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { showKey } from "../../../src/crypto/api-key.ts";
import { messageId, newAccountId, newRequestId, objectName } from "../../../src/crypto/ids.ts";
import { APPS } from "../../../src/routes/index.ts";
import { ask } from "../../world/contract/endpoint.ts";
import type { Endpoint } from "../../world/contract/endpoint.ts";
import { keySuite } from "../../world/contract/keys.ts";
import { jsonSuite, typeSuite } from "../../world/contract/transport.ts";
import { expectFailure } from "../../world/operating.ts";
import { makeWebhook, receive } from "../../world/webhooks.ts";
import { bearer, call, openWorld, recordingOf, sendSms } from "../../world/world.ts";
import type { Reply, World } from "../../world/world.ts";

// What every address of the account's own API has in common (contract §4, §13, §14): where its key is read, which methods
// and bodies it takes, and that what is another account's, of the other mode or of nobody is one and the same 404.

const CONSOLE = "http://console.localhost";

beforeEach(() => void receive());
afterEach(() => vi.restoreAllMocks());

type Method = Endpoint["method"];

/** The id that a path names, made in a world; the same one for the same world. */
type IdIn = (world: World) => Promise<string>;

const once = (make: IdIn): IdIn => {
  const known = new WeakMap<World, Promise<string>>();
  return (world) => {
    const id = known.get(world) ?? make(world);
    known.set(world, id);
    return id;
  };
};

const sent = once(async (world) => {
  const reply = await sendSms(world, { body: { sendAt: new Date(Date.now() + 86_400_000).toISOString() } });
  return `${reply.headers.get("x-message-id")} ${reply.headers.get("x-request-id")}`;
});
const message: IdIn = async (world) => (await sent(world)).split(" ")[0] ?? "";
const request: IdIn = async (world) => (await sent(world)).split(" ")[1] ?? "";
const webhook = once(async (world) => (await makeWebhook(world)).id);
const recording: IdIn = (world) => recordingOf(world);

interface Own {
  /** What its path names. */
  id?: IdIn;
  body?: object;
  /** A body that is CSV. */
  csv?: string;
}

const HOOK = { url: "https://example.com/hook" };

/** The addresses below /v1, but for the test inbox, which test keys alone may read. */
const OWN: Record<string, Own> = {
  "GET /v1/messages": {},
  "GET /v1/messages.csv": {},
  "GET /v1/messages/:id": { id: message },
  "DELETE /v1/messages/:id": { id: message },
  "GET /v1/requests/:request_id": { id: request },
  "DELETE /v1/requests/:request_id": { id: request },
  "GET /v1/refusals": {},
  "POST /v1/preflight": { body: { operation: "sms", phone: "9876543210", message: "Hi" } },
  "GET /v1/account": {},
  "PATCH /v1/account": { body: { balance_low_at: 5 } },
  "GET /v1/events": {},
  "GET /v1/events/live": {},
  "GET /v1/recordings": {},
  "GET /v1/recordings/:file": { id: recording },
  "PATCH /v1/recordings/:file": { id: recording, body: { name: "Offer" } },
  "DELETE /v1/recordings/:file": { id: recording },
  "GET /v1/dlt": {},
  "PUT /v1/dlt": { body: { enforce: "off" } },
  "POST /v1/dlt/import": { csv: "Template ID,Header,Content\n1107159159159159159,ACMEIN,Order {#var#} is packed." },
  "GET /v1/webhooks": {},
  "POST /v1/webhooks": { body: HOOK },
  "POST /v1/webhooks/verify": { body: { headers: {}, body: "{}", secret: "whsec_" } },
  "GET /v1/webhooks/:webhook": { id: webhook },
  "PATCH /v1/webhooks/:webhook": { id: webhook, body: { batch: true } },
  "DELETE /v1/webhooks/:webhook": { id: webhook },
  "POST /v1/webhooks/:webhook/rotate": { id: webhook, body: { overlapSeconds: 60 } },
  "POST /v1/webhooks/:webhook/test": { id: webhook },
  "GET /v1/webhooks/:webhook/attempts": { id: webhook },
  "POST /v1/hooks": { body: { kind: "supabase" } },
  "POST /v1/webhooks/:webhook/replay": { id: webhook, body: { from: 1 } },
};

/** Those whose reply is a file or a socket. */
const NOT_JSON = new Set(["GET /v1/messages.csv", "GET /v1/events/live"]);

const addressOf = (name: string, id: string) => CONSOLE + name.split(" ")[1]?.replace(/:\w+/u, id);

function endpointOf(name: string, { id, body = {}, csv }: Own): Endpoint {
  return {
    url: addressOf(name, "none"),
    ...(id && { at: async (world) => addressOf(name, await id(world)) }),
    method: name.split(" ")[0] as Method,
    keyPlaces: ["bearer"],
    body: () => ({ ...body }),
    ...(csv !== undefined && { csv }),
    rules: {},
    cost: 0,
  };
}

/** Asks about an id, with the key of a world. */
const askFor = (name: string, { body }: Own, world: World, id: string): Promise<Reply> => {
  const method = name.split(" ")[0] ?? "";
  const headers = { ...bearer(world.apiKey), "content-type": "application/json" };
  return call(addressOf(name, id), { method, headers, ...(body && { body: JSON.stringify(body) }) });
};

/** The same account's test mode. */
async function twinOf(world: World): Promise<World> {
  const ref = { ...world.ref, mode: "test" as const };
  const name = objectName(ref);
  const keyId = world.keyId;
  const twin = {
    ref,
    name,
    keyId,
    stub: env.ACCOUNT.getByName(name),
    apiKey: showKey(env.KEY_SECRET, { ...ref, keyId }),
  };
  await twin.stub.open({ name: "Test", plan: "premium", otpRate: null, balance: 1e6, keyId, keyName: "first key" });
  return twin;
}

/** An id of the same form, of which the last letter is another one. */
const forged = (id: string) => id.slice(0, -1) + (id.endsWith("A") ? "B" : "A");

/** The account's own form of an id that it never gave. */
function neverGiven(world: World, id: string): string {
  if (id.startsWith("msg_")) return messageId(env.KEY_SECRET, world.ref, "sms", { seq: 999, index: 0 });
  return id.startsWith("req_") ? newRequestId(Date.now()) : id.replace(/_.*/u, "_0");
}

it("has every address below /v1 in this table", () => {
  const found = APPS.console()
    .routes.filter(({ method, path }) => method !== "ALL" && path.startsWith("/v1/") && !path.startsWith("/v1/test/"))
    .map(({ method, path }) => `${method} ${path}`);
  expect([...new Set(found)].toSorted()).toEqual(Object.keys(OWN).toSorted());
});

describe.each(Object.entries(OWN).filter(([name]) => !NOT_JSON.has(name)))("%s", (name, own) => {
  const endpoint = endpointOf(name, own);
  keySuite(endpoint);
  if (own.body) {
    describe("body", () => {
      jsonSuite(endpoint);
      typeSuite(endpoint);
    });
  }
});

describe.each([...NOT_JSON])("%s", (name) => {
  it("requires a key that is active, in its place", async () => {
    const world = await openWorld();
    const url = addressOf(name, "");
    const [key] = [world.apiKey];
    for (const headers of [{}, { "x-api-key": key }, bearer(forged(key))]) {
      expectFailure(await call(url, { headers }), 401, "unauthorized");
    }
    expectFailure(await call(`${url}?apiKey=${key}`), 401, "unauthorized");
    await world.stub.revokeKey(world.keyId);
    expectFailure(await call(url, { headers: bearer(key) }), 401, "unauthorized");
  });
});

describe.each(Object.entries(OWN))("%s", (name, own) => {
  const endpoint = endpointOf(name, own);

  // For other methods the word is a webhook's id, which does not exist.
  it.skipIf(name === "POST /v1/webhooks/verify")("takes no other method, without a key too", async () => {
    const world = await openWorld();
    const path = name.split(" ")[1];
    const taken = Object.keys(OWN).flatMap((other) =>
      other.split(" ")[1] === path ? [other.split(" ")[0] ?? ""] : [],
    );
    if (taken.includes("GET")) taken.push("HEAD");
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      if (taken.includes(method)) continue;
      for (const keys of [{ bearer: world.apiKey }, {}]) {
        const reply = await ask(endpoint, world, { method, keys, ...(method !== "GET" && { raw: "{}" }) });
        expectFailure(reply, 405, "method_not_allowed");
        expect(reply.headers.get("allow")?.split(", ").toSorted()).toEqual(taken.toSorted());
      }
    }
  });

  if (endpoint.method !== "GET" && name !== "POST /v1/preflight") {
    it("is refused to an account that is suspended", async () => {
      const world = await openWorld();
      await own.id?.(world);
      await world.stub.amend({ status: "suspended" });
      expectFailure(await ask(endpoint, world), 403, "account_suspended");
    });
  }
});

describe.each(Object.entries(OWN).filter(([, { id }]) => id))("%s", (name, own) => {
  it("answers one 404 for what is another account's, the other mode's, forged and of nobody", async () => {
    const { id } = own;
    if (!id) throw new Error("it names nothing");
    const [world, other] = [await openWorld(), await openWorld()];
    const twin = await twinOf(world);
    const [mine, theirs, tried] = [await id(world), await id(other), await id(twin)];
    const unknown = [forged(mine), neverGiven(world, mine), `${mine}0`, "0", newAccountId(env.KEY_SECRET, null)];
    const bodies = new Set<string>();
    for (const one of [theirs, tried, ...unknown]) {
      const reply = await askFor(name, own, world, one);
      expectFailure(reply, 404, "not_found");
      const { request_id: _, ...body } = reply.body as Record<string, unknown>;
      bodies.add(JSON.stringify(body));
    }
    expect(bodies.size).toBe(1);
    // A test key does not reach what is live, and nothing of this has changed what it was about.
    expectFailure(await askFor(name, own, twin, mine), 404, "not_found");
    for (const [owner, one] of [
      [other, theirs],
      [twin, tried],
      [world, mine],
    ] as const) {
      expect((await askFor(name, own, owner, one)).status).toBe(200);
    }
  });
});
