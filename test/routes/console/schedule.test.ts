import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { hindi, hindiJson, inHindi } from "../../world/hindi.ts";
import { CASES, JSON_TYPE, asJson } from "../../world/send-form.ts";
import { idOf } from "../../world/story-page.ts";
import { balanceOf, claim, messagesOf, recordingOf } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { shownIn, visit } from "../../world/visitor.ts";
import type { Page, Visitor } from "../../world/visitor.ts";

const NOW = Date.UTC(2027, 0, 4, 6);
/** 09:30 UTC, as a browser writes it in India. */
const AT = "2027-01-04T15:00";
const AT_MS = Date.UTC(2027, 0, 4, 9, 30);

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => vi.useRealTimers());

const SMS = { phone: "98765 43210", message: "Namaste" };

let sends = 0;
const send = (visitor: Visitor, kind: string, form: Record<string, string>) =>
  visitor.submit(`/send/${kind}`, { once: `once_schedule_${(sends += 1)}`, ...form });

const numbers = (count: number) => Array.from({ length: count }, (_, at) => String(9_000_000_000 + at)).join("\n");

const statesOf = async (world: World) => (await messagesOf(world)).map(({ state }) => state);

/** The addresses of a page that end so. */
const linksOf = ({ text }: Page, end: string) =>
  [...text.matchAll(/(?:href|action)="([^"]+)"/gu)].map(([, href = ""]) => href).filter((href) => href.endsWith(end));

const redirectOf = (page: Page) => {
  expect(page.status).toBe(303);
  return page.headers.get("location") ?? "";
};

describe("sending later by form", () => {
  it.each(["sms", "bulk", "international", "tts"] as const)("%s: the time is India's", async (kind) => {
    const { visitor, world } = await visit();
    const page = await send(visitor, kind, { ...CASES[kind].form, sendAt: AT });
    expect([page.status, shownIn(page)]).toEqual([
      200,
      expect.stringContaining("is scheduled for 4 Jan 2027, 15:00:00"),
    ]);
    for (const { state, sendAt } of await messagesOf(world)) expect([state, sendAt]).toEqual(["scheduled", AT_MS]);
    // What was sent is not sent again by mistake for the same time.
    expect(page.text).not.toContain(`value="${AT}"`);
  });

  it("voice: the time is India's", async () => {
    const { visitor, world } = await visit();
    await send(visitor, "voice", { callee: "919876543210", fileId: await recordingOf(world), sendAt: AT });
    expect(await messagesOf(world)).toMatchObject([{ state: "scheduled", sendAt: AT_MS }]);
  });

  it("says at the field what is wrong with the time, in both languages, and keeps it", async () => {
    const { visitor, world } = await visit();
    for (const [sendAt, sentence] of [
      ["2027-01-04T11:00", "The time to send at has passed."],
      ["2027-12-01T11:00", "You can schedule at most 180 days ahead."],
      ["soon", "Choose a date and a time to send at."],
    ] as const) {
      const page = await send(visitor, "sms", { ...SMS, sendAt });
      expect(page.status).toBe(400);
      expect(page.text).toContain(`id="f-sendAt-error">${sentence}`);
      expect(page.text).toContain(`value="${sendAt}"`);
      const script = await asJson(visitor, "/send/sms", { ...SMS, sendAt, once: `once_script_${sends}` });
      expect(script.body).toMatchObject({ success: false, param: "sendAt", error: expect.stringContaining(sentence) });
    }
    expect(await messagesOf(world)).toEqual([]);
    const reader = inHindi(await visit()).visitor;
    const ask = (sendAt: string) =>
      reader.submit("/send/sms", { ...SMS, message: "नमस्ते", sendAt, once: `once_hindi_${(sends += 1)}` }, JSON_TYPE);
    for (const sendAt of ["2027-01-04T11:00", "2027-12-01T11:00", "soon"]) hindiJson(await ask(sendAt), 400);
    expect((await ask(AT)).text).toContain("SMS 4 जन॰ 2027, 15:00:00 के लिए शेड्यूल है।");
  });

  it("shows the same request as a command with its offset, and has no time for an OTP", async () => {
    const { visitor } = await visit();
    const check = await visitor.submit("/send/sms/check", { ...SMS, sendAt: AT });
    expect(check.text).toContain("2027-01-04T15:00+05:30");
    expect((await visitor.get("/send/otp")).text).not.toContain('name="sendAt"');
    expect((await visitor.get("/send/sms")).text).toContain('type="datetime-local"');
  });
});

