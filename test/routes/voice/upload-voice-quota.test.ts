import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { bucketWith, callWith } from "../../world/deployment.ts";
import { expectFailure } from "../../world/operating.ts";
import { base64, wav } from "../../world/recordings.ts";
import { openWorld, recordingOf, runAlarm } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// The quota of recordings, and uploads that end halfway: what is in R2 is what the account knows of.

afterEach(() => vi.useRealTimers());

const URL_OF_IT = "http://voice.localhost/api/upload-voice";
const FULL = "This account can keep 3 recordings with 500 MB in total; delete one to make room.";
const HINT = "A deleted recording counts until the calls that play it have ended.";

const later = (ms: number) => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + ms);
};

function upload(world: World, changed: object = {}, seconds = 1) {
  const headers = { "x-api-key": world.apiKey, "content-type": "application/json" };
  const body = JSON.stringify({ fileName: "a.wav", base64Data: base64(wav({ seconds })) });
  return callWith(changed, URL_OF_IT, { method: "POST", headers, body });
}

const storedOf = async (world: World) => (await env.RECORDINGS.list({ prefix: `${world.name}/` })).objects;
const listOf = async (world: World) => (await world.stub.recordings(null, 1_000)) ?? [];
const rowsOf = (world: World) =>
  runInDurableObject(world.stub, (_, { storage }) =>
    Number(storage.sql.exec("SELECT count(*) AS all_rows FROM recording").one()["all_rows"]),
  );

describe("the quota", () => {
  it("refuses an upload that is one too many before anything is stored, and admits it after a deletion", async () => {
    const world = await openWorld({ plan: "starter" });
    const quota = { RECORDINGS_MAX: "3" };
    const replies = [];
    for (let count = 1; count <= 3; count += 1) replies.push(await upload(world, quota, count));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    const refused = await upload(world, quota, 4);
    expectFailure(refused, 409, "too_many", { error: FULL, hint: HINT });
    expect(refused.headers.get("ratelimit")).toBe('"starter";r=6;t=60');
    expect(await storedOf(world)).toHaveLength(3);
    await world.stub.removeRecording(String(replies[1]?.body.fileId));
    expect((await upload(world, quota, 4)).status).toBe(200);
    expect(await storedOf(world)).toHaveLength(3);
  });

  it("counts bytes, the last one included, and the same content as often as it is listed", async () => {
    const world = await openWorld();
    const quota = { RECORDINGS_BYTES_MAX: String(1_044 * 3) };
    for (let count = 1; count <= 3; count += 1) expect((await upload(world, quota)).status).toBe(200);
    expectFailure(await upload(world, quota), 409, "too_many");
    expect(await storedOf(world)).toHaveLength(1);
  });

  it("is 200 in live mode and 20 in test mode", async () => {
    const [live, test] = [await openWorld(), await openWorld({ mode: "test" })];
    for (const [world, most] of [
      [live, 200],
      [test, 20],
    ] as const) {
      for (let count = 1; count < most; count += 1) await recordingOf(world, count);
      expect((await upload(world)).status).toBe(200);
      expectFailure(await upload(world), 409, "too_many");
    }
  });

  it("holds against 30 uploads at once", async () => {
    const world = await openWorld();
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, nth) => upload(world, { RECORDINGS_MAX: "7" }, nth + 1)),
    );
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(7);
    expect(statuses.filter((status) => status === 409)).toHaveLength(23);
    expect(await listOf(world)).toHaveLength(7);
    expect(await storedOf(world)).toHaveLength(7);
  });

  it("counts a removed recording until its bytes are deleted", async () => {
    const world = await openWorld();
    const quota = { RECORDINGS_MAX: "1" };
    const { body } = await upload(world, quota);
    await runInDurableObject(world.stub, (account) => {
      const broken = bucketWith({ delete: () => Promise.reject(new Error("out of reach")) });
      Object.assign(account, { env: { ...env, RECORDINGS: broken } });
    });
    await world.stub.removeRecording(String(body.fileId));
    expectFailure(await upload(world, quota), 409, "too_many");
  });
});

/** Stores the bytes, and loses the answer. */
async function putAndFail(...given: Parameters<R2Bucket["put"]>): Promise<never> {
  await env.RECORDINGS.put(...given);
  throw new Error("the answer was lost");
}

describe("an upload that ends halfway", () => {
  it("whose write fails leaves nothing, also where the bytes arrived nevertheless", async () => {
    const world = await openWorld();
    expectFailure(await upload(world, { RECORDINGS: bucketWith({ put: putAndFail }) }), 500, "internal_error");
    expect(await listOf(world)).toEqual([]);
    expect(await storedOf(world)).toHaveLength(1);
    // The same content is never stored under a key that is about to be deleted.
    const again = await upload(world);
    expect(await storedOf(world)).toHaveLength(2);
    later(61_000);
    await runAlarm(world);
    expect(await storedOf(world)).toHaveLength(1);
    expect(await listOf(world)).toMatchObject([{ fileId: again.body.fileId }]);
    expect(await rowsOf(world)).toBe(1);
  });

  it("whose invocation dies leaves nothing after a quarter of an hour", async () => {
    const world = await openWorld();
    const reached = Promise.withResolvers<void>();
    const dead = Promise.withResolvers<never>();
    const put = async (...given: Parameters<R2Bucket["put"]>) => {
      await env.RECORDINGS.put(...given);
      reached.resolve();
      return dead.promise;
    };
    const lost = upload(world, { RECORDINGS: bucketWith({ put }) });
    await reached.promise;
    expect(await rowsOf(world)).toBe(1);
    later(14 * 60_000);
    await runAlarm(world);
    expect(await storedOf(world)).toHaveLength(1);
    later(2 * 60_000);
    await runAlarm(world);
    expect(await storedOf(world)).toEqual([]);
    expect(await rowsOf(world)).toBe(0);
    dead.reject(new Error("the invocation ended"));
    await lost;
  });

  it("that comes after it was given up is refused, and its bytes are deleted", async () => {
    const world = await openWorld();
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const put = async (...given: Parameters<R2Bucket["put"]>) => {
      reached.resolve();
      await released.promise;
      return env.RECORDINGS.put(...given);
    };
    const slow = upload(world, { RECORDINGS: bucketWith({ put: put as R2Bucket["put"] }) });
    await reached.promise;
    later(16 * 60_000);
    await runAlarm(world);
    expect(await rowsOf(world)).toBe(0);
    released.resolve();
    const reply = await slow;
    expectFailure(reply, 503, "unavailable", { error: "The upload took too long and was given up; send it again." });
    expect(await storedOf(world)).toHaveLength(1);
    later(61_000);
    await runAlarm(world);
    expect(await storedOf(world)).toEqual([]);
    expect(await rowsOf(world)).toBe(0);
  });
});
