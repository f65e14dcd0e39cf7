import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { WebhookError, signWebhook, verifyWebhook } from "../../sdk/src/index.ts";
import type { WebhookReason } from "../../sdk/src/index.ts";

// The oracle is the standard's own package, by other authors.

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OLD = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const NOW_MS = 1_795_341_600_000;
const TIMESTAMP = String(NOW_MS / 1000);
const EVENT = { type: "message.delivered", timestamp: "2026-11-22T10:00:00.000Z", seq: 7, data: { to: "+91… ✓" } };
const BODY = JSON.stringify(EVENT);

const headersWith = (signature: string, timestamp = TIMESTAMP) => ({
  "webhook-id": "evt_1",
  "webhook-timestamp": timestamp,
  "webhook-signature": signature,
});

/** The signature of the standard's package. */
const oracle = (secret: string, body = BODY, nowMs = NOW_MS) =>
  new Webhook(secret).sign("evt_1", new Date(nowMs), body);

const verify = (body: string, headers: Record<string, string>, secret: string | string[] = SECRET) =>
  verifyWebhook(body, headers, secret, { nowMs: NOW_MS });

const reasonOf = (verified: Promise<unknown>): Promise<WebhookReason> =>
  verified.then(
    () => expect.fail("it was accepted"),
    (problem: unknown) => {
      expect(problem).toBeInstanceOf(WebhookError);
      return (problem as WebhookError).reason;
    },
  );

describe("a delivery that the standard's package signed", () => {
  const headers = headersWith(oracle(SECRET));

  it("is accepted as text, as bytes and as a buffer", async () => {
    const bytes = new TextEncoder().encode(BODY);
    for (const payload of [BODY, bytes, bytes.buffer as ArrayBuffer]) {
      expect(await verifyWebhook(payload, headers, SECRET, { nowMs: NOW_MS })).toEqual(EVENT);
    }
  });

  it("is accepted with the headers of fetch, of Node, and with capital letters", async () => {
    const nodes = { ...headers, "set-cookie": ["a=1"], host: undefined };
    const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    for (const each of [new Headers(headers), nodes, capitals]) {
      expect(await verifyWebhook(BODY, each, SECRET, { nowMs: NOW_MS })).toEqual(EVENT);
    }
  });

  it("is accepted while its secret is rotated, from either side", async () => {
    expect(await verify(BODY, headersWith(oracle(OLD)), [SECRET, OLD])).toEqual(EVENT);
    expect(await verify(BODY, headersWith(`${oracle(SECRET)} ${oracle(OLD)}`), OLD)).toEqual(EVENT);
    expect(await verify(BODY, headersWith(`v1a,AAAA v1,AAAA v1,! ${oracle(SECRET)}`))).toEqual(EVENT);
  });

  it("is refused when a byte of it is another", async () => {
    expect(await reasonOf(verify(BODY.replace("7", "8"), headers))).toBe("signature");
    expect(await reasonOf(verify(` ${BODY}`, headers))).toBe("signature");
    expect(await reasonOf(verify(BODY, { ...headers, "webhook-id": "evt_2" }))).toBe("signature");
    expect(await reasonOf(verify(BODY, headersWith(oracle(SECRET), String(NOW_MS / 1000 + 1))))).toBe("signature");
  });
});

describe("a delivery is refused", () => {
  const cases: [string, string, Record<string, string>, WebhookReason][] = [
    ["without its headers", BODY, {}, "headers"],
    ["with a time that is no number", BODY, headersWith(oracle(SECRET), "1e9"), "headers"],
    ["signed with another secret", BODY, headersWith(oracle(OLD)), "signature"],
    ["with an empty signature", BODY, headersWith("v1,"), "signature"],
    ["with a signature of another version", BODY, headersWith(oracle(SECRET).replace("v1,", "v2,")), "signature"],
    ["that is no JSON", "hello", headersWith(oracle(SECRET, "hello")), "body"],
  ];
  it.each(cases)("%s", async (_name, body, headers, reason) => {
    expect(await reasonOf(verify(body, headers))).toBe(reason);
  });

  it.each([-301_000, 301_000])("that is %i ms off", async (ms) => {
    const at = NOW_MS + ms;
    const headers = headersWith(oracle(SECRET, BODY, at), String(at / 1000));
    expect(await reasonOf(verify(BODY, headers))).toBe("timestamp");
    expect(await verifyWebhook(BODY, headers, SECRET, { nowMs: NOW_MS, toleranceSec: 400 })).toEqual(EVENT);
  });
});

it("notices a secret that is none, instead of refusing every delivery", async () => {
  await expect(verify(BODY, headersWith(oracle(SECRET)), "whsec_?")).rejects.toThrow(TypeError);
  await expect(verify(BODY, headersWith(oracle(SECRET)), "")).rejects.toThrow(TypeError);
  await expect(verify(BODY, headersWith(oracle(SECRET)), [])).rejects.toThrow(TypeError);
});

it("signs what the standard's package accepts", async () => {
  const headers = await signWebhook(BODY, "evt_1", [OLD, SECRET]);
  expect(new Webhook(SECRET).verify(BODY, headers)).toEqual(EVENT);
  expect(new Webhook(OLD).verify(BODY, headers)).toEqual(EVENT);
  expect(() => new Webhook(SECRET).verify(`${BODY} `, headers)).toThrow("No matching signature");
});
