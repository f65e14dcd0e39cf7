import { describe, expect, it } from "vitest";
import { messagesOf, balanceOf, recordingOf } from "../../world/world.ts";
import { Visitor, visit } from "../../world/visitor.ts";
import type { Visit } from "../../world/visitor.ts";
import { asJson, fieldOf } from "../../world/send-form.ts";

const PHONE = "+91 98765 43210";

/** How people and pages write this number. */
const NOTATIONS = [
  "919876543210",
  PHONE,
  "+91-98765-43210",
  "098765 43210",
  "0091 98765 43210",
  "98765\u00a043210",
  "\u202a+91 98765 43210\u202c",
  "(+91) 98765.43210",
  "tel:+919876543210",
  "९८७६५ ४३२१०",
];

const FORMS: Record<string, Record<string, string>> = {
  sms: { message: "Hello" },
  international: { message: "Hello" },
  otp: { otp: "4213" },
  tts: { text: "Namaste" },
};

const nameOf = (kind: string) => (kind === "tts" || kind === "voice" ? "callee" : "phone");

const sentTo = async ({ world }: Visit) => (await messagesOf(world)).map(({ to }) => to);

describe("the number of a form", () => {
  it.each(Object.keys(FORMS))("is read on /send/%s as people write it", async (kind) => {
    const visited = await visit({ plan: "premium", balance: 1_000 });
    // Where any country is possible, a number without its country code is asked about.
    const notations = NOTATIONS.filter((typed) => kind !== "international" || /91/u.test(typed));
    for (const typed of notations) {
      const form = { ...FORMS[kind], [nameOf(kind)]: typed };
      expect(await asJson(visited.visitor, `/send/${kind}`, form), typed).toMatchObject({ status: 200 });
    }
    expect(await sentTo(visited)).toEqual(notations.map(() => "+919876543210"));
  });

  it("is read on /send/voice as people write it", async () => {
    const visited = await visit({ plan: "premium", balance: 1_000 });
    const fileId = await recordingOf(visited.world);
    for (const callee of ["919876543210", PHONE, "+1 (415) 555-0132", "0044 20 7946 0958"]) {
      expect((await asJson(visited.visitor, "/send/voice", { callee, fileId })).status, callee).toBe(200);
    }
    expect(await sentTo(visited)).toEqual(["+919876543210", "+919876543210", "+14155550132", "+442079460958"]);
  });

  it("with twelve digits is never a shorter one: the OTP goes to nobody else", async () => {
    const visited = await visit();
    await visited.visitor.submit("/send/otp", { phone: "919876543219", otp: "4213" });
    await visited.visitor.submit("/send/otp", { phone: "9198765432", otp: "4213" });
    expect(await sentTo(visited)).toEqual(["+919876543219", "+919198765432"]);
  });

  it("has no limit in the browser that could cut or refuse a pasted one", async () => {
    const { visitor, world } = await visit();
    await recordingOf(world);
    const stranger = new Visitor();
    for (const [who, path, fields] of [
      [visitor, "/", 1],
      [visitor, "/settings", 1],
      ...["sms", "international", "otp", "tts", "voice"].map((kind) => [visitor, `/send/${kind}`, 1] as const),
      [stranger, "/sign-in", 1],
      [stranger, "/sign-up", 1],
    ] as const) {
      const inputs = (await who.get(path)).text.match(/<input[^>]* name="(?:phone|callee)"[^>]*>/gu) ?? [];
      expect(inputs, path).toHaveLength(fields);
      for (const input of inputs) {
        expect(input).not.toMatch(/maxlength|pattern/u);
        expect(input).toContain('type="tel"');
        expect(input).toContain('inputmode="tel"');
        expect(input).toContain("autocomplete=");
      }
    }
    const code = (await visitor.get("/")).text.match(/<input[^>]* name="otp"[^>]*>/u)?.[0] ?? "";
    expect(code).not.toMatch(/maxlength|pattern/u);
  });

  it.each([
    ["sms", "98765", "“98765” has 5 digits; an Indian number has 10.", "“98765” में 5 अंक हैं"],
    [
      "otp",
      "+91 98765 432101",
      "“+91 98765432101” has 11 digits after +91; an Indian number has 10.",
      "+91 के बाद 11 अंक हैं",
    ],
    ["tts", "+1 415 555 0132", "+1 415 555 0132 is not an Indian number.", "+1 415 555 0132 भारतीय नंबर नहीं है।"],
    ["sms", "022 1234 5678", "+91 22123 45678 is not a mobile number.", "+91 22123 45678 मोबाइल नंबर नहीं है।"],
    ["otp", "98765 4321O", "“98765 4321O” is not one phone number", "“98765 4321O” एक फ़ोन नंबर नहीं है"],
    ["international", "+999 1234567", "begins with a country code that does not exist.", "ऐसे देश कोड से शुरू होता है"],
    ["international", "98765", "Outside India, begin with + and the country code.", "भारत के बाहर का नंबर"],
    ["voice", "+1 415 555", "has a length that is not possible in its country.", "की लंबाई उसके देश में संभव नहीं है।"],
    ["sms", "", "Enter a phone number.", "फ़ोन नंबर लिखें।"],
  ])("that cannot be read on /send/%s, such as %j, is refused with what was read", async (kind, typed, en, hi) => {
    const { visitor, world } = await visit();
    const form = { ...FORMS[kind], [nameOf(kind)]: typed };
    const reply = await asJson(visitor, `/send/${kind}`, form);
    expect(reply).toMatchObject({ status: 400, body: { code: "invalid_request", param: nameOf(kind) } });
    expect(reply.body.error).toContain(en);
    visitor.cookies.set("lang", "hi");
    expect((await asJson(visitor, `/send/${kind}`, form)).body.error).toContain(hi);
    expect(await messagesOf(world)).toEqual([]);
  });
});

