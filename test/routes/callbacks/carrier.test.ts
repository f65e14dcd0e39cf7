import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { expectFailure } from "../../world/operating.ts";
import { messageId } from "../../../src/crypto/ids.ts";
import { signedHeaders } from "../../../src/crypto/webhook-signature.ts";
import { balanceOf, call, dispatch, ledgerOf, messagesOf, openWorld, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

const URL_OF_IT = "http://console.localhost/callbacks/http";

/** Sends a receipt as the gateway would; `more` replaces headers. */
function receipt(body: unknown, more: Record<string, string> = {}, nowMs = Date.now()) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const signed = signedHeaders(env.CARRIER_HTTP_SECRET, "receipt-1", text, nowMs);
  const headers = { "content-type": "application/json", ...signed, ...more };
  return call(URL_OF_IT, { method: "POST", headers, body: text });
}

/** A message that the gateway has accepted. */
async function submitted(): Promise<{ world: World; ref: string }> {
  const world = await openWorld();
  await sendSms(world);
  const [message] = await messagesOf(world);
  const seq = message?.seq ?? 0;
  const gateway = vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({}));
  await dispatch(world, [seq], { CARRIER: "http" });
  gateway.mockRestore();
  return { world, ref: messageId(env.KEY_SECRET, world.ref, "sms", { seq, index: 0 }) };
}

const stateOf = async (world: World) => (await messagesOf(world))[0]?.state;

afterEach(() => {
  vi.useRealTimers();
});

describe("POST /callbacks/http", () => {
  it.each(["delivered", "undelivered"])("%s is applied, and the message stays charged", async (state) => {
    const { world, ref } = await submitted();
    const reply = await receipt({ ref, state, code: "000" });
    expect(reply.status).toBe(200);
    expect(reply.text).toBe('{"success":true}');
    expect(await stateOf(world)).toBe(state);
    expect(await balanceOf(world)).toBe(9_990_000);
  });

  it("failed is applied, and refunds once, however often it arrives", async () => {
    const { world, ref } = await submitted();
    for (let count = 0; count < 3; count += 1) expect((await receipt({ ref, state: "failed" })).status).toBe(200);
    expect(await stateOf(world)).toBe("failed");
    expect(await balanceOf(world)).toBe(10_000_000);
    expect((await ledgerOf(world)).filter((entry) => entry.type === "refund")).toHaveLength(1);
  });

  it("a signature that is missing, wrong, of another body or too old: 401", async () => {
    const { world, ref } = await submitted();
    const body = { ref, state: "delivered" };
    const now = Date.now();
    const wrong = signedHeaders(
      "whsec_b3RoZXItc2VjcmV0LW90aGVyLXNlY3JldC0wMA==",
      "receipt-1",
      JSON.stringify(body),
      now,
    );
    const ofOther = signedHeaders(env.CARRIER_HTTP_SECRET, "receipt-1", "{}", now);
    const replies = [
      await call(URL_OF_IT, { method: "POST", body: JSON.stringify(body) }),
      await receipt(body, { "webhook-signature": "" }),
      await receipt(body, { "webhook-signature": "v1," }),
      await receipt(body, { "webhook-id": "receipt-2" }),
      await receipt(body, { "webhook-timestamp": String(Math.floor(now / 1000) + 1) }, now),
      await receipt(body, { "webhook-timestamp": "now" }),
      await receipt(body, wrong),
      await receipt(body, ofOther),
      await receipt(body, {}, now - 302_000),
      await receipt(body, {}, now + 302_000),
    ];
    for (const reply of replies) expectFailure(reply, 401, "unauthorized");
    expect(await stateOf(world)).toBe("submitted");
  });

  it("a signature is valid for five minutes, and one valid signature of several is enough", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.UTC(2026, 7, 1));
    const { world, ref } = await submitted();
    const body = { ref, state: "delivered" };
    const good = signedHeaders(env.CARRIER_HTTP_SECRET, "receipt-1", JSON.stringify(body), Date.now());
    expectFailure(await receipt(body, {}, Date.now() - 301_000), 401, "unauthorized");
    expect((await receipt({ ref, state: "submitted" }, {}, Date.now() - 300_000)).status).toBe(200);
    const both = `v1,AAAA ${good["webhook-signature"]}`;
    expect((await receipt(body, { "webhook-signature": both })).status).toBe(200);
    expect(await stateOf(world)).toBe("delivered");
  });

  it("an unknown ref: 200, so that the gateway stops sending it", async () => {
    const { world, ref } = await submitted();
    const altered = ref.slice(0, -1) + (ref.endsWith("A") ? "B" : "A");
    const unopened = messageId(env.KEY_SECRET, { accountId: "acc_00000000000", mode: "live" }, "sms", {
      seq: 1,
      index: 0,
    });
    const unsent = messageId(env.KEY_SECRET, world.ref, "sms", { seq: 999, index: 0 });
    for (const unknown of ["", "x", altered, unopened, unsent]) {
      const reply = await receipt({ ref: unknown, state: "delivered" });
      expect(reply.status, unknown).toBe(200);
    }
    expect(await stateOf(world)).toBe("submitted");
  });

  it.each([
    ["an unknown state", { ref: "x", state: "sent" }],
    ["no state", { ref: "x" }],
    ["no ref", { state: "delivered" }],
    ["a ref that is not a string", { ref: 5, state: "delivered" }],
    ["a list", []],
    ["invalid JSON", "{"],
  ])("%s: 400", async (_, body) => {
    expectFailure(await receipt(body), 400, "invalid_request");
  });

  it("a receipt that is too large is refused unread: 401", async () => {
    const reply = await receipt({ ref: "x", state: "delivered", code: "x".repeat(70_000) });
    expectFailure(reply, 401, "unauthorized");
  });

  it.each(["sim", "none", "constructor", "__proto__"])("/callbacks/%s: 404", async (name) => {
    const reply = await call(`http://console.localhost/callbacks/${name}`, { method: "POST", body: "{}" });
    expectFailure(reply, 404, "not_found");
  });

  it("another method: 405", async () => {
    const reply = await call(URL_OF_IT, { method: "PUT" });
    expectFailure(reply, 405, "method_not_allowed");
    expect(reply.headers.get("allow")).toBe("GET, HEAD, POST");
    // Some kinds' receipts come by GET, so that one without its proof is no other method.
    expectFailure(await call(URL_OF_IT), 401, "unauthorized");
  });
});
