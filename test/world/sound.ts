import { fmt, riff, WAV_FORMAT } from "./recordings.ts";

// Sound whose every sample is known: sines, as WAV files of any format, and what is found in one again.

export interface Sine {
  hz: number;
  /** Of full scale. */
  level?: number;
  rate: number;
  seconds: number;
  channels?: number;
  bits?: 8 | 16 | 24 | 32;
}

const sampleAt = ({ hz, level = 0.5, rate }: Sine, frame: number): number =>
  level * Math.sin((2 * Math.PI * hz * frame) / rate);

/** The samples of a sine, as PCM. */
export function pcm(sine: Sine): Uint8Array {
  const { rate, seconds, channels = 1, bits = 16 } = sine;
  const frames = Math.round(rate * seconds);
  const size = bits / 8;
  const view = new DataView(new ArrayBuffer(frames * channels * size));
  for (let frame = 0; frame < frames; frame += 1) {
    const value = Math.round(sampleAt(sine, frame) * (2 ** (bits - 1) - 1));
    for (let channel = 0; channel < channels; channel += 1) {
      const at = (frame * channels + channel) * size;
      if (bits === 8) view.setUint8(at, value + 128);
      else if (bits === 16) view.setInt16(at, value, true);
      else if (bits === 32) view.setInt32(at, value, true);
      else {
        view.setUint16(at, value & 0xffff, true);
        view.setInt8(at + 2, value >> 16);
      }
    }
  }
  return new Uint8Array(view.buffer);
}

/** A sine as a WAV file of PCM. */
export function sineWav(sine: Sine): Uint8Array {
  const { rate, channels = 1, bits = 16 } = sine;
  return riff(fmt({ code: WAV_FORMAT.pcm, rate, channels, bits }), ["data", pcm(sine)]);
}

/** What a telephone's WAV file says of itself, with its samples between -1 and 1. */
export function telephone(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ascii = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  const size = view.getUint32(40, true);
  return {
    chunks: [ascii(0), ascii(8), ascii(12), ascii(36)],
    sizes: [view.getUint32(4, true) + 8, size + 44],
    code: view.getUint16(20, true),
    channels: view.getUint16(22, true),
    rate: view.getUint32(24, true),
    bytesPerSecond: view.getUint32(28, true),
    bits: view.getUint16(34, true),
    samples: Float64Array.from({ length: Math.floor(size / 2) }, (_, at) => view.getInt16(44 + 2 * at, true) / 32_768),
  };
}

const dB = (ratio: number): number => 20 * Math.log10(Math.max(ratio, 1e-9));

/** The samples without the filter's edges. */
const middle = (samples: Float64Array): Float64Array => samples.subarray(800, -800);

/** How loud samples are, against full scale, in dB (a full sine is -3). */
export const loudness = (samples: Float64Array): number =>
  dB(Math.sqrt(middle(samples).reduce((sum, one) => sum + one * one, 0) / middle(samples).length));

/** How far everything but the expected sine is below it, in dB. */
export function purity(samples: Float64Array, sine: Pick<Sine, "hz" | "level">): number {
  let [error, signal] = [0, 0];
  for (let at = 800; at < samples.length - 800; at += 1) {
    const wanted = sampleAt({ ...sine, rate: 8_000, seconds: 0 }, at);
    error += (wanted - (samples[at] ?? 0)) ** 2;
    signal += wanted ** 2;
  }
  return dB(Math.sqrt(error / signal));
}
