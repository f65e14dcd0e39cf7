import { afterEach, describe, expect, it, vi } from "vitest";
import { providerOf } from "../../src/speech/providers.ts";
import { sarvam } from "../../src/speech/sarvam.ts";
import { LOCALE_NAMES } from "../../src/voices/voices.ts";
import type { Speech } from "../../src/voices/voices.ts";
import { provider, SAID, SARVAM_KEY, sarvamAnswers, speaking, WITH_GOOGLE } from "../world/speech.ts";
import type { Answers } from "../world/speech.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const SPEECH: Speech = { locale: "te-IN", gender: "female", rate: 1.2 };
const ASKED = { text: "నమస్తే", speech: SPEECH, voice: "priya", timeoutMs: 5_000 };

describe("Sarvam's voices", () => {
  it("are asked for as its documents say", async () => {
    const asked = provider(sarvamAnswers);
    expect(await sarvam(SARVAM_KEY).speak(ASKED)).toEqual({ ok: true, audio: SAID });
    expect(JSON.parse(asked[0]?.body ?? "")).toEqual({
      text: "నమస్తే",
      target_language_code: "te-IN",
      model: "bulbul:v3",
      speaker: "priya",
      pace: 1.2,
      speech_sample_rate: 8_000,
      output_audio_codec: "wav",
    });
  });

  it("speak every Indian language, by women and men; no English but India's", async () => {
    provider(sarvamAnswers);
    const { voice, speak } = sarvam(SARVAM_KEY);
    const silent: string[] = [];
    for (const locale of LOCALE_NAMES) {
      for (const gender of ["male", "female"] as const) {
        const speech = { locale, gender, rate: 0.5 };
        const by = voice(speech);
        if (by === null) silent.push(locale);
        else expect(await speak({ ...ASKED, speech, voice: by }), locale).toMatchObject({ ok: true });
      }
    }
    expect(new Set(silent)).toEqual(new Set(["en-US", "en-GB", "en-AU"]));
  });

  it.each<[string, Answers, string, "later" | "never"]>([
    ["a wrong key", (one) => sarvamAnswers({ ...one, headers: new Headers() }), "speech_http_403", "later"],
    ["used-up credits", () => new Response("{}", { status: 402 }), "speech_http_402", "later"],
    ["too many requests", () => new Response("{}", { status: 429 }), "speech_http_429", "later"],
    ["a fault of its own", () => new Response("", { status: 500 }), "speech_http_500", "later"],
    ["a language that it does not have", () => new Response("{}", { status: 422 }), "speech_http_422", "never"],
    ["no sound", () => Response.json({ audios: [] }), "speech_no_sound", "later"],
  ])("%s", async (_, answers, code, again) => {
    provider(answers);
    expect(await sarvam(SARVAM_KEY).speak(ASKED)).toEqual({ ok: false, again, code });
  });
});

/** A provider that asks a bound Worker, and what that was asked. */
const answering = (answer: () => Response) => {
  const asked: { url: string; body: unknown }[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    asked.push({ url, body: JSON.parse(await new Response(init.body).text()) as unknown });
    return answer();
  };
  return { asked, made: providerOf(speaking({ TTS: "worker", TTS_WORKER: { fetch } })) };
};

describe("a Worker that speaks", () => {
  it("gets the text and how it is to be spoken through its binding", async () => {
    const { asked, made } = answering(() => new Response(SAID));
    expect(await made?.speak(ASKED)).toEqual({ ok: true, audio: SAID });
    expect(asked).toEqual([
      { url: "https://tts.internal/", body: { text: "నమస్తే", locale: "te-IN", gender: "female", rate: 1.2 } },
    ]);
  });

  it("may have an address in place of a binding", async () => {
    const asked = provider(() => new Response(SAID));
    const made = providerOf(speaking({ TTS: "worker", TTS_WORKER_URL: "http://127.0.0.1:8799/speak" }));
    expect(await made?.speak(ASKED)).toEqual({ ok: true, audio: SAID });
    expect(asked.map(({ url }) => url)).toEqual(["http://127.0.0.1:8799/speak"]);
  });

  it.each([
    [400, "never"],
    [404, "never"],
    [429, "later"],
    [503, "later"],
    [301, "later"],
  ])("answers %d: %s", async (status, again) => {
    const { made } = answering(() => new Response("no", { status }));
    expect(await made?.speak(ASKED)).toEqual({ ok: false, again, code: `speech_http_${status}` });
  });

  it("that answers without end is given up", async () => {
    const { made } = answering(() => new Response(new Uint8Array(13_000_000)));
    expect(await made?.speak(ASKED)).toEqual({ ok: false, again: "later", code: "speech_too_long" });
  });
});

const named = (more: Record<string, unknown>) => providerOf(speaking(more))?.name ?? null;

it("the provider is the one of TTS, where it has what it needs", () => {
  expect(named({})).toBeNull();
  expect(named(WITH_GOOGLE)).toBe("google");
  expect(named({ ...WITH_GOOGLE, TTS: "none" })).toBeNull();
  expect(named({ TTS: "sarvam", SARVAM_API_KEY: SARVAM_KEY })).toBe("sarvam");
  expect(named({ TTS: "worker" })).toBeNull();
});
