import type { Preset } from "./template/preset.ts";
import { exotel, gupshup, msg91, textlocal, twoFactor, vonage } from "./template/presets-form.ts";
import { airtel, fast2sms, plivo } from "./template/presets-json.ts";

// Descriptions of carriers to start from, for the kind `template` (contract §16.3). Each was written from the documents
// named with it; none was tried against a live account. `basic` is always Base64 of "user:password" (RFC 7617). Where a
// carrier must be told whether a text is Unicode by a word, the word is the one that is right for every text.

/** Every description, by a short name. */
export const PRESETS = {
  msg91,
  fast2sms,
  exotel,
  gupshup,
  airtel,
  textlocal,
  "2factor": twoFactor,
  plivo,
  vonage,
} as const satisfies Record<string, Preset>;
