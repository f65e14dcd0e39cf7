import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FILE_BYTES_MAX } from "../../../src/routes/console/recordings.tsx";
import { callWith } from "../../world/deployment.ts";
import { mp3, png, wav } from "../../world/recordings.ts";
import { balanceOf, bearer, call, openWorld, post, recordingOf } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { CONSOLE, visit, shownIn } from "../../world/visitor.ts";
import type { Page, Visitor } from "../../world/visitor.ts";

const JSON_TYPE = { accept: "application/json" };

function formOf(bytes: Uint8Array, name: string, fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [key, value] of Object.entries({ once: "once_12345678", ...fields })) form.set(key, value);
  form.set("file", new File([bytes], name));
  return form;
}

const upload = (visitor: Visitor, bytes: Uint8Array, name: string, fields: Record<string, string> = {}) =>
  visitor.submit("/recordings", formOf(bytes, name, fields));

const storedOf = async (world: World) => (await env.RECORDINGS.list({ prefix: `${world.name}/` })).objects;
const listOf = async (world: World) => (await world.stub.recordings(null, 100)) ?? [];
const playersOf = ({ text }: Page) => [...text.matchAll(/<audio[^>]* src="([^"]+)"/gu)].map(([, src = ""]) => src);

describe("an upload by form", () => {
  it("works as the API's: stored once, listed, playable, usable in a call, and free", async () => {
    const { visitor, world } = await visit();
    const bytes = wav({ seconds: 31 });
    const done = await upload(visitor, bytes, "hello <b>.wav");
    expect(done.status).toBe(303);
    const page = await visitor.get(done.headers.get("location") ?? "");
    const [recording] = await listOf(world);
    expect(page.text).toContain("Uploaded:");
    expect(page.text).toContain("hello &lt;b&gt;.wav");
    expect(page.text).toContain("0:31");
    expect(page.text).toContain(`data-copy="${recording?.fileId}"`);
    expect(page.text).toContain(`/send/voice?file=${recording?.fileId}`);
    expect(page.text).toContain('preload="none"');
    const [player = ""] = playersOf(page);
    const media = await call(CONSOLE + player);
    expect(media.status).toBe(200);
    expect(media.headers.get("content-type")).toBe("audio/wav");
    const { fileId } = recording ?? {};
    const body = { callee: "919876543210", fileId };
    const reply = await post("http://voice.localhost/api/make-voice-call", body, { "x-api-key": world.apiKey });
    expect(reply.body).toMatchObject({ success: true, coins_used: 4 });
    expect(await balanceOf(world)).toBe(9_960_000);
  });

  it("that is posted twice is one recording with one reply", async () => {
    const { visitor, world } = await visit();
    const submit = () => visitor.submit("/recordings", formOf(mp3(2), "a.mp3"), JSON_TYPE);
    const replies = [await submit(), await submit()];
    expect(replies[1]?.text).toBe(replies[0]?.text);
    expect(replies[1]?.headers.get("idempotent-replayed")).toBe("true");
    expect(await listOf(world)).toHaveLength(1);
    const other = await upload(visitor, wav(), "b.wav");
    expect(other.status).toBe(422);
    expect(other.text).toContain("This form was already used for another file.");
    expect(other.text).not.toContain('value="once_12345678"');
  });

  it("of the largest size is accepted, and one byte more is refused in one sentence", async () => {
    const { visitor, world } = await visit();
    const head = wav({ rate: 8_000, seconds: (FILE_BYTES_MAX - 44) / 8_000 });
    expect(head).toHaveLength(FILE_BYTES_MAX);
    const larger = new Uint8Array(FILE_BYTES_MAX + 1);
    larger.set(head);
    const page = await upload(visitor, larger, "a.wav");
    expect(page.status).toBe(400);
    expect(page.text).toContain("The file is larger than 3.75 MiB");
    expect(await storedOf(world)).toEqual([]);
    expect((await upload(visitor, head, "a.wav")).status).toBe(303);
    expect(await storedOf(world)).toHaveLength(1);
  });

  it("with a declared length far above the limit is not read at all", async () => {
    const { visitor } = await visit();
    const reply = await visitor.submit("/recordings", formOf(new Uint8Array(8 * 1024 * 1024), "a.wav"), JSON_TYPE);
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.text)).toMatchObject({ success: false, code: "invalid_request", param: "file" });
    let chunks = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          chunks += 1;
          if (chunks > 8) controller.close();
          else controller.enqueue(new Uint8Array(1024 * 1024));
        },
      },
      { highWaterMark: 0 },
    );
    const headers = {
      ...JSON_TYPE,
      origin: CONSOLE,
      cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      "content-type": "multipart/form-data; boundary=x",
      "content-length": String(8 * 1024 * 1024),
    };
    const refused = await callWith({}, `${CONSOLE}/recordings`, { method: "POST", headers, body });
    expect(refused.body).toMatchObject({ success: false, code: "invalid_request", param: "file" });
    expect([refused.status, chunks]).toEqual([400, 0]);
  });

  it.each([
    ["a picture", png(), "a.wav", "a recording we can play. Use WAV (PCM, µ-law, A-law) or MP3."],
    [
      "text",
      new TextEncoder().encode("hello"),
      "a.mp3",
      "a recording we can play. Use WAV (PCM, µ-law, A-law) or MP3.",
    ],
    [
      "of a kind that contradicts its name",
      mp3(1),
      "a.wav",
      "The file is named .wav but contains MP3 audio. Rename it to .mp3.",
    ],
    ["of another extension", wav(), "a.ogg", "Choose a .wav or .mp3 file."],
    ["empty", new Uint8Array(), "a.wav", "The file is empty."],
    ["silent", wav({ seconds: 0 }), "a.wav", "The recording is empty."],
  ])("that is %s is refused in one sentence and stores nothing", async (_, bytes, name, sentence) => {
    const { visitor, world } = await visit();
    const page = await upload(visitor, bytes, name);
    expect(page.status).toBe(400);
    expect(page.text).toContain(sentence);
    expect(page.text).toContain('value="once_12345678"');
    expect(await storedOf(world)).toEqual([]);
    expect(await listOf(world)).toEqual([]);
  });

  it("without a file is asked for one", async () => {
    const { visitor } = await visit();
    const page = await visitor.submit("/recordings", { once: "once_12345678" });
    expect(page.status).toBe(400);
    expect(page.text).toContain("Choose a .wav or .mp3 file first.");
  });

  it("for another mode than that of its form is refused", async () => {
    const { visitor, world } = await visit();
    expect((await upload(visitor, wav(), "a.wav", { mode: "test" })).status).toBe(400);
    expect(await storedOf(world)).toEqual([]);
  });

  it("counts in the account's only rate window", async () => {
    const { visitor, world } = await visit({ plan: "starter" });
    for (let count = 0; count < 10; count += 1) {
      await post("http://sms.localhost/send-sms", { phone: "9876543210", message: "x" }, bearer(world.apiKey));
    }
    const page = await upload(visitor, wav(), "a.wav");
    expect(page.status).toBe(429);
    expect(await storedOf(world)).toEqual([]);
  });
});

