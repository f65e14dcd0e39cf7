import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inspectRecording } from "../../src/recordings/inspect.ts";
import { WAV_FORMAT, fmt, frames, join, mp3, mp3Claiming, mp3Tagged, riff } from "../world/recordings.ts";
import type { WavFormat } from "../world/recordings.ts";

// Files that are built to cost less than they play. ffmpeg, tried once by hand, plays as long as is counted here, or
// shorter; where players could disagree about the sound, the file is refused.

const lasting = async (bytes: Uint8Array) => {
  const found = await inspectRecording(bytes);
  return found.ok ? found.durationMs : found.found;
};

/** Bytes that are no chunk, no frame and no silence. */
const noise = (length: number) => new Uint8Array(length).fill(0x55);
const second = noise(8_000);
const pcm16: WavFormat = { code: WAV_FORMAT.pcm, bits: 16 };

describe("a WAV is counted by what a player plays", () => {
  it.each([
    ["all data chunks", riff(fmt(), ["data", noise(80)], ["data", noise(80_000)]), 10_010],
    ["a data chunk after a list", riff(fmt(), ["data", second], ["LIST", noise(90_001)], ["data", second]), 2_000],
    ["a data chunk whose size is 0, to the end", riff(fmt(), ["data", second, 0]), 1_000],
    ["a later one too", riff(fmt(), ["data", second], ["data", second, 0], ["data", second]), 3_001],
    ["a size beyond the end", riff(fmt(), ["data", second, 0xff_ff_ff_ff]), 1_000],
    ["not by the byte rate", riff(fmt({ byteRate: 4_000_000 }), ["data", second]), 1_000],
    ["not by a count of samples", riff(fmt(), ["fact", Uint8Array.of(1, 0, 0, 0)], ["data", second]), 1_000],
    ["a cover of any size", riff(fmt(), ["id3 ", noise(200_000)], ["data", second]), 1_000],
    ["a little of another chunk", riff(fmt(), ["junk", noise(60_000)], ["data", second]), 1_000],
    ["20 bits in 24", riff(fmt({ ...pcm16, bits: 24, validBits: 20 }), ["data", noise(24_000)]), 1_000],
  ])("%s", async (_, bytes, durationMs) => {
    expect(await lasting(bytes)).toBe(durationMs);
  });

  const damaged = "a damaged WAV file";
  it.each([
    ["two format chunks", riff(fmt(), fmt({ rate: 96_000 }), ["data", second]), "a WAV with two format chunks"],
    ["the second one last", riff(fmt(), ["data", second], fmt()), "a WAV with two format chunks"],
    ["a format after the sound", riff(["data", second], fmt()), damaged],
    [
      "2³² - 1 samples a second",
      riff(fmt({ rate: 0xff_ff_ff_ff, byteRate: 1 }), ["data", second]),
      /^WAV with 4294967295/u,
    ],
    ["192,001 samples a second", riff(fmt({ rate: 192_001 }), ["data", second]), "WAV with 192001 samples per second"],
    ["one sample a second", riff(fmt({ rate: 1 }), ["data", second]), "WAV with 1 samples per second"],
    ["nine channels", riff(fmt({ channels: 9 }), ["data", second]), "WAV with 9 channels"],
    ["no channel", riff(fmt({ channels: 0 }), ["data", second]), damaged],
    ["µ-law of 16 bits", riff(fmt({ bits: 16 }), ["data", second]), "WAV with samples of 16 bits"],
    ["A-law of 64 bits", riff(fmt({ code: 6, bits: 64 }), ["data", second]), "WAV with samples of 64 bits"],
    ["PCM of 64 bits", riff(fmt({ code: 1, bits: 64 }), ["data", second]), "WAV with samples of 64 bits"],
    ["PCM of 4 bits", riff(fmt({ code: 1, bits: 4 }), ["data", second]), "WAV with samples of 4 bits"],
    [
      "8 valid bits of 32",
      riff(fmt({ code: 1, bits: 32, validBits: 8 }), ["data", second]),
      "WAV with samples of 8 bits in 32",
    ],
    [
      "another family of codecs",
      riff(fmt({ validBits: 8, subtypeTail: noise(14) as never }), ["data", second]),
      "a WAV whose extended header is damaged",
    ],
    [
      "64 kB elsewhere",
      riff(fmt(), ["data", second], ["junk", noise(66_000)]),
      "a WAV with more than 64 KiB that are neither sound nor tags",
    ],
    [
      "64 kB behind a size that lies",
      riff(fmt(), ["data", noise(80_000), 8]),
      "a WAV with more than 64 KiB that are neither sound nor tags",
    ],
    [
      "half a million empty chunks",
      riff(fmt(), ...Array.from({ length: 9_000 }, () => ["abcd", new Uint8Array()] as const)),
      /64 KiB/u,
    ],
    [
      "sound where only some players look for it",
      join(riff(fmt(), ["LIST", noise(3)]).slice(0, -1), riff(["data", second]).slice(12)),
      damaged,
    ],
    ["an ID3 tag in front", join(mp3Tagged(100, 0), riff(fmt(), ["data", second])), "a WAV behind an ID3 tag"],
  ])("and refused with %s", async (_, bytes, found) => {
    expect(await lasting(bytes)).toEqual(found instanceof RegExp ? expect.stringMatching(found) : found);
  });
});

