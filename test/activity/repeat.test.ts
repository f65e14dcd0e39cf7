import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/model/operations.ts";
import { curlOf, shellWord } from "../../src/sending/curl.ts";
import { bearer, post, recordingOf } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { CURL, REPLY, codeIn, repeat, shellWords, storyOf } from "../world/story-page.ts";
import { visit } from "../world/visitor.ts";

describe("the command of a message", () => {
  it("quotes any text as a single shell word", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(shellWords(`curl ${shellWord(text)}`, {})).toEqual(["curl", text]);
      }),
      { numRuns: 1_000 },
    );
  });

  it("contains the same body, without characters that change the direction of the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const message = `${text}\u202e'; rm -rf / #\n`;
        const command = curlOf({
          url: "http://sms.localhost/send-sms",
          auth: "Authorization: Bearer ",
          body: { message },
        });
        expect(command).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/u);
        const words = shellWords(command, { DASTAK_KEY: "k" });
        expect(words).toHaveLength(8);
        expect(words[3]).toBe("Authorization: Bearer k");
        expect(JSON.parse(words[7] ?? "")).toEqual({ message });
      }),
      { numRuns: 500 },
    );
  });

  const cases: [string, string, Operation, (of: World) => Promise<object>][] = [
    [
      "sms",
      "http://sms.localhost/send-sms",
      "sms",
      async () => ({ phone: "9876543210", message: `it's "so" $HOME \`x\` \\ 😀`, senderId: "SHOP" }),
    ],
    [
      "a bulk",
      "http://sms.localhost/send-bulk-sms",
      "sms",
      async () => ({ recipients: ["9876543210", "9876543211", "9876543212"], message: "नमस्ते ".repeat(12) }),
    ],
    [
      "sms abroad",
      "http://sms.localhost/send-international-sms",
      "sms_international",
      async () => ({ phone: "+14155550132", message: "Hi", isFlash: true }),
    ],
    [
      "sms to +91",
      "http://sms.localhost/send-international-sms",
      "sms",
      async () => ({ phone: "+919876543210", message: "Hi", isFlash: false }),
    ],
    [
      "otp",
      "http://otp.localhost/send-otp",
      "otp",
      async () => ({ phone: "9876543210", otp: "004821", brandName: "A.B (c) is your. x" }),
    ],
    [
      "tts",
      "http://tts.localhost/api/tts-call",
      "tts",
      async () => ({
        callee: "1123456789",
        text: "Say\nit",
        language: "HI",
        accent: "44",
        ssmlGender: 1,
        speakingRate: 0.8,
      }),
    ],
    [
      "voice",
      "http://voice.localhost/api/make-voice-call",
      "voice",
      async (of) => ({ callee: "14155550132", fileId: await recordingOf(of) }),
    ],
  ];

  it.each(cases)("repeats %s and shows the reply to the original request", async (_, url, operation, bodyFor) => {
    const { visitor, world } = await visit({ mode: "test" });
    const body = await bodyFor(world);
    const headers = { ...bearer(world.apiKey), "x-api-key": world.apiKey };
    const first = await post(url, body, headers);
    expect(first.status).toBe(200);
    const page = await storyOf(visitor, world, operation);
    expect(JSON.parse(codeIn(page, REPLY))).toEqual(first.body);
    const words = shellWords(codeIn(page, CURL), {});
    // Locally by path: not every system resolves *.localhost.
    expect(words[1]).toBe(`http://console.localhost${new URL(url).pathname}`);
    expect(JSON.parse(words.at(-1) ?? "")).toEqual(body);
    const second = await repeat(page, world);
    expect(second.status).toBe(200);
    expect(second.body.coins_used).toEqual(first.body.coins_used);
  });

  it("contains the first hundred numbers of a long list, and the page shows how many are left out", async () => {
    const { visitor, world } = await visit({ mode: "test" });
    const recipients = Array.from({ length: 230 }, (_, at) => String(9_000_000_000 + at));
    const first = await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
    const page = await storyOf(visitor, world, "sms", { seq: 4, index: 29 });
    expect(page).toContain("+91 90000 00229");
    expect(page).toContain("130 more numbers");
    expect(page).toContain("All 230 messages of this request");
    expect(JSON.parse(codeIn(page, REPLY))).toEqual(first.body);
    const body = JSON.parse(shellWords(codeIn(page, CURL), {}).at(-1) ?? "") as { recipients: string[] };
    expect(body.recipients).toEqual(recipients.slice(0, 100));
    expect(page.replaceAll(/<[^>]+>/gu, "")).toContain("1 segment × 1.00 × 230 recipients = 230.00");
  });
});
