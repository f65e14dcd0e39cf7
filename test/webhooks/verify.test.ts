import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { VERIFY_REASONS, whyNotSigned } from "../../src/webhooks/verify.ts";

// Why a signature does not hold. The package signs, so that nothing here is compared with itself.

const secret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
const other = `whsec_${Buffer.from("another-secret-another-secret-32").toString("base64")}`;
const body = '{"type":"message.delivered","data":{"name":"रवि"}}';
const nowMs = Date.now();

function received(sentMs = nowMs) {
  const at = new Date(sentMs);
  const headers = {
    "Webhook-Id": "evt_1",
    "webhook-timestamp": String(Math.floor(sentMs / 1000)),
    "webhook-signature": new Webhook(secret).sign("evt_1", at, body),
  };
  return { headers, body, secret };
}

const without = (name: string) => ({
  ...received(),
  headers: Object.fromEntries(Object.entries(received().headers).filter(([one]) => one !== name)),
});
const withHeader = (name: string, value: string) => ({
  ...received(),
  headers: { ...received().headers, [name]: value },
});

describe("verify", () => {
  it("finds nothing wrong with what was signed, by one of several signatures", () => {
    expect(whyNotSigned(received(), nowMs)).toBeNull();
    const two = `${new Webhook(other).sign("evt_1", new Date(nowMs), body)} ${received().headers["webhook-signature"]}`;
    expect(whyNotSigned(withHeader("webhook-signature", two), nowMs)).toBeNull();
  });

  it.each([
    ["secret_form", { ...received(), secret: secret.slice(6) }],
    ["no_id", without("Webhook-Id")],
    ["no_timestamp", without("webhook-timestamp")],
    ["timestamp_form", withHeader("webhook-timestamp", "yesterday")],
    ["timestamp_ms", withHeader("webhook-timestamp", String(nowMs))],
    ["no_signature", without("webhook-signature")],
    ["signature_form", withHeader("webhook-signature", "v1=abc")],
    ["too_old", received(nowMs - 400_000)],
    ["too_new", received(nowMs + 400_000)],
    ["body_parsed", { ...received(), body: JSON.stringify(JSON.parse(body), null, 2) }],
    ["body_space", { ...received(), body: `${body}\n` }],
    ["body_encoding", { ...received(), body: Buffer.from(body, "utf8").toString("latin1") }],
    ["wrong_secret", { ...received(), secret: other }],
    ["wrong_secret", { ...received(), body: body.replace("delivered", "failed") }],
  ] as const)("names %s", (reason, given) => {
    expect(whyNotSigned(given, nowMs)).toBe(reason);
    expect(VERIFY_REASONS[reason]).toMatch(/\.$/u);
  });
});
