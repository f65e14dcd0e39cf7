import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accountSuite } from "../../world/contract/account.ts";
import type { Endpoint } from "../../world/contract/endpoint.ts";
import { idempotencySuite } from "../../world/contract/idempotency.ts";
import { keySuite } from "../../world/contract/keys.ts";
import { messageIdSuite } from "../../world/contract/message-id.ts";
import { orderSuite } from "../../world/contract/order.ts";
import { message, senderId } from "../../world/contract/rules.ts";
import { transportSuite } from "../../world/contract/transport.ts";
import { NUMBER_FIELDS, SENDER_FIELDS, TEXT_FIELDS } from "../../../src/ways/gateway.ts";
import { sentBy } from "../../world/sent.ts";
import { bearer, call, ledgerOf, messagesOf, openWorld, post } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

const GATEWAY = "http://sms.localhost/v1/gateway";

const ENDPOINT: Endpoint = {
  url: GATEWAY,
  method: "POST",
  keyPlaces: ["bearer", "x-api-key", "basic", "bare", "body"],
  body: () => ({ to: "+14155550132", message: "Hello" }),
  rules: {
    to: { type: "string", required: true, accepted: ["+447400123456", "9876543210"], refused: [] },
    message,
    senderId,
  },
  form: true,
  bodyBytesMax: 512 * 1024,
  cost: 5,
  emptyBalance: "The balance does not reach; Requests in the dashboard says more.",
};

describe("contract of POST /v1/gateway", () => {
  keySuite(ENDPOINT);
  transportSuite(ENDPOINT);
  accountSuite(ENDPOINT);
  idempotencySuite(ENDPOINT);
  messageIdSuite(ENDPOINT);
  orderSuite(ENDPOINT);
});

const send = (world: World, body: object, query = "") => post(GATEWAY + query, body, bearer(world.apiKey));

const sendForm = (world: World, body: string, query = "") =>
  call(GATEWAY + query, {
    method: "POST",
    headers: { ...bearer(world.apiKey), "content-type": "application/x-www-form-urlencoded" },
    body,
  });

/** The numbers to which an account sent, in order. */
const sentTo = async (world: World) => (await messagesOf(world)).map(({ to }) => to);