describe("the list", () => {
  it("offers the next step while it is empty", async () => {
    const { visitor } = await visit();
    const page = await visitor.get("/recordings");
    expect(page.text).toContain("No recordings yet");
    expect((await visitor.get("/send/voice")).text).toContain("No recordings yet");
  });

  afterEach(() => vi.useRealTimers());

  it("shows every recording once, newest first, over its pages, even when many share one timestamp", async () => {
    const { visitor, world } = await visit();
    vi.useFakeTimers({ toFake: ["Date"] });
    for (let count = 1; count <= 45; count += 1) {
      if (count % 15 === 0) vi.setSystemTime(Date.now() + 1);
      await recordingOf(world, count * 1_000);
    }
    const seen: string[] = [];
    let next: string | undefined = "/recordings";
    while (next !== undefined) {
      const page: Page = await visitor.get(next);
      seen.push(...[...page.text.matchAll(/data-copy="(file_\w+)"/gu)].map(([, id = ""]) => id));
      next = /href="(\/recordings\?after=[^"]+)"/u.exec(page.text)?.[1];
    }
    expect(new Set(seen).size).toBe(45);
    const all = await listOf(world);
    expect(seen).toEqual(all.map(({ fileId }) => fileId));
    expect(all.map(({ createdAt }) => createdAt)).toEqual(
      all.map(({ createdAt }) => createdAt).toSorted((a, b) => b - a),
    );
  });

  it("never shows another account's recordings, whatever the address contains", async () => {
    const { visitor } = await visit();
    const stranger = await openWorld();
    const foreign = await recordingOf(stranger);
    for (const query of ["", `?added=${foreign}`, `?after=9999999999999.${foreign}`, "?after=x", "?after=1.2.3"]) {
      const page = await visitor.get(`/recordings${query}`);
      expect(page.status).toBe(200);
      expect(shownIn(page)).not.toContain(foreign);
    }
  });

  it("keeps the two modes apart", async () => {
    const { visitor, world } = await visit();
    await recordingOf(world);
    visitor.cookies.set("mode", "test");
    expect((await visitor.get("/recordings")).text).toContain("No recordings yet");
  });
});

const hasForm = (page: Page, path: string) => page.text.includes(`action="${path}"`);

