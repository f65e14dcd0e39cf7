import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { telephoneCopy } from "../../../src/speech/telephone-copy.ts";
import { bucketWith } from "../../world/deployment.ts";
import { base64, wav } from "../../world/recordings.ts";
import { balanceOf, dispatch, follow, messagesOf, openWorld, post, runAlarm } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// A removed recording: its bytes leave R2 once no call under way plays them, whatever fails on the way.

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => vi.useRealTimers());

const MINUTE_MS = 60_000;
const later = (ms: number) => vi.setSystemTime(Date.now() + ms);

async function upload(world: World, seconds = 1): Promise<string> {
  const body = { fileName: "a.wav", base64Data: base64(wav({ seconds })) };
  const reply = await post("http://voice.localhost/api/upload-voice", body, { "x-api-key": world.apiKey });
  return String(reply.body.fileId);
}

const play = (world: World, fileId: string, callee = "919876543210") =>
  post("http://voice.localhost/api/make-voice-call", { callee, fileId }, { "x-api-key": world.apiKey });

const keysIn = async (world: World) =>
  (await env.RECORDINGS.list({ prefix: `${world.name}/` })).objects.map(({ key }) => key);

const rowsIn = (world: World) =>
  runInDurableObject(world.stub, (_, { storage }) =>
    storage.sql.exec("SELECT file_id, state FROM recording ORDER BY created_at").toArray(),
  );

const alarmOf = (world: World) => runInDurableObject(world.stub, (_, { storage }) => storage.getAlarm());

/** Gives the object of this world a bucket with another `delete`. */
const withDelete = (world: World, remove: (keys: string | string[]) => Promise<void>) =>
  runInDurableObject(world.stub, (account) => {
    Object.assign(account, { env: { ...env, RECORDINGS: bucketWith({ delete: remove }) } });
  });

