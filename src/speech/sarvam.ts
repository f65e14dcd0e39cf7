import * as z from "zod";
import { sarvamVoice } from "../voices/voices.ts";
import type { Provider } from "./provider.ts";
import { byStatus, later, postJson, soundOf } from "./provider.ts";

// Sarvam AI's Bulbul v3 (docs.sarvam.ai/api-reference-docs/text-to-speech/convert): India's languages and Indian English.

const CONVERT = "https://api.sarvam.ai/text-to-speech";

const answered = z.object({ audios: z.tuple([z.string().min(1)]).rest(z.string()) });

/** Sarvam's voices. */
export const sarvam = (apiKey: string): Provider => ({
  name: "sarvam",
  voice: sarvamVoice,
  speak({ text, speech, voice, timeoutMs }) {
    const body = {
      text,
      target_language_code: speech.locale,
      model: "bulbul:v3",
      speaker: voice,
      pace: speech.rate,
      speech_sample_rate: 8_000,
      output_audio_codec: "wav",
    };
    return postJson(CONVERT, { "api-subscription-key": apiKey }, body, timeoutMs, (status, value) => {
      if (status !== 200) return byStatus(status);
      const { data } = answered.safeParse(value);
      return data ? soundOf(data.audios[0]) : later("no_sound");
    });
  },
});
