import * as fc from "fast-check";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { HOSTS } from "../../harness/service.mjs";
import { units } from "../../harness/books.ts";
import { converse } from "./wire.ts";
import type { Talk } from "./wire.ts";
import { CHARGING, ENDPOINTS } from "./wire-endpoints.ts";
import type { Endpoint } from "./wire-endpoints.ts";
import { memoryMeter } from "./memory.ts";
import { extremesOf } from "./wire-extremes.ts";
import { FOUND } from "./wire-found.ts";
import type { Kind } from "./wire-found.ts";
import { faultOf } from "./wire-oracle.ts";
import type { WireReply } from "./wire-replies.ts";
import { compose, planFor } from "./wire-requests.ts";
import type { Plan } from "./wire-requests.ts";
import { sweepOf } from "./wire-sweep.ts";
import { startStarted } from "./wire-started.ts";
import { startTarget } from "./wire-target.ts";
import type { Customer, Target } from "./wire-target.ts";

// Arbitrary bytes to every endpoint: never a 5xx, never a hang, never a charge without a 200, and after each request
// the next customer is still served.

/** From the last byte of the request; a slower one is repeated once, because a busy machine may be slow. */
const HANG_MS_MAX = 2_000;
const GIVE_UP_MS = 10_000;
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 600);
/** With fewer runs than this, the sweep is a sample. */
const RUNS_OF_A_FULL_SWEEP = 3_000;
/** Simultaneous requests of a sweep. */
const AT_ONCE = 8;

/** The server reads this much of a refused body, and then closes; a client that still writes may miss the reply. */
const UNREAD_BYTES_MAX = 65_536;

/** Duration of a slow request, the number of its pieces, and the number of stalled clients per operation. */
const SLOW_MS = 2_500;
const DRIBBLES = 12;
const STALLED = 30;

/** `npm start`, or the deployable bundle. */
const OF_START = process.env["FUZZ_TARGET"] === "npm start";

let target: Target;
/** The replies that came, by kind and status. */
const seen = new Set<`${Kind} ${number}`>();

beforeAll(async () => {
  target = await (OF_START ? startStarted() : startTarget());
});
afterAll(() => target?.stop());

/** Charging operations get the most runs, pages the fewest. */
function weightOf(endpoint: Endpoint): number {
  if (CHARGING.includes(endpoint)) return 5;
  return endpoint.isApi ? 2 : 1;
}

function runsOf(endpoint: Endpoint): number {
  const weights = ENDPOINTS.map(weightOf).reduce((sum, weight) => sum + weight, 0);
  return Math.ceil((RUNS / weights) * weightOf(endpoint));
}

/** The charge that a reply states, in units. */
function chargeIn(reply: WireReply): number {
  if (reply.status !== 200 || reply.headers.get("idempotent-replayed") === "true") return 0;
  const body = JSON.parse(reply.body === "" ? "{}" : reply.body) as {
    coins_used?: number;
    details?: { cost?: number };
  };
  return units(body.coins_used ?? body.details?.cost ?? 0);
}

/** Asserts that the next customer is served, and charged exactly one coin. */
async function expectServed(customer: Customer): Promise<void> {
  const { status, body } = await target.ask("sms", "/healthz");
  expect({ status, body }).toEqual({ status: 200, body: { success: true } });
  const sent = await target.send(customer);
  expect({ status: sent.status, coins: sent.body.coins_used }).toEqual({ status: 200, coins: 1 });
}

async function talk(endpoint: Endpoint, plan: Plan, customer: Customer): Promise<Talk> {
  // Replaced byte by byte (latin1), so that invalid UTF-8 stays as it is.
  const bytes = Buffer.from(plan.body.bytes.toString("latin1").replaceAll("{file}", customer.file), "latin1");
  const body = { ...plan.body, bytes };
  const fields = target.fieldsOf(endpoint, customer, plan.sender, bytes);
  const request = compose(endpoint, { ...plan, body }, HOSTS[endpoint.base], fields);
  const said = await converse(target.port, request, GIVE_UP_MS);
  if (CHARGING.includes(endpoint)) for (const reply of said.replies) customer.spent += chargeIn(reply);
  for (const reply of said.replies) {
    expect(faultOf(endpoint, plan, reply), `${reply.status} ${reply.body.slice(0, 500)}`).toBeNull();
    const kind = endpoint.isApi ? "API" : "page";
    seen.add(`${request.brokenOff ? (`${kind}, broken off` as const) : kind} ${reply.status}`);
  }
  if (request.brokenOff && CHARGING.includes(endpoint) && endpoint.method === "POST") {
    expect(said.replies.map(({ status }) => status)).not.toContain(200);
  }
  if (!request.brokenOff && plan.fault === null && bytes.length <= UNREAD_BYTES_MAX) {
    expect(said.replies.length, "no reply").toBeGreaterThan(0);
  }
  return said;
}

/** Undoes what a request changed for the next one: prices, refused numbers and sessions. */
async function setRight(endpoint: Endpoint, replies: WireReply[]): Promise<void> {
  if (/rate-card|number-rules/u.test(endpoint.path)) await target.resetPrices();
  if (replies.some(({ headers }) => headers.has("set-cookie"))) await target.signIn();
}

