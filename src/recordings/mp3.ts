import type { Measured } from "./measured.ts";
import { frameAt } from "./mpeg-frames.ts";
import type { Frame } from "./mpeg-frames.ts";

// Measures an MP3 file (MPEG-1, -2 and -2.5 Layer III) frame by frame: a header can claim any length, and the price
// must not depend on that claim. Where players could disagree about what is a frame, the file is refused.

/** Bytes that are neither frames nor a tag: more of them, and nothing can be said about what a player does there. */
const STRAY_BYTES_MAX = 64 * 1024;

const ID3V1_SIZE = 128;

/**
 * Where the sound begins: after every ID3v2 tag and the zeros that pad it. Players skip a tag only if its version and
 * size are well-formed (ID3v2.4 §3.1); otherwise its bytes are searched for frames like all others.
 */
export function soundStart(bytes: Uint8Array): number {
  let at = 0;
  while (bytes[at] === 0x49 && bytes[at + 1] === 0x44 && bytes[at + 2] === 0x33) {
    const [version = 0xff, revision = 0xff, flags = 0, a = 0x80, b = 0x80, c = 0x80, d = 0x80] = bytes.subarray(
      at + 3,
      at + 10,
    );
    if (version === 0xff || revision === 0xff || (a | b | c | d) >= 0x80) break;
    const footer = version === 4 && (flags & 0x10) !== 0 ? 10 : 0;
    at += 10 + ((a << 21) | (b << 14) | (c << 7) | d) + footer;
  }
  while (bytes[at] === 0) at += 1;
  return at;
}

/** Where the sound ends: before an ID3v1 tag. */
function soundEnd(bytes: Uint8Array): number {
  const at = bytes.length - ID3V1_SIZE;
  return at >= 0 && bytes[at] === 0x54 && bytes[at + 1] === 0x41 && bytes[at + 2] === 0x47 ? at : bytes.length;
}

/** Whether a frame contains metadata in place of audio (Xing, Info and VBRI headers). */
function isInfo(bytes: Uint8Array, at: number): boolean {
  const head = String.fromCharCode(...bytes.subarray(at + 4, at + 42));
  return /^\0{9,34}(Xing|Info|VBRI)/u.test(head);
}

/** The place of the scan, and what it has counted. */
interface Scan {
  readonly bytes: Uint8Array;
  readonly end: number;
  at: number;
  /** The kind of the frames, from the first one on. */
  kind: number | null;
  /** Whether a frame ended exactly here, so that a header is certainly one. */
  chained: boolean;
  samples: number;
  rate: number;
  /** Bytes that are no frame. */
  stray: number;
  /** The duration, in ms, of whatever looks like a frame among the stray bytes: a player may play it. */
  strayMs: number;
}

/** Whether this frame is followed by another of one of these kinds, or by the end of the sound. */
function isConfirmed({ bytes, end, at }: Scan, size: number, ...kinds: (number | null)[]): boolean {
  return at + size === end || kinds.includes(frameAt(bytes, at + size)?.kind ?? Number.NaN);
}

/** Counts a frame and moves past it. */
function take(scan: Scan, frame: Frame, size: number): void {
  if (scan.kind !== null || !isInfo(scan.bytes, scan.at)) scan.samples += frame.samples;
  scan.kind = frame.kind;
  scan.rate = frame.rate;
  scan.at += size;
  scan.chained = true;
}

/** Moves past one byte that begins no frame. */
function skip(scan: Scan, looksLike: Frame | null): void {
  if (looksLike) scan.strayMs += (looksLike.samples * 1000) / looksLike.rate;
  scan.stray += 1;
  scan.at += 1;
  scan.chained = false;
}

/** Takes the frame at this place, or skips a byte; returns what makes the file impossible to measure. */
function step(scan: Scan): string | null {
  const frame = frameAt(scan.bytes, scan.at);
  if (!frame) {
    skip(scan, null);
    return null;
  }
  const { size, kind } = frame;
  const isFirst = scan.kind === null;
  if (size === null) {
    if ((isFirst && scan.stray === 0) || (scan.chained && kind === scan.kind)) return "an MP3 in free format";
    skip(scan, frame);
    return null;
  }
  const fits = scan.at + size <= scan.end;
  const belongs = isFirst || kind === scan.kind;
  if (fits && belongs && (scan.chained || isConfirmed(scan, size, kind))) {
    if (isFirst && frame.layer !== 3) return `MPEG audio of layer ${frame.layer}`;
    if (isFirst && scan.stray > 0) return "an MP3 that does not begin with a frame";
    take(scan, frame, size);
    return null;
  }
  if (fits && !belongs && isConfirmed(scan, size, kind, scan.kind)) {
    return "an MP3 whose frames change their sample rate, version or layer";
  }
  // A frame that the end of the file cuts off is not played whole, and is not counted.
  skip(scan, fits ? frame : null);
  return null;
}

/** The duration of the complete frames in these bytes, 0 when there are none; or why it cannot be determined. */
export function measureMp3(bytes: Uint8Array): Measured {
  const scan: Scan = {
    bytes,
    end: soundEnd(bytes),
    at: soundStart(bytes),
    kind: null,
    chained: false,
    samples: 0,
    rate: 1,
    stray: 0,
    strayMs: 0,
  };
  while (scan.at < scan.end) {
    const found = step(scan);
    if (found !== null) return { ok: false, found };
    if (scan.stray > STRAY_BYTES_MAX) {
      return { ok: false, found: "an MP3 with more than 64 KiB that are neither sound nor a tag" };
    }
  }
  if (scan.kind === null) return { ok: true, durationMs: 0 };
  return { ok: true, durationMs: Math.ceil((scan.samples * 1000) / scan.rate + scan.strayMs) };
}
