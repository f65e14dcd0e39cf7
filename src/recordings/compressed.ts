import { frameAt } from "./mpeg-frames.ts";

// Finds compressed sound where a WAV says PCM. Players look for it (ffmpeg probes 16-bit PCM) and then play it as what it
// is: 1 MB of "PCM" that is MP3 at 8 kbit/s lasts a quarter of an hour.

/** Frames in a row at the beginning; players that probe decide by three or more. */
const CHAIN_AT_START = 3;
/** Frames in a row anywhere else. PCM has that many by chance in one of 10^60 files. */
const CHAIN_ANYWHERE = 16;
/** Appearances of a synchronisation word of four bytes. */
const WORDS_MAX = 2;

/** Bytes of the frame that begins here in one format, or 0. */
type SizeAt = (bytes: Uint8Array, at: number) => number;

const mpeg: SizeAt = (bytes, at) => frameAt(bytes, at)?.size ?? 0;

/** AAC in ADTS (ISO/IEC 14496-3 §1.A.2.2). */
const adts: SizeAt = (bytes, at) => {
  if (bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xf6) !== 0xf0) return 0;
  const size = (((bytes[at + 3] ?? 0) & 3) << 11) | ((bytes[at + 4] ?? 0) << 3) | ((bytes[at + 5] ?? 0) >> 5);
  return size < 7 ? 0 : size;
};

/** AAC in LOAS (ISO/IEC 14496-3 §1.7.2). */
const loas: SizeAt = (bytes, at) => {
  if (bytes[at] !== 0x56 || ((bytes[at + 1] ?? 0) & 0xe0) !== 0xe0) return 0;
  const size = ((((bytes[at + 1] ?? 0) & 0x1f) << 8) | (bytes[at + 2] ?? 0)) + 3;
  return size < 7 ? 0 : size;
};

/** kbit/s of AC-3 by half of its code (ETSI TS 102 366 table 4.13). */
const AC3_BITRATES = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];
const AC3_RATES = [48_000, 44_100, 32_000];

/** AC-3 and E-AC-3; `swapped` when each two bytes are exchanged, as 16-bit samples are. */
const ac3 =
  (swapped: boolean): SizeAt =>
  (bytes, at) => {
    const byte = (index: number) => bytes[at + (swapped ? index ^ 1 : index)] ?? 0;
    if (byte(0) !== 0x0b || byte(1) !== 0x77) return 0;
    if (byte(5) >> 3 > 10) return 2 * ((((byte(2) & 7) << 8) | byte(3)) + 1);
    const rate = AC3_RATES[byte(4) >> 6];
    const bitrate = AC3_BITRATES[(byte(4) & 63) >> 1];
    if (rate === undefined || bitrate === undefined) return 0;
    return 2 * (Math.floor((bitrate * 96_000) / rate) + (rate === 44_100 ? byte(4) & 1 : 0));
  };

const FORMATS: readonly SizeAt[] = [mpeg, adts, loas, ac3(false), ac3(true)];

/** The first bytes of anything in `FORMATS`: all others are passed over at once. */
const STARTS: ReadonlySet<number> = new Set([0xff, 0x56, 0x0b, 0x77]);

/** DTS in its four packings, compressed sound for S/PDIF in both byte orders, and TrueHD. */
const WORDS: ReadonlySet<number> = new Set([
  0x7ffe8001, 0xfe7f0180, 0x1fffe800, 0xff1f00e8, 0xf8724e1f, 0x72f81f4e, 0xf8726fba, 0x72f8ba6f,
]);

/** Whether `wanted` frames of one format follow each other from here on. */
function isChain(bytes: Uint8Array, start: number, wanted: number): boolean {
  return FORMATS.some((sizeAt) => {
    let at = start;
    for (let found = 0; found < wanted; found += 1) {
      const size = sizeAt(bytes, at);
      if (size === 0) return false;
      at += size;
    }
    return true;
  });
}

/** Whether a player may find compressed sound in these bytes of PCM. Reads each byte a bounded number of times. */
export function looksCompressed(bytes: Uint8Array): boolean {
  const sound = bytes.findIndex((byte) => byte !== 0);
  if (sound === -1) return false;
  if (isChain(bytes, 0, CHAIN_AT_START) || isChain(bytes, sound, CHAIN_AT_START)) return true;
  let word = 0;
  let words = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    word = ((word << 8) | byte) >>> 0;
    if (WORDS.has(word) && (words += 1) > WORDS_MAX) return true;
    if (STARTS.has(byte) && isChain(bytes, at, CHAIN_ANYWHERE)) return true;
  }
  return false;
}
