import { configOf } from "../config/config.ts";
import { readMessageId } from "../crypto/ids.ts";
import { logProblem } from "../log.ts";
import type { Outcome } from "../model/message.ts";
import { audioUrl } from "../recordings/signed-address.ts";
import { speechFor } from "../speech/made.ts";
import { telephoneCopy } from "../speech/telephone-copy.ts";
import { speechOf } from "../voices/voices.ts";
import type { Carrier, Outgoing } from "./carrier.ts";

// Calls that a carrier can play: a text that it has no voice for is made into sound first, and a recording into what
// telephones play. Nothing has left by then, so that each failure is certain.

type Ready = { ok: true; message: Outgoing } | { ok: false; outcome: Outcome };

/** A text as a recording of it; as it is where no provider can speak it, which the carrier then says. */
async function spoken(env: Env, message: Outgoing): Promise<Ready> {
  const config = configOf(env);
  const ref = readMessageId(config.KEY_SECRET, message.ref);
  if (!ref || message.text === null) return { ok: true, message };
  const made = await speechFor(env, ref, message.text, message.content);
  if (made.ok) return { ok: true, message: { ...message, audioUrl: audioUrl(config, made.objectKey) } };
  if (made.again === null) return { ok: true, message };
  const { again, code } = made;
  return { ok: false, outcome: { kind: again === "never" ? "rejected" : "not_accepted", code } };
}

/** What a call plays, ready for this carrier. */
async function ready(env: Env, { speaks, plays }: Carrier, message: Outgoing): Promise<Ready> {
  const { operation, content } = message;
  const { recording } = content;
  if (operation === "tts" && message.audioUrl === null && speaks && !speaks(speechOf(content))) {
    try {
      return await spoken(env, message);
    } catch (problem) {
      logProblem("speech", problem);
      return { ok: false, outcome: { kind: "not_accepted", code: "speech_unavailable" } };
    }
  }
  if (operation === "voice" && plays === "telephone" && recording?.mime === "audio/wav") {
    try {
      const key = await telephoneCopy(env.RECORDINGS, recording.objectKey);
      if (key !== null) return { ok: true, message: { ...message, audioUrl: audioUrl(configOf(env), key) } };
    } catch (problem) {
      // The recording as it was uploaded is better than no call.
      logProblem("telephone copy", problem);
    }
  }
  return { ok: true, message };
}

/** The same carrier, which also makes calls that it could not make by itself. */
export function audible(env: Env, carrier: Carrier): Carrier {
  if (!carrier.speaks && carrier.plays === undefined) return carrier;
  return {
    ...carrier,
    // Another consumer's sound is waited for, and made here where that one dies.
    readyMs: 2 * configOf(env).TTS_TIMEOUT_MS,
    async submit(message, see) {
      const prepared = await ready(env, carrier, message);
      return prepared.ok ? carrier.submit(prepared.message, see) : prepared.outcome;
    },
  };
}
