import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { outgoingText } from "../../../src/text/otp-text.ts";
import { ENTITY, LOGIN, PACKED, REGISTRY, putDlt, testModeOf } from "../../world/dlt.ts";
import { inboxOf, landAll } from "../../world/inbox.ts";
import { preflight, sendOf } from "../../world/quotes.ts";
import { balanceOf, bearer, call, ledgerOf, openWorld, post, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// India's rules before the charge (contract §17.2).

afterEach(() => void vi.useRealTimers());

const FITS = "Order 4711 is packed. - Acme";

async function registered(more: object = {}, opening = {}): Promise<World> {
  const world = await openWorld(opening);
  await putDlt(world, { ...REGISTRY, ...more });
  return world;
}

const detailOf = async (world: World, id: string | null) =>
  (await call(`http://console.localhost/v1/messages/${id}`, { headers: bearer(world.apiKey) })).body.message;

const rowsIn = (world: World) =>
  runInDurableObject(world.stub, (_, { storage }) =>
    storage.sql.exec("SELECT (SELECT count(*) FROM job) AS jobs, (SELECT count(*) FROM idempotency) AS keys").one(),
  );

describe("a text that fits", () => {
  it("is sent under its template's first header, and says what went along", async () => {
    const world = await registered();
    const reply = await sendSms(world, { body: { message: FITS } });
    expect([reply.status, reply.headers.get("x-dlt-warning")]).toEqual([200, null]);
    const message = await detailOf(world, reply.headers.get("x-message-id"));
    expect(message).toMatchObject({
      sender: "ACMEIN",
      dlt: { entity_id: ENTITY, template_id: PACKED, header: "ACMEIN", category: "service_implicit" },
    });
  });

  it("is matched for an Indian number by whichever operation, and not for another country's", async () => {
    const world = await registered();
    const abroad = (phone: string, message: string) => sendOf(world, "international", { phone, message });
    expect((await abroad("+919876543210", FITS)).status).toBe(200);
    expect((await abroad("+919876543210", "Hello")).body.code).toBe("dlt_mismatch");
    const other = await abroad("+14155550132", "Hello");
    expect(other.status).toBe(200);
    expect((await detailOf(world, other.headers.get("x-message-id"))).dlt).toBeNull();
  });
});

describe("a refusal", () => {
  it("costs nothing, stores nothing, and can be repeated with the same Idempotency-Key", async () => {
    const world = await registered();
    const before = [await balanceOf(world), await ledgerOf(world), await rowsIn(world)];
    const once = { "idempotency-key": "k" };
    const reply = await sendSms(world, { body: { message: "Order 4711 is picked. - Acme" }, headers: once });
    expect(reply.body).toMatchObject({
      success: false,
      code: "dlt_mismatch",
      param: "message",
      dlt: { code: 633, template_id: PACKED, at: 15, expected: "acked. - Acme", found: "icked. - Acme" },
    });
    expect([await balanceOf(world), await ledgerOf(world), await rowsIn(world)]).toEqual(before);
    expect((await sendSms(world, { body: { message: FITS }, headers: once })).status).toBe(200);
  });

  it("goes before the balance, and in the order of the contract", async () => {
    const world = await registered({}, { balance: 0 });
    const codeOf = async (body: object) => {
      const reply = await sendSms(world, { body });
      return [reply.body.code, reply.body.param, reply.body.dlt?.code];
    };
    expect(await codeOf({ message: "x", senderId: "acmein" })).toEqual(["dlt_header", "senderId", 620]);
    expect(await codeOf({ message: "x", senderId: "ACMEIN" })).toEqual(["dlt_mismatch", "message", 633]);
    expect(await codeOf({ message: `Order ${"1".repeat(31)} is packed. - Acme` })).toEqual([
      "dlt_mismatch",
      "message",
      635,
    ]);
    expect(await codeOf({ message: FITS, senderId: "600123" })).toEqual(["dlt_header", "senderId", 634]);
    expect(await codeOf({ message: FITS })).toEqual(["insufficient_balance", undefined, undefined]);
    await putDlt(world, { ...REGISTRY, templates: [] });
    expect(await codeOf({ message: FITS })).toEqual(["dlt_mismatch", "message", 630]);
  });

  it("is one verdict for all of a bulk", async () => {
    const world = await registered();
    const recipients = ["9876543210", "9876543211"];
    const before = await ledgerOf(world);
    expect((await sendOf(world, "bulk", { recipients, message: "Hi" })).body.dlt.code).toBe(633);
    expect(await ledgerOf(world)).toEqual(before);
    expect((await sendOf(world, "bulk", { recipients, message: FITS })).status).toBe(200);
  });

  it("is among the problems of a preflight", async () => {
    const world = await registered();
    const { body } = await preflight(world, "sms", { phone: "9876543210", message: "Hi" });
    expect(body).toMatchObject({
      would: "refuse",
      problems: [{ param: "message", code: "dlt_mismatch", dlt: { code: 633 } }],
    });
    expect((await preflight(world, "sms", { phone: "9876543210", message: FITS })).body.would).toBe("send");
  });

  it("has the shape of each way in", async () => {
    const world = await registered();
    const gateway = await post(
      "http://sms.localhost/v1/gateway",
      { to: "9876543210", message: "Hi" },
      bearer(world.apiKey),
    );
    expect(gateway.body).toMatchObject({ code: "dlt_mismatch", dlt: { code: 633 } });
    const twilio = await call(`http://sms.localhost/2010-04-01/Accounts/AC${"0".repeat(32)}/Messages.json`, {
      method: "POST",
      headers: {
        authorization: `Basic ${btoa(`AC:${world.apiKey}`)}`,
        "content-type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams({ To: "+919876543210", Body: "Hi" }).toString(),
    });
    expect([twilio.status, twilio.body.details.dlt.code]).toEqual([400, 633]);
  });
});

describe("promotional messages", () => {
  const OFFER = { phone: "9876543210", message: "Flat 20% off at Acme!" };

  it("go out by day only, and a scheduled one at its time", async () => {
    vi.useFakeTimers({ now: Date.parse("2026-11-22T21:00:00+05:30"), toFake: ["Date"] });
    const world = await registered();
    const refused = await sendSms(world, { body: OFFER });
    expect(refused.body).toMatchObject({ code: "dlt_hours", param: "message", next_at: "2026-11-23T04:30:00Z" });
    expect((await sendSms(world, { body: { ...OFFER, sendAt: "2026-11-23T10:00:00+05:30" } })).status).toBe(200);
    const early = await sendSms(world, { body: { ...OFFER, sendAt: "2026-11-24T09:59:59+05:30" } });
    expect(early.body).toMatchObject({ code: "dlt_hours", next_at: "2026-11-24T04:30:00Z" });
    vi.setSystemTime(Date.parse("2026-11-23T20:59:59+05:30"));
    expect((await sendSms(world, { body: OFFER })).status).toBe(200);
  });

  it("are warned of with warn", async () => {
    vi.useFakeTimers({ now: Date.parse("2026-11-22T09:00:00+05:30"), toFake: ["Date"] });
    const world = await registered({ enforce: "warn" });
    const { headers } = await sendSms(world, { body: OFFER });
    expect(headers.get("x-dlt-warning")).toBe("dlt_hours; next_at=2026-11-22T04:30:00Z");
  });
});

describe("warn", () => {
  it("sends with the entity alone, and says why in a header, on a replay too", async () => {
    const world = await registered({ enforce: "warn" });
    const ask = () => sendSms(world, { body: { message: "Order 1 is gone" }, headers: { "idempotency-key": "w" } });
    const [first, again] = [await ask(), await ask()];
    expect(first.status).toBe(200);
    expect(first.headers.get("x-dlt-warning")).toMatch(new RegExp(`^633; template=${PACKED}; at=\\d+$`, "u"));
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.headers.get("x-dlt-warning")).toBe(first.headers.get("x-dlt-warning"));
    const message = await detailOf(world, first.headers.get("x-message-id"));
    expect(message.dlt).toEqual({ entity_id: ENTITY, template_id: null, header: null, category: null });
    const sender = await sendSms(world, { body: { message: FITS, senderId: "Nobody" } });
    expect(sender.headers.get("x-dlt-warning")).toBe("620; header=Nobody");
  });

  it("shares a commit with others without sharing the warning", async () => {
    const world = await registered({ enforce: "warn" });
    const texts = Array.from({ length: 12 }, (_, at) => (at % 3 === 0 ? "Nothing" : FITS));
    const replies = await Promise.all(texts.map((message) => sendSms(world, { body: { message } })));
    expect(replies.map(({ headers }) => headers.has("x-dlt-warning"))).toEqual(texts.map((text) => text !== FITS));
  });
});

describe("one-time passwords", () => {
  const OTP = { phone: "9876543210", otp: "482913", brandName: "Shop" };
  const otp = { template_id: LOGIN };

  it("have the account's own text, which lands as such and is masked where live", async () => {
    const live = await registered({ otp });
    const test = await testModeOf(live);
    await putDlt(live, { ...REGISTRY, otp });
    const text = "482913 is the code for Shop. - Acme";
    const sent = await sendOf(live, "otp", OTP);
    expect(sent.body.details).toMatchObject({ otp_sent: "482913", brand: "Shop" });
    const shown = await detailOf(live, sent.headers.get("x-message-id"));
    expect(shown).toMatchObject({
      text: text.replace("482913", "••••••"),
      dlt: { template_id: LOGIN, category: "otp" },
    });
    const tried = await sendOf(test, "otp", OTP);
    expect((await detailOf(test, tried.headers.get("x-message-id"))).text).toBe(text);
    await landAll(live);
    expect((await inboxOf(live))[0]?.text).toBe(text);
  });

  it("are refused without the code in the refusal", async () => {
    const world = await registered();
    const own = await sendOf(world, "otp", OTP);
    expect(own.body).toMatchObject({ code: "dlt_mismatch", param: "otp" });
    expect(own.text).not.toMatch(/482913|82913|2913/u);
    expect(own.body.dlt.found).toContain("•");
    await putDlt(world, { ...REGISTRY, otp });
    const long = await sendOf(world, "otp", { ...OTP, brandName: "Shop_482913" });
    expect(long.body).toMatchObject({
      param: "otp",
      dlt: { code: 633, template_id: LOGIN, at: 27, expected: "{#alphanumeric#}", found: "_••••••. - Acme" },
    });
    expect(long.text).not.toContain("482913");
  });

  it("have the pieces that the values say", () => {
    const stored = "4829 is your one-time password for Shop. Do not share it with anyone.";
    expect(outgoingText(stored, ["<#> ", 0, " by ", 1, " (10 min)"])).toBe("<#> 4829 by Shop (10 min)");
    expect(outgoingText(stored, undefined)).toBe(stored);
  });
});

describe("the registry of the moment", () => {
  it("decides each of many sends while it is replaced, whole: the old one up to a moment, then the new one", async () => {
    const world = await registered();
    const parcel = "Parcel 7 has left. - Acme";
    const next = { ...REGISTRY, templates: [{ ...REGISTRY.templates[0], text: "Parcel {#var#} has left. - Acme" }] };
    const kept = await world.stub.dlt();
    if (!kept) throw new Error("it has none");
    // Calls of one object are carried out in their order: so is the change among them.
    const verdicts: string[] = [];
    const ask = async (message: string) => {
      const { refusals } = (await world.stub.preflight({
        price: { kind: "fixed", units: 1 },
        recipients: 1,
        dlt: { operation: "sms", text: message },
      })) as { refusals: unknown[] };
      verdicts.push(refusals.length === 0 ? message : "refused");
    };
    const registry = {
      ...kept,
      templates: next.templates.map(({ template_id: templateId, ...rest }) => ({ templateId, ...rest })),
    };
    const asked = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? FITS : parcel));
    await Promise.all([
      ...asked.slice(0, 10).map(ask),
      world.stub.putDlt(registry as Parameters<typeof world.stub.putDlt>[0]),
      ...asked.slice(10).map(ask),
    ]);
    const passed = verdicts.filter((verdict) => verdict !== "refused");
    expect(passed).toEqual([...Array<string>(5).fill(FITS), ...Array<string>(5).fill(parcel)]);
    expect((await sendSms(world, { body: { message: FITS } })).status).toBe(400);
    expect((await sendSms(world, { body: { message: parcel } })).status).toBe(200);
  });

  it("is read again by an object that was evicted", async () => {
    const world = await registered();
    expect((await sendSms(world, { body: { message: FITS } })).status).toBe(200);
    await runInDurableObject(world.stub, (_, state) => state.abort("evicted")).catch(() => undefined);
    const stub = env.ACCOUNT.getByName(world.name);
    const after = { ...world, stub };
    expect((await sendSms(after, { body: { message: "Hi" } })).body.code).toBe("dlt_mismatch");
    expect((await sendSms(after, { body: { message: FITS } })).status).toBe(200);
  });

  it("writes no row and unseals nothing where it is off", async () => {
    const world = await registered({ enforce: "off" });
    const reply = await sendSms(world, { body: { message: "anything", senderId: "Nobody" } });
    expect(reply.status).toBe(200);
    const content = await runInDurableObject(world.stub, (_, { storage }) =>
      storage.sql.exec("SELECT content FROM job").one(),
    );
    expect(JSON.parse(content["content"] as string)).toEqual({ sender: "Nobody" });
  });

  it("is the test object's only where it is not older than what is there", async () => {
    const world = await registered();
    const test = await testModeOf(world);
    const kept = await world.stub.dlt();
    if (!kept) throw new Error("it has none");
    await test.stub.copyDlt({ ...kept, enforce: "off", updatedAt: (kept.updatedAt ?? 0) + 5 });
    await test.stub.copyDlt(kept);
    expect((await test.stub.dlt())?.enforce).toBe("off");
  });
});
