import { twilioVoice } from "../voices/voices.ts";
import type { Speech } from "../voices/voices.ts";

// TwiML (Twilio's markup of a call): documents that say a text or play a recording.

/** Characters that XML 1.0 §2.2 forbids; tabs and ends of lines are allowed. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

const ESCAPED: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;" };

/** A text as the content of an element, without what XML cannot say. */
const contentOf = (text: string): string =>
  text.replaceAll(FORBIDDEN, "").replaceAll(/[&<>\r]/gu, (one) => ESCAPED[one] ?? one);

const documentOf = (verb: string): string => `<?xml version="1.0" encoding="UTF-8"?><Response>${verb}</Response>`;

/** A call that says this text. */
export function sayTwiml(text: string, speech: Speech): string {
  const rate = `${Math.round(speech.rate * 100)}%`;
  const spoken = `<prosody rate="${rate}">${contentOf(text)}</prosody>`;
  return documentOf(`<Say voice="${twilioVoice(speech)}" language="${speech.locale}">${spoken}</Say>`);
}

/** A call that plays the recording at this address. */
export const playTwiml = (url: string): string => documentOf(`<Play>${contentOf(url)}</Play>`);
