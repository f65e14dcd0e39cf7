import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it } from "vitest";
import { UNPRICED } from "../../src/money/pricing.ts";
import { DEFAULT_NUMBER_RULES, writeNumberRules } from "../../src/sending/number-rules.ts";
import { sendCode } from "../world/hooks.ts";
import { balanceOf, bearer, call, messagesOf, openWorld, operator, post, recordingOf } from "../world/world.ts";
import type { World } from "../world/world.ts";

// Where an account may send (src/model/rules/rules.ts), whichever way a send comes.

afterEach(() => writeNumberRules(env.RECORDINGS, DEFAULT_NUMBER_RULES));

const US = "+12125550123";
/** A premium-rate number of the United States (+1 900), and one of Britain (+44 909). */
const PREMIUM = ["+19002345678", "+449091234567"];

const abroad = (world: World, phone: string) =>
  post("http://sms.localhost/send-international-sms", { phone, message: "Hi" }, bearer(world.apiKey));

async function voice(world: World, number: string) {
  const fields = { callee: number.slice(1), fileId: await recordingOf(world) };
  return post("http://voice.localhost/api/make-voice-call", fields, { "x-api-key": world.apiKey });
}

const preflight = (world: World, fields: object) =>
  post("http://console.localhost/v1/preflight", fields, bearer(world.apiKey));

const rules = (world: World, body: object) => operator("PUT", `/operator/accounts/${world.ref.accountId}/rules`, body);

/** Every way in, to an Indian number and to one in the United States. */
async function everyWay(
  world: World,
  india: string,
  other: string,
): Promise<Record<string, { status: number; text: string }>> {
  const { apiKey } = world;
  const basic = { authorization: `Basic ${btoa(`AC0:${apiKey}`)}` };
  const form = { ...basic, "content-type": "application/x-www-form-urlencoded" };
  const sid = "AC00000000000000000000000000000000";
  const accountSid = `http://sms.localhost/2010-04-01/Accounts/${sid}/Messages.json`;
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const ten = india.slice(3);
  const mcp = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "send_sms", arguments: { phone: ten, message: "Hi" } },
  };
  return {
    sms: await post("http://sms.localhost/send-sms", { phone: ten, message: "Hi" }, bearer(apiKey)),
    scheduled: await post("http://sms.localhost/send-sms", { phone: ten, message: "Hi", sendAt }, bearer(apiKey)),
    bulk: await post(
      "http://sms.localhost/send-bulk-sms",
      { recipients: ["9811111111", ten], message: "Hi" },
      bearer(apiKey),
    ),
    otp: await post("http://otp.localhost/send-otp", { phone: ten, otp: "4821" }, bearer(apiKey)),
    tts: await post("http://tts.localhost/api/tts-call", { callee: ten, text: "Hi" }, { "x-api-key": apiKey }),
    voice: await voice(world, india),
    international: await abroad(world, other),
    gateway: await post("http://sms.localhost/v1/gateway", { to: india, message: "Hi" }, bearer(apiKey)),
    twilio: await call(accountSid, {
      method: "POST",
      headers: form,
      body: new URLSearchParams({ To: other, Body: "Hi", From: "SHOP" }).toString(),
    }),
    mcp: await post("http://console.localhost/mcp", mcp, {
      ...bearer(apiKey),
      accept: "application/json, text/event-stream",
    }),
  };
}

it("reaches all that the rate card prices by default, and only the named countries where they are", async () => {
  const world = await openWorld();
  expect((await abroad(world, US)).status).toBe(200);
  expect((await voice(world, US)).status).toBe(200);
  expect((await rules(world, { countries: ["IN", "+44"] })).status).toBe(200);
  const balance = await balanceOf(world);
  const refused = { code: "country_not_allowed", error: "This account may not send to +1 (US)." };
  expect(await abroad(world, US)).toMatchObject({ status: 403, body: { ...refused, param: "phone" } });
  expect(await voice(world, US)).toMatchObject({ status: 403, body: { ...refused, param: "callee" } });
  const asked = { operation: "sms_international", phone: US, message: "Hi" };
  expect((await preflight(world, asked)).body).toMatchObject({
    would: "refuse",
    problems: [{ ...refused, param: "phone" }],
  });
  expect(await balanceOf(world)).toBe(balance);
  expect((await abroad(world, "+447400123456")).status).toBe(200);
  expect((await abroad(world, "+919876543210")).status).toBe(200);
});

it("refuses the same by every way in, before any charge", async () => {
  const world = await openWorld();
  await rules(world, { countries: ["NP"] });
  for (const [way, { text }] of Object.entries(await everyWay(world, "+919876543210", US))) {
    expect(text, way).toMatch(/may not send to \+(?:91|1) /u);
  }
  await rules(world, { refuse_prefixes: ["+9198765", "+1212"] });
  for (const [way, { text }] of Object.entries(await everyWay(world, "+919876543210", US))) {
    expect(text, way).toMatch(/Numbers that begin with \+(?:9198765|1212) are refused/u);
  }
  const toGateway = await post(
    "http://sms.localhost/v1/gateway",
    { to: "+919876543210", message: "Hi" },
    bearer(world.apiKey),
  );
  expect(toGateway.body).toMatchObject({ code: "number_blocked", param: "to" });
  expect(await messagesOf(world)).toEqual([]);
  expect(await balanceOf(world)).toBe(1_000 * 10_000);
});

