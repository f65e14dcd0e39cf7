import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { bucketWith, callWith } from "../../world/deployment.ts";
import { expectFailure } from "../../world/operating.ts";
import { base64, wav } from "../../world/recordings.ts";
import { openWorld, post } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// Uploads whose bytes reach R2 slowly, or never.

const URL_OF_IT = "http://voice.localhost/api/upload-voice";

const headersOf = (world: World) => ({ "x-api-key": world.apiKey, "idempotency-key": "greeting" });
const bodyOf = (fileName: string) => ({ fileName, base64Data: base64(wav()) });
const upload = (world: World, fileName = "a.wav") => post(URL_OF_IT, bodyOf(fileName), headersOf(world));

function uploadInto(bucket: R2Bucket, world: World) {
  const headers = { ...headersOf(world), "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(bodyOf("a.wav")) };
  return callWith({ RECORDINGS: bucket }, URL_OF_IT, init);
}

describe("an upload that is being written to R2", () => {
  it("holds its Idempotency-Key: 409 for the same request, 422 for another one, then the same reply for all", async () => {
    const world = await openWorld({ plan: "starter" });
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const slow = bucketWith({
      put: (async (...given: Parameters<R2Bucket["put"]>) => {
        reached.resolve();
        await released.promise;
        return env.RECORDINGS.put(...given);
      }) as R2Bucket["put"],
    });
    const first = uploadInto(slow, world);
    await reached.promise;
    const second = await upload(world);
    expectFailure(second, 409, "idempotency_in_progress");
    expect(second.headers.get("retry-after")).toBe("1");
    expect(second.headers.get("ratelimit")).toBe('"starter";r=9;t=60');
    expectFailure(await upload(world, "b.wav"), 422, "idempotency_mismatch");
    released.resolve();
    const done = await first;
    expect(done.status).toBe(200);
    const again = await upload(world);
    expect(again.text).toBe(done.text);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });

  it("is a 500 when R2 fails, leaves no recording, and may be repeated at once", async () => {
    const world = await openWorld();
    const broken = bucketWith({ put: () => Promise.reject(new Error("out of reach")) });
    const lost = await uploadInto(broken, world);
    expectFailure(lost, 500, "internal_error");
    expect(lost.text).not.toContain("out of reach");
    expect(await world.stub.recordings(null, 10)).toEqual([]);
    const reply = await upload(world);
    expect(reply.status).toBe(200);
    expect(reply.headers.has("idempotent-replayed")).toBe(false);
    expect(await world.stub.recordings(null, 10)).toMatchObject([{ fileId: reply.body.fileId }]);
    const call = { callee: "919876543210", fileId: reply.body.fileId as string };
    const played = await post("http://voice.localhost/api/make-voice-call", call, { "x-api-key": world.apiKey });
    expect(played.status).toBe(200);
  });
});
