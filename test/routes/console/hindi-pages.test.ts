import { describe, expect, it } from "vitest";
import { englishIn } from "../../world/english.ts";
import { ADDRESS, hindi, hindiJson, inHindi, openLive, stranger } from "../../world/hindi.ts";
import { codeFor, freshNumber, otherCode } from "../../world/people.ts";
import { mp3, png, wav } from "../../world/recordings.ts";
import { CASES, JSON_TYPE } from "../../world/send-form.ts";
import { idOf } from "../../world/story-page.ts";
import { visit } from "../../world/visitor.ts";
import { recordHistory, recordingOf, sendSms } from "../../world/world.ts";

// Every page that sends or shows what was sent, and every refusal of it, seen in Hindi: none has an English sentence.

describe("the detector", () => {
  it("finds a sentence in a text and in an attribute, and nothing in code, names and English paper", () => {
    expect(englishIn("<p>नमस्ते</p><p>The SMS is queued.</p>")).toEqual(["The SMS is queued"]);
    expect(englishIn('<form data-lost="No answer came back">')).toEqual(["No answer came back"]);
    expect(englishIn('<input placeholder="Number or text here">')).toHaveLength(1);
    expect(englishIn("<code>curl is a program</code><bdi>Chai and Company</bdi>")).toEqual([]);
    expect(englishIn('<p lang="en">this is <b>an invoice</b> of ours</p>')).toEqual([]);
    expect(englishIn("<p>API अनुरोध, SMS, OTP और WAV</p>")).toEqual([]);
  });
});

describe("signed out, in Hindi", () => {
  const DOCS = [
    "",
    "/errors",
    "/retries",
    "/messages",
    "/scheduling",
    "/prices",
    "/limits",
    "/webhooks",
    "/testing",
    "/india",
    "/mcp",
    "/api/sendSms",
    "/api/streamEvents",
  ].concat(["/supabase", "/sign-in-products"]);

  it.each([
    "/sign-in",
    "/sign-in/password",
    "/sign-up",
    "/inbox",
    "/docs/search?q=otp",
    "/docs/search?q=nothing",
    ...DOCS.map((path) => `/docs${path}`),
  ])("%s", async (path) => {
    hindi(await stranger().get(path), 200);
  });

  it.each([
    ["/sign-in", { phone: "12" }, 400],
    ["/sign-in/password", { email: "x", password: "y" }, 400],
    ["/sign-in/password", { email: "nobody@example.com", password: "a few other words" }, 401],
    ["/sign-up", { phone: "12", email: "a", password: "short" }, 400],
    ["/sign-up", { phone: "9876543210", email: "a@example.com", password: "x".repeat(201) }, 400],
    ["/sign-up", { phone: "9876543210", email: "a@example.com", password: "password123" }, 400],
  ])("%s refuses %j", async (path, form, status) => {
    hindi(await stranger().submit(path, form), status);
    hindiJson(await stranger().submit(path, form, JSON_TYPE), status);
  });

  it("a wrong code, one that was answered too often, and too many of them", async () => {
    const visitor = stranger();
    const number = freshNumber();
    await visitor.submit("/sign-in", { phone: number });
    hindi(await visitor.get("/sign-in/code"), 200);
    const code = await codeFor(`+91${number}`);
    hindi(await visitor.submit("/sign-in/code", { code: "12" }), 400);
    for (let n = 1; n <= 6; n += 1) hindi(await visitor.submit("/sign-in/code", { code: otherCode(code, n) }), 401);
    const pages = [];
    for (let n = 0; n < 20; n += 1) pages.push(await visitor.submit("/sign-in", { phone: number }, ADDRESS));
    expect(pages.some(({ status }) => status === 429)).toBe(true);
    for (const page of pages.filter(({ status }) => status === 429)) hindi(page, 429);
  });

  it("what is not there, what another site sent, and what is not a form", async () => {
    hindi(await stranger().get("/there-is-no-such-page"), 404);
    hindi(await stranger().submit("/sign-in", { phone: "1" }, { origin: "https://evil.example" }), 403);
    const damaged = { "content-type": "multipart/form-data; boundary=x" };
    const visitor = stranger();
    hindi(await visitor.submit("/sign-in", { phone: "1" }, damaged), 400);
    hindiJson(await visitor.submit("/sign-in", { phone: "1" }, { ...damaged, ...JSON_TYPE }), 400);
  });
});

