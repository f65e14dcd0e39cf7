import { describe, expect, it } from "vitest";
import { parseConfig } from "../src/config/config.ts";
import { LOCAL, PRODUCTION, faultsOf } from "./world/settings.ts";

describe("speech", () => {
  it.each([
    ["google", "GOOGLE_TTS_CREDENTIALS"],
    ["sarvam", "SARVAM_API_KEY"],
  ])("by %s needs %s", (TTS, name) => {
    expect(faultsOf({ ...PRODUCTION, TTS })).toEqual([`${name} is missing, and TTS is ${TTS}`]);
    const key = "A key that the provider made for us: 48 letters.";
    expect(faultsOf({ ...PRODUCTION, TTS, [name]: key })).toEqual([]);
    expect(faultsOf({ ...PRODUCTION, [name]: "short" })).toEqual([`${name}: must have at least 16 characters`]);
  });

  it("by a Worker may have an address, deployed only an encrypted one", () => {
    const TTS_WORKER_URL = "http://127.0.0.1:8799/";
    expect(faultsOf({ ...PRODUCTION, TTS: "worker" })).toEqual([]);
    expect(faultsOf({ ...LOCAL, TTS: "worker", TTS_WORKER_URL })).toEqual([]);
    expect(faultsOf({ ...PRODUCTION, TTS: "worker", TTS_WORKER_URL })).toEqual([
      "TTS_WORKER_URL must be https: the texts of calls travel there",
    ]);
    expect(parseConfig({ ...PRODUCTION, TTS_TIMEOUT_MS: "8000" }).TTS_TIMEOUT_MS).toBe(8_000);
    expect(faultsOf({ ...PRODUCTION, TTS_TIMEOUT_MS: "8001" })).toHaveLength(1);
    expect(faultsOf({ ...PRODUCTION, TTS: "espeak" })).toHaveLength(1);
  });
});
