import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { telephoneWav } from "../../../src/recordings/telephone.ts";
import { measureWav } from "../../../src/recordings/wav.ts";

// What telephones play against FFmpeg, which reads and writes the files and has filters of its own. Debian has it; where
// it is missing, these are left out.

const isThere = spawnSync("ffmpeg", ["-version"]).status === 0;

/** What FFmpeg writes to its output. */
function ffmpeg(args: string[], input?: Uint8Array): Buffer {
  const { status, stdout, stderr } = spawnSync("ffmpeg", ["-v", "error", ...args, "pipe:1"], {
    input,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(stderr.toString());
  return stdout;
}

/** Three tones of the telephone's band, as FFmpeg makes them. */
const TONES = "aevalsrc=0.2*sin(2*PI*340*t)+0.2*sin(2*PI*1230*t)+0.2*sin(2*PI*2950*t)";

const fileOf = (codec: string, rate: number, channels: number, more: string[] = []): Buffer =>
  ffmpeg([
    "-f",
    "lavfi",
    "-i",
    `${TONES}:s=${rate}:d=2`,
    "-ac",
    String(channels),
    "-ar",
    String(rate),
    "-c:a",
    codec,
    ...more,
    "-f",
    "wav",
  ]);

/** FFmpeg's samples of a file, at a telephone's rate. */
function samplesOf(file: Uint8Array): Int16Array {
  const raw = ffmpeg(["-i", "pipe:0", "-ac", "1", "-ar", "8000", "-f", "s16le"], file);
  return new Int16Array(raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.byteLength));
}

/** How far two recordings differ between their edges, in dB below the first. */
function difference(one: Int16Array, other: Int16Array): number {
  let [error, signal] = [0, 0];
  for (let at = 800; at < one.length - 800; at += 1) {
    error += ((one[at] ?? 0) - (other[at] ?? 0)) ** 2;
    signal += (one[at] ?? 0) ** 2;
  }
  return 10 * Math.log10(error / signal);
}

function telephone(file: Uint8Array): Uint8Array {
  const made = telephoneWav(file);
  if (!made) throw new Error("The file was not read.");
  expect(measureWav(made)).toEqual(measureWav(file));
  return made;
}

describe.skipIf(!isThere)("FFmpeg", () => {
  it.each(["pcm_mulaw", "pcm_alaw", "pcm_s16le"])("hears the same samples in %s of 8 kHz", (codec) => {
    const file = fileOf(codec, 8_000, 1);
    expect(samplesOf(telephone(file))).toEqual(samplesOf(file));
  });

  it.each([
    ["pcm_s16le", 44_100, 2],
    ["pcm_s24le", 48_000, 2],
    ["pcm_s32le", 96_000, 1],
    ["pcm_s16le", 16_000, 1],
    ["pcm_s16le", 11_025, 1],
  ] as const)("makes the same of %s with %d samples a second and %d channels", (codec, rate, channels) => {
    const file = fileOf(codec, rate, channels);
    const [theirs, ours] = [samplesOf(file), samplesOf(telephone(file))];
    expect(Math.abs(theirs.length - ours.length)).toBeLessThanOrEqual(2);
    expect(difference(theirs, ours)).toBeLessThan(-45);
  });

  it("writes headers that are read: of a stream, whose lengths it could not know, and with tags", () => {
    const tagged = fileOf("pcm_s16le", 22_050, 1, ["-metadata", "title=Offer", "-metadata", "artist=Dastak"]);
    // FFmpeg cannot seek in a pipe: the lengths in this header are 0xFFFFFFFF.
    expect(tagged.readUInt32LE(4)).toBe(0xffffffff);
    expect(difference(samplesOf(tagged), samplesOf(telephone(tagged)))).toBeLessThan(-45);
  });
});
