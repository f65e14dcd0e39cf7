import { monoOf, toInt16, toMulaw } from "./pcm.ts";
import { resample } from "./resample.ts";
import { MULAW, PCM, readWav } from "./wav.ts";

// WAV files as telephones play them: 8,000 samples a second, one channel.

const RATE = 8_000;
const HEADER_SIZE = 44;

/**
 * A recording with 16 bits a sample is smaller than this; a longer one has 8 bits, in µ-law, as the telephone network
 * has itself. Infobip plays files of less than 4 MB.
 */
export const TELEPHONE_BYTES_MAX = 4_000_000;

/** A WAV file of one channel and 8,000 samples a second, in the plainest form there is (RFC 2361). */
function wavOf(code: number, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(HEADER_SIZE + data.length + (data.length % 2));
  const view = new DataView(bytes.buffer);
  const sampleSize = code === PCM ? 2 : 1;
  bytes.set(Buffer.from("RIFF\0\0\0\0WAVEfmt "));
  view.setUint32(4, bytes.length - 8, true);
  view.setUint32(16, 16, true);
  view.setUint16(20, code, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, RATE, true);
  view.setUint32(28, RATE * sampleSize, true);
  view.setUint16(32, sampleSize, true);
  view.setUint16(34, 8 * sampleSize, true);
  bytes.set(Buffer.from("data"), 36);
  view.setUint32(40, data.length, true);
  bytes.set(data, HEADER_SIZE);
  return bytes;
}

/** A WAV file as telephones play it, of the same duration; null where the bytes are no WAV that a call can play. */
export function telephoneWav(bytes: Uint8Array): Uint8Array | null {
  const read = readWav(bytes);
  if (!read.ok) return null;
  const samples = toInt16(resample(monoOf(read.sound, read.format), read.format.rate, RATE));
  if (HEADER_SIZE + samples.byteLength >= TELEPHONE_BYTES_MAX) return wavOf(MULAW, Uint8Array.from(samples, toMulaw));
  // Little-endian, as every machine that runs this is.
  return wavOf(PCM, new Uint8Array(samples.buffer));
}
