import { configOf } from "../config/config.ts";
import { accountOfName } from "../crypto/ids.ts";
import { SPEECH_FOLDER } from "../model/message.ts";
import { keptMs } from "./made.ts";

// Deletes the sound of texts that are forgotten by now. Each run looks at the accounts whose ids begin with one character,
// so that nothing has to be noted: all of them have their turn within hours.

const CHARACTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RUN_MS = 300_000;
/** Keys that one call of R2 lists and deletes, and the calls of one run. */
const KEYS_MAX = 1_000;
const PAGES_MAX = 20;

/** Deletes what is too old of the accounts whose turn it is. */
export async function forgetSpeech(env: Env, nowMs: number): Promise<void> {
  const config = configOf(env);
  const character = CHARACTERS.charAt(Math.floor(nowMs / RUN_MS) % CHARACTERS.length);
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const listed: R2Objects = await env.RECORDINGS.list({
      prefix: `${SPEECH_FOLDER}/acc_${character}`,
      limit: KEYS_MAX,
      ...(cursor !== undefined && { cursor }),
    });
    const old = listed.objects.filter(({ key, uploaded }) => {
      const { mode } = accountOfName(key.split("/")[1] ?? "");
      return uploaded.getTime() + keptMs(config, mode) <= nowMs;
    });
    if (old.length > 0) await env.RECORDINGS.delete(old.map(({ key }) => key));
    if (!listed.truncated) return;
    ({ cursor } = listed);
  }
}
