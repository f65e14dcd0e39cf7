import type { Config } from "../../config/settings.ts";
import type { OpenApi } from "../../openapi/types.ts";
import type { Lang } from "../lang.ts";
import type { Texts } from "./texts.ts";

// What the texts of the documentation are filled in with.

export interface Reader {
  lang: Lang;
  /** The API's document, as this deployment serves it. */
  document: OpenApi;
  texts: Texts;
  /** Base addresses and settings by name: `{SMS_URL}` in a text becomes the address. */
  values: Readonly<Record<string, string>>;
  /** The reader's own test key, for the samples; null where there is none. Never a live key. */
  testKey: string | null;
  /** Whether somebody is signed in, who could have a key. */
  signedIn: boolean;
}

/** A text with its values filled in. */
export const filled = (text: string, { values }: Pick<Reader, "values">): string =>
  text.replaceAll(/\{([A-Z][A-Z_]+)\}/gu, (whole, name: string) => values[name] ?? whole);

/**
 * What texts are filled in with: addresses as a program on the reader's machine reaches them, and settings. A local
 * service is reached at the console's address alone, because many systems do not resolve *.localhost.
 */
export function valuesOf(config: Config): Readonly<Record<string, string>> {
  const reached = (url: string) => (config.ENVIRONMENT === "local" ? config.CONSOLE_URL : url);
  return {
    SMS_URL: reached(config.SMS_URL),
    TTS_URL: reached(config.TTS_URL),
    VOICE_URL: reached(config.VOICE_URL),
    OTP_URL: reached(config.OTP_URL),
    CONSOLE_URL: config.CONSOLE_URL,
    IDEMPOTENCY_DAYS: String(config.IDEMPOTENCY_DAYS),
    TEST_DAYS: String(config.TEST_DAYS),
    TEST_RECIPIENTS_PER_DAY: String(config.TEST_RECIPIENTS_PER_DAY),
  };
}
