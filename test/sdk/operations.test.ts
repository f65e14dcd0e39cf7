import { exports } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { DastakError, dastak } from "../../sdk/src/index.ts";
import type { Dastak } from "../../sdk/src/index.ts";
import { OPERATIONS } from "../../sdk/src/operations.ts";
import { wav } from "../world/recordings.ts";
import { openWorld } from "../world/world.ts";

// The client's methods against the service itself, each at a base of its own.

const clientOf = (apiKey: string): Dastak =>
  dastak({
    apiKey,
    baseUrl: "http://{base}.localhost",
    retries: 0,
    fetch: (url, init) => exports.default.fetch(url, init),
  });

let client: Dastak;

beforeEach(async () => {
  client = clientOf((await openWorld({ balance: 100 })).apiKey);
});

const MESSAGE = expect.stringMatching(/^msg_[0-9A-Za-z]+$/u);
const CALL = expect.stringMatching(/^call_[0-9A-Za-z]+$/u);
const REQUEST = expect.stringMatching(/^req_[0-9A-Za-z]+$/u);
const FACTS = { success: true, requestId: REQUEST, replayed: false };

const recording = () => client.uploadVoice({ fileName: "a.wav", base64Data: btoa(String.fromCharCode(...wav())) });

const sendOnce = (message: string) => client.sendSms({ phone: "9876543210", message }, { idempotencyKey: "order-1" });

describe("a send", () => {
  it("has the reply of its operation, the message that it made, and its request", async () => {
    const phone = "9876543210";
    const sms = await client.sendSms({ phone, message: "x", senderId: undefined });
    expect(sms).toMatchObject({ ...FACTS, messageId: MESSAGE, coins_used: 1, coins_remaining: 99 });
    const bulk = await client.sendBulkSms({ recipients: [phone, "9876543211"] as const, message: "x" });
    expect(bulk).toMatchObject({ ...FACTS, messageId: MESSAGE, coins_used: 2 });
    const abroad = await client.sendInternationalSms({ phone: "+14155552671", message: "x", isFlash: true });
    expect(abroad).toMatchObject({ ...FACTS, messageId: MESSAGE, coins_used: 5 });
    const otp = await client.sendOtp({ phone, otp: "048213", brandName: "Shop" });
    expect(otp).toMatchObject({ ...FACTS, messageId: MESSAGE, details: { otp_sent: "048213" } });
    const spoken = await client.ttsCall({ callee: phone, text: "Hello", language: "HI", speakingRate: 0.8 });
    expect(spoken).toMatchObject({ ...FACTS, messageId: CALL, coins_used: 2 });
    const { fileId } = await recording();
    const played = await client.makeVoiceCall({ callee: "919876543210", fileId });
    expect(played).toMatchObject({ ...FACTS, messageId: CALL, callId: played.messageId });
    expect(await client.accountBalance()).toMatchObject({ success: true, currency: "coins", requestId: REQUEST });
  });

  it("with a key that was used has the first reply, and names its message", async () => {
    const [first, again] = [await sendOnce("x"), await sendOnce("x")];
    expect(again).toEqual({ ...first, requestId: REQUEST, replayed: true });
    expect(again.requestId).not.toBe(first.requestId);
    const other = await sendOnce("y").catch((problem: unknown) => problem);
    expect(other).toMatchObject({
      code: "idempotency_mismatch",
      status: 422,
      idempotencyKey: "order-1",
      isUnknown: false,
    });
  });

  it("that is refused says which field is at fault", async () => {
    const refused = await client
      .sendBulkSms({ recipients: ["9876543210", "1"], message: "x" })
      .catch((e: unknown) => e);
    expect(refused).toBeInstanceOf(DastakError);
    expect(refused).toMatchObject({ code: "invalid_request", param: "recipients[1]", requestId: REQUEST });
  });
});

it("lists, shows, renames and deletes recordings", async () => {
  for (let count = 0; count < 3; count += 1) await recording();
  const ids: string[] = [];
  for await (const { id } of client.listRecordings({ limit: 2 })) ids.push(id);
  expect(new Set(ids).size).toBe(3);
  const [id = ""] = ids;
  const renamed = await client.renameRecording(id, { name: "b.wav" });
  expect(renamed.recording).toMatchObject({ id, name: "b.wav" });
  expect(await client.deleteRecording(id)).toMatchObject({ deleted: 1 });
  await expect(client.getRecording(id)).rejects.toMatchObject({ code: "not_found", status: 404 });
});

it("schedules, finds and takes back a message", async () => {
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const { messageId, requestId } = await client.sendSms({ phone: "9876543210", message: "Later", sendAt });
  expect(await client.waitFor(messageId, { timeoutMs: 0 })).toMatchObject({ id: messageId, state: "scheduled" });
  const found: string[] = [];
  for await (const { id } of client.listMessages({ q: "state:scheduled" })) found.push(id);
  expect(found).toEqual([messageId]);
  const { request, data } = await client.getRequest(requestId);
  expect([request.by_state, data.map(({ id }) => id)]).toEqual([{ scheduled: 1 }, [messageId]]);
  expect(await client.cancelMessage(messageId)).toMatchObject({ cancelled: 1, refunded: 1, requestId: REQUEST });
  expect((await client.waitFor(messageId)).state).toBe("cancelled");
  // So that a repetition after a broken connection says the same.
  expect(await client.cancelRequest(requestId)).toMatchObject({ cancelled: 1, refunded: 1 });
  let csv = "";
  for await (const piece of client.downloadMessages()) csv += piece;
  expect(csv).toMatch(new RegExp(`^id,.*\\r\\n${messageId},.*,cancelled,`, "u"));
});

it("reads the test inbox, and waits in it", async () => {
  const tester = clientOf((await openWorld({ mode: "test" })).apiKey);
  expect(await tester.waitInTestInbox({ timeout: 0 })).toMatchObject({ message: null, requestId: REQUEST });
  expect((await tester.listTestInbox({ q: "hello" })).data).toEqual([]);
  expect(await tester.clearTestInbox({ to: "9876543210" })).toMatchObject({ deleted: 0 });
});

it.each(Object.entries(OPERATIONS))("%s has an address that the service knows", async (_id, route) => {
  const base = `http://${route.base}.localhost`;
  const path = route.path.replaceAll(/\{[^}]+\}/gu, "x");
  // A key that is none is refused before the service waits for anything.
  const headers = { authorization: "Bearer none", "x-api-key": "none" };
  const reply = await exports.default.fetch(base + path, { method: route.method, headers });
  const { error, code } = await reply.json<{ error?: string; code?: string }>();
  expect(error).not.toBe("There is nothing at this address.");
  expect(code).not.toBe("method_not_allowed");
});
