// The words by which the documentation is searched: their stems, and which of them mean the same.

/** Letters that a doubled end is made of: `cancell` of cancelling is `cancel`. */
const DOUBLED = /([bdgklmnprt])\1$/u;

/** What English forms of a word have in common: retries, retry; cancelling, cancelled, cancel. Other words stay as they are. */
export function stemOf(word: string): string {
  if (!/^[a-z]{4,}$/u.test(word)) return word;
  const singular = word.replace(/ies$/u, "y");
  return singular.replace(/(?<=[a-z]{3})(?:ing|ed|es|e|s)$/u, "").replace(DOUBLED, "$1");
}

/**
 * Words of which each also finds the others. Pages of operations are English in every language, so Hindi words stand beside
 * the English ones that those pages have.
 */
const SAME: readonly (readonly string[])[] = [
  ["schedule", "later", "sendat", "शेड्यूल", "समय"],
  ["cancel", "undo", "revert", "रद्द", "वापस"],
  ["price", "cost", "charge", "कीमत", "दाम", "मूल्य", "खर्च"],
  ["quote", "preflight", "estimate", "कोटेशन", "अनुमान"],
  ["retry", "repeat", "idempotency", "दोहराना", "दोबारा", "पुनः"],
  ["otp", "otps", "password", "ओटीपी", "पासवर्ड"],
  ["websocket", "websockets", "socket", "realtime", "stream", "वेबसॉकेट", "सॉकेट"],
  ["webhook", "callback", "वेबहुक"],
  ["error", "failure", "त्रुटि", "गलती"],
  ["refund", "रिफ़ंड", "रिफंड", "वापसी"],
  ["bulk", "बल्क", "थोक"],
  ["call", "कॉल"],
  ["recording", "audio", "रिकॉर्डिंग"],
  ["balance", "बैलेंस", "शेष"],
  ["limit", "सीमा"],
  ["test", "sandbox", "टेस्ट", "परीक्षण"],
  ["signature", "हस्ताक्षर"],
  ["message", "sms", "संदेश", "मैसेज", "एसएमएस"],
  ["event", "इवेंट"],
  ["account", "खाता", "खाते"],
  ["key", "कुंजी"],
];

const groups = new Map(SAME.flatMap((group) => group.map((word) => [stemOf(word), group.map(stemOf)] as const)));

/** The other words, as stems, that a word also looks for. */
export const sameAs = (word: string): readonly string[] => {
  const stem = stemOf(word);
  return (groups.get(stem) ?? []).filter((other) => other !== stem);
};

/** What stands between words: everything but letters with their marks, and digits. */
export const BETWEEN = /[^\p{L}\p{M}\p{N}]+/u;

/** The words of a text, in small letters; a name such as sendOtp is its parts and the whole. */
export function wordsOf(text: string): string[] {
  return text.split(BETWEEN).flatMap((name) => {
    const parts = name.split(/(?<=[a-z])(?=[A-Z])/u);
    return (parts.length > 1 ? [name, ...parts] : parts).map((part) => part.toLowerCase()).filter(Boolean);
  });
}
