import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { sealSecrets } from "../../src/carriers/stored.ts";
import { carrierOf } from "../../src/carriers/table.ts";
import { configOf } from "../../src/config/config.ts";
import { messageId } from "../../src/crypto/ids.ts";
import type { Operation } from "../../src/model/operations.ts";
import { seenIn } from "../../src/queues/pace/attempt-seen.ts";
import { telephoneWav } from "../../src/recordings/telephone.ts";
import { readMediaToken, recordingKey } from "../../src/recordings/signed-address.ts";
import { outgoing } from "../world/http-gateway.ts";
import { mp3 } from "../world/recordings.ts";
import { sineWav } from "../world/sound.ts";
import { googleAnswers, provider, SAID, speaking, WITH_GOOGLE } from "../world/speech.ts";
import type { Answers } from "../world/speech.ts";
import { openWorld } from "../world/world.ts";
import type { World } from "../world/world.ts";

// Calls by carriers that cannot say a text, or play what was uploaded, as they are stored in the set.

afterEach(() => {
  vi.restoreAllMocks();
});

const INFOBIP = { name: "relay", kind: "infobip", settings: { base_url: "https://xyz.api.infobip.test" }, secrets: {} };
const TWILIO = {
  name: "tw",
  kind: "twilio",
  settings: { account_sid: `AC${"0".repeat(32)}`, from: "+14155550132" },
  secrets: {},
};

/** A carrier of the set whose key this service sealed. */
async function stored(at: Env, given: typeof INFOBIP | typeof TWILIO) {
  const secret = given.kind === "infobip" ? { api_key: "key-1" } : { auth_token: "token-1" };
  const carrier = carrierOf(at, {
    ...given,
    secrets: await sealSecrets(configOf(env).SEAL_SECRET, given.name, secret),
  });
  if (!carrier) throw new Error("The carrier cannot be used.");
  return carrier;
}

const refOf = (world: World, operation: Operation) =>
  messageId(env.KEY_SECRET, world.ref, operation, { seq: 1, index: 0 });

const punjabi = (world: World) =>
  outgoing({ ref: refOf(world, "tts"), operation: "tts", text: "ਸਤ ਸ੍ਰੀ ਅਕਾਲ", content: { language: "PA" } });

/** The provider, and a carrier that takes everything; what the carrier was told to play. */
function network(says: Answers = googleAnswers) {
  const played: string[] = [];
  const asked = provider((one) => {
    if (one.url.includes("googleapis")) return says(one);
    if (one.url.includes("twilio")) {
      played.push(new URLSearchParams(one.body).get("Twiml") ?? "");
      return Response.json({ sid: "CA1" }, { status: 201 });
    }
    const { messages } = JSON.parse(one.body) as { messages: [{ audioFileUrl?: string; text?: string }] };
    played.push(messages[0].audioFileUrl ?? `text: ${messages[0].text}`);
    return Response.json({ messages: [{ messageId: "m", status: { groupId: 1, name: "PENDING" } }] });
  });
  return { played, asked };
}

/** The bytes behind an address of this service. */
async function bytesAt(url: string | undefined) {
  const opened = readMediaToken(env.KEY_SECRET, url?.split("/media/")[1] ?? "", Date.now());
  const object = opened && (await env.RECORDINGS.get(opened.objectKey));
  return object ? new Uint8Array(await object.arrayBuffer()) : null;
}

