// Headers of MPEG audio frames (ISO/IEC 11172-3 §2.4.1.3 and 13818-3), of every version and layer: a player that finds
// one plays it, also where an MP3 should have none.

/** kbit/s by index, from 1 to 14. */
const BITRATES = {
  mpeg1: {
    1: [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    2: [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    3: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  },
  mpeg2: {
    1: [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    2: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    3: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  },
} as const;

/** Samples per second of MPEG-1 by index; MPEG-2 has half, MPEG-2.5 a quarter of it. */
const RATES = [44_100, 48_000, 32_000];
/** By the header's two version bits; 1 is reserved. */
const RATE_DIVISORS = [4, 0, 2, 1];
/** By the header's two layer bits; 0 is reserved. */
const LAYERS = [null, 3, 2, 1] as const;

export interface Frame {
  layer: 1 | 2 | 3;
  /** Version, layer and sample rate as one number: frames of one recording share it. */
  kind: number;
  /** Bytes, including the header; null in free format, whose header does not say. */
  size: number | null;
  samples: number;
  /** Samples per second. */
  rate: number;
}

/** The frame whose header is at this offset, or null. Its body may be missing. */
export function frameAt(bytes: Uint8Array, at: number): Frame | null {
  if (bytes[at] !== 0xff || at + 4 > bytes.length) return null;
  const first = bytes[at + 1] ?? 0;
  const second = bytes[at + 2] ?? 0;
  const divisor = RATE_DIVISORS[(first >> 3) & 3] ?? 0;
  const layer = LAYERS[(first >> 1) & 3] ?? null;
  const base = RATES[(second >> 2) & 3];
  const index = second >> 4;
  if (first >> 5 !== 7 || divisor === 0 || layer === null || base === undefined || index === 15) return null;
  const rate = base / divisor;
  const samples = layer === 1 ? 384 : layer === 3 && divisor > 1 ? 576 : 1_152;
  const frame = { layer, kind: ((first & 0x1e) << 8) | (second & 0x0c), samples, rate };
  if (index === 0) return { ...frame, size: null };
  const bitrate = BITRATES[divisor === 1 ? "mpeg1" : "mpeg2"][layer][index - 1] ?? 0;
  // Layer I counts in slots of four bytes, the others in bytes.
  const slot = layer === 1 ? 4 : 1;
  const slots = Math.floor((samples * bitrate * 125) / (rate * slot)) + ((second >> 1) & 1);
  return { ...frame, size: slots * slot };
}
