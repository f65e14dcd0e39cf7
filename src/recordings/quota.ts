import type { Config } from "../config/settings.ts";
import type { RecordingQuota } from "../model/message.ts";
import type { Mode } from "../model/ref.ts";

/** What an account may keep in this mode. */
export function quotaOf(config: Config, mode: Mode): RecordingQuota {
  return mode === "live"
    ? { recordings: config.RECORDINGS_MAX, bytes: config.RECORDINGS_BYTES_MAX }
    : { recordings: config.TEST_RECORDINGS_MAX, bytes: config.TEST_RECORDINGS_BYTES_MAX };
}
