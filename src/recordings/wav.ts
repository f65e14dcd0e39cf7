import { looksCompressed } from "./compressed.ts";
import type { Measured } from "./measured.ts";

// Measures a WAV file (RIFF, RFC 2361) by the bytes that are present: the price must not depend on its header's claims.
// It walks the chunks as players do, and refuses what players could read in two ways.

export const [PCM, ALAW, MULAW] = [1, 6, 7];

/** Format codes that a call can play: PCM, A-law, µ-law. Each has a fixed size per sample. */
const PLAYABLE: ReadonlySet<number> = new Set([PCM, ALAW, MULAW]);
/** With this format code, the real one is 24 bytes into the format chunk. */
const EXTENSIBLE = 0xfffe;
/** An extensible format chunk, and what follows the code in it (KSDATAFORMAT_SUBTYPE_PCM and its kin). */
const EXTENSIBLE_SIZE = 40;
const SUBTYPE_TAIL = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];

/** Samples per second. Below, bytes that are not sound could last too long in a player that plays them. */
const RATE_MIN = 1_000;
const RATE_MAX = 192_000;
const CHANNELS_MAX = 8;
const BITS_MAX = 32;

/** Bytes that are neither sound nor tags: more of them, and nothing can be said about what a player does there. */
const STRAY_BYTES_MAX = 64 * 1024;

const FIRST_CHUNK_AT = 12;
const CHUNK_HEADER_SIZE = 8;

const code = (name: string): number => [...name].reduce((sum, letter) => sum * 256 + letter.charCodeAt(0), 0);

const [RIFF, WAVE, FORMAT, DATA] = [code("RIFF"), code("WAVE"), code("fmt "), code("data")];

/** Chunks that describe the sound, of any size; no player plays them. */
const TAGS: ReadonlySet<number> = new Set(["LIST", "id3 ", "ID3 ", "bext", "iXML", "_PMX", "cue ", "smpl"].map(code));

const DAMAGED = "a damaged WAV file";

interface Chunk {
  name: number;
  view: DataView;
}

/** The chunks of a RIFF file, each cut to the bytes that are present. A data chunk without a size goes to the end. */
function* chunksOf(bytes: Uint8Array, file: DataView): Generator<Chunk> {
  for (let at = FIRST_CHUNK_AT; at + CHUNK_HEADER_SIZE <= bytes.length;) {
    const start = at + CHUNK_HEADER_SIZE;
    const name = file.getUint32(at);
    const claimed = file.getUint32(at + 4, true);
    const left = bytes.length - start;
    const size = name === DATA && claimed === 0 ? left : claimed;
    yield { name, view: new DataView(bytes.buffer, bytes.byteOffset + start, Math.min(size, left)) };
    // Chunks begin at even offsets.
    at = start + size + (size % 2);
  }
}

/** Whether a data chunk begins at an odd offset: some players find it there, and others do not. */
function isAmbiguous(file: DataView, { view }: Chunk): boolean {
  const end = view.byteOffset - file.byteOffset + view.byteLength;
  return view.byteLength % 2 === 1 && end + 4 <= file.byteLength && file.getUint32(end) === DATA;
}

/** How the samples of a file are stored. */
export interface WavFormat {
  /** `PCM`, `ALAW` or `MULAW`. */
  code: number;
  /** Of one sample, which takes whole bytes. */
  bits: number;
  channels: number;
  /** Frames per second. */
  rate: number;
  bytesPerSecond: number;
}

/** A file whose sound can be played: its format and its samples, without the header; or what was found instead. */
export type WavRead =
  { ok: true; format: WavFormat; sound: Uint8Array; durationMs: number } | { ok: false; found: string };

/** The format of an extensible header, or what is wrong with it. */
function extensibleOf(view: DataView): { code: number; validBits: number } | null {
  if (view.byteLength < EXTENSIBLE_SIZE || view.getUint16(16, true) < EXTENSIBLE_SIZE - 18) return null;
  if (!SUBTYPE_TAIL.every((byte, at) => view.getUint8(26 + at) === byte)) return null;
  return { code: view.getUint16(24, true), validBits: view.getUint16(18, true) };
}