describe("POST /v1/gateway", () => {
  it("answers as send-sms does, with id and date, which a replay repeats", async () => {
    const world = await openWorld();
    const once = { ...bearer(world.apiKey), "idempotency-key": "order-1" };
    const first = await post(GATEWAY, { phone: "9876543210", text: "Hello" }, once);
    const { id, date, ...rest } = first.body;
    expect(rest).toEqual({ success: true, message: "The SMS is queued.", coins_used: 1, coins_remaining: 999 });
    expect(id).toBe(first.headers.get("x-message-id"));
    expect(Date.now() - Date.parse(String(date))).toBeLessThan(600_000);
    const form = new URLSearchParams({ text: "Hello", phone: "+91 98765-43210" }).toString();
    const again = await call(GATEWAY, {
      method: "POST",
      headers: { ...once, "content-type": "application/x-www-form-urlencoded" },
      body: form,
    });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.text).toBe(first.text);
    expect(await sentTo(world)).toEqual(["+919876543210"]);
  });

  it("sends twice what comes twice without an Idempotency-Key, also under the same id", async () => {
    // Novu gives each of its attempts an id of its own, so that the field says nothing of a repetition.
    const world = await openWorld();
    const body = { to: "9876543210", content: "Hello", id: "665f1c2e9b1d8a0012ab34cd" };
    await send(world, body);
    await send(world, body);
    expect(await sentTo(world)).toHaveLength(2);
  });

  it("takes JSON that came as a form, as from curl -d and axios", async () => {
    const world = await openWorld();
    const reply = await sendForm(world, '\n{"to": "+14155550132", "message": "a=b&c=d %2B"}');
    expect(reply.status).toBe(200);
    expect(await sentBy(world)).toEqual([{ to: "+14155550132", text: "a=b&c=d %2B" }]);
  });

  it("takes a number from the address only where the body has none, and nothing else", async () => {
    const world = await openWorld();
    await send(world, { message: "Hello" }, "?to=9876543211");
    await send(world, { message: "Hello", receiver: "team" }, "?to=%2B14155550132");
    await send(world, { message: "Hello", mobile: 9876543210 }, "?to=9876543211");
    expect(await sentTo(world)).toEqual(["+919876543211", "+14155550132", "+919876543210"]);
    const refused = await send(world, { to: "9876543210" }, "?message=Hello&text=Hello");
    expect(refused.body).toMatchObject({ code: "invalid_request", param: "message" });
    const inAddress = await post(`${GATEWAY}?apiKey=${world.apiKey}`, { to: "9876543210", message: "Hello" });
    expect(inAddress.status).toBe(401);
  });

  it("refuses several numbers, and points to the list's own address", async () => {
    const world = await openWorld();
    const many = [
      ["9876543210", "9876543211"],
      "9876543210, 9876543211",
      "9876543210\n+14155550132",
      [9876543210, "x"],
    ];
    for (const numbers of many) {
      for (const reply of [
        await send(world, { numbers, msg: "Hello" }),
        await send(world, { To: numbers, msg: "Hello" }),
      ]) {
        expect(reply.status).toBe(400);
        expect(reply.body.error).toMatch(/^(?:numbers|To) has several numbers, .* send a list to \/send-bulk-sms\.$/u);
      }
    }
    expect((await sendForm(world, "mobiles=9876543210&mobiles=9876543211&msg=x")).status).toBe(400);
    expect((await send(world, { message: "Hello" }, "?to=9876543210,9876543211")).status).toBe(400);
    await send(world, { numbers: ["9876543210"], msg: "Hello" });
    expect(await sentTo(world)).toEqual(["+919876543210"]);
  });

  it("does not guess where a form lost the +, which would reach another person", async () => {
    const world = await openWorld();
    // +65 9123 4567 in Singapore; without its +, the Indian mobile 65912 34567.
    const lost = await sendForm(world, "to=+6591234567&message=Hello");
    expect(lost.body).toMatchObject({ error: "The + of to was lost on the way; write it as %2B.", param: "to" });
    expect((await send(world, { message: "Hello" }, "?to=+6591234567")).status).toBe(400);
    await sendForm(world, "to=%2B6591234567&message=Hello");
    await sendForm(world, "to=+919876543210&message=Hello");
    await sendForm(world, "to=+14155550132&message=Hello");
    expect(await sentTo(world)).toEqual(["+6591234567", "+919876543210", "+14155550132"]);
  });

  it("names the caller's field in what the operation refuses", async () => {
    const world = await openWorld();
    const reply = await send(world, { dst: "9876543210", content: "x".repeat(161) });
    expect(reply.body).toMatchObject({
      error: "content must have 1 to 160 characters; it has 161.",
      param: "content",
      code: "invalid_request",
    });
    const none = await send(world, { dst: "9876543210", content: "", message: {}, text: [], body: null });
    expect(none.body).toMatchObject({
      error: "There is no text in message, Message, text, content, body, Body, sms or msg.",
      param: "message",
    });
  });

  it("refuses two different keys, wherever the second one is", async () => {
    const [world, other] = [await openWorld(), await openWorld()];
    const body = { to: "9876543210", message: "Hello" };
    const basic = { authorization: `Basic ${btoa(`any:${world.apiKey}`)}` };
    const bare = { authorization: world.apiKey };
    for (const first of [basic, bare]) {
      expect((await post(GATEWAY, { ...body, apiKey: world.apiKey }, first)).status).toBe(200);
      expect((await post(GATEWAY, body, { ...first, "x-api-key": other.apiKey })).status).toBe(401);
      expect((await post(GATEWAY, { ...body, apiKey: other.apiKey }, first)).status).toBe(401);
    }
    expect([(await sentTo(world)).length, (await sentTo(other)).length]).toEqual([2, 0]);
  });

  it("keeps live and test apart, and accounts", async () => {
    const [one, other, test] = [await openWorld(), await openWorld(), await openWorld({ mode: "test" })];
    await send(test, { to: "9876543210", message: "Hello" });
    await send(one, { to: "9876543210", message: "Hello" });
    expect([(await sentTo(one)).length, (await sentTo(other)).length, (await sentTo(test)).length]).toEqual([1, 0, 1]);
  });
});

