import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { configOf } from "../../../src/config/config.ts";
import { openApi } from "../../../src/openapi/served.ts";
import { allPages } from "../../../src/ui/docs/pages.ts";
import { valuesOf } from "../../../src/ui/docs/reader.ts";
import { search } from "../../../src/ui/docs/search.ts";
import { sameAs, stemOf, wordsOf } from "../../../src/ui/docs/terms.ts";
import { readTexts } from "../../../src/ui/docs/texts.ts";
import type { Lang } from "../../../src/ui/lang.ts";

// What is typed into the search of the documentation, and the page that has to come first.

async function pagesIn(lang: Lang) {
  const [document, texts] = await Promise.all([openApi(env, "api"), readTexts(env)]);
  return allPages({ lang, document, texts, values: valuesOf(configOf(env)), testKey: null, signedIn: false });
}

const PAGES = { en: await pagesIn("en"), hi: await pagesIn("hi") };

const firstOf = (lang: Lang, query: string) => search(PAGES[lang], query)[0]?.page.path;

describe("the search leads first to the page that explains", () => {
  it.each([
    ["schedule", "scheduling"],
    ["scheduled", "scheduling"],
    ["scheduling", "scheduling"],
    ["send later", "scheduling"],
    ["sendAt", "scheduling"],
    ["cancel", "scheduling"],
    ["cancelled", "scheduling"],
    ["cancel message", "api/cancelMessage"],
    ["quote", "prices"],
    ["price", "prices"],
    ["pricing", "prices"],
    ["cost", "prices"],
    ["Price-Quote", "prices"],
    ["preflight", "prices"],
    ["segments", "prices"],
    ["otp", "api/sendOtp"],
    ["one-time password", "api/sendOtp"],
    ["websocket", "api/streamEvents"],
    ["WebSockets", "api/streamEvents"],
    ["retry", "retries"],
    ["retries", "retries"],
    ["idempotency", "retries"],
    ["Idempotency-Key", "retries"],
    ["webhook", "webhooks"],
    ["webhooks", "webhooks"],
    ["signature", "webhooks"],
    ["rate limit", "limits"],
    ["dlt", "india"],
    ["error codes", "errors"],
    ["too_late", "errors"],
    ["429", "errors"],
    ["test key", "testing"],
    ["bulk", "api/sendBulkSms"],
    ["balance", "api/accountBalance"],
    ["recording upload", "api/uploadVoice"],
    ["refund", "messages"],
    ["states", "messages"],
    ["delivered", "messages"],
    ["getMessage", "api/getMessage"],
  ])("%s → %s", (query, path) => expect(firstOf("en", query)).toBe(path));

  it.each([
    ["शेड्यूल", "scheduling"],
    ["तय समय", "scheduling"],
    ["रद्द", "scheduling"],
    ["रद्द करना", "scheduling"],
    ["कीमत", "prices"],
    ["दाम", "prices"],
    ["quote", "prices"],
    ["schedule", "scheduling"],
    ["cancel", "scheduling"],
    ["price", "prices"],
    ["otp", "api/sendOtp"],
    ["ओटीपी", "api/sendOtp"],
    ["websocket", "api/streamEvents"],
    ["वेबसॉकेट", "api/streamEvents"],
    ["retry", "retries"],
    ["दोहराना", "retries"],
    ["वेबहुक", "webhooks"],
    ["webhook", "webhooks"],
    ["हस्ताक्षर", "webhooks"],
    ["बल्क", "api/sendBulkSms"],
    ["भारत", "india"],
    ["सीमा", "limits"],
  ])("in Hindi, %s → %s", (query, path) => expect(firstOf("hi", query)).toBe(path));

  it("finds nothing where a word stands nowhere", () => {
    expect(search(PAGES.en, "schedule zzzz")).toEqual([]);
    expect(search(PAGES.hi, "zzzz")).toEqual([]);
  });
});

describe("a word", () => {
  it.each([
    ["retries", "retry"],
    ["cancelling", "cancel"],
    ["cancelled", "cancel"],
    ["schedule", "schedul"],
    ["scheduling", "schedul"],
    ["prices", "pric"],
    ["pricing", "pric"],
    ["sms", "sms"],
    ["key", "key"],
    ["कीमत", "कीमत"],
  ])("%s has the stem %s", (word, stem) => expect(stemOf(word)).toBe(stem));

  it("finds words that mean the same, in the other language too", () => {
    expect(sameAs("cancelled")).toContain("रद्द");
    expect(sameAs("ओटीपी")).toContain("otp");
    expect(sameAs("nothing")).toEqual([]);
  });

  it("is found within a name", () => {
    expect(wordsOf("api/sendOtp X-Message-Id")).toEqual(["api", "sendotp", "send", "otp", "x", "message", "id"]);
    expect(wordsOf("वन-टाइम पासवर्ड")).toEqual(["वन", "टाइम", "पासवर्ड"]);
  });
});
