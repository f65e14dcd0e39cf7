// Recordings made by code, as small as their kind allows.

/** Format codes of a WAV header (RFC 2361): the three that a call can play, and one that it cannot. */
export const WAV_FORMAT = { pcm: 1, adpcm: 2, alaw: 6, mulaw: 7 } as const;

export interface WavShape {
  format?: number;
  /** Bytes per second; one channel, eight bits. */
  rate?: number;
  seconds?: number;
  /** Seconds that the header claims, where they are not those that are there. */
  claimed?: number;
}

function ascii(view: DataView, at: number, text: string): void {
  for (let index = 0; index < text.length; index += 1) view.setUint8(at + index, text.charCodeAt(index));
}

/** A WAV file: one channel of eight bits, a second of 1,000 bytes unless asked otherwise. */
export function wav({
  format = WAV_FORMAT.pcm,
  rate = 1_000,
  seconds = 1,
  claimed = seconds,
}: WavShape = {}): Uint8Array {
  const size = Math.round(rate * seconds);
  const bytes = new Uint8Array(44 + size).fill(0x80, 44);
  const view = new DataView(bytes.buffer);
  const claimedSize = Math.round(rate * claimed);
  ascii(view, 0, "RIFF");
  view.setUint32(4, 36 + claimedSize, true);
  ascii(view, 8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, format, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  ascii(view, 36, "data");
  view.setUint32(40, claimedSize, true);
  return bytes;
}

/** What one frame of `mp3` lasts: 576 samples at 24 kHz. */
export const MP3_FRAME_MS = 24;

/** An MP3 file of silence: MPEG-2 Layer III, 8 kbit/s, 24 kHz, mono, so that a frame is 24 bytes. */
export function mp3(seconds: number): Uint8Array {
  const frames = Math.round((seconds * 1000) / MP3_FRAME_MS);
  const bytes = new Uint8Array(frames * 24);
  for (let frame = 0; frame < frames; frame += 1) bytes.set([0xff, 0xf3, 0x14, 0xc0], frame * 24);
  return bytes;
}

/** The same MP3 with a first frame that claims how many frames follow (a Xing header), truly or not. */
export function mp3Claiming(frames: number, seconds: number): Uint8Array {
  const info = new Uint8Array(48);
  info.set([0xff, 0xf3, 0x24, 0xc0]);
  const view = new DataView(info.buffer);
  ascii(view, 13, "Xing");
  view.setUint32(17, 1);
  view.setUint32(21, frames);
  const sound = mp3(seconds);
  const bytes = new Uint8Array(info.length + sound.length);
  bytes.set(info);
  bytes.set(sound, info.length);
  return bytes;
}

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
