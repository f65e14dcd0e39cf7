import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { objectName } from "../../../src/crypto/ids.ts";
import { unseal } from "../../../src/crypto/seal.ts";
import { LANES } from "../../../src/model/lane.ts";
import { balanceOf, claim, ledgerOf, messagesOf, openWorld, recordingOf } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { visit } from "../../world/visitor.ts";
import { CASES, asJson, byApi, fieldOf } from "../../world/send-form.ts";

const without = (row: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

/** Everything that a request left behind, except what no two requests share. */
async function traceOf(world: World) {
  const messages = await messagesOf(world);
  const ledger = await ledgerOf(world);
  const jobs = (await Promise.all(LANES.map((lane) => claim(world, { lane, carrier: "sim" })))).flat();
  return {
    balance: await balanceOf(world),
    messages: messages.map((message) => without(message, "requestId", "keyId", "createdAt", "updatedAt", "timeline")),
    ledger: ledger.map((entry) => without(entry, "requestId", "at")),
    jobs: jobs.map(({ text, operation, content }) => ({
      operation,
      content,
      text: text && unseal(env.SEAL_SECRET, world.name, text),
    })),
  };
}

describe("a form sends exactly what the API would send", () => {
  it.each(Object.keys(CASES) as (keyof typeof CASES)[])("%s", async (kind) => {
    const twin = await openWorld();
    const { visitor, world } = await visit();
    const { form, ...request } = CASES[kind];
    const expected = await byApi(twin, request);
    const reply = await asJson(visitor, `/send/${kind}`, { ...form, once: `once_${kind}_1` });
    expect(expected.status).toBe(200);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual(expected.body);
    expect(await traceOf(world)).toEqual(await traceOf(twin));
    expect(reply.headers.get("ratelimit-policy")).toBe(expected.headers.get("ratelimit-policy"));
    expect(Number(reply.headers.get("balance-units"))).toBe(await balanceOf(world));
    expect((await messagesOf(world))[0]?.requestId).toBe(reply.headers.get("x-request-id"));
  });

  it("voice", async () => {
    const twin = await openWorld();
    const { visitor, world } = await visit();
    const body = { callee: "14155550132", fileId: await recordingOf(twin, 61_000) };
    const expected = await byApi(twin, { url: "http://voice.localhost/api/make-voice-call", body });
    const form = { callee: "+1 415 555 0132", fileId: await recordingOf(world, 61_000) };
    const reply = await asJson(visitor, "/send/voice", form);
    expect(reply.body).toMatchObject({ success: true, coins_used: expected.body.coins_used });
    expect(expected.body.coins_used).toBe(6);
    const [own, other] = [await traceOf(world), await traceOf(twin)];
    expect({ ...own, jobs: [] }).toEqual({ ...other, jobs: [] });
  });

  it("in test mode as well, with the test account's coins", async () => {
    const { visitor, world } = await visit({ mode: "test", balance: 50 });
    const live = env.ACCOUNT.getByName(objectName({ ...world.ref, mode: "live" }));
    const standing = { name: "Live", plan: "premium", otpRate: null, balance: 70_000 } as const;
    await live.open({ ...standing, keyId: 2, keyName: "first key" });
    const page = await visitor.submit("/send/sms", { ...CASES.sms.form, mode: "test" });
    expect(page.status).toBe(200);
    expect(await messagesOf(world)).toHaveLength(1);
    expect(await balanceOf(world)).toBe(490_000);
    expect(await live.view()).toMatchObject({ balance: 70_000 });
    expect(await live.messages({ seq: 0, index: 0 }, 10)).toEqual([]);
  });

  it("but never in another mode than the one in which the form was shown", async () => {
    const { visitor, world } = await visit();
    const reply = await asJson(visitor, "/send/sms", { ...CASES.sms.form, mode: "test" });
    expect(reply).toMatchObject({ status: 400, body: { success: false, code: "invalid_request" } });
    const page = await visitor.submit("/send/sms", { ...CASES.sms.form, mode: "test" });
    expect(page.text).toContain("You switched between live and test mode");
    expect(await messagesOf(world)).toEqual([]);
  });
});

describe("a form sends once", () => {
  it("however often it is posted, with one reply", async () => {
    const { visitor, world } = await visit();
    const form = { ...CASES.sms.form, once: "once_12345678" };
    const first = await asJson(visitor, "/send/sms", form);
    const again = await asJson(visitor, "/send/sms", form);
    expect(again.text).toBe(first.text);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const together = await Promise.all(
      [1, 2, 3].map(() => asJson(visitor, "/send/sms", { ...form, once: "once_again" })),
    );
    expect(new Set(together.map(({ text }) => text)).size).toBe(1);
    expect(await messagesOf(world)).toHaveLength(2);
  });

  it("even when the result page is reloaded, which then says that nothing was sent again", async () => {
    const { visitor, world } = await visit();
    const form = { ...CASES.otp.form, once: "once_12345678" };
    const first = await visitor.submit("/send/otp", form);
    const requestId = first.headers.get("x-request-id");
    expect(first.text).toContain("The OTP is queued.");
    expect(first.text).toContain(`/activity?q=request%3A${requestId}`);
    expect(first.text).not.toContain("sent again");
    expect(fieldOf(first, "once")).not.toBe("once_12345678");
    const again = await visitor.submit("/send/otp", form);
    expect(again.text).toContain("sent again.");
    expect(await messagesOf(world)).toHaveLength(1);
  });

  it("and its token cannot send anything else; the page contains a fresh one", async () => {
    const { visitor, world } = await visit();
    await visitor.submit("/send/sms", { ...CASES.sms.form, once: "once_12345678" });
    const page = await visitor.submit("/send/sms", { ...CASES.sms.form, message: "Other", once: "once_12345678" });
    expect(page.status).toBe(422);
    expect(page.text).toContain("already sent with different content");
    expect(page.text).toContain(">Other</textarea>");
    const once = fieldOf(page, "once") ?? "";
    expect(once).not.toBe("once_12345678");
    expect((await visitor.submit("/send/sms", { ...CASES.sms.form, message: "Other", once })).status).toBe(200);
    expect(await messagesOf(world)).toHaveLength(2);
  });

  it.each(["", "short", "once 12345678", "once_12345678\n", "एक_12345678", "x".repeat(101)])(
    "and refuses the malformed token %j",
    async (once) => {
      const { visitor, world } = await visit();
      const page = await visitor.submit("/send/sms", { ...CASES.sms.form, once });
      expect(page.status).toBe(400);
      expect(await messagesOf(world)).toEqual([]);
    },
  );
});

describe("a refused form", () => {
  it("keeps the input and its token, and marks the field", async () => {
    const { visitor, world } = await visit();
    const page = await visitor.submit("/send/sms", {
      phone: "12345",
      message: "Keep <b>this</b>",
      senderId: "Acme",
      once: "once_12345678",
    });
    expect(page.status).toBe(400);
    expect(page.text).toContain("“12345” has 5 digits; an Indian number has 10.");
    expect(page.text).toMatch(/<input[^>]*name="phone"[^>]*aria-invalid="true"/u);
    expect(page.text).toContain(">Keep &lt;b&gt;this&lt;/b&gt;</textarea>");
    expect(fieldOf(page, "phone")).toBe("12345");
    expect(fieldOf(page, "senderId")).toBe("Acme");
    expect(fieldOf(page, "once")).toBe("once_12345678");
    const mended = await visitor.submit("/send/sms", { ...CASES.sms.form, once: "once_12345678" });
    expect(mended.status).toBe(200);
    expect(await messagesOf(world)).toHaveLength(1);
  });

  it("gets the API's code and field in JSON, with a sentence in the reader's language", async () => {
    const twin = await openWorld({ balance: 0 });
    const { visitor } = await visit({ balance: 0 });
    for (const { form, url, body } of [
      CASES.sms,
      { ...CASES.otp, form: { ...CASES.otp.form, otp: "12" }, body: { ...CASES.otp.body, otp: "12" } },
      { ...CASES.tts, form: { ...CASES.tts.form, speakingRate: "9" }, body: { ...CASES.tts.body, speakingRate: 9 } },
      { ...CASES.tts, form: { ...CASES.tts.form, ssmlGender: "x" }, body: { ...CASES.tts.body, ssmlGender: "x" } },
    ]) {
      const kind = url.includes("tts") ? "tts" : url.includes("otp") ? "otp" : "sms";
      const expected = await byApi(twin, { url, body });
      const reply = await asJson(visitor, `/send/${kind}`, form);
      const { request_id: requestId, error, hint: _, ...rest } = reply.body;
      expect(expected.status).toBeGreaterThanOrEqual(400);
      expect(reply.status).toBe(expected.status);
      expect(rest).toEqual(without(expected.body, "request_id", "error", "hint"));
      expect(error).toMatch(/^[A-Z].*\.$/u);
      visitor.cookies.set("lang", "hi");
      const again = await asJson(visitor, `/send/${kind}`, form);
      expect(again.body.error).toMatch(/[\u0900-\u097f].*।$/u);
      visitor.cookies.delete("lang");
      expect(requestId).toBe(reply.headers.get("x-request-id"));
    }
  });

  it("counts in the same rate window as the API", async () => {
    const { visitor, world } = await visit({ plan: "starter" });
    for (let count = 0; count < 5; count += 1) {
      await byApi(world, CASES.sms);
      expect((await visitor.submit("/send/otp", CASES.otp.form)).status).toBe(200);
    }
    const reply = await asJson(visitor, "/send/sms", CASES.sms.form);
    expect(reply).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
    const page = await visitor.submit("/send/tts", CASES.tts.form);
    expect(page.status).toBe(429);
    expect(page.text).toContain("the limit of 10 requests per minute");
    expect((await byApi(world, CASES.sms)).status).toBe(429);
  });
});
