import { describe, expect, it } from "vitest";
import { measureMp3 } from "../../src/recordings/mp3.ts";
import { frames, join, mp3, mp3Claiming, mp3Tagged } from "../world/recordings.ts";

const lasting = (durationMs: number) => ({ ok: true, durationMs });

describe("an MP3 lasts as long as its frames", () => {
  // Sizes by the standard's formula: 144 or 72 × bit rate / sample rate.
  it.each([
    ["MPEG-1, 128 kbit/s, 44.1 kHz", [0xff, 0xfb, 0x90], 417, 2_613],
    ["the same with a byte of padding", [0xff, 0xfb, 0x92], 418, 2_613],
    ["MPEG-1, 320 kbit/s, 48 kHz", [0xff, 0xfb, 0xe4], 960, 2_400],
    ["MPEG-2, 8 kbit/s, 24 kHz", [0xff, 0xf3, 0x14], 24, 2_400],
    ["MPEG-2.5, 16 kbit/s, 8 kHz, with a checksum", [0xff, 0xe2, 0x28], 144, 7_200],
  ])("%s", (_, header, size, durationMs) => {
    expect(measureMp3(frames(100, header, size))).toEqual(lasting(durationMs));
  });

  it("whatever their bit rates are", () => {
    const slow = frames(50, [0xff, 0xfb, 0x14], 96);
    const fast = frames(50, [0xff, 0xfb, 0xe4], 960);
    expect(measureMp3(join(fast, slow))).toEqual(lasting(2_400));
    expect(measureMp3(join(slow, fast))).toEqual(lasting(2_400));
  });

  it("whatever is before, between and after them", () => {
    const junk = new Uint8Array(1_000).fill(0xff);
    expect(measureMp3(mp3Tagged(5_000, 1.2))).toEqual(lasting(1_200));
    expect(measureMp3(join(mp3(1.2), junk, mp3(1.2), junk))).toEqual(lasting(2_400));
  });

  it("whatever the first frame claims", () => {
    for (const claimed of [0, 1, 50, 25_000]) expect(measureMp3(mp3Claiming(claimed, 1.2))).toEqual(lasting(1_200));
  });

  it("with a truncated frame not counted, and 0 without any frame", () => {
    expect(measureMp3(mp3(1.2).slice(0, -1))).toEqual(lasting(1_176));
    for (const bytes of [new Uint8Array(), new Uint8Array(100), mp3(1.2).slice(0, 23), mp3Tagged(100, 0)]) {
      expect(measureMp3(bytes)).toEqual(lasting(0));
    }
  });
});
