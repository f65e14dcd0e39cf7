import { describe, expect, it } from "vitest";
import { visit } from "../../world/visitor.ts";
import { balanceOf, messagesOf, recordingOf } from "../../world/world.ts";

// What a form would send and cost: while it is typed by the script, and by a button without it.

/** The figures in a page or a part of one, as text. */
function figuresIn(html: string): string {
  const [, rest = ""] = html.split('data-part="figures"');
  const [figures = ""] = rest.slice(rest.indexOf(">") + 1).split(/<button|<\/form>/u);
  return figures
    .replaceAll(/<[^>]*>/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
}

const LIST = "9876543210, 9876543210\n98765\n9876543211";

describe("the figures of a form", () => {
  it.each([
    [
      "sms",
      { phone: "98765 43210", message: "It’s here" },
      "Recipients 1 SMS per recipient 1 UCS-2 Cost ₹1.00 Balance after ₹999.00",
    ],
    [
      "bulk",
      { recipients: LIST, message: "Hi", skip: "1" },
      "Recipients 2 1 duplicate removed · 1 invalid SMS per recipient 1 GSM-7 Cost ₹2.00 Balance after ₹998.00",
    ],
    [
      "international",
      { phone: "+1 415 555 0132", message: `It’s ${"a".repeat(70)}` },
      "Recipients 1 SMS per recipient 2 UCS-2 · 1 with plain characters Cost ₹10.00 Balance after ₹990.00",
    ],
    [
      "otp",
      { phone: "9876543210", otp: "4821", brandName: "चाय" },
      "SMS per recipient 1 UCS-2 Cost ₹0.15 Balance after ₹999.85 These characters require Unicode",
    ],
    ["tts", { callee: "9876543210", text: "नमस्ते" }, "Recipients 1 Cost ₹2.00 Balance after ₹998.00"],
  ])(
    "of %s say recipients, segments, cost and balance, with the script and without it",
    async (kind, form, expected) => {
      const { visitor, world } = await visit({ plan: "premium", balance: 1_000 });
      const part = await visitor.submit(`/send/${kind}/check`, form);
      expect([part.status, figuresIn(part.text)]).toEqual([200, expect.stringContaining(expected)]);
      const whole = await visitor.submit(`/send/${kind}/check`, { ...form, check: "page", once: "once_12345678" });
      expect([whole.status, figuresIn(whole.text)]).toEqual([200, figuresIn(part.text)]);
      // The form is as it was, with the same mark, so that it can be sent.
      expect(whole.text).toMatch(/<input[^>]*name="once"[^>]*value="once_12345678"/u);
      expect([await balanceOf(world), await messagesOf(world)]).toEqual([10_000_000, []]);
    },
  );

  it("price a call by the chosen recording", async () => {
    const { visitor, world } = await visit({ balance: 1_000 });
    const fileId = await recordingOf(world, 31_000);
    const { text } = await visitor.submit("/send/voice/check", { callee: "919876543210", fileId });
    expect(figuresIn(text)).toBe("Recipients 1 Cost ₹4.00 Balance after ₹996.00");
  });

  it("say every problem at once when the form is checked, and only those of filled fields while it is typed", async () => {
    const { visitor } = await visit({ balance: 0 });
    const form = { phone: "", message: "Hi", senderId: "too long a name" };
    const part = figuresIn((await visitor.submit("/send/sms/check", form)).text);
    expect(part).toContain("Sender ID");
    expect(part).not.toContain("Mobile number");
    const whole = figuresIn((await visitor.submit("/send/sms/check", { ...form, check: "page" })).text);
    expect(whole).toMatch(/Enter|number/u);
    expect(whole).toContain("Sender ID");
    const poor = figuresIn((await visitor.submit("/send/sms/check", { phone: "9876543210", message: "Hi" })).text);
    expect(poor).toContain("Balance after – Insufficient balance: this costs ₹1.00, you have ₹0.00.");
  });

  it("say invalid lines of a list, which are otherwise skipped", async () => {
    const { visitor } = await visit();
    const whole = await visitor.submit("/send/bulk/check", { recipients: LIST, message: "Hi", check: "page" });
    expect(figuresIn(whole.text)).toContain("Some lines aren&#39;t valid Indian mobile numbers.");
    expect(whole.text).toContain("Line 2: <bdi>98765</bdi>");
  });

  it("read the file of a list without the script", async () => {
    const { visitor } = await visit({ balance: 1_000 });
    const form = new FormData();
    form.set("file", new File([`mobile\n9876543210\n9876543211\n`], "list.csv"));
    form.set("message", "Hi");
    form.set("check", "page");
    const page = await visitor.submit("/send/bulk/check", form);
    expect(figuresIn(page.text)).toContain("Recipients 2 SMS per recipient 1 GSM-7 Cost ₹2.00");
    expect(page.text).toMatch(/<textarea[^>]*name="recipients"[^>]*>mobile\n9876543210/u);
  });

  it("are in Hindi on a Hindi page", async () => {
    const { visitor } = await visit({ balance: 0 });
    visitor.cookies.set("lang", "hi");
    const { text } = await visitor.submit("/send/sms/check", { phone: "9876543210", message: "Hi", check: "page" });
    expect(figuresIn(text)).toMatch(/^प्राप्तकर्ता 1 प्रति व्यक्ति SMS 1 GSM-7 कीमत .* बैलेंस कम है/u);
  });

  it("need a session, and change nothing in another mode", async () => {
    const { visitor } = await visit();
    const other = await visitor.submit("/send/sms/check", {
      phone: "9876543210",
      message: "Hi",
      check: "page",
      mode: "test",
    });
    expect([other.status, figuresIn(other.text)]).toEqual([400, ""]);
    visitor.cookies.clear();
    expect((await visitor.submit("/send/sms/check", { check: "page" })).status).toBe(303);
  });
});
