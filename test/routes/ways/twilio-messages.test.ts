import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { messageSid, readMessageSid } from "../../../src/crypto/ids.ts";
import { MESSAGES, SID, askTwilio, basic, expectTwilio, postForm, report, sendTwilio } from "../../world/twilio.ts";
import { bearer, call, claim, messagesOf, openWorld, post, sendBulk, sendSms } from "../../world/world.ts";
import type { Reply, World } from "../../world/world.ts";

// Questions in Twilio's form (contract §15): one message by its SID, and lists.

const NOW = Date.UTC(2027, 0, 4, 6);

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const fetchOne = (world: World, sid: string) => askTwilio(world, `/Messages/${sid}.json`);

describe("a SID", () => {
  it("of another account, of the other mode, with another secret, of a call or made up is one 404", async () => {
    const world = await openWorld();
    const other = await openWorld();
    const { sid } = (await sendTwilio(other)).body;
    await sendTwilio(world);
    const [own] = await messagesOf(world);
    const place = { seq: own?.seq ?? 0, index: 0 };
    const mine = messageSid(world.ref, place);
    expect((await fetchOne(world, mine)).status).toBe(200);
    const wrong = [
      sid,
      messageSid({ ...world.ref, mode: "test" }, place),
      messageSid(world.ref, { ...place, secretId: 2 }),
      messageSid(world.ref, { ...place, index: 1 }),
      messageSid(world.ref, { ...place, seq: 999 }),
      mine.toUpperCase(),
      mine.slice(0, -2),
    ];
    for (const one of wrong) {
      expectTwilio(await fetchOne(world, one), 404, 20_404);
      const cancel = await postForm(`${MESSAGES}/${one}.json`, { Status: "canceled" }, basic(world.apiKey));
      expectTwilio(cancel, 404, 20_404);
    }
    const call2 = { callee: "9876543210", text: "Hello", language: "EN" };
    await post("http://tts.localhost/api/tts-call", call2, { "x-api-key": world.apiKey });
    const spoken = (await messagesOf(world)).find(({ operation }) => operation === "tts");
    if (!spoken) throw new Error("no call was ordered");
    expectTwilio(await fetchOne(world, messageSid(world.ref, spoken)), 404, 20_404);
  });

  it("is the message's place, whatever secret makes its other id", () => {
    const ref = { accountId: "acc_0000000000A", mode: "live" } as const;
    const place = { seq: 2 ** 40 - 1, index: 65_535, secretId: 127 };
    const sid = messageSid(ref, place);
    expect(sid).toMatch(/^SM[0-9a-f]{32}$/u);
    expect(readMessageSid(sid)).toMatchObject({ mode: "live", ...place });
  });
});

describe("GET Messages.json", () => {
  it("lists SMS of every way, newest first, with their texts and states in Twilio's words", async () => {
    const world = await openWorld();
    await sendBulk(world, 3);
    await sendSms(world);
    const { body } = await sendTwilio(world, { Body: "Last" });
    const { seq = 0 } = readMessageSid(body.sid) ?? {};
    await claim(world);
    vi.setSystemTime(NOW + 5_000);
    await report(world, seq, "submitted");
    await report(world, seq, "undelivered", "absent_subscriber");
    const { body: list } = await askTwilio(world, "/Messages.json");
    expect(list).toMatchObject({ page: 0, page_size: 50, start: 0, end: 4, next_page_uri: null });
    expect(list.messages.map((one: { body: string }) => one.body)).toEqual(["Last", "Hello", "Hi", "Hi", "Hi"]);
    expect(list.messages[0]).toMatchObject({
      status: "undelivered",
      error_code: 30_003,
      date_sent: "Mon, 04 Jan 2027 06:00:05 +0000",
      error_message: expect.stringMatching(/switched off/u),
    });
    expect((await fetchOne(world, body.sid)).body).toEqual(list.messages[0]);
  });

  it("has pages that follow each other, with their filters", async () => {
    const world = await openWorld();
    for (let at = 0; at < 5; at += 1) {
      await sendTwilio(world, { From: at % 2 === 0 ? "EVEN" : "ODD", Body: `No. ${at}` });
    }
    const found: string[] = [];
    let uri: string | null = `/2010-04-01/Accounts/${SID}/Messages.json?From=EVEN&PageSize=2`;
    let pages = 0;
    for (; uri !== null && pages < 10; pages += 1) {
      const { body }: Reply = await call(`http://sms.localhost${uri}`, { headers: basic(world.apiKey) });
      found.push(...body.messages.map((one: { body: string }) => one.body));
      uri = body.next_page_uri;
    }
    expect(found).toEqual(["No. 4", "No. 2", "No. 0"]);
    expect(pages).toBe(3);
  });

  it("finds a day, and what came before or after", async () => {
    const world = await openWorld();
    await sendTwilio(world, { Body: "Monday" });
    vi.setSystemTime(NOW + 86_400_000);
    await sendTwilio(world, { Body: "Tuesday" });
    const found = async (query: string) =>
      (await askTwilio(world, `/Messages.json?${query}`)).body.messages.map((one: { body: string }) => one.body);
    expect(await found("DateSent=2027-01-04")).toEqual(["Monday"]);
    expect(await found("DateSent%3E=2027-01-05")).toEqual(["Tuesday"]);
    expect(await found("DateSent%3C=2027-01-05T00:00:00Z")).toEqual(["Monday"]);
    expect(await found("To=%2B919876543210")).toHaveLength(2);
    expect(await found("To=%2B9198765")).toEqual([]);
  });

  it.each(["PageSize=0", "PageSize=x", "Page=-1", "PageToken=none", "DateSent=yesterday"])(
    "refuses %s",
    async (query) => {
      expectTwilio(await askTwilio(await openWorld(), `/Messages.json?${query}`), 400, 20_422);
    },
  );
});

it("masks the code of a live one-time password", async () => {
  const world = await openWorld({ otpRate: 0.1 });
  await post("http://otp.localhost/send-otp", { phone: "9876543210", otp: "482913" }, bearer(world.apiKey));
  const { text, body } = await askTwilio(world, "/Messages.json");
  expect(body.messages).toHaveLength(1);
  expect(text).not.toContain("482913");
});
