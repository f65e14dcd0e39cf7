import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DEFAULT_RATE_CARD } from "../../../src/money/pricing.ts";
import { writeRateCard } from "../../../src/sending/rate-card.ts";
import { REGISTRY, putDlt } from "../../world/dlt.ts";
import { mcpClient, tool, toldBy } from "../../world/mcp.ts";
import { balanceOf, ledgerOf, messagesOf, openWorld, recordingOf, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { secondKey } from "../../world/contract/endpoint.ts";

// With a live key a tool that spends or cancels does so only on its second call, with the value of the first one.

afterEach(() => vi.useRealTimers());

const SMS = { phone: "9876543210", message: "Hello" };

const confirmOf = async (apiKey: string, name: string, given: object) =>
  String((await tool(apiKey, name, given))["confirm"]);

/** Expects that a call was refused for its confirmation, and that nothing was spent. */
async function expectUnconfirmed(world: World, told: Promise<Record<string, unknown>>): Promise<void> {
  const before = await balanceOf(world);
  expect(await told).toMatchObject({ success: false, code: "invalid_request", param: "confirm" });
  expect(await balanceOf(world)).toBe(before);
}

describe("the first call with a live key", () => {
  it("says what a send would do, and does nothing", async () => {
    const world = await openWorld({ balance: 10 });
    expect(await tool(world.apiKey, "send_sms", { ...SMS, message: "x".repeat(80) + "ह".repeat(70) })).toEqual({
      success: true,
      done: false,
      would: "send",
      recipients: { given: 1, valid: 1, duplicates: 0, invalid: [] },
      segments: 3,
      cost: 3,
      balance_after: 7,
      confirm: expect.stringMatching(/^[0-9A-Za-z]{13}\.quote_[0-9A-Za-z]+$/u),
      confirm_until: expect.any(String),
      next: expect.stringContaining("call send_sms again"),
    });
    expect(await ledgerOf(world)).toHaveLength(1);
    expect(await messagesOf(world)).toEqual([]);
  });

  it("says why operators would drop a send, which the second call and its repetition say again", async () => {
    const world = await openWorld({ balance: 10 });
    await putDlt(world, { ...REGISTRY, enforce: "warn" });
    const dlt_warning = expect.stringMatching(/^633; template=[0-9]+; at=[0-9]+$/u);
    const first = await tool(world.apiKey, "send_sms", SMS);
    expect(first).toMatchObject({ would: "send", dlt_warning });
    const given = { ...SMS, confirm: first["confirm"] };
    expect(await tool(world.apiKey, "send_sms", given)).toMatchObject({ coins_used: 1, dlt_warning });
    expect(await tool(world.apiKey, "send_sms", given)).toMatchObject({ replayed: true, dlt_warning });
  });

  it("says why a send would be refused, all at once, and gives no value", async () => {
    const world = await openWorld({ balance: 0.5 });
    const told = await tool(world.apiKey, "send_sms", { phone: "12", message: "" });
    expect(told).toMatchObject({ success: false, code: "invalid_request", param: "phone" });
    expect(told["problems"]).toHaveLength(2);
    expect(told["confirm"]).toBeUndefined();
    const poor = await tool(world.apiKey, "send_sms", SMS);
    expect(poor).toMatchObject({ success: false, code: "insufficient_balance" });
    expect(poor["confirm"]).toBeUndefined();
  });

  it("of every tool that spends, counts nothing in the window", async () => {
    const world = await openWorld({ plan: "starter" });
    const call = { callee: "919876543210", fileId: await recordingOf(world, 61_000) };
    const firsts: [string, object, number][] = [
      ["send_sms", SMS, 1],
      ["send_bulk_sms", { recipients: ["9876543210", "9876543211", "9876543210"], message: "Hi" }, 2],
      ["send_international_sms", { phone: "+14155550132", message: "Hi" }, 5],
      ["send_otp", { phone: "9876543210", otp: "048213" }, 0.25],
      ["tts_call", { callee: "9876543210", text: "Namaste" }, 2],
      ["make_voice_call", call, 6],
    ];
    for (let round = 0; round < 3; round++) {
      for (const [name, given, cost] of firsts) {
        expect(await tool(world.apiKey, name, given), name).toMatchObject({ done: false, cost });
      }
    }
    expect(await ledgerOf(world)).toHaveLength(1);
    for (const [name, given] of firsts) {
      const confirm = await confirmOf(world.apiKey, name, given);
      expect(await tool(world.apiKey, name, { ...given, confirm }), name).toMatchObject({ success: true });
    }
    expect(await ledgerOf(world)).toHaveLength(7);
    expect(await balanceOf(world)).toBe((1_000 - 16.25) * 10_000);
  });

  it("is left out with a test key", async () => {
    const world = await openWorld({ mode: "test" });
    expect(await tool(world.apiKey, "send_sms", SMS)).toMatchObject({ success: true, coins_used: 1 });
    expect(await tool(world.apiKey, "send_sms", { ...SMS, confirm: "x", again: 1 })).toMatchObject({ coins_used: 1 });
    expect(await messagesOf(world)).toHaveLength(2);
  });
});

describe("the second call with a live key", () => {
  it("sends with the value of the first, by both kinds of the protocol", async () => {
    const world = await openWorld({ balance: 10 });
    for (const [mode, phone] of [
      ["pinned", "9876543210"],
      ["legacy", "9876543211"],
    ] as const) {
      const client = await mcpClient(world.apiKey, mode);
      const given = { ...SMS, phone };
      const { confirm } = toldBy(await client.callTool({ name: "send_sms", arguments: given }));
      const sent = toldBy(await client.callTool({ name: "send_sms", arguments: { ...given, confirm } }));
      expect(sent).toMatchObject({ success: true, coins_used: 1, message_id: expect.stringMatching(/^msg_/u) });
      await client.close();
    }
    expect(await messagesOf(world)).toHaveLength(2);
  });

  it("sends once, however often it is repeated, also at once, and says so", async () => {
    const world = await openWorld({ balance: 10 });
    const confirm = await confirmOf(world.apiKey, "send_sms", SMS);
    const all = await Promise.all([1, 2, 3].map(() => tool(world.apiKey, "send_sms", { ...SMS, confirm })));
    expect(all.filter((told) => told["success"] === true && told["replayed"] === undefined)).toHaveLength(1);
    const again = await tool(world.apiKey, "send_sms", { ...SMS, confirm });
    expect(again).toMatchObject({ success: true, replayed: true, hint: expect.stringContaining("`again`") });
    // The request has the id of its first reply, which a repetition does not name.
    expect(again["request_id"]).toBeUndefined();
    expect(again["message_id"]).toMatch(/^msg_/u);
    // A model that begins anew within ten minutes repeats, and does not send twice.
    const anew = await confirmOf(world.apiKey, "send_sms", SMS);
    expect(await tool(world.apiKey, "send_sms", { ...SMS, confirm: anew })).toMatchObject({ replayed: true });
    expect(await messagesOf(world)).toHaveLength(1);
    expect(await balanceOf(world)).toBe(90_000);
  });

  it("charges what the first one showed, also where prices changed in between, and repeats that", async () => {
    const world = await openWorld({ balance: 10 });
    const confirm = await confirmOf(world.apiKey, "send_sms", SMS);
    await writeRateCard(env.RECORDINGS, { ...DEFAULT_RATE_CARD, smsIndia: 7 });
    try {
      expect(await tool(world.apiKey, "send_sms", SMS)).toMatchObject({ done: false, cost: 7 });
      const bare = confirm.split(".")[0];
      await expectUnconfirmed(world, tool(world.apiKey, "send_sms", { ...SMS, confirm: bare }));
      expect(await tool(world.apiKey, "send_sms", { ...SMS, confirm })).toMatchObject({ success: true, coins_used: 1 });
      expect(await tool(world.apiKey, "send_sms", { ...SMS, confirm })).toMatchObject({ replayed: true });
      expect(await balanceOf(world)).toBe(90_000);
    } finally {
      await writeRateCard(env.RECORDINGS, DEFAULT_RATE_CARD);
    }
  });

  it("does the same once more on purpose with `again`", async () => {
    const world = await openWorld({ balance: 10 });
    for (const more of [{}, { again: 1 }, { again: 2 }]) {
      const confirm = await confirmOf(world.apiKey, "send_sms", { ...SMS, ...more });
      for (let repeated = 0; repeated < 2; repeated++) {
        await tool(world.apiKey, "send_sms", { ...SMS, ...more, confirm });
      }
    }
    expect(await messagesOf(world)).toHaveLength(3);
    for (const again of [0, 1.5, "1", -1, null]) {
      expect(await tool(world.apiKey, "send_sms", { ...SMS, again })).toMatchObject({ success: false, param: "again" });
    }
  });

  it("takes the arguments in another order", async () => {
    const world = await openWorld();
    const confirm = await confirmOf(world.apiKey, "send_sms", {
      phone: "9876543210",
      message: "Hello",
      senderId: "SHOP",
    });
    const turned = { confirm, senderId: "SHOP", message: "Hello", phone: "9876543210" };
    expect(await tool(world.apiKey, "send_sms", turned)).toMatchObject({ success: true, coins_used: 1 });
  });

  it("refuses a value for another text, number, tool, key, mode or account, and any that is none", async () => {
    const [world, other] = [await openWorld(), await openWorld()];
    const confirm = await confirmOf(world.apiKey, "send_sms", SMS);
    const own = (given: object) => tool(world.apiKey, "send_sms", { ...SMS, confirm, ...given });
    await expectUnconfirmed(world, own({ message: "Hello!" }));
    await expectUnconfirmed(world, own({ phone: "9876543211" }));
    await expectUnconfirmed(world, own({ senderId: "SHOP" }));
    await expectUnconfirmed(world, own({ sendAt: "2099-01-01T00:00:00Z" }));
    await expectUnconfirmed(world, own({ again: 1 }));
    await expectUnconfirmed(world, tool(world.apiKey, "send_international_sms", { ...SMS, confirm }));
    await expectUnconfirmed(world, tool(await secondKey(world), "send_sms", { ...SMS, confirm }));
    await expectUnconfirmed(other, tool(other.apiKey, "send_sms", { ...SMS, confirm }));
    for (const wrong of [true, false, 1, "", "yes", `${confirm}0`, confirm.slice(1), null, {}, [confirm]]) {
      await expectUnconfirmed(world, own({ confirm: wrong }));
    }
    expect(await messagesOf(world)).toEqual([]);
  });

  it("takes the value of these ten minutes and of those before, and no older one", async () => {
    const world = await openWorld();
    vi.useFakeTimers({ toFake: ["Date"], now: Math.ceil(Date.now() / 600_000) * 600_000 + 599_000 });
    const confirm = await confirmOf(world.apiKey, "send_sms", SMS);
    const later = await confirmOf(world.apiKey, "send_sms", { ...SMS, again: 1 });
    vi.setSystemTime(Date.now() + 600_000);
    expect(await tool(world.apiKey, "send_sms", { ...SMS, confirm })).toMatchObject({ success: true });
    vi.setSystemTime(Date.now() + 2_000);
    await expectUnconfirmed(world, tool(world.apiKey, "send_sms", { ...SMS, again: 1, confirm: later }));
    expect(await messagesOf(world)).toHaveLength(1);
  });

  it("is refused as the API refuses, and the value holds for when that is mended", async () => {
    const world = await openWorld({ balance: 1 });
    const confirm = await confirmOf(world.apiKey, "send_sms", SMS);
    await sendSms(world);
    const told = await tool(world.apiKey, "send_sms", { ...SMS, confirm });
    expect(told).toMatchObject({ success: false, code: "insufficient_balance", request_id: expect.any(String) });
    await world.stub.credit({ amount: 10_000, reference: "more", requestId: "req_more" });
    expect(await tool(world.apiKey, "send_sms", { ...SMS, confirm })).toMatchObject({ success: true });
  });
});

const soon = () => ({ ...SMS, sendAt: new Date(Date.now() + 86_400_000).toISOString() });

describe("cancelling with a live key", () => {
  it("shows first what it would cancel, and then refunds", async () => {
    const world = await openWorld({ balance: 10 });
    const sent = await sendSms(world, { body: soon() });
    const id = sent.headers.get("x-message-id");
    const first = await tool(world.apiKey, "cancel_message", { id });
    expect(first).toMatchObject({ done: false, would: "cancel", message: { id, state: "scheduled", cost: 1 } });
    expect(await balanceOf(world)).toBe(90_000);
    const done = await tool(world.apiKey, "cancel_message", { id, confirm: first["confirm"] });
    expect(done).toMatchObject({ success: true, cancelled: 1, refunded: 1 });
    expect(await balanceOf(world)).toBe(100_000);
  });

  it("of a request, too; another account's is not there", async () => {
    const [world, other] = [await openWorld({ balance: 10 }), await openWorld()];
    const sent = await sendSms(world, { body: soon() });
    const given = { request_id: sent.headers.get("x-request-id") };
    expect(await tool(other.apiKey, "cancel_request", given)).toMatchObject({ success: false, code: "not_found" });
    const first = await tool(world.apiKey, "cancel_request", given);
    expect(first).toMatchObject({ done: false, request: { recipients: 1, by_state: { scheduled: 1 } } });
    const confirmed = { ...given, confirm: first["confirm"] };
    await expectUnconfirmed(other, tool(other.apiKey, "cancel_request", confirmed));
    expect(await tool(world.apiKey, "cancel_request", confirmed)).toMatchObject({ cancelled: 1, refunded: 1 });
  });
});

it("never changes the balance without the value of a first call, whatever the arguments", async () => {
  const world = await openWorld();
  const sent = await sendSms(world, { body: soon() });
  const id = sent.headers.get("x-message-id");
  const before = await balanceOf(world);
  const valid: [string, Record<string, unknown>][] = [
    ["send_sms", SMS],
    ["send_bulk_sms", { recipients: ["9876543210"], message: "Hi" }],
    ["send_international_sms", { phone: "+14155550132", message: "Hi" }],
    ["send_otp", { phone: "9876543210", otp: "048213" }],
    ["tts_call", { callee: "9876543210", text: "Namaste" }],
    ["make_voice_call", { callee: "919876543210", fileId: await recordingOf(world) }],
    ["cancel_message", { id }],
    ["cancel_request", { request_id: sent.headers.get("x-request-id") }],
  ];
  const value = fc.oneof(fc.constantFrom("9876543210", "+14155550132", "048213", "Hi", id, 1), fc.jsonValue());
  const names =
    "phone message recipients otp callee text fileId id request_id again senderId apiKey sendAt isFlash operation __proto__ confirmed";
  const strays = fc.array(fc.tuple(fc.constantFrom(...names.split(" ")), value), { maxLength: 2 });
  const wrong = fc.oneof(fc.constant(undefined), fc.string({ maxLength: 20 }), fc.base64String(), fc.boolean());
  let asked = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...valid), strays, wrong, async ([name, given], entries, confirm) => {
      const told = await tool(world.apiKey, name, { ...given, ...Object.fromEntries(entries), confirm });
      if (told["confirm"] !== undefined || told["param"] === "confirm") asked++;
      expect(await balanceOf(world)).toBe(before);
    }),
    { numRuns: 150 },
  );
  // Enough of them came as far as the guard.
  expect(asked).toBeGreaterThan(30);
  expect(await messagesOf(world)).toHaveLength(1);
});
