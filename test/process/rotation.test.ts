import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { balanceOf, differencesOf, ledgerOf, messagesOf } from "../../harness/books.ts";
import { ACCEPT, BUSY, startGateway } from "../../harness/gateway.ts";
import type { Gateway, Submission } from "../../harness/gateway.ts";
import { call, until } from "../../harness/http.ts";
import { startService } from "../../harness/started.ts";
import type { Customer, Service } from "../../harness/started.ts";
import { newOrder, repeat, sendAll } from "./load.ts";
import type { Order } from "./load.ts";

// The drill of docs/secrets.md: both secrets are replaced twice, each step by a restart in the middle of sends, with
// messages, receipts and a call under way, and a browser signed in. Nothing is lost, and nothing is charged twice.

/** The listed ids of each step, of which the first makes: list the new secret, make with it, take the old one away. */
const STEPS = [[1], [1, 2], [2, 1], [2], [2, 3], [3, 2], [3]];

/**
 * Before an old secret is taken away, what it made must be over (`needed_until`), and at the end everything. In between,
 * one restart after another interrupts what still waits.
 */
const isSettledIn = (step: number) => (STEPS[step + 1] ?? []).length < 2;

const OPENING = 1_000;
/** Seven starts of the service, on a busy machine, and three times the leases that the ones before left. */
const TEST_MS_MAX = 900_000;

/** A restart leaves leases of up to 37 s; the rest is for a busy machine. */
const SETTLE_MS_MAX = 180_000;

const ORDERS = 24;
const AT_ONCE = 6;

const SETTINGS = {
  SWEEP_MS: "500",
  RETRY_BASE_MS: "200",
  CARRIER_TIMEOUT_MS: "2000",
  // What a restart interrupted is submitted again under its reference, so that every message arrives.
  CARRIER_HTTP_DEDUPES: "on",
};

const secretOf = (name: string, id: number) => createHash("sha256").update(`${name} ${id}`).digest("hex");

/** The settings of a step; the first has plain secrets. */
function secretsOf(ids: number[]): Record<string, string> {
  const listOf = (name: string) =>
    ids.length === 1 && ids[0] === 1 ? secretOf(name, 1) : ids.map((id) => `${id}:${secretOf(name, id)}`).join(",");
  return { KEY_SECRET: listOf("KEY_SECRET"), SEAL_SECRET: listOf("SEAL_SECRET") };
}

/** What one customer ordered before a restart. */
interface Load {
  customer: Customer;
  orders: Order[];
}

let gateway: Gateway;
let service: Service;
/** Submissions whose receipt waits for the next step. */
let held: Submission[] = [];

const start = (ids: number[], before?: Service) =>
  startService({
    ...(before && { state: before.state, port: before.port }),
    set: { ...SETTINGS, ...gateway.settings, ...secretsOf(ids) },
  });

beforeAll(async () => {
  gateway = await startGateway();
  // Every other message is refused once, so that many are tried again after a restart. Were each of them, half of all
  // answers would be refusals, and a carrier that refuses so many counts as away: it gets one or two messages a second.
  gateway.decide = ({ to }, before) => (before.length === 0 && Number(to) % 2 === 0 ? BUSY : ACCEPT);
  gateway.onAccepted = (submission) => void held.push(submission);
  service = await start([1]);
});

afterAll(async () => {
  await service?.kill9();
  await gateway?.close();
});

/** Sends the receipts that waited. */
async function confirmHeld(): Promise<void> {
  const waiting = held;
  held = [];
  for (const submission of waiting) expect(await gateway.receipt(submission, "delivered")).toBe(200);
}

/** Sends orders of a new customer, and stops the service in the middle of them. */
async function loadAndStop(step: number): Promise<Load> {
  const customer = await service.openAccount(OPENING);
  const planned = Array.from({ length: ORDERS }, (_, at) => newOrder(customer, step * ORDERS + at));
  let answered = 0;
  let stopping = false;
  const load = sendAll(service, planned, { atOnce: AT_ONCE, isOver: (count) => ((answered = count), stopping) });
  await until("half of the orders are answered", () => answered >= ORDERS / 2, { everyMs: 1 });
  stopping = true;
  await service.kill9();
  return { customer, orders: await load };
}

/** Repeats the orders of the step before: an answered one has the same reply, and each is one debit. */
async function repeatAll({ customer, orders }: Load): Promise<void> {
  for (const order of orders) {
    const wasTold = order.told !== undefined;
    const { replayed, same } = await repeat(service, order);
    expect(same).toBe(true);
    if (wasTold) expect(replayed).toBe(true);
  }
  const debits = (await ledgerOf(service, customer.id)).filter(({ type }) => type === "debit");
  expect(debits).toHaveLength(orders.length);
}

/** Every message arrives, under one reference, and the books are right. */
async function settle({ customer, orders }: Load): Promise<void> {
  const numbers = orders.flatMap(({ recipients }) => recipients);
  let open: unknown[] = [];
  const isSettled = async () => {
    await confirmHeld();
    const messages = await messagesOf(service, customer.id);
    open = messages.filter(({ state }) => state !== "delivered");
    return open.length === 0 && messages;
  };
  const messages = await until("every message is delivered", isSettled, {
    withinMs: SETTLE_MS_MAX,
    everyMs: 200,
    sight: () => open.slice(0, 5),
  });
  expect(messages.map(({ to }) => to).toSorted()).toEqual(numbers.toSorted());
  for (const { to, message_id: id } of messages) {
    expect([...new Set(gateway.for(to).map(({ ref }) => ref))]).toEqual([id]);
  }
  const spent = messages.reduce((coins, { charge }) => coins + charge, 0);
  expect(await balanceOf(service, customer.id)).toBeCloseTo(OPENING - spent, 4);
  expect(await differencesOf(service, customer.id)).toEqual([]);
}

