import { fileTypeFromBuffer } from "file-type";
import { parseBuffer } from "music-metadata";
import type { Mime } from "./media.ts";

// What an uploaded recording is (contract §5.6): known by its bytes, never by its name.

/** Base64 text of one upload. */
export const BASE64_LENGTH_MAX = 5 * 1024 * 1024;
/** Longest recording. */
export const DURATION_MS_MAX = 600_000;

const WAV_CODECS = /^(PCM|A-law|µ-law|mu-law|ALAW|MULAW|non-PCM \((6|7)\))/iu;

export type Inspected = { ok: true; mime: Mime; durationMs: number } | { ok: false; found: string };

/** Bytes of standard Base64: padding is optional, line breaks and spaces are ignored. Null when it is anything else. */
export function decodeBase64(text: string): Uint8Array | null {
  try {
    const compact = /\s/u.test(text) ? text.replaceAll(/\s+/gu, "") : text;
    return Uint8Array.fromBase64(compact, { lastChunkHandling: "loose" });
  } catch {
    return null;
  }
}

/** Finds out whether bytes are a recording that can be played in a call, and how long it is. */
export async function inspectRecording(bytes: Uint8Array): Promise<Inspected> {
  const type = await fileTypeFromBuffer(bytes);
  if (type?.ext !== "wav" && type?.ext !== "mp3") {
    return { ok: false, found: type ? `${type.ext.toUpperCase()} data` : "data of no known kind" };
  }
  const mime: Mime = type.ext === "wav" ? "audio/wav" : "audio/mpeg";
  try {
    const { format } = await parseBuffer(bytes, { mimeType: mime, size: bytes.length }, { duration: true });
    const codec = format.codec ?? "an unknown codec";
    if (type.ext === "wav" && !WAV_CODECS.test(codec)) return { ok: false, found: `WAV with ${codec}` };
    if (type.ext === "mp3" && !/layer 3/iu.test(codec)) return { ok: false, found: codec };
    return { ok: true, mime, durationMs: Math.round((format.duration ?? 0) * 1000) };
  } catch {
    return { ok: false, found: `a damaged ${type.ext.toUpperCase()} file` };
  }
}
