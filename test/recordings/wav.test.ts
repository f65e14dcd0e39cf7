import { describe, expect, it } from "vitest";
import { measureWav } from "../../src/recordings/wav.ts";
import { WAV_FORMAT, fmt, riff, wav } from "../world/recordings.ts";

/** Changes two bytes of a WAV's header. */
function changed(bytes: Uint8Array, at: number, value: number): Uint8Array {
  new DataView(bytes.buffer).setUint16(at, value, true);
  return bytes;
}

/** A WAV in WAVE_FORMAT_EXTENSIBLE, as multi-channel recorders write it: the codec number is further on. */
const extensible = (code: number) =>
  riff(fmt({ code, validBits: 8, rate: 1_000 }), ["data", new Uint8Array(2_000).fill(0x80)]);

describe("a WAV lasts as long as its bytes", () => {
  it.each([
    ["with a correct header", wav({ seconds: 2 }), 2_000],
    ["cut off", wav({ seconds: 2 }).slice(0, -500), 1_500],
    ["with the unknown length of a stream", wav({ seconds: 2, claimed: 4_294_967.295 }), 2_000],
    ["with more data after its sound", wav({ seconds: 2, claimed: 1 }), 1_000],
    ["with a wrong count of samples", wav({ seconds: 2, fact: 1 }), 2_000],
    ["of a single sample", wav({ rate: 48_000, seconds: 1 / 48_000 }), 1],
    ["without samples", wav({ seconds: 0 }), 0],
    ["of 16 bits and two channels", changed(changed(changed(wav({ seconds: 2 }), 34, 16), 22, 2), 32, 4), 500],
    ["of 12 bits in two bytes", changed(changed(wav({ seconds: 2 }), 34, 12), 32, 2), 1_000],
    ["of PCM, as WAVE_FORMAT_EXTENSIBLE", extensible(WAV_FORMAT.pcm), 2_000],
  ])("%s", (_, bytes, durationMs) => {
    expect(measureWav(bytes)).toEqual({ ok: true, durationMs });
  });

  it.each([
    ["another codec", wav({ format: WAV_FORMAT.adpcm }), "WAV with codec number 2"],
    ["another codec, as WAVE_FORMAT_EXTENSIBLE", extensible(3), "WAV with codec number 3"],
    ["a frame of no bytes", wav({ frameSize: 0 }), "a damaged WAV file"],
    ["a frame larger than its samples", wav({ frameSize: 100 }), "a damaged WAV file"],
    ["a rate of 0", wav({ rate: 0 }), "a damaged WAV file"],
    ["a format chunk that is too short", changed(wav(), 16, 14), "a damaged WAV file"],
    ["no sound chunk", wav().slice(0, 36), "a damaged WAV file"],
    ["half a header", wav().slice(0, 20), "a damaged WAV file"],
    ["an empty file", new Uint8Array(), "a damaged WAV file"],
  ])("%s is refused", (_, bytes, found) => {
    expect(measureWav(bytes)).toEqual({ ok: false, found });
  });
});
