import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as fc from "fast-check";
import twilio from "twilio";
import { describe, expect, it } from "vitest";
import { readTwilioReceipt } from "../../../src/carriers/twilio-receipts.ts";
import { playTwiml, sayTwiml } from "../../../src/carriers/twiml.ts";
import { LANGUAGES } from "../../../src/model/message.ts";
import { googleVoice, LOCALE_NAMES, speechOf, twilioVoice, VOICES } from "../../../src/voices/voices.ts";

// What the service says to Twilio and reads of it, beside what Twilio's own library writes, signs and knows.

const TOKEN = "0123456789abcdef0123456789abcdef";

const declared = readFileSync(createRequire(import.meta.url).resolve("twilio/lib/twiml/VoiceResponse.d.ts"), "utf8");

/** The members of a union of texts in the library's declarations. */
function unionOf(name: string): Set<string> {
  const [, members = ""] = new RegExp(`type ${name} = ([^;]+);`, "u").exec(declared) ?? [];
  return new Set([...members.matchAll(/"([^"]+)"/gu)].map(([, member = ""]) => member));
}

const CELLS = LANGUAGES.flatMap((language) =>
  ["91", "1", "44", "61"].flatMap((accent) => ([1, 2] as const).map((gender) => ({ language, accent, gender }))),
);

describe("the voices at Twilio", () => {
  it("are members of the library's union, for every language, accent and gender", () => {
    const voices = unionOf("SayVoice");
    const languages = unionOf("SayLanguage");
    expect(voices.size).toBeGreaterThan(500);
    for (const cell of CELLS) {
      const speech = speechOf(cell);
      expect(voices, JSON.stringify(cell)).toContain(twilioVoice(speech));
      expect(languages, JSON.stringify(cell)).toContain(speech.locale);
      expect(googleVoice(speech)).toMatch(new RegExp(`^${speech.locale}-(Wavenet|Standard)-[A-Z]$`, "u"));
    }
  });

  it("are of the better family wherever there is one", () => {
    const voices = [...unionOf("SayVoice")];
    for (const locale of LOCALE_NAMES) {
      const hasWavenet = voices.some((voice) => voice.startsWith(`Google.${locale}-Wavenet-`));
      for (const voice of Object.values(VOICES[locale].google)) {
        expect(voice.includes("Wavenet"), voice).toBe(hasWavenet);
      }
    }
  });
});

/** Text that XML can say. */
const words = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
  .filter((text) => !/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u.test(text));

/** Compares the service's own writing with the library's. */
const plays = (url: string) => {
  const response = new twilio.twiml.VoiceResponse();
  response.play(url);
  expect(playTwiml(url)).toBe(response.toString());
};

describe("TwiML", () => {
  it("that says a text is what the library writes, byte for byte", () => {
    const says = (text: string, cell: (typeof CELLS)[number], percent: number) => {
      const speech = speechOf({ ...cell, rate: percent / 100 });
      const response = new twilio.twiml.VoiceResponse();
      const say = response.say({ voice: twilioVoice(speech) as "man", language: speech.locale }, "");
      say.prosody({ rate: `${percent}%` }, text);
      expect(sayTwiml(text, speech)).toBe(response.toString());
    };
    says(`नमस्ते & <b> "q" 'x' ]]> \r\n\t 👍`, { language: "HI", accent: "91", gender: 2 }, 80);
    fc.assert(fc.property(words, fc.constantFrom(...CELLS), fc.integer({ min: 50, max: 200 }), says));
  });

  it("that plays a recording is what the library writes, byte for byte", () => {
    plays('https://console.example/media/t?a=1&b="<2>"');
    fc.assert(fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), plays));
  });

  it("leaves out what XML cannot say", () => {
    expect(playTwiml("a\u0000\u000B\uFFFF\uD800b")).toContain("<Play>ab</Play>");
  });
});

/** A status callback, signed by the library as Twilio would. */
function posted(url: string, fields: Record<string, string | string[]>, token = TOKEN): Request {
  const signature = twilio.getExpectedTwilioSignature(token, url, fields);
  expect(twilio.validateRequest(token, signature, url, fields)).toBe(true);
  const pairs = Object.entries(fields).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
  return new Request(url, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", "x-twilio-signature": signature },
    body: new URLSearchParams(pairs as [string, string][]).toString(),
  });
}

const CALLBACK = "https://console.example/callbacks/abroad";
const DELIVERED = { MessageSid: "SM1", MessageStatus: "delivered", To: "+91 98765 43210", Body: "नमस्ते & 👍" };
const TAKEN = [{ ref: "msg_1", state: "delivered" }];

