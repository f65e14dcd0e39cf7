import { fileTypeFromBuffer } from "file-type";
import { mp3DurationMs } from "./mp3.ts";
import type { Mime } from "./signed-address.ts";
import { measureWav } from "./wav.ts";

// Determines the type of an uploaded recording (contract §5.6) by its bytes, never by its name.

/** The longest Base64 text of one upload, in characters. */
export const BASE64_LENGTH_MAX = 5 * 1024 * 1024;
/** The longest recording. */
export const DURATION_MS_MAX = 600_000;

type Inspected = { ok: true; mime: Mime; durationMs: number } | { ok: false; found: string };

/** Bytes of standard Base64: padding is optional, line breaks and spaces are ignored. Null when it is anything else. */
export function decodeBase64(text: string): Uint8Array | null {
  try {
    const compact = /\s/u.test(text) ? text.replaceAll(/\s+/gu, "") : text;
    return Uint8Array.fromBase64(compact, { lastChunkHandling: "loose" });
  } catch {
    return null;
  }
}

/** Determines whether a call can play a recording, and how long it lasts. */
export async function inspectRecording(bytes: Uint8Array): Promise<Inspected> {
  const type = await fileTypeFromBuffer(bytes);
  if (type?.ext !== "wav" && type?.ext !== "mp3") {
    return { ok: false, found: type ? `${type.ext.toUpperCase()} data` : "data of no known kind" };
  }
  if (type.ext === "mp3") return { ok: true, mime: "audio/mpeg", durationMs: mp3DurationMs(bytes) };
  const measured = measureWav(bytes);
  return measured.ok ? { ...measured, mime: "audio/wav" } : measured;
}