/** The format in a format chunk, or why a call cannot play it. */
function formatOf(view: DataView): WavFormat | string {
  if (view.byteLength < 16) return DAMAGED;
  const said = view.getUint16(0, true);
  const channels = view.getUint16(2, true);
  const rate = view.getUint32(4, true);
  const frameSize = view.getUint16(12, true);
  const bits = view.getUint16(14, true);
  const sampleSize = Math.ceil(bits / 8);
  const extended = said === EXTENSIBLE ? extensibleOf(view) : { code: said, validBits: 0 };
  if (!extended) return "a WAV whose extended header is damaged";
  if (!PLAYABLE.has(extended.code)) return `WAV with codec number ${extended.code}`;
  // With a frame size larger than its samples, a recording would last longer than the time it is billed for.
  if (rate === 0 || frameSize === 0 || frameSize !== sampleSize * channels) return DAMAGED;
  if (rate < RATE_MIN || rate > RATE_MAX) return `WAV with ${rate} samples per second`;
  if (channels > CHANNELS_MAX) return `WAV with ${channels} channels`;
  if (bits < 8 || bits > BITS_MAX || (extended.code !== PCM && bits !== 8)) return `WAV with samples of ${bits} bits`;
  // Players take the valid bits as the size of a sample.
  if (extended.validBits !== 0 && Math.ceil(extended.validBits / 8) !== sampleSize) {
    return `WAV with samples of ${extended.validBits} bits in ${bits}`;
  }
  return { code: extended.code, bits, channels, rate, bytesPerSecond: rate * frameSize };
}

const bytesOf = (view: DataView) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

/** The bytes of all data chunks; only a file with several is copied. */
function soundOf(parts: readonly DataView[]): Uint8Array {
  const [first, ...others] = parts.map(bytesOf);
  return others.length === 0 ? (first ?? new Uint8Array()) : Buffer.concat([first ?? new Uint8Array(), ...others]);
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Whether these bytes begin as a WAV file does. */
export function isRiff(bytes: Uint8Array): boolean {
  return bytes.length >= FIRST_CHUNK_AT && viewOf(bytes).getUint32(0) === RIFF && viewOf(bytes).getUint32(8) === WAVE;
}

const refused = (found: string): WavRead => ({ ok: false, found });

/** Reads a WAV file by the bytes that are present, or says why a call cannot play it. */
export function readWav(bytes: Uint8Array): WavRead {
  if (!isRiff(bytes)) return refused(DAMAGED);
  const file = viewOf(bytes);
  let format: WavFormat | null = null;
  let stray = 0;
  const sound: DataView[] = [];
  for (const chunk of chunksOf(bytes, file)) {
    const { name, view } = chunk;
    stray += CHUNK_HEADER_SIZE;
    if (isAmbiguous(file, chunk)) return refused(DAMAGED);
    if (name === DATA) {
      if (!format) return refused(DAMAGED);
      sound.push(view);
    } else if (name === FORMAT) {
      if (format) return refused("a WAV with two format chunks");
      const read = formatOf(view);
      if (typeof read === "string") return refused(read);
      format = read;
      stray += view.byteLength;
    } else if (!TAGS.has(name)) stray += view.byteLength;
    if (stray > STRAY_BYTES_MAX) return refused("a WAV with more than 64 KiB that are neither sound nor tags");
  }
  if (!format || sound.length === 0) return refused(DAMAGED);
  const whole = soundOf(sound);
  if (format.code === PCM && format.bits > 8 && looksCompressed(whole)) {
    return refused("a WAV with compressed sound where it says PCM");
  }
  return { ok: true, format, sound: whole, durationMs: Math.ceil((whole.length * 1000) / format.bytesPerSecond) };
}

/** The duration of a WAV file by its bytes, or why a call cannot play it. */
export function measureWav(bytes: Uint8Array): Measured {
  const read = readWav(bytes);
  return read.ok ? { ok: true, durationMs: read.durationMs } : read;
}
