import type { RecordingQuota, Upload } from "../../src/model/message.ts";

// Generated recordings, as small as their format allows.

/** Format codes of a WAV header (RFC 2361): three that a call can play, and one that it cannot. */
export const WAV_FORMAT = { pcm: 1, adpcm: 2, alaw: 6, mulaw: 7 } as const;

export interface WavShape {
  format?: number;
  /** Bytes per second; one channel, eight bits. */
  rate?: number;
  seconds?: number;
  /** Seconds that the header claims, if they differ from the actual ones. */
  claimed?: number;
  /** Samples that a `fact` chunk claims; no chunk if absent. */
  fact?: number;
  /** Frame size in bytes that the header claims. */
  frameSize?: number;
}

function ascii(view: DataView, at: number, text: string): void {
  for (let index = 0; index < text.length; index += 1) view.setUint8(at + index, text.charCodeAt(index));
}

/** A WAV file: one channel, eight bits, by default one second of 1,000 bytes. */
export function wav(shape: WavShape = {}): Uint8Array {
  const { format = WAV_FORMAT.pcm, rate = 1_000, seconds = 1, claimed = seconds, fact, frameSize = 1 } = shape;
  const data = fact === undefined ? 44 : 56;
  const bytes = new Uint8Array(data + Math.round(rate * seconds)).fill(0x80, data);
  const view = new DataView(bytes.buffer);
  const claimedSize = Math.round(rate * claimed);
  ascii(view, 0, "RIFF");
  view.setUint32(4, data - 8 + claimedSize, true);
  ascii(view, 8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, format, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate, true);
  view.setUint16(32, frameSize, true);
  view.setUint16(34, 8, true);
  if (fact !== undefined) {
    ascii(view, 36, "fact");
    view.setUint32(40, 4, true);
    view.setUint32(44, fact, true);
  }
  ascii(view, data - 8, "data");
  view.setUint32(data - 4, claimedSize, true);
  return bytes;
}

/** What a format chunk says; by default 8,000 bytes a second of µ-law. */
export interface WavFormat {
  code?: number;
  channels?: number;
  rate?: number;
  bits?: number;
  /** Bytes per second that the header claims. */
  byteRate?: number;
  /** With valid bits, the chunk is extensible, and this is what its last 14 bytes are. */
  validBits?: number;
  subtypeTail?: readonly number[];
}

/** What follows the format code in the sub-format of an extensible header (KSDATAFORMAT_SUBTYPE_PCM and its kin). */
const SUBTYPE_TAIL = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];

/** A format chunk. */
export function fmt(format: WavFormat = {}): [string, Uint8Array] {
  const { code = WAV_FORMAT.mulaw, channels = 1, rate = 8_000, bits = 8, validBits, subtypeTail } = format;
  const frame = channels * Math.ceil(bits / 8);
  const view = new DataView(new ArrayBuffer(validBits === undefined ? 16 : 40));
  view.setUint16(0, validBits === undefined ? code : 0xfffe, true);
  view.setUint16(2, channels, true);
  view.setUint32(4, rate, true);
  view.setUint32(8, format.byteRate ?? rate * frame, true);
  view.setUint16(12, frame, true);
  view.setUint16(14, bits, true);
  const bytes = new Uint8Array(view.buffer);
  if (validBits === undefined) return ["fmt ", bytes];
  view.setUint16(16, 22, true);
  view.setUint16(18, validBits, true);
  view.setUint16(24, code, true);
  bytes.set(subtypeTail ?? SUBTYPE_TAIL, 26);
  return ["fmt ", bytes];
}

/** A chunk of a RIFF file: its name, its bytes and, if it claims another, its size. */
export type Chunk = readonly [name: string, bytes: Uint8Array, claimed?: number];

/** A WAV file of these chunks, padded to even offsets. */
export function riff(...chunks: Chunk[]): Uint8Array {
  const parts = chunks.flatMap(([name, bytes, claimed = bytes.length]) => {
    const head = new DataView(new ArrayBuffer(8));
    ascii(head, 0, name);
    head.setUint32(4, claimed, true);
    return [new Uint8Array(head.buffer), bytes, new Uint8Array(bytes.length % 2)];
  });
  const head = new DataView(new ArrayBuffer(12));
  ascii(head, 0, "RIFF");
  head.setUint32(4, 4 + parts.reduce((sum, { length }) => sum + length, 0), true);
  ascii(head, 8, "WAVE");
  return join(new Uint8Array(head.buffer), ...parts);
}

/** `count` MPEG audio frames: each has these bytes of header and is `size` bytes long. */
export function frames(count: number, header: readonly number[], size: number): Uint8Array {
  const bytes = new Uint8Array(count * size);
  for (let frame = 0; frame < count; frame += 1) bytes.set(header, frame * size);
  return bytes;
}

/** An upload, as the route describes it to the account. */
export const uploadOf = (fileId: string, more: Partial<Upload> = {}): Upload => ({
  fileId,
  name: "a.wav",
  objectKey: `acc_x/${fileId}`,
  content: fileId,
  mime: "audio/wav",
  sizeBytes: 1,
  durationMs: 1,
  ...more,
});

/** A quota that no test reaches by accident. */
export const QUOTA: RecordingQuota = { recordings: 200, bytes: 500_000_000 };

/** Duration of one frame of `mp3`: 576 samples at 24 kHz. */
export const MP3_FRAME_MS = 24;

/** An MP3 file of silence: MPEG-2 Layer III, 8 kbit/s, 24 kHz, mono, so that a frame is 24 bytes. */
export function mp3(seconds: number): Uint8Array {
  return frames(Math.round((seconds * 1000) / MP3_FRAME_MS), [0xff, 0xf3, 0x14, 0xc0], 24);
}

/** The same MP3 after a frame that claims how many frames and bytes follow (a Xing header), correctly or not. */
export function mp3Claiming(claimed: number, seconds: number): Uint8Array {
  const info = new Uint8Array(48);
  info.set([0xff, 0xf3, 0x24, 0xc0]);
  const view = new DataView(info.buffer);
  ascii(view, 13, "Xing");
  view.setUint32(17, 3);
  view.setUint32(21, claimed);
  view.setUint32(25, claimed * 24);
  return join(info, mp3(seconds));
}

/** The same MP3 after an ID3v2 tag of `size` bytes. */
export function mp3Tagged(size: number, seconds: number): Uint8Array {
  const tag = new Uint8Array(10 + size);
  tag.set([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, size >> 7, size & 127]);
  return join(tag, mp3(seconds));
}

/** These bytes one after the other. */
export const join = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));

/** The first bytes of a PNG image. */
export const png = () =>
  Uint8Array.of(
    0x89,
    0x50,
    0x4e,
    0x47,
    0x0d,
    0x0a,
    0x1a,
    0x0a,
    0,
    0,
    0,
    13,
    0x49,
    0x48,
    0x44,
    0x52,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    1,
    8,
    6,
    0,
    0,
    0,
    0x1f,
    0x15,
    0xc4,
    0x89,
  );

/** Standard Base64 with padding. */
export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