describe("a recording on the page", () => {
  it("is renamed in its place, without the script", async () => {
    const { visitor, world } = await visit();
    const fileId = await recordingOf(world);
    const path = `/recordings/${fileId}/rename`;
    expect(hasForm(await visitor.get("/recordings"), path)).toBe(true);
    const done = await visitor.submit(path, { name: " दिवाली <b> ", mode: "live" });
    expect([done.status, done.headers.get("location")]).toEqual([303, `/recordings?renamed=${fileId}`]);
    const page = await visitor.get(done.headers.get("location") ?? "");
    expect(page.text).toContain("Renamed:");
    expect(page.text).toContain("दिवाली &lt;b&gt;");
    expect(await listOf(world)).toMatchObject([{ name: "दिवाली <b>" }]);
  });

  it.each(["", "  ", "a/b", "a\\b", "a\u0007b", "x".repeat(256)])(
    "keeps its name when %j is typed, with the reason beside the field",
    async (name) => {
      const { visitor, world } = await visit();
      const fileId = await recordingOf(world);
      const page = await visitor.submit(`/recordings/${fileId}/rename`, { name, mode: "live" });
      expect(page.status).toBe(400);
      expect(page.text).toContain(`id="name-${fileId}-error"`);
      expect(page.text).toContain("The name must have 1 to 255 characters, without / or \\.");
      expect(page.text).toMatch(/<details class="rename" open/u);
      expect(await listOf(world)).toMatchObject([{ name: "hello.wav" }]);
    },
  );

  it("stays on its page of the list when it is renamed", async () => {
    const { visitor, world } = await visit();
    for (let count = 1; count <= 21; count += 1) await recordingOf(world, count);
    const first = await visitor.get("/recordings");
    const [, older = ""] = /href="(\/recordings\?after=[^"]+)"/u.exec(first.text) ?? [];
    const page = await visitor.get(older);
    const [, action = ""] = /action="(\/recordings\/file_\w+\/rename[^"]*)"/u.exec(page.text) ?? [];
    const done = await visitor.submit(action, { name: "Last", mode: "live" });
    const location = done.headers.get("location") ?? "";
    expect(location.startsWith(`${older}&renamed=file_`)).toBe(true);
    expect((await visitor.get(location)).text).toContain("Renamed:");
  });

  it("is deleted after a question, once", async () => {
    const { visitor, world } = await visit();
    await upload(visitor, wav(), "a.wav");
    const [recording] = await listOf(world);
    const path = `/recordings/${recording?.fileId}/delete`;
    expect((await visitor.get("/recordings")).text).toContain(`href="${path}"`);
    const question = await visitor.get(path);
    expect(question.text).toContain("Delete this recording?");
    expect(hasForm(question, path)).toBe(true);
    expect((await visitor.get(path, { "x-part": "1" })).text).not.toContain("<html");
    expect(await listOf(world)).toHaveLength(1);
    const done = await visitor.submit(path, { mode: "live" });
    expect(done.headers.get("location")).toBe("/recordings?done=removed");
    expect((await visitor.get("/recordings?done=removed")).text).toContain("Recording deleted.");
    expect(await listOf(world)).toEqual([]);
    expect(await storedOf(world)).toEqual([]);
    expect((await visitor.submit(path, { mode: "live" })).status).toBe(404);
    expect((await visitor.get(path)).status).toBe(404);
  });

  it("is neither renamed nor deleted by another account, another site, or a form of the other mode", async () => {
    const [{ visitor, world }, other] = [await visit(), await visit()];
    const fileId = await recordingOf(world);
    for (const path of [`/recordings/${fileId}/rename`, `/recordings/${fileId}/delete`]) {
      const fields = { name: "x", mode: "live" };
      expect((await other.visitor.submit(path, fields)).status).toBe(404);
      expect((await visitor.submit(path, fields, { origin: "https://evil.example" })).status).toBe(403);
      expect((await visitor.submit(path, { ...fields, mode: "test" })).status).toBe(400);
    }
    expect((await other.visitor.get(`/recordings/${fileId}/delete`)).status).toBe(404);
    expect(await listOf(world)).toMatchObject([{ fileId, name: "hello.wav" }]);
  });

  it.each([
    ["en", "You can keep 20 recordings with 50 MB in total. Delete one to make room"],
    ["hi", "आप कुल 50 MB तक की 20 रिकॉर्डिंग रख सकते हैं।"],
  ])("is one too many: the page says so, in %s", async (lang, sentence) => {
    const { visitor, world } = await visit({ mode: "test" });
    visitor.cookies.set("lang", lang);
    for (let count = 1; count <= 20; count += 1) await recordingOf(world, count);
    const page = await upload(visitor, wav(), "a.wav");
    expect(page.status).toBe(409);
    expect(page.text).toContain(sentence);
    const { text } = await visitor.submit("/recordings", formOf(wav(), "a.wav"), JSON_TYPE);
    expect(JSON.parse(text)).toMatchObject({ code: "too_many", error: expect.stringContaining(sentence) });
    expect(await storedOf(world)).toEqual([]);
  });
});
