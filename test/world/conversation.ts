import { createExecutionContext, createMessageBatch, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { messageId } from "../../src/crypto/ids.ts";
import { signedHeaders } from "../../src/crypto/webhook-signature.ts";
import { LANES } from "../../src/model/lane.ts";
import type { News, Outcome } from "../../src/model/message.ts";
import { enqueueFollow, enqueueHistory, enqueueReport, enqueueToken } from "../../src/queues/enqueue.ts";
import service from "../../src/worker.ts";
import { bearer } from "./world.ts";
import { wav } from "./recordings.ts";

// One conversation of all parts of the service, of which every call of an object and every queue message is noted: what
// one version says, so that another can be asked whether it understands it (test/versions).

/** A call of an object, with its reply. */
export interface Call {
  binding: "ACCOUNT" | "INBOX" | "PACE";
  name: string;
  method: string;
  args: unknown[];
  reply: unknown;
}

/** What was said. */
export interface Conversation {
  calls: Call[];
  /** Bodies of queue messages, by the queue's binding. */
  messages: { queue: string; body: unknown }[];
}

const QUEUES = ["OTP_LANE", "SINGLE_LANE", "BULK_LANE", "HISTORY"] as const;

/** The environment, in which all that is said is noted. */
function noted({ calls, messages }: Conversation): Env {
  const objects = (binding: Call["binding"]) => ({
    getByName(name: string) {
      const stub = env[binding].getByName(name) as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
      const get = (_: object, method: string) =>
        method === "then"
          ? undefined
          : async (...args: unknown[]) => {
              const said = structuredClone(args);
              const reply = await stub[method]?.(...args);
              calls.push({ binding, name, method, args: said, reply });
              return reply;
            };
      return new Proxy({}, { get });
    },
  });
  const queueOf = (queue: string) => ({
    send: async (body: unknown) => void messages.push({ queue, body }),
    sendBatch: async (all: Iterable<{ body: unknown }>) => {
      for (const { body } of all) messages.push({ queue, body });
    },
    metrics: async () => ({ backlogCount: 0 }),
  });
  return {
    ...env,
    CARRIER: "http",
    DIRECT_DISPATCH: "on",
    ...Object.fromEntries((["ACCOUNT", "INBOX", "PACE"] as const).map((binding) => [binding, objects(binding)])),
    ...Object.fromEntries(QUEUES.map((queue) => [queue, queueOf(queue)])),
  } as unknown as Env;
}

const OUTCOMES: readonly Outcome[] = [
  { kind: "submitted" },
  { kind: "rejected", code: "no" },
  { kind: "not_accepted", code: "later", retryAfterMs: 1_000 },
  { kind: "not_sent", code: "error" },
  { kind: "released" },
  { kind: "unknown", code: "timeout" },
];

interface Answer {
  account_id: string;
  api_key: string;
  test_key: string;
  key_id: string;
  fileId: string;
}

/** Holds the conversation. `fetch` must be a gateway that takes every message. */
export async function converse(): Promise<Conversation> {
  const said: Conversation = { calls: [], messages: [] };
  const beganAt = Date.now();
  // Reports of what was accepted are held for ten seconds: all of them for the same.
  const waits: Promise<unknown>[] = [];
  const at = noted(said);
  const send = async (method: string, url: string, body?: unknown, headers: Record<string, string> = {}) => {
    const ctx = { ...createExecutionContext(), waitUntil: (work: Promise<unknown>) => void waits.push(work) };
    const init = { method, headers: { "content-type": "application/json", ...headers } };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const request = new Request(url, body === undefined ? init : { ...init, body: text });
    const response = await service.fetch(request as never, at, ctx);
    const reply = (await response.json()) as Answer;
    if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${JSON.stringify(reply)}`);
    return reply;
  };
  const consume = async (queue: string, bodies: unknown[]) => {
    const batch = createMessageBatch(
      queue,
      bodies.map((body, id) => ({ id: `m${id}`, timestamp: new Date(), attempts: 1, body })),
    );
    await service.queue(batch, at, createExecutionContext());
  };
  const operator = (method: string, path: string, body?: unknown) =>
    send(method, `http://console.localhost/operator${path}`, body, bearer(env.OPERATOR_TOKEN));

  const {
    account_id: id,
    api_key: key,
    test_key: testKey,
  } = await operator("POST", "/accounts", {
    name: "Two versions",
    plan: "premium",
    balance: 1_000,
  });
  const live = { accountId: id, mode: "live" as const };
  const sms = (path: string, body: unknown, more = {}, by = key) =>
    send("POST", `http://sms.localhost${path}`, body, { ...bearer(by), ...more });
  await sms("/send-sms", { phone: "9876543210", message: "One" }, { "idempotency-key": "once" });
  await sms("/send-sms", { phone: "9876543210", message: "One" }, { "idempotency-key": "once" });
  await sms("/send-bulk-sms", { recipients: ["9876543210", "9876543211"], message: "Two", senderId: "MYSHOP" });
  await sms("/send-international-sms", { phone: "+14155550132", message: "Three", isFlash: true });
  await send("POST", "http://otp.localhost/send-otp", { phone: "9876543210", otp: "048213" }, bearer(key));
  await send("GET", "http://sms.localhost/account-balance", undefined, bearer(key));
  const base64Data = Buffer.from(wav({ rate: 8_000 })).toString("base64");
  const voice = "http://voice.localhost/api";
  const byKey = { "x-api-key": key };
  const { fileId } = await send("POST", `${voice}/upload-voice`, { fileName: "a.wav", base64Data }, byKey);
  await send("POST", `${voice}/make-voice-call`, { callee: "919876543210", fileId }, byKey);
  const spoken = { callee: "9876543210", text: "Namaste", language: "HI", ssmlGender: 1, speakingRate: 0.8 };
  await send("POST", "http://tts.localhost/api/tts-call", spoken, byKey);
  // Test mode: the simulator, its inbox and look-ups.
  await sms("/send-sms", { phone: "7000000000", message: "Four" }, {}, testKey);
  await sms("/send-bulk-sms", { recipients: ["7000000000", "7000000002"], message: "Five" }, {}, testKey);
  const accounts = [...new Set(said.calls.filter(({ binding }) => binding === "ACCOUNT").map(({ name }) => name))];
  for (const name of accounts) {
    // As the alarms of the objects send them, whose own queues are others.
    for (const lane of LANES) await enqueueToken(at, name, lane);
    await enqueueFollow(at, name, [2, 3, 4, 5]);
    await enqueueHistory(
      at.HISTORY,
      name,
      [
        [2, 3, 4],
        [5, 6],
      ],
      true,
    );
    const news: News[] = [
      { kind: "receipt", seq: 2, index: 0, state: "delivered", code: "000" },
      ...OUTCOMES.map((outcome) => ({ kind: "outcome" as const, seq: 99, index: 0, attempt: 1, outcome })),
    ];
    await enqueueReport(at, { account: name, lane: "single", follow: false, resubmits: false, news }, 0);
  }
  // Each is delivered in the order in which it was sent; what is sent meanwhile is noted and not delivered.
  for (const { queue, body } of said.messages.slice()) {
    await consume(queue === "HISTORY" ? "dastak-history" : "dastak-single", [body]);
  }
  for (const name of accounts) await runDurableObjectAlarm(env.ACCOUNT.getByName(name));
  for (let done = 0; done < waits.length; done += 1) await waits[done];
  const inbox = "http://console.localhost/v1/test/inbox";
  await send("GET", `${inbox}?limit=5`, undefined, bearer(testKey));
  // What was caught from the beginning on: without a time, a wait looks back ten seconds, about as long as all this takes.
  await send("GET", `${inbox}/wait?to=7000000000&since=${beganAt}&timeout=1`, undefined, bearer(testKey));
  await send("DELETE", inbox, undefined, bearer(testKey));
  // Receipts.
  for (const [seq, state] of [
    [2, "delivered"],
    [3, "failed"],
  ] as const) {
    const ref = messageId(env.KEY_SECRET, live, "sms", { seq, index: 0 });
    const text = JSON.stringify({ ref, state, code: "000" });
    const signed = signedHeaders(env.CARRIER_HTTP_SECRET, `receipt-${seq}`, text, Date.now());
    await send("POST", "http://console.localhost/callbacks/http", text, signed);
  }
  // The operator's calls.
  await operator("GET", `/accounts/${id}`);
  await operator("PATCH", `/accounts/${id}`, { plan: "business", otpRate: 1 });
  await operator("POST", `/accounts/${id}/credits`, { amount: 5, reference: "r1", note: "thanks" });
  await operator("GET", `/accounts/${id}/ledger`);
  await operator("GET", `/accounts/${id}/messages`);
  const made = await operator("POST", `/accounts/${id}/keys`, { name: "second" });
  await operator("POST", `/accounts/${id}/keys/${made.key_id}/rotate`, { overlapSeconds: 60 });
  await operator("DELETE", `/accounts/${id}/keys/${made.key_id}`);
  await operator("GET", `/accounts/${id}/keys`);
  // Payments, and what pages ask.
  const stub = at.ACCOUNT.getByName(accounts.find((name) => !name.includes("test")) ?? "");
  const payment = { orderId: "ord_1", paymentRef: "pay_1", creditUnits: 10_000, plan: "premium" as const };
  await stub.settlePayment(payment);
  await stub.settlePayment(payment);
  await stub.refundPayment({ orderId: "ord_1", paymentRef: "pay_1", refundedPaise: 50, amountPaise: 100 });
  await stub.recordings(null, 10);
  await stub.messageDetail({ seq: 2, index: 0 });
  await stub.look({ terms: [], direction: "older", from: null, limit: 10 });
  await stub.admitOwn(1, false);
  await stub.outline(0);
  return said;
}
