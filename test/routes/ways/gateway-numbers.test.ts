import { expect, it } from "vitest";
import { bearer, ledgerOf, openWorld, post } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// What the universal gateway says of a number that it cannot use.

const send = (world: World, body: object, query = "") =>
  post(`http://sms.localhost/v1/gateway${query}`, body, bearer(world.apiKey));

it("refuses ten digits that are no Indian mobile: they would fit some other country", async () => {
  const world = await openWorld();
  // A number of Washington, and with a + one of Egypt.
  const reply = await send(world, { to: "2025550123", message: "Hello" });
  expect(reply.status).toBe(400);
  expect(reply.body).toMatchObject({ error: "to has no country code and is no Indian mobile number.", param: "to" });
  expect(await ledgerOf(world)).toHaveLength(1);
});

it.each([
  ["2212345678", "to is not a mobile number: Indian ones begin with 6, 7, 8 or 9."],
  ["4155550132", "to is not a mobile number: Indian ones begin with 6, 7, 8 or 9."],
  ["12345", "to has too few digits for a phone number."],
  [0, "to has too few digits for a phone number."],
  [-5, "to has too few digits for a phone number."],
  ["987654321012345678", "to has too many digits for a phone number."],
  ["+91 22 1234 5678", "to is not a mobile number: Indian ones begin with 6, 7, 8 or 9."],
  ["+9991234567", "to begins with no country code that there is."],
  ["+141555", "to has a length that no number of its country has."],
  ["1e10", "to was rounded, as spreadsheets do, and has lost its last digits."],
  ["the boss", "to has something else than digits."],
  ["", "to is empty."],
  [" ", "to is empty."],
  [["nobody", "none"], "to has something else than digits."],
  [[], "to must be a phone number, as a string."],
  [true, "to must be a phone number, as a string."],
  [{}, "to must be a phone number, as a string."],
  [1.5, "to must be a phone number, as a string."],
])("says what is wrong with %j as a number", async (to, error) => {
  const world = await openWorld();
  expect((await send(world, { to, message: "Hello" })).body).toMatchObject({
    error,
    param: "to",
    code: "invalid_request",
    hint: "Send it as to, with + and its country code; ten digits are an Indian mobile.",
  });
  expect(await ledgerOf(world)).toHaveLength(1);
});

it("says what is wrong in the first field that has anything, and that there is no number only where there is none", async () => {
  const world = await openWorld();
  const said = async (body: object, query?: string) =>
    (await send(world, { message: "Hello", ...body }, query)).body.error;
  expect(await said({ to: "", phone: null, mobile: "12345", dst: "x" })).toMatch(/^mobile has too few digits/u);
  expect(await said({}, "?to=12345")).toMatch(/^to has too few digits/u);
  expect(await said({ contextInfo: { recipientPhoneNumber: "x" } })).toMatch(/^contextInfo.recipientPhoneNumber has/u);
  const none = "There is no phone number in to, phone, mobile, number, recipient, receiver, phoneNumber, To or dst.";
  expect(await said({})).toBe(none);
  expect(await said({ to: null })).toBe(none);
});
