// Measures an MP3 file (MPEG-1, -2 and -2.5 Layer III) frame by frame: a header can claim any length, and the price
// must not depend on that claim.

const LAYER_3 = 1;

/** kbit/s by index; 0 and 15 are not rates. */
const BITRATES = {
  mpeg1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  mpeg2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

/** Samples per second of MPEG-1 by index; MPEG-2 has half, MPEG-2.5 a quarter of it. */
const RATES = [44_100, 48_000, 32_000];
/** By the header's two version bits; 1 is reserved. */
const RATE_DIVISORS = [4, 0, 2, 1];

interface Frame {
  /** Bytes, including its header. */
  size: number;
  samples: number;
  /** Samples per second. */
  rate: number;
}

/** The frame that begins at this offset, or null. */
function frameAt(bytes: Uint8Array, at: number): Frame | null {
  const kind = bytes[at + 1] ?? 0;
  const rates = bytes[at + 2] ?? 0;
  if (bytes[at] !== 0xff || kind >> 5 !== 7 || ((kind >> 1) & 3) !== LAYER_3) return null;
  const divisor = RATE_DIVISORS[(kind >> 3) & 3] ?? 0;
  const bitrate = BITRATES[divisor === 1 ? "mpeg1" : "mpeg2"][rates >> 4] ?? 0;
  const rate = (RATES[(rates >> 2) & 3] ?? 0) / divisor;
  if (divisor === 0 || bitrate === 0 || rate === 0) return null;
  const samples = divisor === 1 ? 1_152 : 576;
  return { size: Math.floor((samples * bitrate * 125) / rate) + ((rates >> 1) & 1), samples, rate };
}

/** Where the audio begins: after the ID3v2 tag, whose size is stored as four groups of seven bits. */
function soundStart(bytes: Uint8Array): number {
  if (String.fromCharCode(...bytes.subarray(0, 3)) !== "ID3") return 0;
  const [flags = 0, a = 0, b = 0, c = 0, d = 0] = bytes.subarray(5, 10);
  return 10 + ((a << 21) | (b << 14) | (c << 7) | d) + (flags & 0x10 ? 10 : 0);
}

/** Whether a frame contains metadata in place of audio (Xing, Info and VBRI headers). */
function isInfo(bytes: Uint8Array, at: number): boolean {
  const head = String.fromCharCode(...bytes.subarray(at + 4, at + 42));
  return /^\0{9,34}(Xing|Info|VBRI)/u.test(head);
}

/** The duration of the complete frames in these bytes; 0 when there are none. */
export function mp3DurationMs(bytes: Uint8Array): number {
  let samples = 0;
  let rate = 0;
  for (let at = soundStart(bytes); at < bytes.length;) {
    const frame = frameAt(bytes, at);
    // Skips bytes between frames, such as tags, and whatever looks like a frame of another sample rate.
    if (!frame || at + frame.size > bytes.length || (rate !== 0 && frame.rate !== rate)) {
      at += 1;
      continue;
    }
    if (rate !== 0 || !isInfo(bytes, at)) samples += frame.samples;
    rate = frame.rate;
    at += frame.size;
  }
  return rate === 0 ? 0 : Math.ceil((samples * 1000) / rate);
}
