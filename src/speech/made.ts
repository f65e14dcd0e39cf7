import { configOf } from "../config/config.ts";
import type { Config } from "../config/settings.ts";
import { mac } from "../crypto/bytes.ts";
import { secretsOf } from "../crypto/secrets.ts";
import { logLine } from "../log.ts";
import type { Content } from "../model/message.ts";
import type { AccountRef } from "../model/ref.ts";
import { speechKey } from "../recordings/signed-address.ts";
import { telephoneWav } from "../recordings/telephone.ts";
import { speechOf } from "../voices/voices.ts";
import type { Speech } from "../voices/voices.ts";
import type { Provider } from "./provider.ts";
import { providerOf } from "./providers.ts";

// Texts of calls as sound, made by a provider and kept in R2: the same words in the same voice are made once for an
// account. A key says nothing about its text without the service's secret.

/** Sound for a call, or why there is none: `no_voice` where no provider can say it. */
export type Made =
  { ok: true; objectKey: string } | { ok: false; again: "later" | "never"; code: string } | { ok: false; again: null };

/** How long one consumer is waited for that makes the same sound, beyond its own time. */
const MAKING_MARGIN_MS = 3_000;
const LOOK_MS = 250;

const DAY_MS = 86_400_000;

/** For how long sound is kept: as long as the texts that it is made of, in ms. */
export function keptMs(config: Config, mode: AccountRef["mode"]): number {
  return Math.min(config.TEXT_DAYS, mode === "test" ? config.TEST_DAYS : config.TEXT_DAYS) * DAY_MS;
}

/** The key of a text that this voice speaks. */
function keyOf(
  config: Config,
  ref: AccountRef,
  words: { provider: string; voice: string; rate: number; text: string },
) {
  const { provider, voice, rate, text } = words;
  const secret = secretsOf(config.SEAL_SECRET).current.value;
  return speechKey(ref, mac(secret, "speech/v1", JSON.stringify([provider, voice, rate, text])));
}

interface Wanted {
  env: Env;
  config: Config;
  provider: Provider;
  text: string;
  speech: Speech;
  voice: string;
  objectKey: string;
  /** How long an object is good for, in ms, counted from its making. */
  goodMs: number;
}

/** Whether the sound is there, and stays for as long as an address of it is valid. */
async function isThere({ env, objectKey, goodMs }: Wanted): Promise<boolean> {
  const head = await env.RECORDINGS.head(objectKey);
  return head !== null && head.uploaded.getTime() + goodMs > Date.now();
}

const lockOf = ({ objectKey }: Wanted): string => `${objectKey}.making`;

/** Whether this consumer is to make the sound: none else is at it, or one that is must have died. */
async function isOurs(wanted: Wanted): Promise<boolean> {
  const { env, config } = wanted;
  const lock = lockOf(wanted);
  if (await env.RECORDINGS.put(lock, "", { onlyIf: { etagDoesNotMatch: "*" } })) return true;
  const held = await env.RECORDINGS.head(lock);
  if (!held || held.uploaded.getTime() + config.TTS_TIMEOUT_MS + MAKING_MARGIN_MS > Date.now()) return false;
  // The content differs at each taking, so that of several who find it abandoned one has it.
  const taken = await env.RECORDINGS.put(lock, crypto.randomUUID(), { onlyIf: { etagMatches: held.etag } });
  return taken !== null;
}

/** Makes the sound and keeps it. */
async function make(wanted: Wanted): Promise<Made> {
  const { env, config, provider, text, speech, voice, objectKey } = wanted;
  try {
    const spoken = await provider.speak({ text, speech, voice, timeoutMs: config.TTS_TIMEOUT_MS });
    const audio = spoken.ok ? telephoneWav(spoken.audio) : null;
    if (spoken.ok && audio) {
      await env.RECORDINGS.put(objectKey, audio, { httpMetadata: { contentType: "audio/wav" } });
      return { ok: true, objectKey };
    }
    const failed = spoken.ok ? ({ ok: false, again: "later", code: "speech_no_wav" } as const) : spoken;
    logLine("speech_failed", { provider: provider.name, voice, code: failed.code });
    return failed;
  } finally {
    await env.RECORDINGS.delete(lockOf(wanted));
  }
}

/**
 * The sound of a call's text, made now if it is not there. Takes up to `TTS_TIMEOUT_MS` and little more. Throws where R2
 * is away.
 */
export async function speechFor(env: Env, ref: AccountRef, text: string, content: Content): Promise<Made> {
  const config = configOf(env);
  const provider = providerOf(env);
  const speech = speechOf(content);
  const voice = provider?.voice(speech) ?? null;
  if (!provider || voice === null) return { ok: false, again: null };
  const objectKey = keyOf(config, ref, { provider: provider.name, voice, rate: speech.rate, text });
  const kept = keptMs(config, ref.mode);
  const goodMs = kept - Math.min(config.AUDIO_URL_TTL_MS, kept / 2);
  const wanted: Wanted = { env, config, provider, text, speech, voice, objectKey, goodMs };
  const endsAtMs = Date.now() + config.TTS_TIMEOUT_MS;
  for (;;) {
    if (await isThere(wanted)) return { ok: true, objectKey };
    if (await isOurs(wanted)) {
      // Another may have finished between the look and the lock.
      if (!(await isThere(wanted))) return make(wanted);
      await env.RECORDINGS.delete(lockOf(wanted));
      return { ok: true, objectKey };
    }
    if (Date.now() >= endsAtMs) return { ok: false, again: "later", code: "speech_being_made" };
    await scheduler.wait(LOOK_MS);
  }
}
