import { ALAW, MULAW } from "./wav.ts";
import type { WavFormat } from "./wav.ts";

// Samples of a WAV as numbers between -1 and 1, and telephone samples from such numbers.

/** A sample of A-law (ITU-T G.711 table 1), of 16 bits. */
function ofAlaw(byte: number): number {
  const code = byte ^ 0x55;
  const segment = (code >> 4) & 7;
  const mantissa = ((code & 15) << 4) + 8;
  const magnitude = segment === 0 ? mantissa : (mantissa + 0x100) << (segment - 1);
  return (code & 0x80) === 0 ? -magnitude : magnitude;
}

/** G.711's µ-law is added this before its segment is found. */
const BIAS = 0x84;
const MULAW_MAX = 32_635;

/** A sample of µ-law (ITU-T G.711 table 2), of 16 bits. */
function ofMulaw(byte: number): number {
  const code = ~byte;
  const magnitude = ((((code & 15) << 3) + BIAS) << ((code >> 4) & 7)) - BIAS;
  return (code & 0x80) === 0 ? magnitude : -magnitude;
}

/** A 16-bit sample as µ-law. */
export function toMulaw(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), MULAW_MAX) + BIAS;
  const segment = 24 - Math.clz32(magnitude);
  const mantissa = (magnitude >> (segment + 3)) & 15;
  return ~((sample < 0 ? 0x80 : 0) | (segment << 4) | mantissa) & 0xff;
}

const tableOf = (decode: (byte: number) => number): Float32Array =>
  Float32Array.from({ length: 256 }, (_, byte) => decode(byte) / 32_768);

/** How one sample is read at an offset. */
type ReadSample = (view: DataView, at: number) => number;

/** The reader of a format's samples. Those of fewer bits than their bytes have are the upper bits. */
function readerOf({ code, bits }: WavFormat): ReadSample {
  if (code === ALAW || code === MULAW) {
    const table = tableOf(code === ALAW ? ofAlaw : ofMulaw);
    return (view, at) => table[view.getUint8(at)] ?? 0;
  }
  if (bits <= 8) return (view, at) => (view.getUint8(at) - 128) / 128;
  if (bits <= 16) return (view, at) => view.getInt16(at, true) / 2 ** 15;
  if (bits <= 24) return (view, at) => (view.getInt8(at + 2) * 65_536 + view.getUint16(at, true)) / 2 ** 23;
  return (view, at) => view.getInt32(at, true) / 2 ** 31;
}

/** The frames of these bytes as one channel, the mean of all; a frame that was cut off is left out. */
export function monoOf(sound: Uint8Array, format: WavFormat): Float32Array {
  const { channels, bits } = format;
  const size = Math.ceil(bits / 8);
  const read = readerOf(format);
  const view = new DataView(sound.buffer, sound.byteOffset, sound.byteLength);
  const mono = new Float32Array(Math.floor(sound.length / (size * channels)));
  for (let frame = 0, at = 0; frame < mono.length; frame += 1) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1, at += size) sum += read(view, at);
    mono[frame] = sum / channels;
  }
  return mono;
}

/** Samples of 16 bits; what is too loud is cut at their limits. */
export const toInt16 = (samples: Float32Array): Int16Array =>
  Int16Array.from(samples, (value) => Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768))));