describe("a WAV of 16 bits is refused when its sound is compressed", () => {
  const adts = frames(40, [0xff, 0xf1, 0x50, 0x40, 0x02, 0x00], 16);
  const ac3 = frames(40, [0x0b, 0x77, 0, 0, 0, 0x40], 128);
  const swapped = Uint8Array.from({ length: ac3.length }, (_, at) => ac3[at ^ 1] ?? 0);
  it.each([
    ["MP3", mp3(2)],
    ["MP3 behind silence", join(new Uint8Array(1_001), mp3(2))],
    ["MP3 behind sound", join(noise(5_001), mp3(2))],
    ["MPEG layer II", frames(40, [0xff, 0xfd, 0x14], 96)],
    ["AAC", adts],
    ["AAC in LOAS", frames(40, [0x56, 0xe0, 0x20], 35)],
    ["AC-3", ac3],
    ["AC-3 with its bytes exchanged", swapped],
    ["E-AC-3", frames(40, [0x0b, 0x77, 0, 0x3f, 0, 0x80], 128)],
    ["DTS", frames(40, [0x7f, 0xfe, 0x80, 0x01], 512)],
    ["DTS with its bytes exchanged", frames(40, [0xfe, 0x7f, 0x01, 0x80], 512)],
    ["a stream for S/PDIF", frames(40, [0x72, 0xf8, 0x1f, 0x4e], 512)],
  ])("%s", async (_, sound) => {
    expect(await lasting(riff(fmt(pcm16), ["data", sound]))).toBe("a WAV with compressed sound where it says PCM");
    // Cut into two chunks, players still join it.
    const cut = riff(fmt(pcm16), ["data", sound.slice(0, 10)], ["data", sound.slice(10)]);
    expect(await lasting(cut)).toBe("a WAV with compressed sound where it says PCM");
  });

  it("and plain noise never is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 40_000, maxLength: 40_000, size: "max" }), async (sound) => {
        expect(await lasting(riff(fmt(pcm16), ["data", sound]))).toBe(2_500);
      }),
      { numRuns: 20 },
    );
  });
});

/** A tag at the end, as APE writes it. */
const ape = (content: Uint8Array) => join(new TextEncoder().encode("APETAGEX"), new Uint8Array(24), content);

const CHANGES = "an MP3 whose frames change their sample rate, version or layer";
const STRAY = "an MP3 with more than 64 KiB that are neither sound nor a tag";

describe("an MP3 is counted by what a player plays", () => {
  const frame = mp3(0.024);
  const apart = (count: number, ...between: number[]) =>
    join(...Array.from({ length: count }, () => [Uint8Array.from(between), frame]).flat());

  it.each([
    ["frames that no frame leads to", join(mp3(2.4), apart(100, 1)), 4_800],
    ["frames in a tag at the end", join(mp3(2.4), ape(apart(100, 1))), 4_800],
    ["one frame of another rate", join(mp3(2.4), frames(1, [0xff, 0xf3, 0x10], 26), noise(3)), 2_427],
    ["a second file behind the first, with its claim", join(mp3Claiming(5, 1.2), mp3Claiming(5, 1.2)), 2_424],
    ["a tag behind a tag", join(mp3Tagged(50, 0), mp3Tagged(500, 1.2)), 1_200],
    ["a text at the end", join(mp3(1.2), new TextEncoder().encode("TAG".padEnd(128))), 1_200],
  ])("%s", async (_, bytes, durationMs) => {
    expect(await lasting(bytes)).toBe(durationMs);
  });

  it.each([
    ["frames of another rate", join(mp3(0.048), frames(40_000, [0xff, 0xf3, 0x10], 26)), CHANGES],
    ["frames of another version", join(mp3(0.048), frames(100, [0xff, 0xfb, 0x14], 96)), CHANGES],
    ["frames of layer II", join(mp3(0.048), frames(100, [0xff, 0xf5, 0x14], 48)), CHANGES],
    ["frames of layer I", join(mp3(0.048), frames(100, [0xff, 0xf7, 0x14], 64)), CHANGES],
    [
      "frames of two rates in turns",
      join(mp3(0.048), ...Array.from({ length: 50 }, () => [frames(1, [0xff, 0xf3, 0x10], 26), frame]).flat()),
      CHANGES,
    ],
    ["only layer II", frames(100, [0xff, 0xfd, 0x14], 96), "MPEG audio of layer 2"],
    ["free format", frames(100, [0xff, 0xfb, 0x04], 96), "an MP3 in free format"],
    ["free format behind a frame", join(mp3(0.048), frames(100, [0xff, 0xf3, 0x04], 24)), "an MP3 in free format"],
    ["64 kB without a frame", join(mp3(1.2), noise(66_000), mp3(1.2)), STRAY],
    ["64 kB of frames that no frame leads to", join(mp3(1.2), apart(3_000, 1)), STRAY],
    ["a large tag between frames", join(mp3(1.2), mp3Tagged(16_000, 0), noise(50_000), mp3(1.2)), STRAY],
    ["a large tag at the end", join(mp3(1.2), ape(noise(66_000))), STRAY],
    [
      "a tag whose size is malformed",
      join(Uint8Array.from([0x49, 0x44, 0x33, 3, 0, 0, 0x80, 0, 0, 0]), mp3(1.2)),
      "an MP3 that does not begin with a frame",
    ],
    ["a picture in front", join(noise(100), mp3(1.2)), "data of no known kind"],
    [
      "a first frame that leads nowhere",
      join(frames(1, [0xff, 0xfb, 0xe4], 400), mp3(2.4)),
      "an MP3 that does not begin with a frame",
    ],
  ])("and refused with %s", async (_, bytes, found) => {
    expect(await lasting(bytes)).toBe(found);
  });

  it("0 s long behind a tag that is larger than the file", async () => {
    expect(await lasting(mp3Tagged(16_000, 1.2).slice(0, 5_000))).toBe("data of no known kind");
  });
});
