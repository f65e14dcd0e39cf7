import { describe, expect, it } from "vitest";
import { mp3DurationMs } from "../../src/recordings/mp3.ts";
import { mp3, mp3Claiming, mp3Tagged } from "../world/recordings.ts";

const join = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

/** `count` frames: each has these three bytes of header and is `size` bytes long. */
function frames(count: number, header: number[], size: number): Uint8Array {
  const bytes = new Uint8Array(count * size);
  for (let frame = 0; frame < count; frame += 1) bytes.set(header, frame * size);
  return bytes;
}

describe("an MP3 lasts as long as its frames", () => {
  // Sizes by the standard's formula: 144 or 72 × bit rate / sample rate.
  it.each([
    ["MPEG-1, 128 kbit/s, 44.1 kHz", [0xff, 0xfb, 0x90], 417, 2_613],
    ["the same with a byte of padding", [0xff, 0xfb, 0x92], 418, 2_613],
    ["MPEG-1, 320 kbit/s, 48 kHz", [0xff, 0xfb, 0xe4], 960, 2_400],
    ["MPEG-2, 8 kbit/s, 24 kHz", [0xff, 0xf3, 0x14], 24, 2_400],
    ["MPEG-2.5, 16 kbit/s, 8 kHz, with a checksum", [0xff, 0xe2, 0x28], 144, 7_200],
  ])("%s", (_, header, size, durationMs) => {
    expect(mp3DurationMs(frames(100, header, size))).toBe(durationMs);
  });

  it("whatever their bit rates are", () => {
    const slow = frames(50, [0xff, 0xfb, 0x14], 96);
    const fast = frames(50, [0xff, 0xfb, 0xe4], 960);
    expect(mp3DurationMs(join(fast, slow))).toBe(2_400);
    expect(mp3DurationMs(join(slow, fast))).toBe(2_400);
  });

  it("whatever is before, between and after them", () => {
    const junk = new Uint8Array(1_000).fill(0xff);
    expect(mp3DurationMs(mp3Tagged(5_000, 1.2))).toBe(1_200);
    expect(mp3DurationMs(join(mp3(1.2), junk, mp3(1.2), junk))).toBe(2_400);
  });

  it("whatever the first frame claims", () => {
    for (const claimed of [0, 1, 50, 25_000]) expect(mp3DurationMs(mp3Claiming(claimed, 1.2))).toBe(1_200);
  });

  it("with a truncated frame not counted, and 0 without any frame", () => {
    expect(mp3DurationMs(mp3(1.2).slice(0, -1))).toBe(1_176);
    for (const bytes of [new Uint8Array(), new Uint8Array(100), mp3(1.2).slice(0, 23), mp3Tagged(100, 0)]) {
      expect(mp3DurationMs(bytes)).toBe(0);
    }
  });
});
