import { describe, expect, it } from "vitest";
import { devanagari } from "../../world/contract/fields.ts";
import { sendAt, textRule } from "../../world/contract/rules.ts";
import { contractSuite } from "../../world/contract.ts";
import { readMessageId } from "../../../src/crypto/ids.ts";
import { env } from "cloudflare:workers";
import { base64, wav } from "../../world/recordings.ts";
import { ledgerOf, messagesOf, openWorld, post, recordingOf } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

const URL_OF_IT = "http://voice.localhost/api/make-voice-call";
const CALLEE = "callee must be country code and number, 8 to 15 digits only.";
const CODE = "callee has a country code that does not exist.";
const LENGTH = "callee has a length that is not possible in its country.";
const FILE = {
  success: false,
  error: "fileId does not name a recording of this account.",
  code: "invalid_request",
  param: "fileId",
  hint: "Upload the recording with upload-voice and use the fileId of its reply.",
};

const play = (world: World, fileId: string, more: object = {}) =>
  post(URL_OF_IT, { callee: "919876543210", fileId, ...more }, { "x-api-key": world.apiKey });

contractSuite({
  url: URL_OF_IT,
  method: "POST",
  keyPlaces: ["x-api-key"],
  body: async (world) => ({ callee: "919876543210", fileId: await recordingOf(world) }),
  rules: {
    sendAt,
    callee: {
      type: "string",
      required: true,
      accepted: ["14155550132", "911123456789", "447400123456", "29012345"],
      refused: [
        ...["", "1234567", "1234567890123456", "0919876543210", "91 9876543210", "91987654321a"].map((value) => ({
          value,
          error: CALLEE,
        })),
        { value: "+919876543210", error: CALLEE, hint: "Send 919876543210." },
        devanagari(CALLEE),
        { value: "9991234567", error: CODE },
        { value: "1415555013", error: LENGTH },
        { value: "4474001234567", error: LENGTH },
        { value: "9876543210", error: LENGTH },
      ],
    },
    // Only the form of fileId is tested here; whether it names a recording is the account's decision.
    fileId: { ...textRule("fileId", 100), accepted: [] },
  },
  cost: 2,
});

/** The reply without its request id. */
function withoutId(body: Record<string, unknown>) {
  const { request_id: _, ...rest } = body;
  return rest;
}

describe("make-voice-call", () => {
  it("queues a call of an uploaded recording, and returns its id", async () => {
    const world = await openWorld();
    const body = { fileName: "hello.wav", base64Data: base64(wav({ seconds: 2 })) };
    const uploaded = await post("http://voice.localhost/api/upload-voice", body, { "x-api-key": world.apiKey });
    const reply = await play(world, uploaded.body.fileId as string);
    expect(reply.body).toEqual({
      success: true,
      callId: expect.stringMatching(/^call_[0-9A-Za-z]+$/u),
      message: "The call is queued.",
      coins_used: 2,
      coins_remaining: 998,
    });
    const [call] = await messagesOf(world);
    expect(call).toMatchObject({ operation: "voice", to: "+919876543210", state: "queued", charge: 20_000 });
    expect(readMessageId(env.KEY_SECRET, reply.body.callId as string)).toEqual({
      ...world.ref,
      seq: call?.seq,
      index: 0,
    });
  });

  it.each([
    [1, 2],
    [29_999, 2],
    [30_000, 2],
    [30_001, 4],
    [60_000, 4],
    [600_000, 40],
  ])("a recording of %d ms costs %d coins: every started 30 s", async (durationMs, coins) => {
    const world = await openWorld({ balance: coins });
    const reply = await play(world, await recordingOf(world, durationMs));
    expect(reply.body).toMatchObject({ coins_used: coins, coins_remaining: 0 });
  });

  it("another account's recording and an unknown one get the same 400, counted but not charged", async () => {
    const [world, other] = [await openWorld({ plan: "starter" }), await openWorld()];
    const theirs = await play(world, await recordingOf(other));
    const unknown = await play(world, "file_000000000000");
    expect(theirs.status).toBe(400);
    expect(withoutId(theirs.body)).toEqual(FILE);
    expect(withoutId(unknown.body)).toEqual(FILE);
    expect(unknown.headers.get("ratelimit")).toBe('"starter";r=8;t=60');
    expect(await ledgerOf(world)).toHaveLength(1);
  });

  it("the test twin cannot use the live account's recordings", async () => {
    const live = await openWorld();
    const twin = await openWorld({ mode: "test" });
    expect((await play(twin, await recordingOf(live))).body).toMatchObject({
      code: "invalid_request",
      param: "fileId",
    });
  });

  it("an unknown recording is refused after the account's status and before its balance", async () => {
    const world = await openWorld({ balance: 0 });
    expect((await play(world, "file_unknown")).body).toMatchObject({ code: "invalid_request", param: "fileId" });
    await world.stub.amend({ status: "suspended" });
    expect((await play(world, "file_unknown")).body.code).toBe("account_suspended");
  });

  it("an unknown recording is not remembered under an Idempotency-Key", async () => {
    const world = await openWorld();
    const headers = { "x-api-key": world.apiKey, "idempotency-key": "call-1" };
    const unknown = await post(URL_OF_IT, { callee: "919876543210", fileId: "file_unknown" }, headers);
    expect(unknown.status).toBe(400);
    const fileId = await recordingOf(world);
    expect((await post(URL_OF_IT, { callee: "919876543210", fileId }, headers)).status).toBe(200);
  });
});
