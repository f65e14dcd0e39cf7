import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { configOf } from "../../../../src/config/config.ts";
import { objectName } from "../../../../src/crypto/ids.ts";
import { unseal } from "../../../../src/crypto/seal.ts";
import { longWaits } from "../../../../src/durable/account/history/long-waits.ts";
import {
  bearer,
  claim,
  dispatch,
  messagesOf,
  openWorld,
  post,
  recordHistory,
  recordingOf,
  runAlarm,
  sendSms,
} from "../../../world/world.ts";
import type { World } from "../../../world/world.ts";

// What is ordered for later (contract §13): it is stored like what waits, and claimed from its time on.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.UTC(2027, 0, 4, 6);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const timeAt = (ms: number) => new Date(ms).toISOString();

const later = (world: World, ms: number, more: object = {}) =>
  sendSms(world, { body: { sendAt: timeAt(ms), ...more } });

const alarmOf = (world: World) => runInDurableObject(world.stub, (_, { storage }) => storage.getAlarm());

const only = async (world: World) => (await messagesOf(world))[0];

/** Everything that the queues of the lanes got, as they would deliver it. */
function watchLanes() {
  const spies = [env.OTP_LANE, env.SINGLE_LANE, env.BULK_LANE].map((queue) =>
    vi.spyOn(queue, "sendBatch").mockResolvedValue(undefined as never),
  );
  return () => spies.flatMap(({ mock }) => mock.calls.flatMap(([sent]) => [...sent].map(({ body }) => body)));
}

describe("a scheduled message", () => {
  it("is claimed by nothing before its time, and from then on shows as queued", async () => {
    const tokens = watchLanes();
    const world = await openWorld();
    await later(world, NOW + 2 * HOUR_MS);
    expect(tokens()).toEqual([]);
    expect(await claim(world)).toEqual([]);
    vi.setSystemTime(NOW + 2 * HOUR_MS - 1);
    expect(await claim(world)).toEqual([]);
    expect(await only(world)).toMatchObject({
      state: "scheduled",
      sendAt: NOW + 2 * HOUR_MS,
      updatedAt: NOW,
      timeline: [{ state: "scheduled", at: NOW }],
    });
    vi.setSystemTime(NOW + 2 * HOUR_MS);
    expect(await only(world)).toMatchObject({
      state: "queued",
      updatedAt: NOW + 2 * HOUR_MS,
      timeline: [
        { state: "scheduled", at: NOW },
        { state: "queued", at: NOW + 2 * HOUR_MS },
      ],
    });
    expect(await claim(world)).toMatchObject([{ messages: [{ index: 0, attempt: 1 }] }]);
    expect((await only(world))?.timeline.map(({ state }) => state)).toEqual(["scheduled", "queued", "sending"]);
  });

  it("has its whole validity from its time on, and is refunded after that", async () => {
    const world = await openWorld({ balance: 5 });
    await later(world, NOW + 30 * DAY_MS);
    vi.setSystemTime(NOW + 31 * DAY_MS - 1);
    await runAlarm(world);
    expect(await only(world)).toMatchObject({ state: "queued", refunded: false });
    vi.setSystemTime(NOW + 31 * DAY_MS);
    await runAlarm(world);
    expect(await only(world)).toMatchObject({ state: "failed", refunded: true, errorCode: "validity_ended" });
  });

  it("has the alarm ring at its time and not before, but for the one pass after its order", async () => {
    const world = await openWorld();
    await recordHistory(world, []);
    await runAlarm(world);
    const atMs = NOW + 100 * DAY_MS;
    await post(
      "http://tts.localhost/api/tts-call",
      { callee: "9876543210", text: "Hi", sendAt: timeAt(atMs) },
      { "x-api-key": world.apiKey },
    );
    const rings: number[] = [];
    for (let at = await alarmOf(world); at !== null && at < atMs; at = await alarmOf(world)) {
      vi.setSystemTime(at);
      rings.push(at - NOW);
      await runAlarm(world);
      await recordHistory(
        world,
        (await messagesOf(world)).map(({ seq }) => seq),
      );
      expect(rings.length).toBeLessThan(8);
    }
    expect(rings.filter((ms) => ms > HOUR_MS)).toEqual([]);
    const tokens = watchLanes();
    await evictDurableObject(world.stub);
    expect(await alarmOf(world)).toBe(atMs);
    vi.setSystemTime(atMs);
    await runAlarm(world);
    expect(tokens()).toEqual([{ kind: "send", account: world.name, lane: "single" }]);
    await dispatch(world);
    expect(await only(world)).toMatchObject({ state: "submitted" });
  });

  it("waits for its carrier from its time on: the operator sees no long wait before", async () => {
    const world = await openWorld();
    await later(world, NOW + DAY_MS);
    const waits = (ms: number) => runInDurableObject(world.stub, (_, { storage }) => longWaits(storage.sql, NOW + ms));
    expect(await waits(DAY_MS - 1)).toEqual([]);
    expect(await waits(DAY_MS + 30_000)).toEqual([]);
    expect(await waits(DAY_MS + 90_000)).toEqual([{ lane: "single", carrier: "", oldestAt: NOW + DAY_MS }]);
  });

  it("keeps its text until it is sent, and TEXT_DAYS after that day", async () => {
    const world = await openWorld({ mode: "test" });
    const days = configOf(env).TEXT_DAYS;
    await later(world, NOW + 90 * DAY_MS, { message: "See you" });
    await sendSms(world, { body: { message: "Now" } });
    const keys = () =>
      runInDurableObject(world.stub, (_, { storage }) => storage.sql.exec("SELECT until FROM text_key").toArray());
    expect(await keys()).toHaveLength(2);
    // A second one for the same day, and one of today, share the keys.
    await evictDurableObject(world.stub);
    await later(world, NOW + 90 * DAY_MS + HOUR_MS);
    await sendSms(world);
    expect(await keys()).toHaveLength(2);
    vi.setSystemTime(NOW + 90 * DAY_MS);
    await runAlarm(world);
    expect(await keys()).toHaveLength(1);
    const [job] = await claim(world, { max: 1, carrier: "sim" });
    expect(job?.text && unseal(env.SEAL_SECRET, objectName(world.ref), job.text)).toBe("See you");
    vi.setSystemTime(NOW + (91 + days) * DAY_MS);
    await runAlarm(world);
    expect(await keys()).toEqual([]);
  });

  it("is not dispatched by a replay of its request", async () => {
    const tokens = watchLanes();
    const world = await openWorld();
    const order = () =>
      sendSms(world, { body: { sendAt: timeAt(NOW + HOUR_MS) }, headers: { "idempotency-key": "a" } });
    const first = await order();
    expect((await order()).text).toBe(first.text);
    expect(tokens()).toEqual([]);
    // Long after its time the same request still gets the same reply, where a new one is refused.
    vi.setSystemTime(NOW + 3 * HOUR_MS);
    const again = await order();
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([200, first.text, "true"]);
    const fresh = await later(world, NOW + HOUR_MS);
    expect(fresh.body).toMatchObject({ code: "invalid_request", param: "sendAt" });
    expect(await messagesOf(world)).toHaveLength(1);
  });

  it("is sent though its account was suspended or is closing since, as all that was accepted is", async () => {
    const world = await openWorld({ mode: "test" });
    await later(world, NOW + HOUR_MS);
    await world.stub.amend({ status: "suspended" });
    await world.stub.close(NOW + 14 * DAY_MS);
    vi.setSystemTime(NOW + HOUR_MS);
    await dispatch(world);
    expect(await only(world)).toMatchObject({ state: "submitted" });
  });
});