describe("signed in, in Hindi", () => {
  const PAGES = [
    "/",
    "/send/sms",
    "/send/bulk",
    "/send/international",
    "/send/otp",
    "/send/tts",
    "/send/voice",
    "/activity",
    "/activity?q=kind:fax%20foo:bar%20cost:%20%22open",
    `/activity?q=key:none%20${"x".repeat(3_000)}`,
    "/schedule",
    "/requests",
    "/requests?older=1793491200000.req_x",
    "/inbox",
    "/recordings",
    "/keys",
    "/dlt",
    "/billing",
    "/settings",
    ...["name", "phone", "login", "password", "sessions", "buyer", "kept", "closed"].map(
      (done) => `/settings?saved=${done}`,
    ),
    "/settings?note=email",
    "/settings/archives",
    "/settings/close",
    "/confirm",
  ];

  it.each(PAGES)("%s, in live and test mode, empty and after sending", async (path) => {
    for (const mode of ["live", "test"] as const) {
      const { visitor, world } = inHindi(await visit({ mode }));
      // Plans are bought for the live account, whatever mode the pages show.
      if (mode === "test") await openLive(world);
      hindi(await visitor.get(path), 200);
      for (const [kind, { form }] of Object.entries(CASES)) await visitor.submit(`/send/${kind}`, { ...form, mode });
      await recordingOf(world);
      await recordHistory(world, [2, 3, 4, 5]);
      hindi(await visitor.get(path), 200);
    }
  });

  it("a form that was sent, and the message's page", async () => {
    const { visitor, world } = inHindi(await visit());
    for (const [kind, { form }] of Object.entries(CASES)) {
      hindi(await visitor.submit(`/send/${kind}`, { ...form, message: "नमस्ते", text: "नमस्ते" }), 200);
      hindi(
        await visitor.submit(`/send/${kind}`, { ...form, message: "नमस्ते ".repeat(12), once: `once_${kind}_12` }),
        200,
      );
    }
    for (const seq of [2, 3, 4]) {
      hindi(await visitor.get(`/activity/${idOf(world.ref, "sms", { seq, index: 0 })}`), 200);
    }
  });

  it.each([
    ["sms", { phone: "12", message: "x" }],
    ["sms", { phone: "5876543210", message: "x" }],
    ["sms", { phone: "9876543210", message: "" }],
    ["sms", { phone: "9876543210", message: "x".repeat(161) }],
    ["sms", { phone: "9876543210", message: "x", senderId: "more than eleven" }],
    ["sms", { phone: "9876543210", message: "x", mode: "test" }],
    ["sms", { phone: "9876543210", message: "x", sendAt: "soon" }],
    ["sms", { phone: "9876543210", message: "x", sendAt: "2020-01-01T09:00" }],
    ["sms", { phone: "9876543210", message: "x", sendAt: "2099-01-01T09:00" }],
    ["bulk", { recipients: "", message: "x" }],
    ["bulk", { recipients: "9876543210\nnobody\n12\n+14155550132\n9.9E+11\n5876543210", message: "x" }],
    ["bulk", { recipients: "9876543210", message: "" }],
    ["international", { phone: "14155550132", message: "x" }],
    ["international", { phone: "+99912345678", message: "x" }],
    ["international", { phone: "+1415555", message: "x" }],
    ["international", { phone: "+912212345678", message: "x" }],
    ["otp", { phone: "9876543210", otp: "12" }],
    ["otp", { phone: "9876543210", otp: "1234", brandName: "x".repeat(41) }],
    ["otp", { phone: "9876543210", otp: "1234", brandName: "a\nb" }],
    ["tts", { callee: "12", text: "x" }],
    ["tts", { callee: "9876543210", text: "" }],
    ["tts", { callee: "9876543210", text: "x", language: "XX" }],
    ["tts", { callee: "9876543210", text: "x", speakingRate: "9" }],
    ["tts", { callee: "9876543210", text: "x", accent: "9", ssmlGender: "x" }],
    ["voice", { callee: "12", fileId: "file_1" }],
    ["voice", { callee: "99912345678", fileId: "file_1" }],
    ["voice", { callee: "14155550", fileId: "file_1" }],
    ["voice", { callee: "919876543210", fileId: "file_unknown" }],
    ["voice", { callee: "919876543210", fileId: "" }],
  ])("/send/%s refuses %j", async (kind, form) => {
    const { visitor } = inHindi(await visit());
    hindi(await visitor.submit(`/send/${kind}`, form), 400);
    hindiJson(await visitor.submit(`/send/${kind}`, form, JSON_TYPE), 400);
  });

  it("without balance, suspended, too fast, and with a form that was used before", async () => {
    const { form } = CASES.sms;
    const poor = inHindi(await visit({ balance: 0 })).visitor;
    const refused = await poor.submit("/send/sms", form);
    hindi(refused, 403);
    expect(refused.text).toContain("बैलेंस कम है: इसकी कीमत ₹1.00 है, आपके पास ₹0.00 हैं।");
    expect(refused.text).toMatch(/<a href="\/billing">पैसे जोड़ें<\/a>/u);
    hindiJson(await poor.submit("/send/sms", form, JSON_TYPE), 403);
    const { visitor, world } = inHindi(await visit({ plan: "starter" }));
    hindi(await visitor.submit("/send/sms", { ...form, once: "once_12345678" }), 200);
    hindi(await visitor.submit("/send/sms", { ...form, once: "once_12345678" }), 200);
    hindi(await visitor.submit("/send/sms", { ...form, message: "y", once: "once_12345678" }), 422);
    hindiJson(await visitor.submit("/send/sms", { ...form, message: "y", once: "once_12345678" }, JSON_TYPE), 422);
    for (let n = 0; n < 10; n += 1) await sendSms(world);
    hindi(await visitor.submit("/send/sms", form), 429);
    hindiJson(await visitor.submit("/send/sms", form, JSON_TYPE), 429);
    const suspended = inHindi(await visit());
    await suspended.world.stub.amend({ status: "suspended" });
    hindi(await suspended.visitor.submit("/send/sms", form), 403);
    hindi(await suspended.visitor.get("/billing"), 200);
    hindi(await suspended.visitor.submit("/billing/orders", { plan: "starter" }), 403);
  });

  it.each([
    ["nothing", null, ""],
    ["a picture", png(), "a.wav"],
    ["the other kind", mp3(1), "a.wav"],
    ["another extension", wav(), "a.ogg"],
    ["a long name", wav(), `${"a".repeat(260)}.wav`],
    ["an empty file", new Uint8Array(), "a.wav"],
    ["silence", wav({ seconds: 0 }), "a.wav"],
    ["more than ten minutes", wav({ seconds: 601 }), "a.wav"],
  ])("/recordings refuses %s", async (_, bytes, name) => {
    const { visitor } = inHindi(await visit());
    const form = new FormData();
    form.set("once", "once_12345678");
    if (bytes) form.set("file", new File([bytes], name));
    const page = await visitor.submit("/recordings", form);
    hindi(page, page.status);
    expect([400, 413]).toContain(page.status);
    hindiJson(await visitor.submit("/recordings", form, JSON_TYPE), page.status);
  });

  it("a recording that was added", async () => {
    const { visitor } = inHindi(await visit());
    const form = new FormData();
    form.set("file", new File([wav()], "a.wav"));
    const done = await visitor.submit("/recordings", form);
    hindi(await visitor.get(done.headers.get("location") ?? ""), 200);
    const again = await visitor.submit("/recordings", form, JSON_TYPE);
    expect(again.status).toBe(200);
    expect(englishIn((JSON.parse(again.text) as { message: string }).message)).toEqual([]);
  });
});
