import * as fc from "fast-check";
import { parseBuffer } from "music-metadata";
import { expect, it } from "vitest";
import { inspectRecording } from "../../src/recordings/inspect.ts";
import { WAV_FORMAT, mp3, mp3Tagged, wav } from "../world/recordings.ts";

// Well-formed recordings must last as long as an independent reader says. Where header and bytes disagree, only our
// reader goes by the bytes; the tests of wav.ts and mp3.ts cover that.

async function agree(bytes: Uint8Array, mimeType: string): Promise<void> {
  const { format } = await parseBuffer(bytes, { mimeType, size: bytes.length }, { duration: true });
  const ours = await inspectRecording(bytes);
  expect(ours.ok && Math.abs(ours.durationMs - (format.duration ?? 0) * 1000)).toBeLessThanOrEqual(1);
}

it("agrees on WAV of every playable format, rate and length", async () => {
  const format = fc.constantFrom(WAV_FORMAT.pcm, WAV_FORMAT.alaw, WAV_FORMAT.mulaw);
  const shape = fc.record({
    format,
    rate: fc.integer({ min: 1_000, max: 48_000 }),
    seconds: fc.integer({ min: 1, max: 9 }),
  });
  await fc.assert(
    fc.asyncProperty(shape, (wanted) => agree(wav(wanted), "audio/wav")),
    { numRuns: 60 },
  );
});

it("agrees on MP3 of every length, with and without a tag in front", async () => {
  const shape = fc.record({ tenths: fc.integer({ min: 5, max: 300 }), tag: fc.integer({ min: 20, max: 4_000 }) });
  await fc.assert(
    fc.asyncProperty(shape, async ({ tenths, tag }) => {
      await agree(mp3(tenths / 10), "audio/mpeg");
      await agree(mp3Tagged(tag, tenths / 10), "audio/mpeg");
    }),
    { numRuns: 40 },
  );
});
