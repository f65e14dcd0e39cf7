import * as fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startService } from "../../../harness/started.ts";
import type { Customer, Service } from "../../../harness/started.ts";
import { mp3 } from "../../world/recordings.ts";
import { DastakError, dastak } from "../../../sdk/src/index.ts";
import type { DastakOptions } from "../../../sdk/src/index.ts";
import { BreakingProxy, answer } from "./breaking-proxy.ts";
import type { Fault } from "./breaking-proxy.ts";

// The client behind a proxy that breaks its connections at every point: the caller gets the reply, or an error that says
// that the outcome is unknown, and what is sent is debited once.

const REFUSAL = { success: false, error: "Slow down.", request_id: "req_of_the_proxy" };
const HTML_503 = answer(503, "<h1>Service unavailable</h1>");
const RATE_LIMITED = answer(429, { ...REFUSAL, code: "rate_limited" }, { "retry-after": "1" });
const IN_PROGRESS = answer(409, { ...REFUSAL, code: "idempotency_in_progress" }, { "retry-after": "1" });

let service: Service;
let proxy: BreakingProxy;
let customer: Customer;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.kill9());
beforeEach(async () => {
  proxy = await BreakingProxy.start(service.port);
  customer = await service.openAccount(100);
});
afterEach(() => proxy.stop());

const SMS = { phone: "9876543210", message: "Knock, knock" };

const clientAt = (baseUrl: string, more: Partial<DastakOptions> = {}) =>
  dastak({ apiKey: customer.apiKey, baseUrl, timeoutMs: 2_000, ...more });

/** How many coins the account has spent, and in how many debits. */
async function spent(): Promise<[coins: number, debits: number]> {
  const { body } = await service.operator("GET", `/accounts/${customer.id}/ledger`);
  const debits = ((body.data ?? []) as { type: string; amount: number }[]).filter(({ type }) => type === "debit");
  return [debits.reduce((sum, { amount }) => sum - amount, 0), debits.length];
}

const SINGLE_FAULTS: [string, Fault][] = [
  ["before the request", { kind: "cut request", bytes: 0 }],
  ["in the middle of the request's headers", { kind: "cut request", bytes: 60 }],
  ["in the middle of the request's body", { kind: "cut request", bytes: -20 }],
  ["after the request, while the service works", { kind: "cut request", bytes: 1e6 }],
  ["after the work, before the reply", { kind: "cut reply", bytes: 0 }],
  ["in the middle of the reply's headers", { kind: "cut reply", bytes: 100 }],
  ["in the middle of the reply's body", { kind: "cut reply", bytes: -20 }],
  ["in the reply's last byte", { kind: "cut reply", bytes: -1 }],
  ["by a page with 503 in place of the service", { kind: "answer instead", text: HTML_503 }],
  ["by a page with 503 after the work", { kind: "answer after", text: HTML_503 }],
  ["by 429 with Retry-After", { kind: "answer instead", text: RATE_LIMITED }],
  ["by 409 after the work", { kind: "answer after", text: IN_PROGRESS }],
  ["by silence after the work", { kind: "hang" }],
];

/** Those of an upload, which is longer than a packet. */
const IN_UPLOADS = SINGLE_FAULTS.filter(([name]) => /request's body|before the reply|last byte/u.test(name));

/** What no repetition mends: another program answers, and may have passed the request on. */
const STRANGERS: [string, Fault][] = [
  ["by a redirect", { kind: "answer instead", text: answer(302, "", { location: "https://elsewhere.test/" }) }],
  ["by another page after the work", { kind: "answer after", text: answer(200, "<h1>Welcome to this hotel</h1>") }],
  ["by other JSON after the work", { kind: "answer after", text: answer(200, { ok: true }) }],
];

describe("a connection that is broken", () => {
  it.each(SINGLE_FAULTS)("%s: the call is repeated and debited once", async (_name, fault) => {
    proxy.faults.push(fault);
    const sent = await clientAt(proxy.url).sendSms(SMS);
    expect(sent).toMatchObject({ success: true, coins_used: 1, messageId: expect.stringMatching(/^msg_/u) });
    expect(await spent()).toEqual([1, 1]);
    expect(new Set(proxy.keys).size).toBe(1);
  });

  it.each([...SINGLE_FAULTS, ...STRANGERS])(
    "%s: without retries, the error leads to one debit",
    async (_name, fault) => {
      proxy.faults.push(fault);
      const error = await clientAt(proxy.url, { retries: 0 })
        .sendSms(SMS)
        .catch((problem: unknown) => problem);
      expect(error).toBeInstanceOf(DastakError);
      const { isUnknown, idempotencyKey = "" } = error as DastakError;
      // A debit behind an error that says it was not done would be sent again under another key.
      if (!isUnknown) expect(await spent()).toEqual([0, 0]);
      const again = await clientAt(`http://127.0.0.1:${service.port}`).sendSms(SMS, { idempotencyKey });
      expect(again.coins_used).toBe(1);
      expect(await spent()).toEqual([1, 1]);
    },
  );

  it.each(IN_UPLOADS)("%s: a recording is stored once, and its call is made once", async (_name, fault) => {
    proxy.faults.push(fault);
    const client = clientAt(proxy.url);
    const base64Data = Buffer.from(mp3(1)).toString("base64");
    const { fileId } = await client.uploadVoice({ fileName: "greeting.mp3", base64Data });
    const stored = await client.listRecordings();
    expect(stored.data).toMatchObject([{ name: "greeting.mp3" }]);
    const called = await client.makeVoiceCall({ callee: "919876543210", fileId });
    expect(called.messageId).toMatch(/^call_/u);
    expect(await spent()).toEqual([2, 1]);
  });

  it("by one fault after another, at any byte, it is debited once", async () => {
    const bytes = fc.integer({ min: 0, max: 900 });
    const fault: fc.Arbitrary<Fault> = fc.oneof(
      { weight: 3, arbitrary: bytes.map((n) => ({ kind: "cut request" as const, bytes: n })) },
      { weight: 3, arbitrary: bytes.map((n) => ({ kind: "cut reply" as const, bytes: n })) },
      ...["answer instead" as const, "answer after" as const].map((kind) => fc.constant({ kind, text: HTML_503 })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { minLength: 1, maxLength: 3 }), async (faults) => {
        const [coins, debits] = await spent();
        // A connection that is kept open would meet no fault.
        const fresh = await BreakingProxy.start(service.port);
        fresh.faults.push(...faults);
        const sent = await clientAt(fresh.url).sendSms(SMS);
        expect(sent.coins_used).toBe(1);
        expect(await spent()).toEqual([coins + 1, debits + 1]);
        expect(fresh.faults).toEqual([]);
        await fresh.stop();
      }),
      { numRuns: 20 },
    );
  });
});