describe("a number without its country code, where any country is possible", () => {
  const form = { phone: "6505550132", message: "Hello", once: "once_12345678" };

  it("is asked about before anything is charged, and sent once it is confirmed", async () => {
    const visited = await visit();
    const { visitor, world } = visited;
    const before = await balanceOf(world);
    const asked = await visitor.submit("/send/international", form);
    expect(asked.status).toBe(400);
    expect(asked.text).toContain("Send to +91 65055 50132?");
    expect(fieldOf(asked, "confirmed")).toBe("+916505550132");
    expect(await balanceOf(world)).toBe(before);
    const sent = await visitor.submit("/send/international", { ...form, confirmed: "+916505550132" });
    expect(sent.status).toBe(200);
    expect(await sentTo(visited)).toEqual(["+916505550132"]);
  });

  it("is asked about again when it changed after it was confirmed", async () => {
    const { visitor, world } = await visit();
    const changed = { ...form, phone: "6505550133", confirmed: "+916505550132" };
    const reply = await asJson(visitor, "/send/international", changed);
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ param: "phone", error: expect.stringContaining("+91 65055 50133") });
    expect(reply.headers.get("confirm-number")).toBe("+916505550133");
    expect(await messagesOf(world)).toEqual([]);
  });

  it("names the country of a foreign one", async () => {
    const { visitor, world } = await visit();
    const callee = { callee: "14155550132", fileId: await recordingOf(world) };
    const reply = await asJson(visitor, "/send/voice", callee);
    expect(reply.body.error).toContain("Send to +1 415 555 0132 (United States)?");
    const sent = await asJson(visitor, "/send/voice", { ...callee, confirmed: "+14155550132" });
    expect(sent.status).toBe(200);
  });
});

describe("while it is typed", () => {
  it("the server shows the number that was read, and the same request as a command", async () => {
    const { visitor, world } = await visit();
    const page = await visitor.submit("/send/sms/check", { phone: "०९८७६५ ४३२१०", message: "It's <b>" });
    expect(page.text).toMatch(
      /data-part="number" data-number="\+919876543210"[^>]*>Goes to <b dir="ltr">\+91 98765 43210<\/b>/u,
    );
    expect(page.text).toContain("&quot;phone&quot;: &quot;9876543210&quot;");
    expect(page.text).toContain("It&#39;\\&#39;&#39;s &lt;b&gt;");
    const half = await visitor.submit("/send/sms/check", { phone: "98765", message: "" });
    expect(half.text).not.toContain("Goes to");
    expect(await messagesOf(world)).toEqual([]);
    visitor.cookies.clear();
    expect((await visitor.submit("/send/sms/check", { phone: "98765" })).status).toBe(303);
  });

  it("without the script the page after a form shows the command of that form", async () => {
    const { visitor } = await visit();
    const refused = await visitor.submit("/send/sms", { phone: "98765", message: "Half done" });
    expect(refused.text).toContain("&quot;message&quot;: &quot;Half done&quot;");
    const sent = await visitor.submit("/send/sms", { phone: PHONE, message: "All done" });
    expect(sent.text).toContain("&quot;message&quot;: &quot;All done&quot;");
    expect(sent.text).toContain("&quot;phone&quot;: &quot;9876543210&quot;");
  });

  it("a long list is shortened, and the page says by how many", async () => {
    const { visitor } = await visit();
    const recipients = Array.from({ length: 130 }, (_, at) => String(9_000_000_000 + at)).join("\n");
    const { text } = await visitor.submit("/send/bulk/check", { recipients, message: "Hi" });
    expect(text).toContain("30 more numbers of your list are left out");
    expect(text).toContain("9000000099");
    expect(text).not.toContain("9000000100");
  });
});
