import {
  createExecutionContext,
  createMessageBatch,
  getQueueResult,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import type { Account } from "../../src/durable/account.ts";
import { newAccountId, objectName, randomId } from "../../src/crypto/ids.ts";
import type { AccountRef, Mode } from "../../src/model/ref.ts";
import { newKeyId, showKey } from "../../src/crypto/api-key.ts";
import { recordingKey } from "../../src/recordings/signed-address.ts";
import { UNITS_PER_COIN } from "../../src/money/money.ts";
import type { Plan } from "../../src/money/plans.ts";
import { LANES } from "../../src/model/lane.ts";
import type { ClaimAsked } from "../../src/model/message.ts";
import { consumeHistory } from "../../src/queues/history.ts";
import type { LaneJob } from "../../src/queues/jobs.ts";
import { consumeLane } from "../../src/queues/lane-consumer.ts";
import { watchPace } from "./carriers.ts";

// Every test has its own world: a fresh account, and queues that the test delivers by hand.

export interface World {
  ref: AccountRef;
  /** The object's name. */
  name: string;
  stub: DurableObjectStub<Account>;
  keyId: number;
  apiKey: string;
}

export interface Opening {
  /** The account's name. */
  name?: string;
  plan?: Plan;
  /** Coins. */
  balance?: number;
  mode?: Mode;
  /** Coins per OTP. */
  otpRate?: number;
}

/** Opens a fresh account: by default premium with 1,000 coins. */
export async function openWorld({
  name = "Test",
  plan = "premium",
  balance = 1_000,
  mode = "live",
  otpRate,
}: Opening = {}): Promise<World> {
  const ref = { accountId: newAccountId(env.KEY_SECRET, null), mode };
  const keyId = newKeyId(env.KEY_SECRET, mode, null);
  const stub = env.ACCOUNT.getByName(objectName(ref));
  await stub.open({
    name,
    plan,
    otpRate: otpRate === undefined ? null : otpRate * UNITS_PER_COIN,
    balance: balance * UNITS_PER_COIN,
    keyId,
    keyName: "first key",
  });
  return { ref, name: objectName(ref), stub, keyId, apiKey: showKey(env.KEY_SECRET, { ...ref, keyId }) };
}

export interface Reply {
  status: number;
  headers: Headers;
  // Replies are checked field by field; each test expects its own type.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
  text: string;
}

/** Sends a request through the Worker's own entry and reads the whole reply. */
export async function call(url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await exports.default.fetch(url, init);
  const text = await response.text();
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // Not every reply is JSON: media is not.
  }
  return { status: response.status, headers: response.headers, body, text };
}

/** Posts JSON; a string is sent as it is. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  return call(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

export const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });

/** Sends one SMS to this many numbers in one request. */
export async function sendBulk(world: World, count: number): Promise<void> {
  const recipients = Array.from({ length: count }, (_, at) => String(9_000_000_000 + at));
  const reply = await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
  if (reply.status !== 200) throw new Error(reply.text);
}

/** Sends one SMS as the world's customer. */
export function sendSms(world: World, more: { body?: object; headers?: Record<string, string> } = {}): Promise<Reply> {
  return post(
    "http://sms.localhost/send-sms",
    { phone: "9876543210", message: "Hello", ...more.body },
    { ...bearer(world.apiKey), ...more.headers },
  );
}

/** Calls the operator API. */
export function operator(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return call(`http://console.localhost${path}`, {
    method,
    headers: { ...bearer(env.OPERATOR_TOKEN), "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

const recordings = new WeakMap<World, Map<number, Promise<string>>>();

async function addRecording(world: World, durationMs: number): Promise<string> {
  const fileId = randomId("file");
  const objectKey = recordingKey(world.ref, crypto.getRandomValues(new Uint8Array(32)));
  await runInDurableObject(world.stub, (_, { storage }) => {
    storage.sql.exec(
      `INSERT INTO recording (file_id, name, object_key, mime, size_bytes, duration_ms, created_at, content)
       VALUES (?, 'hello.wav', ?, 'audio/wav', 1044, ?, ?, ?)`,
      fileId,
      objectKey,
      durationMs,
      Date.now(),
      objectKey.split("/")[1],
    );
  });
  return fileId;
}

/** A recording of the account, one per duration; it does not count in the rate window and has no bytes. */
export function recordingOf(world: World, durationMs = 1_000): Promise<string> {
  const known = recordings.get(world) ?? new Map<number, Promise<string>>();
  recordings.set(world, known);
  const fileId = known.get(durationMs) ?? addRecording(world, durationMs);
  known.set(durationMs, fileId);
  return fileId;
}

let delivered = 0;

async function deliver(
  queue: string,
  bodies: unknown[],
  consume: (batch: MessageBatch, at: Env, ctx: ExecutionContext) => Promise<void>,
  at: Env,
) {
  const messages = bodies.map((body) => {
    delivered += 1;
    return { id: `m${delivered}`, timestamp: new Date(), attempts: 1, body };
  });
  const batch = createMessageBatch(queue, messages);
  await consume(batch, at, createExecutionContext());
  return getQueueResult(batch, createExecutionContext());
}

type Variables = Partial<Env> | Record<string, string>;

/** Delivers these bodies to a lane's consumer in one batch, as its queue would; its carrier has no limit. */
export function deliverLane(bodies: unknown[], variables: Variables = {}) {
  return deliver("dastak-single", bodies, consumeLane, { ...env, PACE: watchPace().PACE, ...variables });
}

/** Lets a consumer submit all that waits in the account, in every lane; `variables` apply to this consumer only. */
export function dispatch(world: World, _seqs: number[] = [], variables: Variables = {}) {
  const tokens = LANES.map((lane): LaneJob => ({ kind: "send", account: world.name, lane }));
  return deliverLane(tokens, variables);
}

/** Claims messages of a lane, as a consumer does that has nothing to report. */
export async function claim(world: Pick<World, "stub">, more: Partial<ClaimAsked> & { resubmits?: boolean } = {}) {
  const { resubmits = false, ...asked } = more;
  const wanted = { lane: "single", max: 60, carrier: "http", leaseMs: 60_000, ...asked } as const;
  const done = await world.stub.work({ news: [], follow: false, resubmits, claim: wanted });
  return done?.jobs ?? [];
}

/** Delivers a `follow` job: the consumer asks the carrier about these jobs' messages. */
export function follow(world: World, seqs: number[], variables: Variables = {}) {
  return deliverLane([{ kind: "follow", account: world.name, lane: "single", seqs }], variables);
}

/** Delivers a job to the history consumer. */
export function recordHistory(world: World, seqs: number[], at: Env = env) {
  return deliver(
    "dastak-history",
    [{ account: world.name, seqs, profile: true }],
    (batch, to) => consumeHistory(batch, to),
    at,
  );
}

/** Runs the account's alarm now; false if none was set. */
export const runAlarm = (world: World) => runDurableObjectAlarm(world.stub);

/** Every message of the account, as the operator sees it. */
export async function messagesOf(world: World) {
  return (await world.stub.messages({ seq: 0, index: 0 }, 20_000)) ?? [];
}

/** Every ledger entry of the account. */
export async function ledgerOf(world: World) {
  return (await world.stub.ledger(0, 20_000)) ?? [];
}

/** The balance in units. */
export async function balanceOf(world: World): Promise<number> {
  return (await world.stub.view())?.balance ?? Number.NaN;
}
