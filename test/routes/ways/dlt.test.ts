import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { LOGIN, PACKED, REGISTRY, putDlt, testModeOf } from "../../world/dlt.ts";
import { attempt, hookOf, sendCode, shown } from "../../world/hooks.ts";
import { tool } from "../../world/mcp.ts";
import { preflight, sendOf } from "../../world/quotes.ts";
import { payloadOf } from "../../world/supabase.ts";
import { sendTwilio } from "../../world/twilio.ts";
import { balanceOf, bearer, ledgerOf, messagesOf, openWorld, post, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// India's rules (contract §17) by every way in: what no template fits is refused before the charge, in the shape of the way.

const PHONE = "9876543210";
const FITS = "Order 4711 is packed. - Acme";
const DIFFERS = "Order 4711 is picked. - Acme";

/** What a refusal says of the text above. */
const SAYS = { code: 633, template_id: PACKED, at: 15, expected: "acked. - Acme", found: "icked. - Acme" };
const REFUSED = { success: false, code: "dlt_mismatch", param: "message", dlt: SAYS };

/** A time when every category may be sent. */
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();

interface Way {
  /** Sends the text, or asks for it. */
  send: (world: World, text: string) => Promise<{ status?: number; body: unknown }>;
  refused: { status?: number; body: object };
  /** Whether it sends what fits. */
  sends: boolean;
}

const told = async (answer: Promise<Record<string, unknown>>) => ({ body: await answer });

/** What an MCP client with a live key does: it asks, and sends with the value that it got, or with one of another text. */
async function byTool(world: World, message: string) {
  const first = await tool(world.apiKey, "send_sms", { phone: PHONE, message });
  if (first["confirm"] === undefined) return first;
  return tool(world.apiKey, "send_sms", { phone: PHONE, message, confirm: first["confirm"] });
}

const WAYS: Record<string, Way> = {
  "send-sms": {
    send: (world, message) => sendSms(world, { body: { message } }),
    refused: { status: 400, body: REFUSED },
    sends: true,
  },
  "send-bulk-sms": {
    send: (world, message) => sendOf(world, "bulk", { recipients: [PHONE, "9876543211"], message }),
    refused: { status: 400, body: REFUSED },
    sends: true,
  },
  "send-international-sms to India": {
    send: (world, message) => sendOf(world, "international", { phone: `+91${PHONE}`, message }),
    refused: { status: 400, body: REFUSED },
    sends: true,
  },
  "a scheduled send": {
    send: (world, message) => sendSms(world, { body: { message, sendAt: TOMORROW } }),
    refused: { status: 400, body: REFUSED },
    sends: true,
  },
  "a scheduled bulk": {
    send: (world, message) => sendOf(world, "bulk", { recipients: [PHONE], message, sendAt: TOMORROW }),
    refused: { status: 400, body: REFUSED },
    sends: true,
  },
  "a preflight": {
    send: (world, message) => preflight(world, "sms", { phone: PHONE, message }),
    refused: {
      status: 200,
      body: { would: "refuse", quote: null, problems: [{ code: "dlt_mismatch", param: "message", dlt: SAYS }] },
    },
    sends: false,
  },
  "a preflight of a bulk": {
    send: (world, message) => preflight(world, "bulk", { recipients: [PHONE], message }),
    refused: { status: 200, body: { would: "refuse", quote: null, problems: [{ code: "dlt_mismatch", dlt: SAYS }] } },
    sends: false,
  },
  "the universal gateway": {
    send: (world, message) => post("http://sms.localhost/v1/gateway", { to: PHONE, message }, bearer(world.apiKey)),
    refused: { status: 400, body: REFUSED },
    sends: true,
  },
  "Twilio's form": {
    send: (world, Body) => sendTwilio(world, { Body, From: "ACMEIN" }),
    refused: { status: 400, body: { status: 400, code: expect.any(Number), details: { dlt: SAYS } } },
    sends: true,
  },
  "the tool of MCP": {
    send: (world, message) => told(byTool(world, message)),
    refused: { body: REFUSED },
    sends: true,
  },
};

const rowsIn = (world: World) =>
  runInDurableObject(world.stub, (_, { storage }) =>
    storage.sql.exec("SELECT (SELECT count(*) FROM job) AS jobs, (SELECT count(*) FROM idempotency) AS keys").one(),
  );

const stateOf = async (world: World) => [await balanceOf(world), await ledgerOf(world), await rowsIn(world)];

async function registered(more: object = {}): Promise<World> {
  const world = await openWorld();
  await putDlt(world, { ...REGISTRY, ...more });
  return world;
}

describe.each(Object.entries(WAYS))("a text of no template by %s", (_, { send, refused, sends }) => {
  it("is refused in its shape, costs nothing and stores nothing; one that fits is sent", async () => {
    const world = await registered();
    const before = await stateOf(world);
    expect(await send(world, DIFFERS)).toMatchObject(refused);
    expect(await stateOf(world)).toEqual(before);
    await send(world, FITS);
    expect((await messagesOf(world)).length > 0).toBe(sends);
  });

  it("is refused to a test key by the copy of the live one's registry", async () => {
    const live = await openWorld();
    const test = await testModeOf(live);
    await putDlt(live);
    const before = await stateOf(test);
    expect(await send(test, DIFFERS)).toMatchObject(refused);
    expect(await stateOf(test)).toEqual(before);
    await putDlt(live, { ...REGISTRY, enforce: "off" });
    await send(test, DIFFERS);
    expect((await messagesOf(test)).length > 0).toBe(sends);
  });
});

it("a scheduled message is matched when it is accepted, and not again when its time comes", async () => {
  const world = await registered();
  expect((await sendSms(world, { body: { message: FITS, sendAt: TOMORROW } })).status).toBe(200);
  await putDlt(world, { ...REGISTRY, templates: [] });
  const [message] = await messagesOf(world);
  expect(message).toMatchObject({ state: "scheduled" });
  expect((await sendSms(world, { body: { message: FITS, sendAt: TOMORROW } })).body.dlt.code).toBe(630);
});

it("a value of MCP does not send what fits no template any more", async () => {
  const world = await registered();
  const given = { phone: PHONE, message: FITS };
  const { confirm } = await tool(world.apiKey, "send_sms", given);
  expect(confirm).toEqual(expect.any(String));
  await putDlt(world, { ...REGISTRY, templates: [] });
  const before = await stateOf(world);
  expect(await tool(world.apiKey, "send_sms", { ...given, confirm })).toMatchObject({ code: "dlt_mismatch" });
  expect(await stateOf(world)).toEqual(before);
});

describe("a code of Supabase's hook", () => {
  const LATER = [422, "The code could not be sent. Please try again later."];

  it("that no template fits is refused, and the person reads nothing of the account", async () => {
    const world = await registered();
    const before = await stateOf(world);
    const reply = await sendCode(world);
    expect([reply.status, shown(reply)]).toEqual([200, LATER]);
    expect(reply.text).not.toMatch(/048213|DLT|template/u);
    expect(await stateOf(world)).toEqual(before);
    await putDlt(world, { ...REGISTRY, otp: { template_id: LOGIN } });
    expect(shown(await sendCode(world))).toBe("sent");
  });

  it("is refused where the hook's brand makes the account's own text too long", async () => {
    const long = { ...REGISTRY.templates[2], text: `{#numeric#} for {#var#}. ${"x".repeat(300)}` };
    const templates = [...REGISTRY.templates.slice(0, 2), long];
    const world = await registered({ templates, otp: { template_id: LOGIN } });
    const before = await stateOf(world);
    expect(shown(await attempt(hookOf(world, "दुकान"), payloadOf()))).toEqual(LATER);
    expect(await stateOf(world)).toEqual(before);
    expect(shown(await attempt(hookOf(world, "Shop"), payloadOf()))).toBe("sent");
  });
});