describe("a text in a language that the carrier has no voice for", () => {
  it("is played as sound that a provider made", async () => {
    const { played } = network();
    const carrier = await stored(speaking(WITH_GOOGLE), INFOBIP);
    expect(await carrier.submit(punjabi(await openWorld()))).toEqual({ kind: "submitted" });
    expect(played).toEqual([expect.stringMatching(/^http:\/\/console\.localhost\/media\/[\w-]+$/u)]);
    expect(await bytesAt(played[0])).toEqual(telephoneWav(SAID));
  });

  it("is left to the next carrier where there is no provider", async () => {
    const { asked } = network();
    const carrier = await stored(env, INFOBIP);
    expect(await carrier.submit(punjabi(await openWorld()))).toEqual({ kind: "not_accepted", code: "no_voice" });
    expect(asked).toEqual([]);
  });

  it.each([
    [503, { kind: "not_accepted", code: "speech_http_503" }],
    [429, { kind: "not_accepted", code: "speech_http_429" }],
    [400, { kind: "rejected", code: "speech_http_400" }],
  ])("is not submitted where the provider answers %d", async (status, outcome) => {
    const { played } = network(() => Response.json({}, { status }));
    const carrier = await stored(speaking(WITH_GOOGLE), INFOBIP);
    expect(await carrier.submit(punjabi(await openWorld()))).toEqual(outcome);
    expect(played).toEqual([]);
  });

  it("says nothing about the carrier's pace, nor that it is away", () => {
    for (const code of ["no_voice", "speech_timeout", "speech_http_503"]) {
      expect(seenIn({ kind: "not_accepted", code })).toEqual({ taken: 0, busy: 0 });
    }
    expect(seenIn({ kind: "not_accepted", code: "http_503" })).toEqual({ taken: 0, busy: 0, away: 1 });
  });

  it("is certainly not submitted while R2 is away", async () => {
    const { played } = network();
    const away = { head: () => Promise.reject(new Error("R2 is away")) };
    const carrier = await stored(speaking({ ...WITH_GOOGLE, RECORDINGS: away }), INFOBIP);
    const outcome = { kind: "not_accepted", code: "speech_unavailable" };
    expect(await carrier.submit(punjabi(await openWorld()))).toEqual(outcome);
    expect(played).toEqual([]);
  });

  it("does not concern a carrier that has the voice", async () => {
    const { played, asked } = network();
    const world = await openWorld();
    await (await stored(speaking(WITH_GOOGLE), TWILIO)).submit(punjabi(world));
    const hindi = outgoing({ ref: refOf(world, "tts"), operation: "tts", text: "नमस्ते", content: { language: "HI" } });
    await (await stored(speaking(WITH_GOOGLE), INFOBIP)).submit(hindi);
    expect(asked).toHaveLength(2);
    expect(played).toEqual([expect.stringContaining("Google.pa-IN-Wavenet-A"), "text: नमस्ते"]);
  });
});

/** A call that plays these bytes, uploaded by this world. */
async function playing(world: World, bytes: Uint8Array, mime: string) {
  const objectKey = recordingKey(world.ref, crypto.getRandomValues(new Uint8Array(32)));
  await env.RECORDINGS.put(objectKey, bytes);
  const content = { recording: { objectKey, mime } };
  const audioUrl = "http://console.localhost/media/as-uploaded";
  return outgoing({ ref: refOf(world, "voice"), operation: "voice", text: null, content, audioUrl });
}

describe("a recording", () => {
  const WAV = sineWav({ hz: 440, rate: 44_100, seconds: 0.2, channels: 2 });

  it.each([INFOBIP, TWILIO])("is played by $kind as telephones do, made once", async (given) => {
    const { played } = network();
    const [world, carrier] = [await openWorld(), await stored(env, given)];
    const call = await playing(world, WAV, "audio/wav");
    await carrier.submit(call);
    const put = vi.spyOn(env.RECORDINGS, "put");
    await carrier.submit(call);
    expect(put).not.toHaveBeenCalled();
    expect(played).toHaveLength(2);
    for (const one of played) {
      expect(await bytesAt(/http[^<"]+/u.exec(one)?.[0])).toEqual(telephoneWav(WAV));
    }
  });

  it("that is an MP3 is played as it is", async () => {
    const { played } = network();
    await (await stored(env, INFOBIP)).submit(await playing(await openWorld(), mp3(1), "audio/mpeg"));
    expect(played).toEqual(["http://console.localhost/media/as-uploaded"]);
  });

  it("is played as it was uploaded where its copy cannot be made", async () => {
    const { played } = network();
    const call = await playing(await openWorld(), WAV, "audio/wav");
    const away = { head: () => Promise.reject(new Error("R2 is away")) };
    await (await stored(speaking({ RECORDINGS: away }), INFOBIP)).submit(call);
    await env.RECORDINGS.delete(call.content.recording?.objectKey ?? "");
    await (await stored(env, INFOBIP)).submit(call);
    expect(played).toEqual(Array(2).fill("http://console.localhost/media/as-uploaded"));
  });

  it("that is deleted while its copy is made leaves no copy", async () => {
    network();
    const call = await playing(await openWorld(), WAV, "audio/wav");
    const key = call.content.recording?.objectKey ?? "";
    const { RECORDINGS } = env;
    const deleting = {
      head: (at: string) => RECORDINGS.head(at),
      get: (at: string) => RECORDINGS.get(at),
      delete: (at: string) => RECORDINGS.delete(at),
      put: async (at: string, bytes: Uint8Array) => {
        await RECORDINGS.delete(key);
        return RECORDINGS.put(at, bytes);
      },
    };
    await (await stored(speaking({ RECORDINGS: deleting }), INFOBIP)).submit(call);
    expect((await RECORDINGS.list({ prefix: key })).objects).toEqual([]);
  });
});
