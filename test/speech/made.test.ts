import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { audioUrl } from "../../src/recordings/signed-address.ts";
import { telephoneWav } from "../../src/recordings/telephone.ts";
import { speechFor } from "../../src/speech/made.ts";
import { forgetSpeech } from "../../src/speech/sweep.ts";
import { configOf } from "../../src/config/config.ts";
import { GOOGLE_KEY, googleAnswers, provider, SAID, speaking, WITH_GOOGLE } from "../world/speech.ts";
import { openWorld } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { exports } from "cloudflare:workers";

const DAY_MS = 86_400_000;
const TEXT = "ਤੁਹਾਡਾ ਆਰਡਰ ਆ ਗਿਆ ਹੈ";
const PUNJABI = { language: "PA" } as const;
const WITH = speaking(WITH_GOOGLE);

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const keysOf = async (world: World) =>
  (await env.RECORDINGS.list({ prefix: `speech/${world.name}/` })).objects.map(({ key }) => key);

/** A round of the sweep over all accounts, from this time on. */
const round = async (fromMs: number) => {
  for (let run = 0; run < 62; run += 1) await forgetSpeech(env, fromMs + run * 300_000);
};

describe("the sound of a text", () => {
  it("is made once, and is a WAV file for telephones under a name that says nothing", async () => {
    const world = await openWorld();
    const asked = provider(googleAnswers);
    const made = await speechFor(WITH, world.ref, TEXT, PUNJABI);
    expect(await speechFor(WITH, world.ref, TEXT, PUNJABI)).toEqual(made);
    expect(asked).toHaveLength(1);
    const keys = await keysOf(world);
    expect(made).toEqual({ ok: true, objectKey: keys[0] });
    expect(keys).toEqual([expect.stringMatching(new RegExp(`^speech/${world.name}/[0-9a-f]{64}$`, "u"))]);
    vi.restoreAllMocks();
    const url = audioUrl(configOf(env), keys[0] ?? "");
    const reply = await exports.default.fetch(url);
    expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "audio/wav"]);
    expect(new Uint8Array(await reply.arrayBuffer())).toEqual(telephoneWav(SAID));
  });

  it("is another one for each voice, rate, text and account", async () => {
    const [world, other] = [await openWorld(), await openWorld()];
    const asked = provider(googleAnswers);
    const contents = [
      PUNJABI,
      { ...PUNJABI, gender: 1 } as const,
      { ...PUNJABI, rate: 1.2 },
      { language: "HI" } as const,
    ];
    for (const content of contents) await speechFor(WITH, world.ref, TEXT, content);
    await speechFor(WITH, world.ref, `${TEXT}.`, PUNJABI);
    await speechFor(WITH, other.ref, TEXT, PUNJABI);
    expect(asked).toHaveLength(6);
    expect(await keysOf(world)).toHaveLength(5);
    // What stands for nothing in the voice makes no other sound.
    await speechFor(WITH, world.ref, TEXT, { ...PUNJABI, accent: "44", gender: 2, rate: 1 });
    expect(asked).toHaveLength(6);
  });

  it("is made once by several consumers at the same time", async () => {
    const world = await openWorld();
    const asked = provider(async (one) => {
      await scheduler.wait(300);
      return googleAnswers(one);
    });
    const all = await Promise.all(Array.from({ length: 6 }, () => speechFor(WITH, world.ref, TEXT, PUNJABI)));
    expect(asked).toHaveLength(1);
    expect(new Set(all.map((one) => (one.ok ? one.objectKey : one.again))).size).toBe(1);
    expect(all.every(({ ok }) => ok)).toBe(true);
    expect(await keysOf(world)).toHaveLength(1);
  });

  it("that was being made by a consumer that died is made by another", async () => {
    const world = await openWorld();
    provider(googleAnswers);
    const made = await speechFor(WITH, world.ref, TEXT, PUNJABI);
    const [key = ""] = await keysOf(world);
    await env.RECORDINGS.delete(key);
    await env.RECORDINGS.put(`${key}.making`, "");
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 8_001);
    expect(await speechFor(WITH, world.ref, TEXT, PUNJABI)).toEqual(made);
    expect(await keysOf(world)).toEqual([key]);
  });

  it("that another consumer makes for too long is asked for again later", async () => {
    const world = await openWorld();
    const asked = provider(googleAnswers);
    await speechFor(WITH, world.ref, TEXT, PUNJABI);
    const [key = ""] = await keysOf(world);
    await env.RECORDINGS.delete(key);
    await env.RECORDINGS.put(`${key}.making`, "");
    const hurried = speaking({ ...WITH_GOOGLE, TTS_TIMEOUT_MS: "1" });
    const again = { ok: false, again: "later", code: "speech_being_made" };
    expect(await speechFor(hurried, world.ref, TEXT, PUNJABI)).toEqual(again);
    expect(asked).toHaveLength(1);
  });

  it("that could not be made leaves nothing behind, and is tried anew", async () => {
    const world = await openWorld();
    provider(() => new Response("", { status: 503 }));
    const failed = { ok: false, again: "later", code: "speech_http_503" };
    expect(await speechFor(WITH, world.ref, TEXT, PUNJABI)).toEqual(failed);
    provider(() => Response.json({ audioContent: Buffer.from("no sound").toString("base64") }));
    expect(await speechFor(WITH, world.ref, TEXT, PUNJABI)).toEqual({ ...failed, code: "speech_no_wav" });
    expect(await keysOf(world)).toEqual([]);
    provider(googleAnswers);
    expect(await speechFor(WITH, world.ref, TEXT, PUNJABI)).toMatchObject({ ok: true });
  });

  it("is none where no provider has a voice", async () => {
    const world = await openWorld();
    const asked = provider(googleAnswers);
    const none = { ok: false, again: null };
    expect(await speechFor(env, world.ref, TEXT, PUNJABI)).toEqual(none);
    const sarvam = speaking({ TTS: "sarvam", SARVAM_API_KEY: GOOGLE_KEY });
    expect(await speechFor(sarvam, world.ref, "G'day", { accent: "61" })).toEqual(none);
    expect(asked).toEqual([]);
  });

  it("stays as long as its text is kept, and is made anew before an address of it would outlive it", async () => {
    const world = await openWorld();
    const asked = provider(googleAnswers);
    await speechFor(WITH, world.ref, TEXT, PUNJABI);
    const [made] = (await env.RECORDINGS.list({ prefix: `speech/${world.name}/` })).objects;
    const madeAt = made?.uploaded.getTime() ?? 0;
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(madeAt + 29 * DAY_MS - 1);
    await speechFor(WITH, world.ref, TEXT, PUNJABI);
    expect(asked).toHaveLength(1);
    vi.setSystemTime(madeAt + 29 * DAY_MS);
    await speechFor(WITH, world.ref, TEXT, PUNJABI);
    expect(asked).toHaveLength(2);
  });

  it("is deleted with the text, within hours", async () => {
    const world = await openWorld();
    provider(googleAnswers);
    await speechFor(WITH, world.ref, TEXT, PUNJABI);
    const [made] = (await env.RECORDINGS.list({ prefix: `speech/${world.name}/` })).objects;
    const madeAt = made?.uploaded.getTime() ?? 0;
    await round(madeAt + 29 * DAY_MS);
    expect(await keysOf(world)).toHaveLength(1);
    await round(madeAt + 30 * DAY_MS);
    expect(await keysOf(world)).toEqual([]);
  });
});