async function meet(endpoint: Endpoint, plan: Plan): Promise<void> {
  const customer = await target.customer();
  const before = endpoint.isApi ? 0 : await target.balanceOf(target.known["demo"] ?? "");
  let said = await talk(endpoint, plan, customer);
  if (said.tookMs > HANG_MS_MAX) said = await talk(endpoint, plan, customer);
  expect(said.tookMs, "a hang").toBeLessThan(HANG_MS_MAX);
  await setRight(endpoint, said.replies);
  await expectServed(customer);
  expect(await target.balanceOf(customer.id), "what 200s took is what was charged").toBe(target.due(customer));
  if (!endpoint.isApi && !said.replies.some(({ status }) => status < 400)) {
    const after = await target.balanceOf(target.known["demo"] ?? "");
    expect(after, "a form that was not taken charged something").toBeGreaterThanOrEqual(before);
  }
  expect(target.newFaults()).toEqual([]);
}

/** The endpoint with ids of things that exist; `talk` fills in a charging operation's `{file}` for its customer. */
function aboutKnown(endpoint: Endpoint): Endpoint {
  const known = CHARGING.includes(endpoint) ? {} : target.known;
  const fill = (value: unknown) =>
    typeof value === "string" ? value.replace(/^\{(\w+)\}$/u, (given, name: string) => known[name] ?? given) : value;
  const filled = (fields: object) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fill(value)]));
  const { json, form, query } = endpoint;
  return {
    ...endpoint,
    ...(json && { json: filled(json) }),
    ...(form && { form: filled(form) as Record<string, string> }),
    ...(query && { query: filled(query) as Record<string, string> }),
  };
}

it.each(ENDPOINTS.map((endpoint) => [endpoint.name, endpoint] as const))(
  "%s answers any bytes without a 5xx, a hang or a wrong charge",
  async (_, endpoint) => {
    const plans = planFor(aboutKnown(endpoint), (name) => encodeURIComponent(idFor(name)));
    await fc.assert(
      fc.asyncProperty(plans, (plan) => meet(endpoint, plan)),
      { numRuns: runsOf(endpoint), seed: inject("seed") + ENDPOINTS.indexOf(endpoint) },
    );
  },
);

const idFor = (name: string) => target.known[name] ?? "x";

it.each(ENDPOINTS.map((endpoint) => [endpoint.name, endpoint] as const))(
  "%s answers every odd value in every field without a 5xx, a hang or a wrong charge",
  async (_, endpoint) => {
    const all = sweepOf(aboutKnown(endpoint), idFor);
    const step = RUNS < RUNS_OF_A_FULL_SWEEP ? (CHARGING.includes(endpoint) ? 3 : 7) : 1;
    const plans = all.filter((_, at) => at % step === 0);
    const customers = new Set<Customer>();
    for (let at = 0; at < plans.length; at += AT_ONCE) {
      const talks = plans.slice(at, at + AT_ONCE).map(async (plan) => {
        const customer = await target.customer();
        customers.add(customer);
        const { replies, tookMs } = await talk(endpoint, plan, customer);
        if (tookMs > HANG_MS_MAX) await meet(endpoint, plan);
        return replies;
      });
      await setRight(endpoint, (await Promise.all(talks)).flat());
    }
    await expectServed(await target.customer());
    for (const customer of customers) expect(await target.balanceOf(customer.id)).toBe(target.due(customer));
    expect(target.newFaults()).toEqual([]);
  },
);

/** How much the service's memory may grow by one request; before bodies were bounded, it was up to 480. */
const GROWTH_MIB_MAX = 80;

it("answers deep, wide and long bodies at every endpoint, and the next request after each, in little memory", async () => {
  const memoryMiB = memoryMeter();
  const step = RUNS < RUNS_OF_A_FULL_SWEEP ? 7 : 1;
  let before = memoryMiB();
  for (const [index, endpoint] of ENDPOINTS.map(aboutKnown).entries()) {
    const customer = await target.customer();
    for (const plan of extremesOf(endpoint, idFor).filter((_, at) => (at + index) % step === 0)) {
      let said = await talk(endpoint, plan, customer);
      if (said.tookMs > HANG_MS_MAX) said = await talk(endpoint, plan, customer);
      expect(said.tookMs, `${endpoint.name}: a hang`).toBeLessThan(HANG_MS_MAX);
      expect((await target.ask("sms", "/healthz")).status).toBe(200);
      const after = memoryMiB();
      expect(after - before, `memory for ${plan.body.bytes.length} bytes`).toBeLessThan(GROWTH_MIB_MAX);
      before = after;
      await setRight(endpoint, said.replies);
    }
    expect(await target.balanceOf(customer.id)).toBe(target.due(customer));
    expect(target.newFaults()).toEqual([]);
  }
  await expectServed(await target.customer());
});

