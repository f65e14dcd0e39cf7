import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startCounting, stopCounting, workOf } from "./work.ts";
import packed from "../../src/sign-in/common-passwords.json";

// Everything that reads a stranger's text is linear: twice the text is twice the work. Work is counted, not timed.

vi.mock("cloudflare:workers", () => ({ DurableObject: Object }));

/** Characters of the smaller text; lists and forms may be larger, and most other fields are cut long before. */
const SIZE = 8_000;

/** The most work for twice the text, relative to the work for the text. A quadratic parser has 4. */
const RATIO_MAX = 2.3;

const times = (piece: string) => (size: number) => piece.repeat(Math.ceil(size / piece.length));

/** Texts of any size by the shapes that made parsers slow elsewhere. */
const SHAPES: Record<string, (size: number) => string> = {
  "one letter": times("a"),
  digits: times("9"),
  spaces: times(" "),
  "spaces and an end": (size) => `${times(" ")(size)}x`,
  tabs: times("\t"),
  quotes: times('"'),
  "quotes and commas": times('",'),
  "three quotes and a comma": times(',"""'),
  "unclosed quotes": times('"a\n'),
  backslashes: times("\\"),
  "escaped quotes": times('\\"'),
  "numbers in lines": times("9876543210\n"),
  "numbers in one line": times("98765 43210 "),
  "words and numbers": times("Asha,9876543210\n"),
  "one wide row and many rows": (size) => `a b,c d${times(",")(size / 2)}\n${times("a\n")(size / 2)}`,
  "wide rows": times(`a b${",1".repeat(49)}\n`),
  lists: times("["),
  "objects in objects": times('{"apiKey":'),
  "names without a value": times('"apiKey"   '),
  "escaped names": times('"\\u0061piKey":1,'),
  "a list of lists": times("[],"),
  "fields of a form": times("a=b&"),
  cookies: times("a=b; "),
  "countries and prices": times("US 4\n+44 -\n"),
  "many countries": (size) =>
    Array.from({ length: size / 6 }, (_, at) => `+${String(at % 1_000).padStart(3, "0")} 4`).join("\n"),
  "domain labels": (size) => `a@${times("a.")(size)}`,
  "dots and at signs": times("a.@"),
  codes: times("code 482913 "),
  "terms of a search": times("-to:98765 "),
  "quoted terms": times('kind:"a '),
  conjuncts: times("क्ष"),
  emoji: times("👩‍👩‍👧"),
  "halves of characters": times("\ud83d"),
  "control characters": times("\u0000\u202e"),
};

type Parser = (text: string) => unknown;
const parsers: Record<string, Parser> = {};

/** The parsers, imported only when the counting has begun. */
const NAMES = [
  "a list of recipients",
  "one number of a list",
  "a phone",
  "a phone to send to",
  "an e-mail",
  "a name",
  "a password",
  "a buyer",
  "a rate card",
  "a search",
  "a search in the inbox",
  "a code in a text",
  "segments",
  "JSON before it is parsed",
  "the text of an SMS",
  "a number of the API",
  "a number abroad",
  "a cell of a CSV file",
  "cookies of a request",
  "Base64",
];

beforeAll(async () => {
  startCounting();
  const [
    recipients,
    phones,
    people,
    passwords,
    buyer,
    card,
    search,
    inbox,
    code,
    segments,
    unicode,
    json,
    fields,
    csv,
    cookie,
    base64,
  ] = await Promise.all([
    import("../../src/text/recipients.ts"),
    import("../../src/text/phones.ts"),
    import("../../src/sign-in/people.ts"),
    import("../../src/sign-in/passwords.ts"),
    import("../../src/payments/buyer.ts"),
    import("../../src/operator/rate-card-form.ts"),
    import("../../src/search/parse.ts"),
    import("../../src/inbox/search.ts"),
    import("../../src/inbox/code.ts"),
    import("../../src/text/segments.ts"),
    import("../../src/text/unicode.ts"),
    import("../../src/http/json-scan.ts"),
    import("../../src/http/fields.ts"),
    import("../../src/activity/csv.ts"),
    import("hono/utils/cookie"),
    import("../../src/recordings/inspect.ts"),
  ]);
  const isCommon = (await import("../../src/sign-in/common-passwords.ts")).memberOf(packed);
  const prices = { smsIndia: "1", smsAbroad: "5", ttsCall: "2", voiceCallPer30s: "2" };
  const rules = { nowMs: 0, operators: ["to", "kind", "text", "cost"] as const };
  Object.assign(parsers, {
    "a list of recipients": (text) => recipients.readRecipients(text),
    "one number of a list": (text) => phones.mobileOf(text),
    "a phone": (text) => phones.phoneOf(text),
    "a phone to send to": (text) => phones.readPhone(text, "texted"),
    "an e-mail": (text) => people.emailOf(text),
    "a name": (text) => people.nameOf(text),
    "a password": (text) => passwords.passwordFault(text, [text], isCommon),
    "a buyer": (text) =>
      buyer.readBuyer({ buyer_name: text, buyer_address: text, buyer_state: text, buyer_gstin: text }),
    "a rate card": (text) => card.readCard({ ...prices, countries: text }),
    "a search": (text) => search.parseSearch(text, rules),
    "a search in the inbox": (text) => inbox.inboxSearch(text, 0),
    "a code in a text": (text) => code.codeIn("sms", text),
    segments: (text) => [segments.countSegments(text), unicode.plainText(text), unicode.unicodeLetters(text)],
    "JSON before it is parsed": (text) => json.scanJson(`{${text}`, "apiKey"),
    "the text of an SMS": (text) => fields.smsText.safeParse(text),
    "a number of the API": (text) => fields.indianMobile("phone").safeParse(text),
    "a number abroad": (text) => fields.e164.safeParse(text),
    "a cell of a CSV file": (text) => csv.csvCell(text),
    "cookies of a request": (text) => cookie.parse(text, "session"),
    Base64: (text) => base64.decodeBase64(text),
  } satisfies Record<string, Parser>);
  expect(Object.keys(parsers)).toEqual(NAMES);
});
afterAll(stopCounting);

/** Looks through the rest of the text at each place. */
function quadratic(text: string): void {
  for (let at = 0; at < text.length; at += 1) text.indexOf("x", at);
}

it("counts the work of a search that begins anew at each place", async () => {
  const one = await workOf(() => quadratic("a".repeat(500)));
  const two = await workOf(() => quadratic("a".repeat(1_000)));
  expect(two / one).toBeGreaterThan(3.9);
});

it.each(NAMES)("%s takes twice the work for twice the text, whatever its shape", async (name) => {
  const parse = parsers[name] ?? (() => undefined);
  for (const [shape, textOf] of Object.entries(SHAPES)) {
    const [small, large] = [textOf(SIZE), textOf(2 * SIZE)];
    // The first run initialises what is made once.
    parse(small);
    const one = await workOf(() => parse(small));
    const two = await workOf(() => parse(large));
    expect(one, `${shape} is not counted`).toBeGreaterThan(0);
    expect(two / Math.max(one, SIZE / 10), `${shape}: ${one} and ${two}`).toBeLessThan(RATIO_MAX);
  }
});
