import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { expectFailure } from "../../world/operating.ts";
import { balanceOf, bearer, messagesOf, openWorld, post, recordingOf, sendSms } from "../../world/world.ts";
import type { Reply, World } from "../../world/world.ts";

// `sendAt` on the operations that take it (contract §13); the fields' own rules are in the contract suite.

const NOW = Date.UTC(2027, 0, 4, 6);

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const SMS = { phone: "9876543210", message: "Hello" };
const FOR = "2027-01-04T09:30:00Z";

/** A send of each operation, for later. */
const SENDS: Record<string, (world: World, sendAt: unknown) => Promise<Reply>> = {
  sms: (world, sendAt) => sendSms(world, { body: { sendAt } }),
  bulk: (world, sendAt) => {
    const body = { recipients: ["9876543210", "9876543211", "9876543210"], message: "क".repeat(71), sendAt };
    return post("http://sms.localhost/send-bulk-sms", body, bearer(world.apiKey));
  },
  international: (world, sendAt) => {
    const body = { phone: "+447400123456", message: "Hi", sendAt };
    return post("http://sms.localhost/send-international-sms", body, bearer(world.apiKey));
  },
  tts: (world, sendAt) => {
    const body = { callee: "9876543210", text: "Hi", sendAt };
    return post("http://tts.localhost/api/tts-call", body, { "x-api-key": world.apiKey });
  },
  voice: async (world, sendAt) => {
    const body = { callee: "919876543210", fileId: await recordingOf(world), sendAt };
    return post("http://voice.localhost/api/make-voice-call", body, { "x-api-key": world.apiKey });
  },
};

const SAID: Record<string, string> = {
  sms: `The SMS is scheduled for ${FOR}.`,
  bulk:
    `The SMS is scheduled for ${FOR} for 2 recipients in 2 segments each.` +
    " 1 number that stood more than once was left out.",
  international: `The SMS is scheduled for ${FOR}.`,
  tts: `The call is scheduled for ${FOR}.`,
  voice: `The call is scheduled for ${FOR}.`,
};

describe.each(Object.entries(SENDS))("a send for later: %s", (name, send) => {
  it("is stored and debited at once, and its reply names the time, wherever its offset is", async () => {
    const world = await openWorld();
    const reply = await send(world, "2027-01-04T15:00:00.000+05:30");
    expect([reply.status, reply.body.message]).toEqual([200, SAID[name]]);
    expect(await balanceOf(world)).toBe((1_000 - reply.body.coins_used) * 10_000);
    expect(reply.body.coins_used).toBeGreaterThan(0);
    const messages = await messagesOf(world);
    for (const { state, sendAt } of messages) expect([state, sendAt]).toEqual(["scheduled", Date.parse(FOR)]);
  });

  it("takes a time at most 60 s past for now, and refuses an earlier one, which costs nothing", async () => {
    const world = await openWorld();
    const now = await send(world, new Date(NOW - 60_000).toISOString());
    expect(now.body.message).toMatch(/^The (?:SMS|call) is queued/u);
    const spent = await balanceOf(world);
    const past = await send(world, new Date(NOW - 60_001).toISOString());
    expectFailure(past, 400, "invalid_request", { param: "sendAt", hint: "Leave sendAt out to send at once." });
    expect(await balanceOf(world)).toBe(spent);
    expect(new Set((await messagesOf(world)).map(({ state }) => state))).toEqual(new Set(["queued"]));
  });
});

it("refuses a time on a one-time password, in any form, and takes null for none", async () => {
  const world = await openWorld();
  const send = (sendAt: unknown) =>
    post("http://otp.localhost/send-otp", { phone: "9876543210", otp: "482913", sendAt }, bearer(world.apiKey));
  for (const value of ["2027-01-04T09:30:00Z", "", 5, false, {}]) {
    const reply = await send(value);
    expectFailure(reply, 400, "invalid_request", { param: "sendAt" });
    expect(reply.body.error).toBe("sendAt is not possible for a one-time password, which is for now.");
  }
  expect((await send(null)).status).toBe(200);
});

it("covers the time by the Idempotency-Key: another time is another request", async () => {
  const world = await openWorld();
  const send = (sendAt?: string) =>
    post("http://sms.localhost/send-sms", { ...SMS, sendAt }, { ...bearer(world.apiKey), "idempotency-key": "k" });
  const first = await send("2027-01-04T09:30:00Z");
  // The same moment, written otherwise.
  expect((await send("2027-01-04T15:00+0530")).text).toBe(first.text);
  expectFailure(await send("2027-01-04T09:31:00Z"), 422, "idempotency_mismatch");
  expectFailure(await send(), 422, "idempotency_mismatch");
  expect(await messagesOf(world)).toHaveLength(1);
});