describe("a removed recording", () => {
  it("is gone at once, with its bytes and its row, and removing it again finds nothing", async () => {
    const world = await openWorld();
    const fileId = await upload(world);
    expect(await world.stub.removeRecording(fileId)).toBe(true);
    expect(await world.stub.recordings(null, 10)).toEqual([]);
    expect(await keysIn(world)).toEqual([]);
    expect(await rowsIn(world)).toEqual([]);
    expect(await world.stub.removeRecording(fileId)).toBeNull();
    expect((await play(world, fileId)).body).toMatchObject({ code: "invalid_request", param: "fileId" });
  });

  it("takes with it what telephones play of it", async () => {
    const world = await openWorld();
    const fileId = await upload(world);
    const [key = ""] = await keysIn(world);
    expect(await telephoneCopy(env.RECORDINGS, key)).toBe(`${key}.8k`);
    expect(await keysIn(world)).toHaveLength(2);
    expect(await world.stub.removeRecording(fileId)).toBe(true);
    expect(await keysIn(world)).toEqual([]);
  });

  it("leaves the bytes that another recording has too, and takes them with the last one", async () => {
    const [world, other] = [await openWorld(), await openWorld()];
    const [first, second, foreign] = [await upload(world), await upload(world), await upload(other)];
    expect(await keysIn(world)).toHaveLength(1);
    await world.stub.removeRecording(first);
    expect(await keysIn(world)).toHaveLength(1);
    expect((await play(world, second)).status).toBe(200);
    await world.stub.removeRecording(foreign);
    expect(await keysIn(other)).toHaveLength(1);
  });

  it("still plays in a call that was made before, is charged for it, and goes after the call", async () => {
    const world = await openWorld({ mode: "test" });
    const fileId = await upload(world);
    const before = await balanceOf(world);
    expect((await play(world, fileId)).status).toBe(200);
    await world.stub.removeRecording(fileId);
    expect(await keysIn(world)).toHaveLength(1);
    expect(await rowsIn(world)).toEqual([{ file_id: fileId, state: "removed" }]);
    const [call] = await messagesOf(world);
    await dispatch(world, [call?.seq ?? 0]);
    await follow(world, [call?.seq ?? 0]);
    expect(await messagesOf(world)).toMatchObject([{ state: "delivered", refunded: false }]);
    expect(await balanceOf(world)).toBe(before - 20_000);
    later(11 * MINUTE_MS);
    await runAlarm(world);
    expect(await keysIn(world)).toEqual([]);
    expect(await rowsIn(world)).toEqual([]);
  });

  it("stays while a retry waits, and while a late call has no receipt", async () => {
    const world = await openWorld({ mode: "test" });
    const fileId = await upload(world);
    // 03: no receipt ever comes.
    await play(world, fileId, "917000000003");
    await world.stub.removeRecording(fileId);
    const [call] = await messagesOf(world);
    await dispatch(world, [call?.seq ?? 0]);
    for (let hour = 0; hour < 71; hour += 10) {
      later(10 * 60 * MINUTE_MS - 1);
      await runAlarm(world);
      if (hour < 60) expect(await keysIn(world), `after ${hour} h`).toHaveLength(1);
    }
    expect(await messagesOf(world)).toMatchObject([{ state: "unconfirmed" }]);
    later(11 * MINUTE_MS);
    await runAlarm(world);
    expect(await keysIn(world)).toEqual([]);
  });

  it("and a call, at the same moment: the call is refused and free, or it is charged and its bytes are there", async () => {
    for (let round = 0; round < 8; round += 1) {
      const world = await openWorld();
      const fileId = await upload(world);
      const actions = [() => play(world, fileId), () => world.stub.removeRecording(fileId)];
      const ordered = round % 2 === 0 ? actions : actions.toReversed();
      const results = await Promise.all(ordered.map((act) => act()));
      const reply = results.find((result) => typeof result === "object" && result !== null);
      const spent = 10_000_000 - (await balanceOf(world));
      if (reply?.status === 200) expect([spent, await keysIn(world)]).toEqual([20_000, [expect.any(String)]]);
      else expect([reply?.status, spent, await keysIn(world)]).toEqual([400, 0, []]);
    }
  });

  it("whose bytes cannot be deleted is deleted by the alarm, and the same content uploaded meanwhile is kept", async () => {
    const world = await openWorld();
    const fileId = await upload(world);
    await withDelete(world, () => Promise.reject(new Error("out of reach")));
    expect(await world.stub.removeRecording(fileId)).toBe(true);
    expect(await rowsIn(world)).toEqual([{ file_id: fileId, state: "removed" }]);
    const [old] = await keysIn(world);
    later(1_000);
    const again = await upload(world);
    expect(await keysIn(world)).toHaveLength(2);
    await withDelete(world, (keys) => env.RECORDINGS.delete(keys));
    later(61_000);
    await runAlarm(world);
    expect(await keysIn(world)).toEqual([expect.not.stringMatching(old ?? "")]);
    expect(await rowsIn(world)).toEqual([{ file_id: again, state: "stored" }]);
    expect((await play(world, again)).status).toBe(200);
  });

  it("whose bytes are deleted, but not its row, is deleted by the alarm", async () => {
    const world = await openWorld();
    const fileId = await upload(world);
    await withDelete(world, async (keys) => {
      await env.RECORDINGS.delete(keys);
      throw new Error("the answer was lost");
    });
    await world.stub.removeRecording(fileId);
    expect(await rowsIn(world)).toEqual([{ file_id: fileId, state: "removed" }]);
    expect(await alarmOf(world)).not.toBeNull();
    await withDelete(world, (keys) => env.RECORDINGS.delete(keys));
    later(61_000);
    await runAlarm(world);
    expect(await rowsIn(world)).toEqual([]);
  });

  it("leaves the account without an alarm in the end", async () => {
    const world = await openWorld();
    await world.stub.removeRecording(await upload(world));
    for (let count = 0; count < 5 && (await alarmOf(world)) !== null; count += 1) {
      later(20 * MINUTE_MS);
      await runAlarm(world);
    }
    const due = await runInDurableObject(world.stub, (_, { storage }) =>
      storage.sql.exec("SELECT count(*) AS due FROM recording WHERE due_at IS NOT NULL").one(),
    );
    expect(due).toEqual({ due: 0 });
  });
});