/** The head and the body of a valid request; `framing` returns the header fields for the body's length. */
function halves(endpoint: Endpoint, customer: Customer, framing: (bytes: number) => string[]) {
  const body = Buffer.from(JSON.stringify(endpoint.json ?? {}).replace("{file}", customer.file));
  const fields = [
    ...target.fieldsOf(endpoint, customer, "known", body),
    "Content-Type: application/json",
    ...framing(body.length),
  ];
  const head = [`${endpoint.method} ${endpoint.path} HTTP/1.1`, `Host: ${HOSTS[endpoint.base]}`, ...fields, "", ""];
  return { head: Buffer.from(head.join("\r\n")), body };
}

const posts = () => CHARGING.filter(({ method }) => method === "POST");

it("serves slow clients, and others meanwhile, and charges nothing for requests that stall and break off", async () => {
  const customer = await target.open("Slow");
  const stalled = posts().flatMap((endpoint) =>
    Array.from({ length: STALLED }, (_, at) => {
      const { head, body } = halves(endpoint, customer, (bytes) => [`Content-Length: ${bytes + 1}`]);
      const pieces = [head, body.subarray(0, at % 2 === 0 ? body.length : Math.floor(body.length / 2))];
      const ending = { how: at % 3 === 0 ? ("finish" as const) : ("reset" as const), afterMs: SLOW_MS };
      return converse(target.port, { pieces, pauseMs: 5, ending }, GIVE_UP_MS);
    }),
  );
  const dribbled = posts().map(async (endpoint) => {
    const { head, body } = halves(endpoint, customer, (bytes) => [`Content-Length: ${bytes}`]);
    const step = Math.ceil(body.length / DRIBBLES);
    const pieces = Array.from({ length: DRIBBLES }, (_, at) => body.subarray(at * step, (at + 1) * step));
    const request = { pieces: [head, ...pieces], pauseMs: SLOW_MS / DRIBBLES };
    return { path: endpoint.path, ...(await converse(target.port, request, GIVE_UP_MS)) };
  });
  for (const endsAt = Date.now() + SLOW_MS; Date.now() < endsAt;) {
    const askedAt = performance.now();
    const other = await target.customer();
    await expectServed(other);
    expect(performance.now() - askedAt, "others wait").toBeLessThan(HANG_MS_MAX);
  }
  for (const { path, replies, tookMs } of await Promise.all(dribbled)) {
    expect({ path, status: replies[0]?.status }).toEqual({ path, status: 200 });
    expect(tookMs, `${path} hangs`).toBeLessThan(HANG_MS_MAX);
    for (const reply of replies) customer.spent += chargeIn(reply);
  }
  for (const { replies } of await Promise.all(stalled)) expect(replies.map(({ status }) => status)).not.toContain(200);
  expect(customer.spent).toBeGreaterThan(0);
  expect(await target.balanceOf(customer.id)).toBe(target.due(customer));
  expect(target.newFaults()).toEqual([]);
});

it.each(posts().map((endpoint) => [endpoint.path, endpoint] as const))(
  "%s refuses a body over the maximum, whatever length its head declares",
  async (_, endpoint) => {
    const customer = await target.customer();
    const { head, body } = halves(endpoint, customer, () => ["Content-Length: 3", "Transfer-Encoding: chunked"]);
    const chunk = Buffer.alloc(1_048_576, " ");
    const spaces = Array.from({ length: 11 }, () => [Buffer.from("100000\r\n"), chunk, Buffer.from("\r\n")]).flat();
    const last = [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n0\r\n\r\n")];
    const { replies } = await converse(
      target.port,
      { pieces: [Buffer.concat([head, ...spaces, ...last])], pauseMs: 0 },
      GIVE_UP_MS,
    );
    expect(replies[0]?.status).toBe(413);
    expect(await target.balanceOf(customer.id)).toBe(target.due(customer));
  },
);

it.each(FOUND)("answers $what", async ({ kind, request, status }) => {
  const [method = ""] = request.split(" ");
  const ending = { how: "finish" as const, afterMs: 0 };
  const wire = { pieces: [Buffer.from(request)], pauseMs: 0, methods: [method], ending };
  const { replies } = await converse(target.port, wire, GIVE_UP_MS);
  expect(replies.map((reply) => reply.status)).toEqual([status]);
  seen.add(`${kind} ${status}`);
  expect(target.newFaults()).toEqual([]);
});

it("gave replies of every kind, and every balance is right to the unit", async () => {
  for (const customer of target.customers) {
    expect(await target.balanceOf(customer.id)).toBe(target.due(customer));
    const { differences } = await target.operator("GET", `/reconcile?account=${customer.id}`);
    expect(differences).toEqual([]);
  }
  expect(target.customers.reduce((sum, { spent }) => sum + spent, 0)).toBeGreaterThan(units(1_000));
  for (const status of [200, 400, 401, 404, 405, 415]) expect([...seen]).toContain(`API ${status}`);
  for (const status of [101, 200, 303, 400, 401, 403, 404, 405]) expect([...seen]).toContain(`page ${status}`);
  for (const kind of ["API", "page"]) expect([...seen]).toContain(`${kind}, broken off 400`);
});
