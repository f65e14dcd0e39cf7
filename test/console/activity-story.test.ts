import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messageId, objectName } from "../../src/ids.ts";
import type { AccountRef, MessagePlace } from "../../src/ids.ts";
import { showKey } from "../../src/keys.ts";
import { curlOf, shellWord } from "../../src/story.ts";
import { bearer, dispatch, follow, ledgerOf, openWorld, post, recordingOf, runAlarm, sendSms } from "../world.ts";
import type { Reply, World } from "../world.ts";
import { visit } from "./visitor.ts";
import type { Visitor } from "./visitor.ts";

/** Reads a command as a POSIX shell does: words of quoted and unquoted pieces, one variable. */
function shellWords(command: string, variables: Record<string, string>): string[] {
  const words: string[] = [];
  const joined = command.replaceAll("\\\n", "");
  const piece = /'([^']*)'|"([^"]*)"|\\(.)|([^\s'"\\]+)|(\s+)/suy;
  let word: string | null = null;
  let at = 0;
  for (let match = piece.exec(joined); match; match = piece.exec(joined)) {
    const [whole, single, double, escaped, bare, space] = match;
    at += whole.length;
    if (space !== undefined) {
      if (word !== null) words.push(word);
      word = null;
      continue;
    }
    if (bare !== undefined && /[$`&|;<>()*?[\]#~!{}]/u.test(bare)) throw new Error(`a shell would act on ${bare}`);
    if (double !== undefined && /[`\\]|\$\(/u.test(double)) throw new Error(`a shell would act on ${double}`);
    word = `${word ?? ""}${single ?? double?.replaceAll(/\$(\w+)/gu, (_, name: string) => variables[name] ?? "") ?? escaped ?? bare ?? ""}`;
  }
  if (at !== joined.length) throw new Error(`a quote never ends: ${joined.slice(at)}`);
  return word === null ? words : [...words, word];
}

/** Text as a page has it, read back. */
function unescaped(html: string): string {
  const named: Record<string, string> = { lt: "<", gt: ">", quot: '"', amp: "&" };
  return html.replaceAll(/&(?:#(\d+)|(\w+));/gu, (_, code: string | undefined, name: string | undefined) =>
    code === undefined ? (named[name ?? ""] ?? "") : String.fromCodePoint(Number(code)),
  );
}

const [CURL, REPLY] = [0, 1];
function codeIn(page: string, which: number): string {
  const blocks = [...page.matchAll(/<pre tabindex="0">(.*?)<\/pre>/gsu)];
  return unescaped(blocks[which]?.[1] ?? "");
}

const idOf = (ref: AccountRef, operation: string, place: MessagePlace) =>
  messageId(env.KEY_SECRET, ref, operation, place);

async function storyOf(visitor: Visitor, world: World, operation = "sms", place = { seq: 2, index: 0 }) {
  const page = await visitor.get(`/activity/${idOf(world.ref, operation, place)}`);
  expect(page.status).toBe(200);
  return page.text;
}

/** Runs the command of a page, against the Worker in place of the network. */
function repeat(page: string, world: World): Promise<Reply> {
  const [program, url = "", ...options] = shellWords(codeIn(page, CURL), { DASTAK_KEY: world.apiKey });
  expect(program).toBe("curl");
  const headers: Record<string, string> = {};
  let body = "";
  for (let at = 0; at < options.length; at += 2) {
    const value = options[at + 1] ?? "";
    if (options[at] === "-d") body = value;
    else headers[value.slice(0, value.indexOf(":")).toLowerCase()] = value.slice(value.indexOf(":") + 2);
  }
  return post(url, body, headers);
}

describe("the command of a message", () => {
  it("is one word for a shell, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(shellWords(`curl ${shellWord(text)}`, {})).toEqual(["curl", text]);
      }),
      { numRuns: 1_000 },
    );
  });

  it("says the same body, with nothing that turns the direction of the text", () => {
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

  const world = (fileId: (of: World) => Promise<string>) => ({ fileId });
  const cases: [string, string, string, (of: World) => Promise<object>][] = [
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
      async (of) => ({ callee: "14155550132", fileId: await world(recordingOf).fileId(of) }),
    ],
  ];

  it.each(cases)("repeats %s, and shows the reply that it had", async (_, url, operation, bodyFor) => {
    const { visitor, world } = await visit({ mode: "test" });
    const body = await bodyFor(world);
    const headers = { ...bearer(world.apiKey), "x-api-key": world.apiKey };
    const first = await post(url, body, headers);
    expect(first.status).toBe(200);
    const page = await storyOf(visitor, world, operation);
    expect(JSON.parse(codeIn(page, REPLY))).toEqual(first.body);
    const words = shellWords(codeIn(page, CURL), {});
    expect(words[1]).toBe(url);
    expect(JSON.parse(words.at(-1) ?? "")).toEqual(body);
    const second = await repeat(page, world);
    expect(second.status).toBe(200);
    expect(second.body.coins_used).toEqual(first.body.coins_used);
  });

  it("has the first hundred numbers of a long list, and says so", async () => {
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
    expect(page.replaceAll(/<[^>]+>/gu, "")).toContain("1 segment × ₹1.00 × 230 recipients = ₹230.00");
  });
});