// What is charged, and who gets it, is what the operation itself charges and reaches: for any aliases, in any notation.

const INDIA = fc.integer({ min: 6_000_000_000, max: 9_999_999_999 }).map((number) => `+91${number}`);
const ABROAD = fc.constantFrom("+14155550132", "+447400123456", "+6591234567", "+971501234567", "+8613912345678");

/** The ways in which a number may be written, as a JSON value. */
function notationsOf(e164: string): unknown[] {
  const digits = e164.slice(1);
  const own = digits.slice(2);
  const common: unknown[] = [e164, `00${digits}`, [e164], `${e164.slice(0, 5)} ${e164.slice(5)}`, `tel:${e164}`];
  if (digits.length > 10) common.push(digits, Number(digits));
  return e164.startsWith("+91")
    ? [...common, own, Number(own), `0${own}`, `${own.slice(0, 5)}-${own.slice(5)}`]
    : common;
}

const TEXT = fc.oneof(
  fc.string({ minLength: 1, maxLength: 160, unit: fc.constantFrom("a", "B", "7", " ", "[", "é", "क", "₹", "😀") }),
  fc.constant("Your order 4711 is on its way."),
);

const NOISE = fc.dictionary(
  fc.string({ maxLength: 12 }).filter((name) => !RESERVED.has(name)),
  fc.jsonValue({ maxDepth: 2 }),
  { maxKeys: 4 },
);

const RESERVED = new Set<string>([
  ...NUMBER_FIELDS,
  ...TEXT_FIELDS,
  ...SENDER_FIELDS,
  "apiKey",
  "title",
  "alerts",
  "heartbeat",
  "contextInfo",
  "commonLabels",
  "templateData",
  "payload",
  "__proto__",
]);

/** What a request made of an account. */
const madeBy = async (world: World) => ({
  ledger: (await ledgerOf(world)).map(({ type, amount, balanceAfter }) => ({ type, amount, balanceAfter })),
  messages: (await messagesOf(world)).map(({ operation, to }) => ({ operation, to })),
  sent: await sentBy(world),
});

describe("a gateway's message", () => {
  it("costs what the operation costs and goes where it goes, and nothing else is charged", async () => {
    const request = fc.record({
      number: fc.oneof(INDIA, ABROAD),
      notation: fc.nat(),
      field: fc.constantFrom(...NUMBER_FIELDS),
      text: TEXT.filter((text) => text.trim() !== ""),
      textField: fc.constantFrom(...TEXT_FIELDS),
      sender: fc.option(fc.record({ field: fc.constantFrom(...SENDER_FIELDS), value: fc.constantFrom("SHOP", "a b") })),
      noise: NOISE,
      form: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ number, notation, field, text, textField, sender, noise, form }) => {
        const [way, direct] = [await openWorld(), await openWorld()];
        const notations = notationsOf(number);
        const written = notations[notation % notations.length];
        const fields = {
          ...noise,
          [field]: written,
          [textField]: text,
          ...(sender && { [sender.field]: sender.value }),
        };
        const reply = form
          ? await sendForm(
              way,
              new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, asField(value)])).toString(),
            )
          : await send(way, fields);
        expect(reply.status, `${JSON.stringify(fields)} ${reply.text}`).toBe(200);
        const asked = { phone: number, message: text, ...(sender && { senderId: sender.value }) };
        const same = await post("http://sms.localhost/send-international-sms", asked, bearer(direct.apiKey));
        const { id: _, date: __, ...rest } = reply.body;
        expect(rest).toEqual(same.body);
        expect(await madeBy(way)).toEqual(await madeBy(direct));
        expect(await sentTo(way)).toEqual([number]);
      }),
      { numRuns: 40 },
    );
  });
});

/** A value as a form has it. */
const asField = (value: unknown) => {
  const [only = value] = Array.isArray(value) ? (value as unknown[]) : [];
  return typeof only === "string" || typeof only === "number" ? String(only) : JSON.stringify(only);
};