describe("the schedule", () => {
  it("lists what is scheduled, next first, and pages through it", async () => {
    const { visitor, world } = await visit({ balance: 5_000 });
    await send(visitor, "sms", { ...SMS, sendAt: "2027-03-01T10:00" });
    await send(visitor, "bulk", { recipients: numbers(230), message: "Hi", sendAt: AT });
    await send(visitor, "tts", { callee: "98765 43210", text: "Hi", sendAt: "2027-02-01T10:00" });
    await send(visitor, "sms", SMS);
    const page = await visitor.get("/schedule");
    const times = [...page.text.matchAll(/<time datetime="([^"]+)" data-style="full"/gu)].map(([, at]) => at);
    expect(times).toEqual(["2027-01-04T09:30:00.000Z", "2027-02-01T04:30:00.000Z", "2027-03-01T04:30:00.000Z"]);
    expect(page.text).toContain("+ 229 more");
    expect(linksOf(page, "/cancel")).toHaveLength(3);
    for (let more = 0; more < 30; more += 1) {
      const sendAtMs = NOW + 86_400_000 + more * 60_000;
      const [recipients, price] = [["+919876543210"], { kind: "fixed" as const, units: 10_000 }];
      const order = { operation: "sms" as const, content: {}, text: null, validityMs: 86_400_000 };
      await world.stub.sendLater({
        keyId: world.keyId,
        requestId: `req_${more}`,
        recipients,
        price,
        sendAtMs,
        ...order,
      });
    }
    const first = await visitor.get("/schedule");
    const [next = ""] = [...first.text.matchAll(/href="([^"]+)" rel="next"/gu)].map(([, href = ""]) => href);
    const rest = await visitor.get(next);
    const requests = [first, rest].map((one) => linksOf(one, "/cancel"));
    expect(requests.map(({ length }) => length)).toEqual([25, 8]);
    expect(new Set(requests.flat()).size).toBe(33);
    expect(linksOf(await visitor.get("/schedule?after=nonsense"), "/cancel")).toEqual(requests[0]);
  });

  it("cancels a request after a question, and says what was cancelled", async () => {
    const { visitor, world } = await visit();
    await send(visitor, "bulk", { recipients: numbers(150), message: "Hi", sendAt: AT });
    const before = await balanceOf(world);
    const [ask = ""] = linksOf(await visitor.get("/schedule"), "/cancel");
    const question = await visitor.get(ask);
    expect(question.text).toContain("150 messages");
    expect(question.text).toContain("₹150.00");
    expect(await statesOf(world)).toContain("scheduled");
    const [action = ""] = linksOf(question, "/cancel");
    const done = await visitor.get(redirectOf(await visitor.submit(action, { mode: "live" })));
    expect(done.text).toContain("Cancelled: 150 messages.");
    expect(done.text).toContain("Nothing is scheduled");
    expect(await balanceOf(world)).toBe(before + 150 * 10_000);
    // The question of an old tab, and its button pressed again.
    expect((await visitor.get(ask)).status).toBe(409);
    expect(redirectOf(await visitor.submit(action, { mode: "live" }))).toContain("cancelled=150");
    expect(await balanceOf(world)).toBe(before + 150 * 10_000);
  });

  it("cancels one message from its page, and offers nothing where it is too late", async () => {
    const { visitor, world } = await visit();
    await send(visitor, "sms", { ...SMS, sendAt: AT });
    const path = `/activity/${idOf(world.ref, "sms", { seq: 2, index: 0 })}`;
    const [ask = ""] = linksOf(await visitor.get(path), "/cancel");
    expect((await visitor.get(ask)).status).toBe(200);
    const story = await visitor.get(redirectOf(await visitor.submit(ask, { mode: "live" })));
    expect(story.text).toContain('data-state="cancelled"');
    expect(story.text).toContain("refunded to your balance");
    expect(linksOf(story, "/cancel")).toEqual([]);
    await send(visitor, "sms", { ...SMS, sendAt: "2027-01-04T11:40" });
    vi.setSystemTime(NOW + 600_000);
    const [job] = await claim(world);
    const sent = `/activity/${idOf(world.ref, "sms", { seq: job?.seq ?? 0, index: 0 })}`;
    expect(linksOf(await visitor.get(sent), "/cancel")).toEqual([]);
    for (const page of [
      await visitor.get(`${sent}/cancel`),
      await visitor.submit(`${sent}/cancel`, { mode: "live" }),
    ]) {
      expect(page.status).toBe(409);
      expect(page.text).toContain("too late to cancel");
    }
    expect(await statesOf(world)).toEqual(["cancelled", "sending"]);
  });

  it("shows and cancels nothing of another account, of the other mode's pages, or without a session", async () => {
    const [mine, other] = [await visit(), await visit()];
    await send(other.visitor, "sms", { ...SMS, sendAt: AT });
    const [theirs = ""] = linksOf(await other.visitor.get("/schedule"), "/cancel");
    const message = `/activity/${idOf(other.world.ref, "sms", { seq: 2, index: 0 })}/cancel`;
    expect((await mine.visitor.get("/schedule")).text).toContain("Nothing is scheduled");
    for (const path of [theirs, message, "/schedule/req_x/cancel"]) {
      expect((await mine.visitor.get(path)).status).toBe(404);
      expect((await mine.visitor.submit(path, { mode: "live" })).status).toBe(404);
    }
    expect((await other.visitor.submit(theirs, { mode: "test" })).status).toBe(400);
    other.visitor.cookies.clear();
    expect([302, 303]).toContain((await other.visitor.submit(theirs, { mode: "live" })).status);
    expect(await statesOf(other.world)).toEqual(["scheduled"]);
  });

  it("is in Hindi where the reader is", async () => {
    const { visitor, world } = inHindi(await visit());
    const form = { recipients: numbers(3), message: "नमस्ते", sendAt: AT };
    hindi(await send(visitor, "bulk", form), 200);
    const page = await visitor.get("/schedule");
    hindi(page, 200);
    const [ask = ""] = linksOf(page, "/cancel");
    hindi(await visitor.get(ask), 200);
    const path = `/activity/${idOf(world.ref, "sms", { seq: 2, index: 0 })}`;
    hindi(await visitor.get(path), 200);
    hindi(await visitor.get(`${path}/cancel`), 200);
    hindi(await visitor.get(redirectOf(await visitor.submit(ask, { mode: "live" }))), 200);
    hindi(await visitor.get(`${path}/cancel`), 409);
  });
});
