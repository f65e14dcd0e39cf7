import * as fc from "fast-check";
import { expect, it } from "vitest";
import { inspectRecording } from "../../src/recordings/inspect.ts";
import { WAV_FORMAT, fmt, frames, join, mp3Tagged, riff } from "../world/recordings.ts";
import type { Chunk } from "../world/recordings.ts";

// Well-formed files of random chunks and frames last as long as the model that they were generated from.

const bytesOf = (max: number) => fc.uint8Array({ maxLength: max, size: "max" });

const format = fc.oneof(
  fc.record({
    code: fc.constantFrom(WAV_FORMAT.alaw, WAV_FORMAT.mulaw),
    bits: fc.constant(8),
    channels: fc.integer({ min: 1, max: 8 }),
    rate: fc.integer({ min: 1_000, max: 192_000 }),
    byteRate: fc.integer({ min: 0, max: 1_000_000 }),
  }),
  fc.record({
    code: fc.constant(WAV_FORMAT.pcm),
    bits: fc.integer({ min: 8, max: 32 }),
    channels: fc.integer({ min: 1, max: 8 }),
    rate: fc.integer({ min: 1_000, max: 192_000 }),
  }),
);

const other = fc
  .tuple(fc.constantFrom("LIST", "fact", "id3 ", "bext", "PEAK", "junk", "abcd"), bytesOf(3_000))
  .map((chunk): Chunk => chunk);
const data = bytesOf(9_000).map((sound): Chunk => ["data", join(Uint8Array.of(0, 1, 2), sound)]);

it("a WAV: all of its data chunks, whatever else is between them", async () => {
  const shape = fc.record({
    format,
    before: fc.array(other, { maxLength: 3 }),
    after: fc.array(fc.oneof(other, data), { maxLength: 6 }),
    first: data,
  });
  await fc.assert(
    fc.asyncProperty(shape, async ({ format: said, before, first, after }) => {
      const bytes = riff(...before, fmt(said), ...before, first, ...after);
      const sound = [first, ...after].filter(([name]) => name === "data");
      const total = sound.reduce((sum, [, { length }]) => sum + length, 0);
      const perSecond = said.rate * said.channels * Math.ceil(said.bits / 8);
      const durationMs = Math.ceil((total * 1000) / perSecond);
      expect(await inspectRecording(bytes)).toEqual({ ok: true, mime: "audio/wav", durationMs });
    }),
    { numRuns: 150 },
  );
});

/** Frames of MPEG-1 at 44.1 kHz: the header's third byte and the size, by the standard's formula. */
const FRAMES = [
  [0x10, 104],
  [0x12, 105],
  [0x90, 417],
  [0xe0, 1_044],
] as const;

it("an MP3: all of its frames, whatever their bit rates and whatever text is between them", async () => {
  const run = fc.record({
    of: fc.constantFrom(...FRAMES),
    count: fc.integer({ min: 2, max: 60 }),
    // A byte of 0xff could begin a frame.
    text: fc.uint8Array({ maxLength: 300, max: 0x7f }),
  });
  const shape = fc.record({
    tags: fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 2 }),
    runs: fc.array(run, { minLength: 1, maxLength: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(shape, async ({ tags, runs }) => {
      const sound = runs.flatMap(({ of: [third, size], count, text }) => [
        frames(count, [0xff, 0xfb, third], size),
        text,
      ]);
      const bytes = join(...tags.map((size) => mp3Tagged(size, 0)), ...sound);
      const count = runs.reduce((sum, one) => sum + one.count, 0);
      const durationMs = Math.ceil((count * 1_152_000) / 44_100);
      expect(await inspectRecording(bytes)).toEqual({ ok: true, mime: "audio/mpeg", durationMs });
    }),
    { numRuns: 150 },
  );
});
