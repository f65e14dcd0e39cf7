import { describe, expect, it } from "vitest";
import { badMobiles, message, sendAt, senderId } from "../../world/contract/rules.ts";
import { contractSuite } from "../../world/contract.ts";
import { balanceOf, bearer, ledgerOf, messagesOf, openWorld, post } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

const URL_OF_IT = "http://sms.localhost/send-bulk-sms";

/** Distinct Indian mobile numbers. */
const mobiles = (count: number) => Array.from({ length: count }, (_, index) => String(9_000_000_000 + index));

const bulk = (world: World, recipients: string[], text = "Hello") =>
  post(URL_OF_IT, { recipients, message: text }, bearer(world.apiKey));

contractSuite({
  url: URL_OF_IT,
  method: "POST",
  keyPlaces: ["bearer", "body"],
  bodyBytesMax: 512 * 1024,
  body: () => ({ recipients: ["9876543210", "9876543211"], message: "Hello" }),
  rules: {
    sendAt,
    recipients: {
      type: "list",
      required: true,
      accepted: [["6000000000"], mobiles(3), ["9876543210", "9876543210"], mobiles(10_000)],
      refused: [
        { value: [], error: "recipients must have at least one number." },
        { value: mobiles(10_001), error: "recipients must have at most 10000 numbers; split the list." },
        ...badMobiles("each recipient").map((bad) => ({
          ...bad,
          value: ["9876543210", bad.value, "9876543211"],
          param: "recipients[1]",
        })),
        ...[9_876_543_210, true, ["9876543210"], {}, null].map((value) => ({
          value: [...mobiles(7), value],
          error: "each recipient must be a string.",
          param: "recipients[7]",
        })),
      ],
    },
    message,
    senderId,
  },
  cost: 2,
});

describe("send-bulk-sms", () => {
  it("sends to all recipients, in one debit of the price per recipient × recipients", async () => {
    const world = await openWorld();
    const reply = await bulk(world, mobiles(250), "क".repeat(71));
    expect(reply.body).toEqual({
      success: true,
      message: "The SMS is queued for 250 recipients in 2 segments each.",
      coins_used: 500,
      coins_remaining: 500,
    });
    const messages = await messagesOf(world);
    expect(messages.map((one) => one.to)).toEqual(mobiles(250).map((phone) => `+91${phone}`));
    expect(new Set(messages.map((one) => one.charge))).toEqual(new Set([20_000]));
    expect((await ledgerOf(world)).filter((entry) => entry.type === "debit")).toHaveLength(1);
    expect(await world.stub.reconcile()).toEqual([]);
  });

  it.each([
    [["9876543210"], "Hello", "The SMS is queued for 1 recipient."],
    [["9876543210"], "क".repeat(71), "The SMS is queued for 1 recipient in 2 segments."],
    [
      ["9876543210", "9876543210"],
      "Hello",
      "The SMS is queued for 1 recipient. 1 number that stood more than once was left out.",
    ],
  ])("names the number of recipients also when it is one", async (recipients, text, message) => {
    const world = await openWorld();
    expect((await bulk(world, recipients, text)).body.message).toBe(message);
  });

  it("one invalid number refuses the whole request, and the reply names it", async () => {
    const world = await openWorld();
    const numbers = mobiles(20);
    numbers[7] = "12345";
    numbers[9] = "also bad";
    const reply = await bulk(world, numbers);
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ code: "invalid_request", param: "recipients[7]" });
    expect(await messagesOf(world)).toEqual([]);
    expect(await ledgerOf(world)).toHaveLength(1);
  });

  it("a repeated number is sent and charged once, and the reply says so", async () => {
    const world = await openWorld();
    const once = await bulk(world, ["9876543210", "9876543211", "9876543210"]);
    expect(once.body.coins_used).toBe(2);
    expect(once.body.message).toBe(
      "The SMS is queued for 2 recipients. 1 number that stood more than once was left out.",
    );
    const more = await bulk(world, [...mobiles(3), ...mobiles(3)]);
    expect(more.body.coins_used).toBe(3);
    expect(more.body.message).toBe(
      "The SMS is queued for 3 recipients. 3 numbers that stood more than once were left out.",
    );
    expect(await messagesOf(world)).toHaveLength(5);
  });

  it("a balance that covers all recipients but one sends to none", async () => {
    const world = await openWorld({ balance: 9 });
    const reply = await bulk(world, mobiles(10));
    expect(reply.body).toMatchObject({
      code: "insufficient_balance",
      error: "This costs 10 coins and the balance is 9; buy a plan or ask for credit.",
    });
    expect(await balanceOf(world)).toBe(90_000);
    expect(await messagesOf(world)).toEqual([]);
  });

  it("counts as one request in the window, however many recipients it has", async () => {
    const world = await openWorld({ plan: "starter" });
    const reply = await bulk(world, mobiles(100));
    expect(reply.headers.get("ratelimit")).toBe('"starter";r=9;t=60');
  });
});
