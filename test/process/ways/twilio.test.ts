import twilio from "twilio";
import type { Twilio } from "twilio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../../harness/http.ts";
import { startService } from "../../../harness/started.ts";
import type { Customer, Service } from "../../../harness/started.ts";
import { Receiver } from "./receiver.ts";

// Twilio's own client for Node.js against the running service, as the guide points it there.

const SID = `AC${"0".repeat(32)}`;

let service: Service;
let receiver: Receiver;
let customer: Customer;

beforeAll(async () => {
  receiver = await new Receiver().open();
  service = await startService({ set: { SWEEP_MS: "500" } });
  customer = await service.openAccount(1_000);
});

afterAll(async () => {
  await service?.kill9();
  receiver?.close();
});

/** A client for a key; its base is the only thing that differs from a program for Twilio. */
function clientOf(key: string, options: NonNullable<Parameters<typeof twilio>[2]> = {}): Twilio {
  const client = twilio(SID, key, options);
  client.api.baseUrl = `http://127.0.0.1:${service.port}`;
  return client;
}

const order = { to: "+919876543210", from: "MYSHOP", body: "Your order is on its way." };

describe("twilio for Node.js", () => {
  it("sends, and finds the message again", async () => {
    const client = clientOf(customer.apiKey);
    const made = await client.messages.create(order);
    expect(made).toMatchObject({ ...order, status: "queued", accountSid: SID, numSegments: "1", errorCode: null });
    expect(made.sid).toMatch(/^SM[0-9a-f]{32}$/u);
    expect(Math.abs(made.dateCreated.getTime() - Date.now())).toBeLessThan(60_000);
    await until("it is delivered", async () => (await client.messages(made.sid).fetch()).status === "delivered", {
      withinMs: 60_000,
      everyMs: 500,
    });
    const found = await client.messages(made.sid).fetch();
    expect(found).toMatchObject({ ...order, sid: made.sid, price: "-1", priceUnit: "INR", errorCode: null });
    expect(found.dateSent).toBeInstanceOf(Date);
  });

  it("is pointed here by an httpClient, too", async () => {
    const real = new twilio.RequestClient();
    const request: typeof real.request = (asked) =>
      real.request({
        ...asked,
        uri: asked.uri.replace("https://api.twilio.com", `http://127.0.0.1:${service.port}`),
      });
    const httpClient = Object.assign(Object.create(real) as typeof real, { request });
    const made = await twilio(SID, customer.apiKey, { httpClient }).messages.create(order);
    expect(made.status).toBe("queued");
  });

  it("follows every page of a list", async () => {
    const other = await service.openAccount(100);
    const client = clientOf(other.apiKey);
    const sids: string[] = [];
    for (let at = 0; at < 7; at += 1) {
      sids.unshift((await client.messages.create({ ...order, to: `+9198765432${10 + at}` })).sid);
    }
    expect((await client.messages.list({ pageSize: 3 })).map(({ sid }) => sid)).toEqual(sids);
    expect(await client.messages.list({ limit: 4, pageSize: 2 })).toHaveLength(4);
    const some = await client.messages.list({ to: "+919876543212" });
    expect(some.map(({ to, body }) => ({ to, body }))).toEqual([{ to: "+919876543212", body: order.body }]);
    expect(await client.messages.list({ dateSentAfter: new Date(Date.now() + 86_400_000) })).toEqual([]);
    expect(await client.messages.list({ from: "OTHER", pageSize: 2 })).toEqual([]);
  });

  it("reads the balance", async () => {
    const other = await service.openAccount(12.5);
    expect(await clientOf(other.apiKey).balance.fetch()).toMatchObject({ balance: "12.5", currency: "INR" });
  });

  it("schedules a message, and cancels it", async () => {
    const client = clientOf(customer.apiKey);
    const sendAt = new Date(Date.now() + 3_600_000);
    const later = { ...order, messagingServiceSid: `MG${"1".repeat(32)}`, scheduleType: "fixed", sendAt } as const;
    const made = await client.messages.create(later);
    expect(made).toMatchObject({ status: "scheduled", messagingServiceSid: later.messagingServiceSid });
    const cancelled = await client.messages(made.sid).update({ status: "canceled" });
    expect(cancelled).toMatchObject({ status: "canceled", price: "0" });
    const sent = await client.messages.create(order);
    await until("it is gone", async () => (await client.messages(sent.sid).fetch()).status !== "queued");
    const late = client.messages(sent.sid).update({ status: "canceled" });
    await expect(late).rejects.toMatchObject({ status: 409, code: 30_409 });
  });

  it("throws its own exceptions, with Twilio's numbers", async () => {
    const client = clientOf(customer.apiKey);
    const refused = (fields: object) => client.messages.create({ ...order, ...fields });
    await expect(refused({ to: "12" })).rejects.toMatchObject({ status: 400, code: 21_211 });
    await expect(refused({ body: "x".repeat(161) })).rejects.toMatchObject({ status: 400, code: 21_617 });
    await expect(refused({ body: undefined })).rejects.toMatchObject({ status: 400, code: 21_602 });
    await expect(refused({ mediaUrl: ["https://example.com/a.png"] })).rejects.toMatchObject({ code: 21_620 });
    await expect(refused({ from: "A sender that is long" })).rejects.toMatchObject({ code: 21_212 });
    const stranger = clientOf(`${customer.apiKey.slice(0, -1)}_`).messages.create(order);
    await expect(stranger).rejects.toMatchObject({ status: 401, code: 20_003 });
    const none = client.messages(`SM${"0".repeat(32)}`).fetch();
    await expect(none).rejects.toMatchObject({ status: 404, code: 20_404, moreInfo: expect.stringContaining("/docs") });
    await expect(client.messages(`SM${"0".repeat(32)}`).remove()).rejects.toMatchObject({ status: 405, code: 20_004 });
  });

  it("retries by itself what the rate limit refuses, and is told how many there may be", async () => {
    const { body } = await service.operator("POST", "/accounts", { name: "Slow", plan: "starter", balance: 1_000 });
    const client = clientOf(String(body.api_key), { autoRetry: true, maxRetries: 1 });
    const all = await Promise.allSettled(Array.from({ length: 40 }, () => client.messages.create(order)));
    const refused = all.flatMap((one) => (one.status === "rejected" ? [one.reason as object] : []));
    expect(refused.length).toBeGreaterThan(0);
    for (const reason of refused) expect(reason).toMatchObject({ status: 429, code: 20_429 });
    expect(await client.messages.list()).toHaveLength(40 - refused.length);
  });

  it("gets each state at the message's own address, with a signature that holds", async () => {
    const client = clientOf(customer.apiKey);
    const statusCallback = `${receiver.base}/sms/status?order=47%2F11&name=a b`;
    const made = await client.messages.create({ ...order, from: "+15005550006", statusCallback });
    const mine = () => receiver.got.filter(({ fields }) => fields["MessageSid"] === made.sid);
    await until("it is told of", () => mine().some(({ fields }) => fields["MessageStatus"] === "delivered"), {
      withinMs: 60_000,
    });
    for (const { signature, fields } of mine()) {
      expect(twilio.validateRequest(customer.apiKey, signature, statusCallback, fields)).toBe(true);
      expect(twilio.validateRequest(customer.testKey, signature, statusCallback, fields)).toBe(false);
      expect(fields).toMatchObject({ AccountSid: SID, SmsSid: made.sid, To: order.to, From: "+15005550006" });
    }
  });
});