/** One second of silence as WAV. */
function wav(): Buffer {
  const head = Buffer.from("RIFF____WAVEfmt ________________________data____");
  const size = 8_000;
  head.writeUInt32LE(36 + size, 4);
  [16, 0x0001_0001, 8_000, 8_000, 0x0008_0001].forEach((value, at) => head.writeUInt32LE(value, 16 + at * 4));
  head.write("data", 36);
  head.writeUInt32LE(size, 40);
  return Buffer.concat([head.subarray(0, 44), Buffer.alloc(size, 128)]);
}

/** Makes a call with a recording, and returns the address that the carrier plays. */
async function callWithRecording({ apiKey }: Customer): Promise<string> {
  const upload = { fileName: "hello.wav", base64Data: wav().toString("base64") };
  const { body } = await service.post(apiKey, "/api/upload-voice", upload);
  const callee = "919876500001";
  const made = await service.post(apiKey, "/api/make-voice-call", { callee, fileId: body.fileId });
  expect(made.status, made.bytes.toString()).toBe(200);
  const [taken] = await until("the call reaches the gateway", () => {
    const calls = gateway.for(`+${callee}`);
    return calls.length > 0 && calls;
  });
  return taken?.audio_url ?? "";
}

/** Signs in to the demo account and returns the browser's cookies. */
async function signIn(): Promise<string> {
  const reply = await service.call("/sign-in/demo", {
    method: "POST",
    headers: { origin: `http://127.0.0.1:${service.port}`, "content-type": "application/x-www-form-urlencoded" },
    body: "next=%2Fkeys",
  });
  expect(reply.status).toBe(303);
  return (reply.headers["set-cookie"] ?? []).map((cookie) => cookie.split(";")[0]).join("; ");
}

const pageAt = (at: string, cookie: string) =>
  service.call(at, { headers: { cookie, accept: "text/html" } }).then(({ status }) => status);

/** Replaces a customer's key by one of the present secret, and the old one stops. */
async function replaceKey(customer: Customer): Promise<Customer> {
  const keys = await service.operator("GET", `/accounts/${customer.id}/keys`);
  const own = (
    keys.body.data as { key_id: string; mode: string; revoked_at: string | null; expires_at: string | null }[]
  )
    .filter(({ mode, revoked_at: revoked, expires_at: expires }) => mode === "live" && !revoked && !expires)
    .at(-1);
  const made = await service.operator("POST", `/accounts/${customer.id}/keys/${own?.key_id}/rotate`, {
    overlapSeconds: 3_600,
  });
  expect(made.status, made.bytes.toString()).toBe(200);
  const expired = await service.operator("POST", `/accounts/${customer.id}/keys/expire`, {});
  expect(expired.status, expired.bytes.toString()).toBe(200);
  return { ...customer, apiKey: made.body.api_key ?? "" };
}

it(
  "loses nothing and charges nothing twice while both secrets are replaced twice under load",
  async () => {
    let faithful = await service.openAccount(OPENING);
    const balanceAs = async ({ apiKey }: Customer) =>
      (await service.call("/account-balance", { headers: { authorization: `Bearer ${apiKey}` } })).status;
    const cookie = await signIn();
    const opening = { name: "Once", balance: 7 };
    const openOnce = () =>
      service.call("/operator/accounts", {
        method: "POST",
        headers: { authorization: "Bearer local-only-operator-token-for-this-machine", "idempotency-key": "once" },
        body: opening,
      });
    const { account_id: once } = (await openOnce()).body;
    const audioUrl = await callWithRecording(faithful);
    let open: Load[] = [];
    for (const [step, ids] of STEPS.entries()) {
      if (step > 0) service = await start(ids, service);
      for (const load of open) await repeatAll(load);
      if (isSettledIn(step)) {
        for (const load of open) await settle(load);
        open = [];
      }
      // A key that was made with the old secret works until it is replaced, which the operator does in each second step.
      expect(await balanceAs(faithful), `step ${step}`).toBe(200);
      if (ids.length === 2 && step % 3 === 2) {
        const old = faithful;
        faithful = await replaceKey(faithful);
        expect([await balanceAs(old), await balanceAs(faithful)]).toEqual([401, 200]);
      }
      expect(await pageAt("/settings", cookie), `step ${step}`).toBe(200);
      expect((await openOnce()).body.account_id).toBe(once);
      const played = await call(audioUrl.replace(/^https?:\/\/[^/]+/u, `http://127.0.0.1:${service.port}`));
      expect(played.status, `step ${step}`).toBe(ids.includes(1) ? 200 : 404);
      if (step < STEPS.length - 1) open.push(await loadAndStop(step));
    }
    expect((await ledgerOf(service, once ?? "")).map(({ reference }) => reference)).toEqual(["opening"]);
  },
  TEST_MS_MAX,
);
