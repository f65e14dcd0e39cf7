import { describe, expect, it } from "vitest";
import { telephoneWav, TELEPHONE_BYTES_MAX } from "../../src/recordings/telephone.ts";
import { fmt, mp3, riff, wav, WAV_FORMAT } from "../world/recordings.ts";
import type { Chunk } from "../world/recordings.ts";
import { loudness, pcm, purity, sineWav, telephone } from "../world/sound.ts";

/** The telephone's form of a file that has one. */
function made(bytes: Uint8Array) {
  const file = telephoneWav(bytes);
  if (!file) throw new Error("The file was not read.");
  return { file, ...telephone(file) };
}

/** A frame of two channels, 16 bits each. */
const frame = (left: number, right: number) => [left & 255, (left >> 8) & 255, right & 255, (right >> 8) & 255];

const SINE = { hz: 1_000, rate: 44_100, seconds: 1 };

describe("a recording as telephones play it", () => {
  it("is a plain WAV file of 8 kHz, one channel and 16 bits, as long as before", () => {
    const { file, samples, ...said } = made(sineWav({ ...SINE, channels: 2 }));
    expect(said).toEqual({
      chunks: ["RIFF", "WAVE", "fmt ", "data"],
      sizes: [file.length, file.length],
      code: 1,
      channels: 1,
      rate: 8_000,
      bytesPerSecond: 16_000,
      bits: 16,
    });
    expect(samples).toHaveLength(8_000);
  });

  it("that was one already has the same samples", () => {
    const sound = pcm({ ...SINE, rate: 8_000, level: 1 });
    const { file } = made(sineWav({ ...SINE, rate: 8_000, level: 1 }));
    expect(file.subarray(44)).toEqual(sound);
  });

  it.each([8_001, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000, 192_000])(
    "keeps what can be heard at a telephone: a sine from %d samples a second",
    (rate) => {
      for (const hz of [300, 1_000, 3_000, 3_400]) {
        expect(purity(made(sineWav({ hz, rate, seconds: 0.5 })).samples, { hz }), `${hz} Hz`).toBeLessThan(-50);
      }
    },
  );

  it.each([1_000, 4_000, 6_000, 6_543, 7_999])("has no images of a sine from %d samples a second", (rate) => {
    for (const share of [0.05, 0.2, 0.4]) {
      const hz = Math.round(share * rate);
      expect(purity(made(sineWav({ hz, rate, seconds: 1 })).samples, { hz }), `${hz} Hz`).toBeLessThan(-50);
    }
  });

  it.each([11_025, 16_000, 22_050, 44_100, 48_000, 96_000])(
    "holds down what would become another tone, from %d samples a second",
    (rate) => {
      for (const hz of [4_010, 4_600, 5_000, 7_000, 7_900, 12_000, 20_000].filter((one) => one < rate / 2)) {
        const { samples } = made(sineWav({ hz, rate, seconds: 0.5, level: 1 }));
        expect(loudness(samples), `${hz} Hz`).toBeLessThan(-53);
      }
    },
  );

  it.each([
    [8, -40],
    [16, -50],
    [24, -50],
    [32, -50],
  ] as const)("of %d bits a sample", (bits, dB) => {
    for (const rate of [8_000, 44_100]) {
      expect(purity(made(sineWav({ ...SINE, rate, bits })).samples, { hz: 1_000 })).toBeLessThan(dB);
    }
  });

  it("of several channels is their mean", () => {
    const sound = Uint8Array.from([...frame(1_000, 3_000), ...frame(-2, 0), ...frame(32_767, 32_767)]);
    const { samples } = made(riff(fmt({ code: WAV_FORMAT.pcm, channels: 2, bits: 16 }), ["data", sound]));
    expect([...samples].map((one) => one * 32_768)).toEqual([2_000, -1, 32_767]);
  });

  it("is no louder than its format allows, and silence stays silence", () => {
    const square = Uint8Array.from({ length: 88_200 }, (_, at) => ((at >> 6) % 2 === 0 ? 0 : 255));
    const loud = made(riff(fmt({ code: WAV_FORMAT.pcm, rate: 44_100 }), ["data", square])).samples;
    expect(Math.max(...loud)).toBe(32_767 / 32_768);
    expect(Math.min(...loud)).toBe(-1);
    for (const rate of [1_000, 8_000, 44_100]) {
      expect(made(wav({ rate })).samples.every((one) => one === 0)).toBe(true);
    }
  });

  it("takes more than a 16-bit file of the size that carriers play: it is in µ-law", () => {
    const longest = TELEPHONE_BYTES_MAX / 16_000;
    expect(made(wav({ rate: 8_000, seconds: longest - 0.1 }))).toMatchObject({ code: 1 });
    const { file, ...said } = made(wav({ rate: 8_000, seconds: longest + 1 }));
    expect(said).toMatchObject({ code: 7, bits: 8, bytesPerSecond: 8_000, sizes: [file.length, file.length] });
    expect(file.length).toBe(44 + 8_000 * (longest + 1));
    expect(file.subarray(44).every((byte) => byte === 0xff)).toBe(true);
  });

  const SOUND = pcm({ ...SINE, rate: 8_000 });
  const FORMAT = fmt({ code: WAV_FORMAT.pcm, bits: 16 });
  const LIST: Chunk = ["LIST", new TextEncoder().encode("INFOISFT\u000e\0\0\0Lavf60.16.100\0")];
  it.each<[string, Chunk[]]>([
    ["whose sound says it has no bytes, as some recorders leave it", [FORMAT, ["data", SOUND, 0]]],
    ["whose sound has the unknown length of a stream", [FORMAT, LIST, ["data", SOUND, 0xffffffff]]],
    ["that was cut off", [FORMAT, ["data", SOUND, SOUND.length + 999]]],
    ["with a LIST before its sound", [FORMAT, LIST, ["data", SOUND]]],
    ["with a LIST after its sound", [FORMAT, ["data", SOUND], LIST]],
    ["with the extensible header", [fmt({ code: WAV_FORMAT.pcm, bits: 16, validBits: 16 }), ["data", SOUND]]],
    ["whose last sample was cut off", [FORMAT, ["data", Uint8Array.from([...SOUND, 7])]]],
  ])("reads a file %s", (_, chunks) => {
    expect(made(riff(...chunks)).file.subarray(44)).toEqual(SOUND);
  });

  it("is nothing where the bytes are no WAV that a call can play", () => {
    for (const bytes of [mp3(1), new Uint8Array(), wav({ format: WAV_FORMAT.adpcm }), wav().subarray(0, 36)]) {
      expect(telephoneWav(bytes)).toBeNull();
    }
  });
});