describe("a one-time password", () => {
  it("is masked for live keys everywhere on the page, and shown for test keys", async () => {
    for (const mode of ["live", "test"] as const) {
      const { visitor, world } = await visit({ mode });
      await post("http://otp.localhost/send-otp", { phone: "9876543210", otp: "482913" }, bearer(world.apiKey));
      const page = await storyOf(visitor, world, "otp");
      const part = await visitor.get(`/activity/${idOf(world.ref, "otp", { seq: 2, index: 0 })}`, { "x-part": "1" });
      const list = await visitor.get("/activity");
      const seen = [page, part.text, list.text].map((text) => text.includes("482913"));
      expect(seen).toEqual(mode === "live" ? [false, false, false] : [true, true, false]);
      if (mode === "live") expect(page).toContain("•••••• is your one-time password for Dastak");
    }
  });

  it("that was forgotten says so", async () => {
    const { visitor, world } = await visit();
    await post("http://otp.localhost/send-otp", { phone: "9876543210", otp: "482913" }, bearer(world.apiKey));
    await runInDurableObject(world.stub, (_, state) => state.storage.sql.exec("UPDATE job SET text = NULL"));
    const page = await storyOf(visitor, world, "otp");
    expect(page).toContain("The text was forgotten");
    expect(page).not.toContain("482913");
  });
});

