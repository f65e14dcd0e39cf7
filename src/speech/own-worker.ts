import { bytesUpTo } from "../http/streams.ts";
import type { Provider } from "./provider.ts";
import { ANSWER_BYTES_MAX, byStatus, later, thrown } from "./provider.ts";

// A Worker of the deployment's own that speaks (docs/operators.md): `POST` of {text, locale, gender, rate}, answered with a
// WAV file. It is bound as TTS_WORKER, or has an address.

/** What a request is made with: the service binding, or the network. */
export interface Speaks {
  fetch: (url: string, init: RequestInit) => Promise<Response>;
}

/** A speech Worker behind this address. */
export const worker = (through: Speaks, url: string): Provider => ({
  name: "worker",
  // Which voice speaks is the Worker's business.
  voice: ({ locale, gender }) => `${locale}-${gender}`,
  async speak({ text, speech, timeoutMs }) {
    try {
      const answer = await through.fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "audio/wav" },
        body: JSON.stringify({ text, ...speech }),
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (answer.status !== 200) {
        await answer.body?.cancel();
        return byStatus(answer.status);
      }
      const { value } = await bytesUpTo(answer, ANSWER_BYTES_MAX);
      return value ? { ok: true, audio: value } : later("too_long");
    } catch (problem) {
      return thrown(problem);
    }
  },
});