describe("a bulk that is scheduled", () => {
  it("waits in the lane of bulks, behind what came before it", async () => {
    const world = await openWorld({ mode: "test", balance: 20_000 });
    const bulk = (count: number, more: object) => {
      const recipients = Array.from({ length: count }, (_, at) => String(9_000_000_000 + at));
      return post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi", ...more }, bearer(world.apiKey));
    };
    await bulk(150, { sendAt: timeAt(NOW + HOUR_MS) });
    vi.setSystemTime(NOW + HOUR_MS - 1_000);
    await bulk(120, {});
    vi.setSystemTime(NOW + HOUR_MS + 1_000);
    await sendSms(world);
    expect(await claim(world, { lane: "otp", carrier: "sim" })).toEqual([]);
    const seqs = (await claim(world, { lane: "bulk", max: 300, carrier: "sim" })).map(({ seq }) => seq);
    // Jobs 2 and 3 are of the one for later, 4 and 5 of the one that was ordered after it and for at once.
    expect(seqs).toEqual([4, 5, 2, 3]);
  });
});

describe("the recording of a scheduled call", () => {
  it("stays until the call is over though it was removed, and is looked at again when it is cancelled", async () => {
    const world = await openWorld({ mode: "test" });
    const fileId = await recordingOf(world);
    const sent = await post(
      "http://voice.localhost/api/make-voice-call",
      { callee: "919876543210", fileId, sendAt: timeAt(NOW + 20 * DAY_MS) },
      { "x-api-key": world.apiKey },
    );
    expect(sent.status).toBe(200);
    const [message] = await messagesOf(world);
    await recordHistory(world, [message?.seq ?? 0]);
    await world.stub.removeRecording(fileId);
    const due = () =>
      runInDurableObject(world.stub, (_, { storage }) =>
        storage.sql.exec("SELECT due_at FROM recording WHERE file_id = ?", fileId).toArray(),
      );
    expect(await due()).toEqual([{ due_at: NOW + 20 * DAY_MS }]);
    vi.setSystemTime(NOW + HOUR_MS);
    await runAlarm(world);
    expect(await due()).toEqual([{ due_at: NOW + 20 * DAY_MS }]);
    expect(await world.stub.takeBack({ seq: message?.seq ?? 0, index: 0 })).toMatchObject({ cancelled: 1 });
    expect(await alarmOf(world)).toBeLessThanOrEqual(Date.now());
    await runAlarm(world);
    expect(await due()).toEqual([]);
  });
});
