import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { objectName } from "../../../src/crypto/ids.ts";
import { unseal } from "../../../src/crypto/seal.ts";
import type { SendKind } from "../../../src/model/operations.ts";
import { balanceOf, bearer, ledgerOf, messagesOf, openWorld, post, recordingOf } from "../../world/world.ts";
import type { Reply, World } from "../../world/world.ts";
import { CONSOLE, visit, shownIn } from "../../world/visitor.ts";
import type { Page, Visitor } from "../../world/visitor.ts";

const JSON_TYPE = { accept: "application/json" };

/** A form of each kind, and the equivalent API request. */
interface Case {
  form: Record<string, string>;
  url: string;
  body: Record<string, unknown>;
}

const SMS = "http://sms.localhost";

const CASES: Record<Exclude<SendKind, "voice">, Case> = {
  sms: {
    form: { phone: "+91 98765 43210", message: "One\r\ntwo", senderId: " Acme " },
    url: `${SMS}/send-sms`,
    body: { phone: "9876543210", message: "One\ntwo", senderId: "Acme" },
  },
  bulk: {
    form: { recipients: "9876543210, 9876543211\r\n+919876543212;09876543210", message: "नमस्ते ".repeat(12) },
    url: `${SMS}/send-bulk-sms`,
    body: { recipients: ["9876543210", "9876543211", "9876543212"], message: "नमस्ते ".repeat(12) },
  },
  international: {
    form: { phone: "+1 (415) 555-0132", message: "Hello", isFlash: "1", senderId: "" },
    url: `${SMS}/send-international-sms`,
    body: { phone: "+14155550132", message: "Hello", isFlash: true },
  },
  otp: {
    form: { phone: "98765 43210", otp: "004213", brandName: "Chai & Co" },
    url: "http://otp.localhost/send-otp",
    body: { phone: "9876543210", otp: "004213", brandName: "Chai & Co" },
  },
  tts: {
    form: {
      callee: "022 1234 5678",
      text: "Namaste",
      language: "HI",
      accent: "44",
      ssmlGender: "1",
      speakingRate: "1.2",
    },
    url: "http://tts.localhost/api/tts-call",
    body: { callee: "2212345678", text: "Namaste", language: "HI", accent: "44", ssmlGender: 1, speakingRate: 1.2 },
  },
};

const without = (row: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

/** Everything that a request left behind, except what no two requests share. */
async function traceOf(world: World) {
  const messages = await messagesOf(world);
  const ledger = await ledgerOf(world);
  const jobs = (await world.stub.claim([...new Set(messages.map(({ seq }) => seq))], 100, "sim", 60_000)) ?? [];
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

const byApi = (world: World, { url, body }: Omit<Case, "form">) =>
  post(url, body, url.includes("/api/") ? { "x-api-key": world.apiKey } : bearer(world.apiKey));

async function asJson(visitor: Visitor, path: string, form: Record<string, string> | FormData): Promise<Reply> {
  const page = await visitor.submit(path, form, JSON_TYPE);
  return { ...page, body: JSON.parse(page.text) };
}

/** The value of a field in the page's form. */
const fieldOf = (page: Page, name: string) =>
  new RegExp(`<input[^>]* name="${name}"[^>]* value="([^"]*)"|<input[^>]* value="([^"]*)"[^>]* name="${name}"`, "u")
    .exec(page.text)
    ?.slice(1)
    .find((value) => value !== undefined);

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
    expect(page.text).toContain("switched in another tab");
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
    expect(first.text).not.toContain("not sent again");
    expect(fieldOf(first, "once")).not.toBe("once_12345678");
    const again = await visitor.submit("/send/otp", form);
    expect(again.text).toContain("it was not sent again");
    expect(await messagesOf(world)).toHaveLength(1);
  });

  it("and its token cannot send anything else; the page contains a fresh one", async () => {
    const { visitor, world } = await visit();
    await visitor.submit("/send/sms", { ...CASES.sms.form, once: "once_12345678" });
    const page = await visitor.submit("/send/sms", { ...CASES.sms.form, message: "Other", once: "once_12345678" });
    expect(page.status).toBe(422);
    expect(page.text).toContain("sent before, with other content");
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
    expect(page.text).toContain("phone must be exactly 10 digits, without country code.");
    expect(page.text).toMatch(/<input[^>]*name="phone"[^>]*aria-invalid="true"/u);
    expect(page.text).toContain(">Keep &lt;b&gt;this&lt;/b&gt;</textarea>");
    expect(fieldOf(page, "phone")).toBe("12345");
    expect(fieldOf(page, "senderId")).toBe("Acme");
    expect(fieldOf(page, "once")).toBe("once_12345678");
    const mended = await visitor.submit("/send/sms", { ...CASES.sms.form, once: "once_12345678" });
    expect(mended.status).toBe(200);
    expect(await messagesOf(world)).toHaveLength(1);
  });

  it("gets the API's own error in JSON", async () => {
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
      const { request_id: requestId, ...rest } = reply.body;
      expect(expected.status).toBeGreaterThanOrEqual(400);
      expect(reply.status).toBe(expected.status);
      expect({ ...rest, request_id: expected.body.request_id }).toEqual(expected.body);
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
    expect(page.text).toContain("The limit of 10 requests per minute is reached");
    expect((await byApi(world, CASES.sms)).status).toBe(429);
  });
});