it("refuses a code of Supabase's hook, in the sentence that the person reads", async () => {
  const world = await openWorld();
  const shownFor = async (change: object) => {
    await rules(world, change);
    const reply = await sendCode(world, { sms: { otp: String(100_000 + asked++) } });
    return { status: reply.status, error: reply.body.error };
  };
  let asked = 0;
  expect(await shownFor({ countries: ["NP"] })).toEqual({
    status: 200,
    error: { http_code: 422, message: "Codes cannot be sent to phone numbers of this country." },
  });
  expect(await shownFor({ refuse_prefixes: ["+9198765"] })).toMatchObject({ error: { http_code: 422 } });
  expect(await shownFor({ spend_cap: 0.01 })).toMatchObject({ error: { http_code: 422 } });
  expect(await shownFor({ otp_per_number: 1 })).toEqual({ status: 200, error: undefined });
  expect(await shownFor({ otp_per_number: 1 })).toMatchObject({ status: 200, error: { http_code: 429 } });
  expect(await messagesOf(world)).toHaveLength(1);
});

it("refuses premium-rate numbers, for SMS and for calls, unless the account or the deployment allows them", async () => {
  const world = await openWorld();
  for (const number of PREMIUM) {
    const refused = { status: 403, body: { code: "number_blocked" } };
    expect(await abroad(world, number), number).toMatchObject(refused);
    expect(await voice(world, number), number).toMatchObject(refused);
  }
  await rules(world, { allow_prefixes: ["+1900"] });
  expect((await abroad(world, PREMIUM[0] ?? "")).status).toBe(200);
  expect((await abroad(world, PREMIUM[1] ?? "")).status).toBe(403);
  await operator("PUT", "/operator/number-rules", { premium_rate: "allow" });
  expect((await voice(world, PREMIUM[1] ?? "")).status).toBe(200);
});

it("calls no number of a calling code without a price, such as a satellite's, unless the account names it", async () => {
  const world = await openWorld();
  expect([...UNPRICED]).toContain("881");
  expect(await voice(world, "+881612345678")).toMatchObject({ status: 403, body: { code: "country_not_allowed" } });
  await rules(world, { countries: ["IN", "+881"] });
  expect((await voice(world, "+881612345678")).status).toBe(200);
});

it("refuses the deployment's prefixes to every account whose rules do not allow them", async () => {
  const [one, other] = [await openWorld(), await openWorld()];
  const set = { premium_rate: "refuse", prefixes: [{ prefix: "+1212", note: "a list" }] };
  const { body } = await operator("PUT", "/operator/number-rules", { prefixes: set.prefixes });
  expect(body).toEqual({ success: true, ...set });
  expect((await operator("GET", "/operator/number-rules")).body).toEqual({ success: true, ...set });
  await rules(other, { allow_prefixes: ["+12125"] });
  expect(await abroad(one, US)).toMatchObject({ status: 403, body: { code: "number_blocked", param: "phone" } });
  expect((await abroad(other, US)).status).toBe(200);
  await evictDurableObject(one.stub);
  expect((await abroad(one, US)).status).toBe(403);
});

it("shows the operator's rules, changes them for both modes, and refuses wrong ones with their field", async () => {
  const world = await openWorld();
  const path = `/operator/accounts/${world.ref.accountId}/rules`;
  const none = {
    success: true,
    account_id: world.ref.accountId,
    countries: null,
    allow_prefixes: [],
    refuse_prefixes: [],
    spend_cap: null,
    own_spend_cap: null,
    otp_per_number: null,
    otp_per_prefix: null,
    otp_applies: { per_number: 0, per_prefix: 0 },
    today: { spent: 0, left: null, resets_at: expect.stringMatching(/T18:30:00\.000Z$/u) },
  };
  expect((await operator("GET", path)).body).toEqual(none);
  const changed = { countries: ["IN"], spend_cap: 2.5, otp_per_number: 4, own_spend_cap: 1 };
  const { body } = await operator("PUT", path, changed);
  // The owner's cap is the owner's.
  expect(body).toMatchObject({ ...changed, own_spend_cap: null, today: { spent: 0, left: 2.5 } });
  expect((await operator("GET", path)).body).toEqual(body);
  const wrong: [object, string][] = [
    [{ countries: ["India"] }, "countries[0]"],
    [{ refuse_prefixes: ["98765"] }, "refuse_prefixes[0]"],
    [{ allow_prefixes: "+1" }, "allow_prefixes"],
    [{ spend_cap: -1 }, "spend_cap"],
    [{ otp_per_number: 1.5 }, "otp_per_number"],
    [{ otp_per_prefix: "3" }, "otp_per_prefix"],
  ];
  for (const [fields, param] of wrong) {
    expect(await operator("PUT", path, fields), param).toMatchObject({ status: 400, body: { param } });
  }
  expect((await operator("GET", path)).body).toEqual(body);
  const bad = await operator("PUT", "/operator/number-rules", { prefixes: [{ prefix: "1212" }] });
  expect(bad).toMatchObject({ status: 400, body: { param: "prefixes[0].prefix" } });
  expect((await operator("PUT", "/operator/accounts/acc_unknown/rules", {})).status).toBe(404);
});
