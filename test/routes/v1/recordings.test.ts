import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { expectFailure } from "../../world/operating.ts";
import { base64, mp3 } from "../../world/recordings.ts";
import { bearer, call, openWorld, post, recordingOf } from "../../world/world.ts";
import type { Reply, World } from "../../world/world.ts";

const AT = "http://console.localhost/v1/recordings";

afterEach(() => vi.useRealTimers());

const ask = (world: World, method: string, path = "", body?: unknown): Promise<Reply> =>
  call(AT + path, {
    method,
    headers: { ...bearer(world.apiKey), "content-type": "application/json" },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });

async function upload(world: World): Promise<string> {
  const body = { fileName: "offer.mp3", base64Data: base64(mp3(1.2)) };
  const reply = await post("http://voice.localhost/api/upload-voice", body, { "x-api-key": world.apiKey });
  return String(reply.body.fileId);
}

const MISSING = "There is no such recording.";

describe("/v1/recordings", () => {
  it.each(["live", "test"] as const)("lists and shows what a %s key's account has", async (mode) => {
    const world = await openWorld({ mode });
    expect((await ask(world, "GET")).body).toEqual({ success: true, data: [], has_more: false, next: null });
    const id = await upload(world);
    const { status, body } = await ask(world, "GET");
    const recording = {
      id,
      name: "offer.mp3",
      type: "audio/mpeg",
      size_bytes: 1_200,
      duration_ms: 1_200,
      audio_url: expect.stringMatching(/^http:\/\/console\.localhost\/media\/[\w-]+$/u),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u),
    };
    expect([status, body]).toEqual([200, { success: true, data: [recording], has_more: false, next: null }]);
    expect((await ask(world, "GET", `/${id}`)).body).toEqual({ success: true, recording });
    expect((await call(body.data[0].audio_url)).status).toBe(200);
  });

  it("gives pages, newest first, each recording once", async () => {
    const world = await openWorld();
    for (let count = 1; count <= 5; count += 1) await recordingOf(world, count);
    const all = (await ask(world, "GET")).body.data.map(({ id }: { id: string }) => id);
    const seen: string[] = [];
    let next: string | null = "";
    while (next !== null) {
      const { body }: Reply = await ask(world, "GET", `?limit=2${next && `&after=${next}`}`);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      expect(body.has_more).toBe(body.next !== null);
      next = body.next as string | null;
    }
    expect(seen).toEqual(all);
    expect(new Set(seen).size).toBe(5);
  });

  it.each([
    ["limit=0", "limit", "limit must be a whole number from 1 to 500."],
    ["limit=501", "limit", "limit must be a whole number from 1 to 500."],
    ["after=x", "after", "after must be the next of the page before."],
    ["after=1", "after", "after must be the next of the page before."],
  ])("refuses ?%s", async (query, param, error) => {
    expectFailure(await ask(await openWorld(), "GET", `?${query}`), 400, "invalid_request", { param, error });
  });

  it("renames", async () => {
    const world = await openWorld();
    const id = await upload(world);
    const renamed = await ask(world, "PATCH", `/${id}`, { name: "दिवाली" });
    expect(renamed.body).toMatchObject({ success: true, recording: { id, name: "दिवाली" } });
    expect((await ask(world, "GET", `/${id}`)).body.recording.name).toBe("दिवाली");
  });

  it.each([
    [{}, "name is required."],
    [{ name: "" }, "name must have 1 to 255 characters; it has 0."],
    [{ name: "x".repeat(256) }, "name must have 1 to 255 characters; it has 256."],
    [{ name: 5 }, "name must be a string."],
    [{ name: "a/b" }, "name must be a bare name, without path or control characters."],
    [{ name: "a\nb" }, "name must be a bare name, without path or control characters."],
  ])("refuses %j as a new name", async (body, error) => {
    const world = await openWorld();
    const id = await upload(world);
    expectFailure(await ask(world, "PATCH", `/${id}`, body), 400, "invalid_request", { param: "name", error });
    expect((await ask(world, "GET", `/${id}`)).body.recording.name).toBe("offer.mp3");
  });

  it("refuses a body that is not JSON, or too large", async () => {
    const world = await openWorld();
    const id = await upload(world);
    expectFailure(await ask(world, "PATCH", `/${id}`, "{"), 400, "invalid_json");
    const text = await call(`${AT}/${id}`, {
      method: "PATCH",
      headers: { ...bearer(world.apiKey), "content-type": "text/plain" },
      body: "x",
    });
    expectFailure(text, 415, "unsupported_media_type");
  });

  it("deletes, once", async () => {
    const world = await openWorld();
    const id = await upload(world);
    expect((await ask(world, "DELETE", `/${id}`)).body).toEqual({ success: true, deleted: 1 });
    expect((await env.RECORDINGS.list({ prefix: `${world.name}/` })).objects).toEqual([]);
    for (const method of ["DELETE", "GET"]) {
      expectFailure(await ask(world, method, `/${id}`), 404, "not_found", { error: MISSING });
    }
    expectFailure(await ask(world, "PATCH", `/${id}`, { name: "x" }), 404, "not_found", { error: MISSING });
    expect((await ask(world, "GET")).body.data).toEqual([]);
  });

  it("answers one 404 for another account's recording, the other mode's, and none", async () => {
    const [world, other] = [await openWorld(), await openWorld()];
    const twin = await openWorld({ mode: "test" });
    for (const id of [await upload(other), await upload(twin), "file_x", "x", "a".repeat(3_000)]) {
      for (const [method, body] of [["GET"], ["PATCH", { name: "x" }], ["DELETE"]] as const) {
        expectFailure(await ask(world, method, `/${id}`, body), 404, "not_found", { error: MISSING });
      }
    }
    expect((await ask(other, "GET")).body.data).toHaveLength(1);
  });

  it("needs an active Bearer key", async () => {
    const world = await openWorld();
    const id = await upload(world);
    for (const headers of [{}, { "x-api-key": world.apiKey }, bearer(`${world.apiKey}x`), { cookie: "session=x" }]) {
      for (const method of ["GET", "DELETE"]) {
        expectFailure(
          await call(`${AT}/${id}`, { method, headers: headers as Record<string, string> }),
          401,
          "unauthorized",
        );
      }
    }
    await world.stub.revokeKey(world.keyId);
    expectFailure(await ask(world, "DELETE", `/${id}`), 401, "unauthorized");
    expect(await world.stub.recordings(null, 10)).toHaveLength(1);
  });

  it("lets a suspended account read, and change nothing", async () => {
    const world = await openWorld();
    const id = await upload(world);
    await world.stub.amend({ status: "suspended" });
    expect((await ask(world, "GET", `/${id}`)).status).toBe(200);
    expectFailure(await ask(world, "PATCH", `/${id}`, { name: "x" }), 403, "account_suspended");
    expectFailure(await ask(world, "DELETE", `/${id}`), 403, "account_suspended");
    expect(await world.stub.recordings(null, 10)).toMatchObject([{ name: "offer.mp3" }]);
  });

  it("answers 600 requests a minute for each account and mode, outside the plan's limit", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const world = await openWorld({ plan: "starter" });
    for (let count = 0; count < 599; count += 1) await world.stub.admitOwn(world.keyId, false);
    expect((await ask(world, "GET")).status).toBe(200);
    const refused = await ask(world, "GET");
    expectFailure(refused, 429, "rate_limited", {
      error: "The limit of 600 requests per minute is reached; try again in 60 s.",
    });
    expect(refused.headers.get("retry-after")).toBe("60");
    expect((await ask(await openWorld(), "GET")).status).toBe(200);
    expect((await call("http://sms.localhost/account-balance", { headers: bearer(world.apiKey) })).status).toBe(200);
    vi.setSystemTime(Date.now() + 60_000);
    expect((await ask(world, "GET")).status).toBe(200);
  });
});