describe("Twilio's signature", () => {
  it("as the library makes it is taken, over any fields", async () => {
    const field = fc.string({ unit: "binary", maxLength: 20 }).map((text) => text.toWellFormed());
    // The library's object has no place for these names.
    const name = field.filter((one) => one !== "" && one !== "__proto__" && one !== "MessageStatus");
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, field), async (more) => {
        const fields = { ...more, MessageStatus: "delivered" };
        const request = posted(`${CALLBACK}?ref=msg_1`, { ...fields });
        expect(await readTwilioReceipt(request, TOKEN, CALLBACK)).toEqual(TAKEN);
      }),
    );
  });

  it("counts each value of a field once, as the library does", async () => {
    const fields = { ...DELIVERED, Tag: ["b", "a", "b"] };
    expect(await readTwilioReceipt(posted(`${CALLBACK}?ref=msg_1`, fields), TOKEN, CALLBACK)).toEqual(TAKEN);
  });

  it("holds for the address with its port and without it", async () => {
    const { headers } = posted("https://console.example:443/callbacks/abroad?ref=msg_1", DELIVERED);
    const local = "http://localhost:8787/callbacks/abroad";
    const ports: [string, string][] = [
      [
        CALLBACK,
        twilio.getExpectedTwilioSignature(TOKEN, CALLBACK.replace("example", "example:443") + "?ref=msg_1", DELIVERED),
      ],
      [local, twilio.getExpectedTwilioSignature(TOKEN, "http://localhost/callbacks/abroad?ref=msg_1", DELIVERED)],
      [local, twilio.getExpectedTwilioSignature(TOKEN, `${local}?ref=msg_1`, DELIVERED)],
    ];
    expect(headers.get("x-twilio-signature")).not.toBeNull();
    for (const [callback, signature] of ports) {
      const body = new URLSearchParams(DELIVERED).toString();
      const request = new Request(`${callback}?ref=msg_1`, {
        method: "POST",
        headers: { "x-twilio-signature": signature },
        body,
      });
      expect(await readTwilioReceipt(request, TOKEN, callback), callback).toEqual(TAKEN);
    }
  });

  it("holds where a proxy changed the address on its way", async () => {
    const signed = posted(`${CALLBACK}?ref=msg_1`, DELIVERED);
    const inside = new Request("http://127.0.0.1:8787/callbacks/abroad?ref=msg_1", signed);
    expect(await readTwilioReceipt(inside, TOKEN, CALLBACK)).toEqual(TAKEN);
  });

  it("of another token, message, field or carrier is forged, and so is none", async () => {
    const url = `${CALLBACK}?ref=msg_1`;
    const signature = posted(url, DELIVERED).headers.get("x-twilio-signature") ?? "";
    const read = (
      at: string,
      fields: Record<string, string>,
      header: string | null,
      token: string | undefined = TOKEN,
    ) => {
      const headers = header === null ? {} : { "x-twilio-signature": header };
      const request = new Request(at, { method: "POST", headers, body: new URLSearchParams(fields).toString() });
      return readTwilioReceipt(request, token, CALLBACK);
    };
    expect(await read(url, DELIVERED, signature)).toEqual(TAKEN);
    expect(await read(`${CALLBACK}?ref=msg_2`, DELIVERED, signature)).toBe("forged");
    expect(await read(url, { ...DELIVERED, MessageStatus: "failed" }, signature)).toBe("forged");
    expect(await read(url, { ...DELIVERED, More: "" }, signature)).toBe("forged");
    expect(await read(url, DELIVERED, signature, "another")).toBe("forged");
    expect(await read(url, DELIVERED, "")).toBe("forged");
    expect(await read(url, DELIVERED, null)).toBe("forged");
    const other = posted(url, DELIVERED, "another").headers.get("x-twilio-signature");
    expect(await read(url, DELIVERED, other)).toBe("forged");
    expect(await readTwilioReceipt(posted(url, DELIVERED), undefined, CALLBACK)).toBe("forged");
    const elsewhere = posted("https://console.example/callbacks/other?ref=msg_1", DELIVERED);
    expect(await readTwilioReceipt(elsewhere, TOKEN, CALLBACK)).toBe("forged");
  });
});

const read = (fields: Record<string, string>, query = "?ref=msg_1") =>
  readTwilioReceipt(posted(CALLBACK + query, fields), TOKEN, CALLBACK);

describe("a status callback", () => {
  it.each([
    ["queued", "submitted"],
    ["sending", "submitted"],
    ["sent", "submitted"],
    ["delivered", "delivered"],
    ["undelivered", "undelivered"],
    ["failed", "failed"],
  ])("of a message: %s is %s", async (MessageStatus, state) => {
    expect(await read({ MessageSid: "SM1", MessageStatus })).toEqual([{ ref: "msg_1", state }]);
  });

  it.each([
    ["ringing", { state: "submitted" }],
    ["in-progress", { state: "submitted" }],
    ["completed", { state: "delivered" }],
    ["busy", { state: "undelivered", code: "busy" }],
    ["no-answer", { state: "undelivered", code: "no-answer" }],
    ["canceled", { state: "undelivered", code: "canceled" }],
    ["failed", { state: "failed", code: "failed" }],
  ])("of a call: %s", async (CallStatus, receipt) => {
    expect(await read({ CallSid: "CA1", CallStatus })).toEqual([{ ref: "msg_1", ...receipt }]);
  });

  it("has Twilio's code where it failed", async () => {
    const failed = { MessageSid: "SM1", MessageStatus: "undelivered", ErrorCode: "30003" };
    expect(await read(failed)).toEqual([{ ref: "msg_1", state: "undelivered", code: "30003" }]);
  });

  it("without a known state or a reference is invalid", async () => {
    expect(await read({ MessageStatus: "lost" })).toBe("invalid");
    expect(await read({ MessageStatus: "constructor" })).toBe("invalid");
    expect(await read({ MessageSid: "SM1" })).toBe("invalid");
    expect(await read(DELIVERED, "")).toBe("invalid");
    expect(await read(DELIVERED, `?ref=${"x".repeat(201)}`)).toBe("invalid");
  });
});
