import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { objectName } from "../../src/crypto/ids.ts";
import { showKey } from "../../src/crypto/api-key.ts";
import { bearer, dispatch, follow, ledgerOf, openWorld, post, recordingOf, runAlarm, sendSms } from "../world/world.ts";
import { idOf, repeat, storyOf, unescaped } from "../world/story-page.ts";
import { visit } from "../world/visitor.ts";

describe("a one-time password", () => {
  it("is masked for live keys everywhere on the page, and shown for test keys", async () => {
    for (const mode of ["live", "test"] as const) {
      const { visitor, world } = await visit({ mode });
      const otp = { phone: "9876543210", otp: "482913", brandName: "Shop 482913" };
      await post("http://otp.localhost/send-otp", otp, bearer(world.apiKey));
      const page = await storyOf(visitor, world, "otp");
      const part = await visitor.get(`/activity/${idOf(world.ref, "otp", { seq: 2, index: 0 })}`, { "x-part": "1" });
      const list = await visitor.get("/activity");
      const seen = [page, part.text, list.text].map((text) => text.includes("482913"));
      expect(seen).toEqual(mode === "live" ? [false, false, false] : [true, true, false]);
      if (mode === "live") expect(page).toContain("•••••• is your one-time password for Shop ••••••");
    }
  });

  it("whose text was erased shows a notice instead", async () => {
    const { visitor, world } = await visit();
    await post("http://otp.localhost/send-otp", { phone: "9876543210", otp: "482913" }, bearer(world.apiKey));
    await runInDurableObject(world.stub, (_, state) => state.storage.sql.exec("UPDATE job SET text = NULL"));
    const page = await storyOf(visitor, world, "otp");
    expect(page).toContain("Text deleted");
    expect(page).not.toContain("482913");
  });
});

describe("a text", () => {
  const WORDS = [
    ["en", "Text deleted. Texts are kept for 30 days.", "This text can no longer be read."],
    ["hi", "टेक्स्ट मिटा दिया गया। टेक्स्ट 30 दिन तक रखे जाते हैं।", "यह टेक्स्ट अब पढ़ा नहीं जा सकता।"],
  ] as const;

  it.each(WORDS)(
    "that was forgotten, or cannot be opened, is said to be so: %s",
    async (lang, forgotten, unreadable) => {
      const { visitor, world } = await visit();
      visitor.cookies.set("lang", lang);
      await sendSms(world, { body: { message: "Namaste" } });
      expect(await storyOf(visitor, world)).toContain("Namaste");
      await runInDurableObject(world.stub, (_, state) => state.storage.sql.exec("DELETE FROM text_key"));
      await evictDurableObject(world.stub);
      const page = await storyOf(visitor, world);
      expect(page).toContain(forgotten);
      expect(page).not.toContain("Namaste");
      await runInDurableObject(world.stub, (_, state) => state.storage.sql.exec("UPDATE job SET text = x'01020304'"));
      expect(await storyOf(visitor, world)).toContain(unreadable);
    },
  );
});

describe("the command of a one-time password that is not shown", () => {
  it.each([
    ["masked", "Shop 482913", "Shop 771122"],
    ["erased", "Shop", undefined],
  ])("sends a code of the reader's own when the text is %s", async (how, brandName, sentBrand) => {
    const { visitor, world } = await visit();
    const body = { phone: "9876543210", otp: "482913", brandName };
    await post("http://otp.localhost/send-otp", body, bearer(world.apiKey));
    if (how === "erased") {
      await runInDurableObject(world.stub, (_, state) => state.storage.sql.exec("UPDATE job SET text = NULL"));
    }
    const page = await storyOf(visitor, world, "otp");
    expect(page).toContain("The code is not shown. Set DASTAK_KEY to your API key and OTP to a new code");
    expect(page).not.toContain("this sends it again");
    const reply = await repeat(page, world, { OTP: "771122" });
    expect(reply).toMatchObject({ status: 200, body: { details: { phone: "9876543210", otp_sent: "771122" } } });
    expect(reply.body.details).toMatchObject({ brand: sentBrand ?? "Dastak" });
  });

  it("is not shown where nothing can repeat the request", async () => {
    const { visitor, world } = await visit();
    await sendSms(world);
    await runInDurableObject(world.stub, (_, state) => state.storage.sql.exec("UPDATE job SET text = NULL"));
    const page = await storyOf(visitor, world);
    expect(page).toContain("This request cannot be shown");
    expect(page).not.toContain("curl");
  });
});

describe("/activity/:id", () => {
  it("explains price, times, reason and refund in words", async () => {
    const { visitor, world } = await visit({ mode: "test" });
    await sendSms(world, { body: { phone: "7000000001", message: "नमस्ते ".repeat(12) } });
    await dispatch(world, [2]);
    const page = await storyOf(visitor, world);
    const text = page.replaceAll(/<[^>]+>/gu, " ").replaceAll(/\s+/gu, " ");
    expect(text).toContain("2 segments × 1.00 × 1 recipient = 2.00");
    expect(text).toContain("Rejected by the carrier.");
    const [refund] = (await ledgerOf(world)).filter(({ type }) => type === "refund");
    expect(text).toContain("2.00 refunded to your balance.");
    expect(text).toContain(`ledger entry ${refund?.seq}, reference ${refund?.reference}`);
    expect([...page.matchAll(/<li data-state="(\w+)"/gu)].map(([, state]) => state)).toEqual([
      "queued",
      "sending",
      "failed",
    ]);
    expect(text).toContain("attempt 1");
    visitor.cookies.set("lang", "hi");
    expect(await storyOf(visitor, world)).toContain("कैरियर ने संदेश अस्वीकार किया");
  });

  it("shows the number of 30 s blocks that a recording is charged for", async () => {
    const { visitor, world } = await visit();
    const fileId = await recordingOf(world, 45_000);
    await post(
      "http://voice.localhost/api/make-voice-call",
      { callee: "919876543210", fileId },
      { "x-api-key": world.apiKey },
    );
    const text = (await storyOf(visitor, world, "voice")).replaceAll(/<[^>]+>/gu, "");
    expect(text).toContain("Recording of 45 s");
    expect(text).toContain("2 30-second blocks × ₹2.00 × 1 recipient = ₹4.00");
  });

  it("shows an unknown carrier code verbatim, escaped", async () => {
    const { visitor, world } = await visit();
    await sendSms(world);
    await dispatch(world, [2]);
    await world.stub.report([{ seq: 2, index: 0, kind: "receipt", state: "undelivered", code: "<b>dlt_17" }], false);
    const page = await storyOf(visitor, world);
    expect(page).toContain("The carrier&#39;s reason: “&lt;b&gt;dlt_17”.");
    await world.stub.report([{ seq: 2, index: 0, kind: "receipt", state: "delivered", code: "constructor" }], false);
    expect(await storyOf(visitor, world)).toContain("The carrier&#39;s reason: “constructor”.");
  });

  it("returns only the article for the drawer", async () => {
    const { visitor, world } = await visit();
    await sendSms(world);
    const part = await visitor.get(`/activity/${idOf(world.ref, "sms", { seq: 2, index: 0 })}`, { "x-part": "1" });
    expect(part.status).toBe(200);
    expect(part.text).toMatch(/^<article/u);
    expect(part.text).not.toContain("<h1");
    expect(part.text).toContain("+91 98765 43210");
  });

  it("opens a message of the other mode, too", async () => {
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

  it("answers the same for another account's message as for one that does not exist", async () => {
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

  it("shows each state that the message has passed through", async () => {
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
