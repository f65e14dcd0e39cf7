import { fileTypeFromBuffer } from "file-type";
import type { Measured } from "./measured.ts";
import { measureMp3, soundStart } from "./mp3.ts";
import { frameAt } from "./mpeg-frames.ts";
import type { Mime } from "./signed-address.ts";
import { isRiff, measureWav } from "./wav.ts";

// Determines the type of an uploaded recording (contract §5.6) by its bytes, never by its name.

/** The longest Base64 text of one upload, in characters. */
export const BASE64_LENGTH_MAX = 5 * 1024 * 1024;
/** The longest recording. */
export const DURATION_MS_MAX = 600_000;

type Inspected = (Measured & { ok: true; mime: Mime }) | (Measured & { ok: false });

/** Bytes of standard Base64: padding is optional, line breaks and spaces are ignored. Null when it is anything else. */
export function decodeBase64(text: string): Uint8Array | null {
  try {
    const compact = /\s/u.test(text) ? text.replaceAll(/\s+/gu, "") : text;
    return Uint8Array.fromBase64(compact, { lastChunkHandling: "loose" });
  } catch {
    return null;
  }
}

/** Bytes from which the kind of a file that is no recording can be told. */
const SNIFFED_BYTES = 8 * 1024;

/** What these bytes are, for the sentence that refuses them. */
async function nameOf(bytes: Uint8Array): Promise<string> {
  const type = await fileTypeFromBuffer(bytes.subarray(0, SNIFFED_BYTES));
  if (!type) return "data of no known kind";
  if (type.ext === "wav") return "a WAV behind an ID3 tag";
  return type.ext === "mp3" ? "an MP3 that does not begin with a frame" : `${type.ext.toUpperCase()} data`;
}

/**
 * Determines whether a call can play a recording, and how long it lasts. The first bytes decide the kind, as they do in
 * players, so that no player takes it for something else.
 */
export async function inspectRecording(bytes: Uint8Array): Promise<Inspected> {
  if (isRiff(bytes)) {
    const measured = measureWav(bytes);
    return measured.ok ? { ...measured, mime: "audio/wav" } : measured;
  }
  const start = soundStart(bytes);
  const first = frameAt(bytes, start);
  if (first?.layer !== 3) {
    const found = await nameOf(bytes.subarray(start));
    return { ok: false, found: first ? `MPEG audio of layer ${first.layer}` : found };
  }
  const measured = measureMp3(bytes);
  return measured.ok ? { ...measured, mime: "audio/mpeg" } : measured;
}
