import { configOf } from "../config/config.ts";
import { google } from "./google.ts";
import type { Provider } from "./provider.ts";
import { sarvam } from "./sarvam.ts";
import { worker } from "./own-worker.ts";
import type { Speaks } from "./own-worker.ts";

/** The binding of a deployment that has a speech Worker; wrangler.toml has none, so that no type names it. */
const boundWorker = (env: Env): Speaks | undefined => (env as { TTS_WORKER?: Speaks }).TTS_WORKER;

/** A name for requests through the binding, which needs none. */
const BOUND_URL = "https://tts.internal/";

/** The provider of this deployment; null where it has none, or what it needs is not there. */
export function providerOf(env: Env): Provider | null {
  const { TTS, GOOGLE_TTS_CREDENTIALS, SARVAM_API_KEY, TTS_WORKER_URL } = configOf(env);
  switch (TTS) {
    case "none":
      return null;
    case "google":
      return GOOGLE_TTS_CREDENTIALS === undefined ? null : google(GOOGLE_TTS_CREDENTIALS);
    case "sarvam":
      return SARVAM_API_KEY === undefined ? null : sarvam(SARVAM_API_KEY);
    case "worker": {
      const bound = boundWorker(env);
      if (bound) return worker(bound, BOUND_URL);
      return TTS_WORKER_URL === undefined ? null : worker({ fetch: (url, init) => fetch(url, init) }, TTS_WORKER_URL);
    }
  }
}