describe("the pages", () => {
  it("count, price and name on the server what the browser shows while typing", async () => {
    const { visitor } = await visit();
    const page = await visitor.submit("/send/sms", { phone: "1", message: `It’s ${"x".repeat(70)}` });
    expect(page.text).toMatch(/data-encoding="">UCS-2</u);
    expect(page.text).toMatch(/data-segments="">2</u);
    expect(page.text).toContain("“’”\u00a0U+2019\u00a0→\u00a0“&#39;”");
    expect(page.text).toMatch(/data-total=""[^>]*>₹2\.00</u);
  });

  it("fill in the values of a link", async () => {
    const { visitor } = await visit();
    expect(fieldOf(await visitor.get("/send/sms?to=%2B919876543210"), "phone")).toBe("9876543210");
    expect(fieldOf(await visitor.get("/send/voice?to=%2B919876543210"), "callee")).toBeUndefined();
    const hostile = await visitor.get("/send/international?to=%22%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E");
    expect(hostile.text).not.toContain("<img");
  });

  it("answer 404 for an unknown kind, and require a session", async () => {
    const { visitor } = await visit();
    expect((await visitor.get("/send/fax")).status).toBe(404);
    expect((await visitor.submit("/send/fax", {})).status).toBe(404);
    visitor.cookies.clear();
    expect((await visitor.submit("/send/sms", CASES.sms.form)).status).toBe(303);
    expect((await visitor.submit("/send/sms", CASES.sms.form, JSON_TYPE)).status).toBe(401);
  });

  it("send nothing for another site", async () => {
    const { visitor, world } = await visit();
    const page = await visitor.submit("/send/sms", CASES.sms.form, { origin: "https://evil.example" });
    expect(page.status).toBe(403);
    expect(await messagesOf(world)).toEqual([]);
  });

  it("offer no other account's recording, and refuse a call with one", async () => {
    const { visitor, world } = await visit();
    const stranger = await openWorld();
    const foreign = await recordingOf(stranger);
    const own = await recordingOf(world);
    const page = await visitor.get(`/send/voice?file=${foreign}`);
    expect(page.text).toContain(`value="${own}"`);
    expect(shownIn(page)).not.toContain(foreign);
    const replies = await Promise.all(
      [foreign, "file_unknown"].map((fileId) => asJson(visitor, "/send/voice", { callee: "919876543210", fileId })),
    );
    for (const { status, body } of replies) {
      expect(status).toBe(400);
      expect(body).toMatchObject({ error: "fileId does not name a recording of this account.", param: "fileId" });
    }
    expect(await messagesOf(world)).toEqual([]);
  });

  it("refuse a form larger than 10 MiB in one sentence", async () => {
    const { visitor } = await visit();
    const form = new FormData();
    form.set("file", new File([new Uint8Array(10 * 1024 * 1024)], "a.csv"));
    const reply = await visitor.submit("/send/bulk", form, JSON_TYPE);
    expect(reply.status).toBe(413);
    expect(JSON.parse(reply.text)).toMatchObject({ success: false, code: "payload_too_large" });
  });

  it("refuse a body that is not a form", async () => {
    const { visitor } = await visit();
    for (const type of ["multipart/form-data", "multipart/form-data; boundary=x", "text/plain", "application/json"]) {
      const page = await visitor.submit("/send/sms", { phone: "1" }, { "content-type": type, origin: CONSOLE });
      expect(page.status).toBe(400);
    }
  });
});
