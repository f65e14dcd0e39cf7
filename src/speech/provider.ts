import type { Config } from "../config/settings.ts";
import { readText } from "../http/streams.ts";
import type { Speech } from "../voices/voices.ts";

// The port of text-to-speech: what the service asks of a provider. One file for each, and a line in providers.ts.

/** What came of making a text into sound. Nothing was sent to anybody yet, so that a failure is always certain. */
export type Spoken =
  | { ok: true; audio: Uint8Array }
  /** Tried again: the provider is away or busy (`later`), or it will never take this text (`never`). */
  | { ok: false; again: "later" | "never"; code: string };

export interface Provider {
  name: Exclude<Config["TTS"], "none">;
  /** The voice for this speech; null where it has none. */
  voice: (speech: Speech) => string | null;
  /** Makes the text into a WAV file; never throws. The whole answer comes within `timeoutMs`. */
  speak: (asked: { text: string; speech: Speech; voice: string; timeoutMs: number }) => Promise<Spoken>;
}

/** Of an answer: a minute at 8 kHz is 1 MB, and 1.3 MB as Base64; Workers may answer with 48 kHz. */
export const ANSWER_BYTES_MAX = 12_000_000;

/** A failure that says nothing about the text: it is tried again. */
export const later = (code: string): Spoken => ({ ok: false, again: "later", code: `speech_${code}` });

/** A failure of this text, at every attempt. */
export const never = (code: string): Spoken => ({ ok: false, again: "never", code: `speech_${code}` });

/** Statuses of the deployment's own account at the provider, or of haste: none is about the text. */
const NOT_THE_TEXT: ReadonlySet<number> = new Set([401, 402, 403, 408, 425, 429]);

/** What a status that brings no sound means. A redirect is never followed: the text would go to another host. */
export const byStatus = (status: number): Spoken =>
  status < 400 || status >= 500 || NOT_THE_TEXT.has(status) ? later(`http_${status}`) : never(`http_${status}`);

/** The sound in the Base64 of an answer. */
export function soundOf(base64: string): Spoken {
  try {
    return { ok: true, audio: Uint8Array.fromBase64(base64) };
  } catch {
    return later("no_sound");
  }
}

/** What a thrown failure of a request means: the time is up, or the connection broke. */
export const thrown = (problem: unknown): Spoken =>
  later(problem instanceof Error && problem.name === "TimeoutError" ? "timeout" : "connection_broken");

/** Posts JSON and reads a JSON answer; `read` turns its status and value (null: none) into what came of it. */
export async function postJson(
  url: string,
  headers: Record<string, string>,
  body: object,
  timeoutMs: number,
  read: (status: number, value: unknown) => Spoken,
): Promise<Spoken> {
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await readText(answer, ANSWER_BYTES_MAX);
    return read(answer.status, valueOf(text));
  } catch (problem) {
    return thrown(problem);
  }
}

function valueOf(text: string | null): unknown {
  try {
    return text === null ? null : (JSON.parse(text) as unknown);
  } catch {
    return null;
  }
}
