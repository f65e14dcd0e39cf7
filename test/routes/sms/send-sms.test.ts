import { expect, it } from "vitest";
import { message, phone, sendAt, senderId } from "../../world/contract/rules.ts";
import { contractSuite } from "../../world/contract.ts";
import { messagesOf, openWorld, sendSms } from "../../world/world.ts";

contractSuite({
  url: "http://sms.localhost/send-sms",
  method: "POST",
  keyPlaces: ["bearer", "body"],
  body: () => ({ phone: "9876543210", message: "Hello" }),
  rules: { phone, message, senderId, sendAt },
  cost: 1,
});

it("returns coins used and coins left, in whole coins", async () => {
  const world = await openWorld({ balance: 10.9999 });
  const reply = await sendSms(world, { body: { senderId: "DASTAK" } });
  expect(reply.text).toBe('{"success":true,"message":"The SMS is queued.","coins_used":1,"coins_remaining":9}');
  expect(await messagesOf(world)).toMatchObject([
    { operation: "sms", to: "+919876543210", state: "queued", charge: 10_000, attempts: 0, carrier: null },
  ]);
});

it.each([
  ["GSM-7", "x".repeat(160), 1],
  ["GSM-7 with an extended letter", "x".repeat(159) + "€", 2],
  ["UCS-2", "क".repeat(70), 1],
  ["UCS-2 of 71", "क".repeat(71), 2],
  ["UCS-2 of 160", "क".repeat(160), 3],
  ["emoji of two code units each", "😀".repeat(160), 5],
])("charges by segment: %s", async (_, text, segments) => {
  const world = await openWorld();
  const reply = await sendSms(world, { body: { message: text } });
  expect(reply.body).toEqual({
    success: true,
    message: segments === 1 ? "The SMS is queued." : `The SMS is queued in ${segments} segments.`,
    coins_used: segments,
    coins_remaining: 1_000 - segments,
  });
});