describe("/activity/:id", () => {
  it("tells price, times, reason and refund in words", async () => {
    const { visitor, world } = await visit({ mode: "test" });
    await sendSms(world, { body: { phone: "7000000001", message: "नमस्ते ".repeat(12) } });
    await dispatch(world, [2]);
    const page = await storyOf(visitor, world);
    const text = page.replaceAll(/<[^>]+>/gu, " ").replaceAll(/\s+/gu, " ");
    expect(text).toContain("2 segments × ₹1.00 × 1 recipient = ₹2.00");
    expect(text).toContain("The carrier refused this message for good.");
    const [refund] = (await ledgerOf(world)).filter(({ type }) => type === "refund");
    expect(text).toContain("₹2.00 went back to the balance.");
    expect(text).toContain(`ledger entry ${refund?.seq}, reference ${refund?.reference}`);
    expect([...page.matchAll(/<li data-state="(\w+)"/gu)].map(([, state]) => state)).toEqual([
      "queued",
      "sending",
      "failed",
    ]);
    expect(text).toContain("attempt 1");
    visitor.cookies.set("lang", "hi");
    expect(await storyOf(visitor, world)).toContain("कैरियर ने यह संदेश पूरी तरह ठुकरा दिया");
  });

  it("counts the blocks of a recording", async () => {
    const { visitor, world } = await visit();
    const fileId = await recordingOf(world, 45_000);
    await post(
      "http://voice.localhost/api/make-voice-call",
      { callee: "919876543210", fileId },
      { "x-api-key": world.apiKey },
    );
    const text = (await storyOf(visitor, world, "voice")).replaceAll(/<[^>]+>/gu, "");
    expect(text).toContain("Recording of 45 s");
    expect(text).toContain("2 started 30 s blocks × ₹2.00 × 1 recipient = ₹4.00");
  });

  it("shows a code that it has no words for as it is", async () => {
    const { visitor, world } = await visit();
    await sendSms(world);
    await dispatch(world, [2]);
    await world.stub.report([{ seq: 2, index: 0, kind: "receipt", state: "undelivered", code: "<b>dlt_17" }], false);
    const page = await storyOf(visitor, world);
    expect(page).toContain("The carrier gave the reason “&lt;b&gt;dlt_17”.");
    await world.stub.report([{ seq: 2, index: 0, kind: "receipt", state: "delivered", code: "constructor" }], false);
    expect(await storyOf(visitor, world)).toContain("The carrier gave the reason “constructor”.");
  });

  it("gives the drawer only the part", async () => {
    const { visitor, world } = await visit();
    await sendSms(world);
    const part = await visitor.get(`/activity/${idOf(world.ref, "sms", { seq: 2, index: 0 })}`, { "x-part": "1" });
    expect(part.status).toBe(200);
    expect(part.text).toMatch(/^<article/u);
    expect(part.text).not.toContain("<h1");
    expect(part.text).toContain("+91 98765 43210");
  });

  it("opens the message of the other mode, too", async () => {
    const { visitor, world } = await visit();
    const ref = { ...world.ref, mode: "test" as const };
    const stub = env.ACCOUNT.getByName(objectName(ref));
    const keyId = 0x8000_0001;
    await stub.open({ name: "Test", plan: "starter", otpRate: null, balance: 100_000, keyId, keyName: "first key" });
    const apiKey = showKey(env.KEY_SECRET, { ...ref, keyId });
    await sendSms({ ...world, ref, stub, keyId, apiKey });
    const page = await visitor.get(`/activity/${idOf(ref, "sms", { seq: 2, index: 0 })}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain("Test mode");
  });

  it("answers for another account's message as for one that nobody has", async () => {
    const { visitor, world } = await visit();
    const other = await openWorld();
    await sendSms(world);
    await sendSms(other);
    const own = idOf(world.ref, "sms", { seq: 2, index: 0 });
    const ids = [
      idOf(other.ref, "sms", { seq: 2, index: 0 }),
      idOf(world.ref, "sms", { seq: 999, index: 0 }),
      idOf(world.ref, "sms", { seq: 2, index: 7 }),
      idOf({ ...world.ref, mode: "test" }, "sms", { seq: 2, index: 0 }),
      own.replace(/.$/u, (letter) => (letter === "0" ? "1" : "0")),
      own.replace("msg_", "call_"),
      "msg_x",
      "..%2f..",
    ];
    const answers = await Promise.all(
      ids.flatMap((id) => [visitor.get(`/activity/${id}`), visitor.get(`/activity/${id}`, { "x-part": "1" })]),
    );
    const texts = answers.map(({ status, text }) => {
      expect(status).toBe(404);
      return text.replaceAll(/req_\w+/gu, "").replaceAll(/value="\/activity\/[^"]*"/gu, "");
    });
    expect(new Set(texts).size).toBe(1);
    expect((await visitor.get(`/activity/${own}`)).status).toBe(200);
  });

  it.each([
    `<img src=x onerror=alert(1)>"'><script>alert(1)</script>`,
    "\u202eevil\u202c שלום مرحبا",
    "😀".repeat(160),
    "a\u2028b\n\nc'\"\\",
  ])("shows hostile text as text: %j", async (message) => {
    const { visitor, world } = await visit();
    expect((await sendSms(world, { body: { message } })).status).toBe(200);
    const page = await storyOf(visitor, world);
    expect(page).not.toMatch(/<img|<script>/u);
    const bubble = /<p class="bubble" dir="auto">(.*?)<\/p>/su.exec(page)?.[1] ?? "";
    expect(unescaped(bubble)).toBe(message);
    expect((await repeat(page, world)).body.success).toBe(true);
    await runAlarm(world);
  });

  it("shows what became of it as it changes", async () => {
    const { visitor, world } = await visit();
    await sendSms(world);
    expect(await storyOf(visitor, world)).toContain('data-state="queued"');
    await dispatch(world, [2]);
    await follow(world, [2]);
    const page = await storyOf(visitor, world);
    expect([...page.matchAll(/<li data-state="(\w+)"/gu)].map(([, state]) => state)).toEqual([
      "queued",
      "sending",
      "submitted",
      "delivered",
    ]);
  });
});
