import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { sineWav } from "./sound.ts";

// Providers of speech in place of the network. Each refuses what the real one refuses, by its documented wire format.

export interface AskedOf {
  url: string;
  headers: Headers;
  body: string;
}

export type Answers = (asked: AskedOf) => Response | Promise<Response>;

/** Replaces `fetch` until mocks are restored, and keeps what was asked. */
export function provider(answers: Answers): AskedOf[] {
  const all: AskedOf[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const one = { url: request.url, headers: request.headers, body: await request.text() };
    all.push(one);
    init?.signal?.throwIfAborted();
    return answers(one);
  });
  return all;
}

/** What every provider says here, as 24 kHz. */
export const SAID = sineWav({ hz: 440, rate: 24_000, seconds: 0.25 });
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

export const GOOGLE_KEY = "AIzaSyA-key-of-the-test-suite-000000000";
export const GOOGLE_TOKEN = "ya29.token-of-the-test-suite";

const googleFault = (code: number, status: string, reason?: string) =>
  Response.json(
    {
      error: {
        code,
        message: "As Google says it.",
        status,
        ...(reason !== undefined && {
          details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "googleapis.com" }],
        }),
      },
    },
    { status: code },
  );

interface GoogleBody {
  input?: { text?: string };
  voice?: { languageCode?: string; name?: string };
  audioConfig?: { audioEncoding?: string; sampleRateHertz?: number; speakingRate?: number };
}

/** Google's `text:synthesize` (cloud.google.com/text-to-speech/docs/reference/rest/v1/text/synthesize). */
export function googleAnswers({ url, headers, body }: AskedOf): Response {
  if (url !== "https://texttospeech.googleapis.com/v1/text:synthesize") return googleFault(404, "NOT_FOUND");
  const key = headers.get("x-goog-api-key");
  if (key === null && headers.get("authorization") !== `Bearer ${GOOGLE_TOKEN}`) {
    return googleFault(401, "UNAUTHENTICATED", "ACCESS_TOKEN_TYPE_UNSUPPORTED");
  }
  if (key !== null && key !== GOOGLE_KEY) return googleFault(400, "INVALID_ARGUMENT", "API_KEY_INVALID");
  const { input, voice, audioConfig, ...others } = JSON.parse(body) as GoogleBody;
  const { languageCode = "", name = "" } = voice ?? {};
  const rate = audioConfig?.speakingRate ?? 1;
  const isGood =
    Object.keys(others).length === 0 &&
    Buffer.byteLength(input?.text ?? "") > 0 &&
    Buffer.byteLength(input?.text ?? "") <= 5_000 &&
    name.startsWith(`${languageCode}-`) &&
    audioConfig?.audioEncoding === "LINEAR16" &&
    rate >= 0.25 &&
    rate <= 4;
  return isGood ? Response.json({ audioContent: base64(SAID) }) : googleFault(400, "INVALID_ARGUMENT");
}

export const SARVAM_KEY = "sk_key-of-the-test-suite";
const SARVAM_LANGUAGES = ["bn", "en", "gu", "hi", "kn", "ml", "mr", "od", "pa", "ta", "te"].map((one) => `${one}-IN`);
/** Some of the speakers of Bulbul v3; those of v2, such as anushka, are refused with it. */
const SARVAM_SPEAKERS = ["shubh", "aditya", "ritu", "priya", "neha"];

const sarvamFault = (status: number, code: string) =>
  Response.json({ error: { message: "As Sarvam says it.", code, request_id: "20261122_1" } }, { status });

interface SarvamBody {
  text?: string;
  target_language_code?: string;
  model?: string;
  speaker?: string;
  pace?: number;
  speech_sample_rate?: number;
  output_audio_codec?: string;
}

/** Sarvam's `text-to-speech` (docs.sarvam.ai/api-reference-docs/text-to-speech/convert). */
export function sarvamAnswers({ url, headers, body }: AskedOf): Response {
  if (url !== "https://api.sarvam.ai/text-to-speech") return sarvamFault(404, "not_found_error");
  if (headers.get("api-subscription-key") !== SARVAM_KEY) return sarvamFault(403, "invalid_api_key_error");
  const {
    text = "",
    target_language_code = "",
    model,
    speaker = "",
    pace = 1,
    ...more
  } = JSON.parse(body) as SarvamBody;
  if (text === "" || text.length > 2_500 || model !== "bulbul:v3") return sarvamFault(400, "invalid_request_error");
  const isGood =
    SARVAM_LANGUAGES.includes(target_language_code) &&
    SARVAM_SPEAKERS.includes(speaker) &&
    pace >= 0.5 &&
    pace <= 2 &&
    [8_000, 16_000, 22_050, 24_000].includes(more.speech_sample_rate ?? 24_000) &&
    more.output_audio_codec === "wav";
  if (!isGood) return sarvamFault(422, "unprocessable_entity_error");
  return Response.json({ request_id: "20261122_1", audios: [base64(SAID)] });
}

/** This service with these settings of speech. */
export const speaking = (more: Record<string, unknown>): Env => ({ ...env, ...more });

export const WITH_GOOGLE = { TTS: "google", GOOGLE_TTS_CREDENTIALS: GOOGLE_KEY };
