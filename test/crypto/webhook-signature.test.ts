import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { TOLERANCE_MS, isSigned, signedHeaders } from "../../src/crypto/webhook-signature.ts";

// A key with every awkward byte in it: the secret is the Base64 of bytes, not of text.
const KEY = Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 37 + 251) % 256));
const SECRET = `whsec_${KEY.toString("base64")}`;
const ID = "msg_1a2b3c";
const BODY = '{"ref":"msg_1a2b3c","text":"नमस्ते 👍"}';
const AT_SEC = 1_790_000_000;
const NOW_MS = AT_SEC * 1000;

/** An independent implementation of Standard Webhooks 1.0.0. */
function proof(content: string, key: Buffer = KEY): string {
  return createHmac("sha256", key).update(content, "utf8").digest("base64");
}

const PROOF = proof(`${ID}.${AT_SEC}.${BODY}`);

function headersWith(change: Record<string, string | null> = {}): Headers {
  const headers = new Headers({
    "webhook-id": ID,
    "webhook-timestamp": String(AT_SEC),
    "webhook-signature": `v1,${PROOF}`,
  });
  for (const [name, value] of Object.entries(change)) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  return headers;
}

const signed = (change: Record<string, string | null> = {}, body = BODY, nowMs = NOW_MS) =>
  isSigned(SECRET, headersWith(change), body, nowMs);

describe("signedHeaders", () => {
  it("signs as the standard defines", () => {
    expect(signedHeaders(SECRET, ID, BODY, NOW_MS + 999)).toEqual({
      "webhook-id": ID,
      "webhook-timestamp": String(AT_SEC),
      "webhook-signature": `v1,${PROOF}`,
    });
  });

  it("reproduces the signature of the standard's own example", () => {
    // From the reference implementations' test suites (standard-webhooks/standard-webhooks).
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const body = '{"test": 2432232314}';
    const headers = signedHeaders(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", body, 1_614_265_330_000);
    expect(headers["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });
});

describe("isSigned", () => {
  it("accepts a correct signature", () => {
    expect(signed()).toBe(true);
  });

  it("accepts timestamps up to the tolerance on either side, and no further", () => {
    expect(signed({}, BODY, NOW_MS + TOLERANCE_MS)).toBe(true);
    expect(signed({}, BODY, NOW_MS + TOLERANCE_MS + 1)).toBe(false);
    expect(signed({}, BODY, NOW_MS - TOLERANCE_MS)).toBe(true);
    expect(signed({}, BODY, NOW_MS - TOLERANCE_MS - 1)).toBe(false);
  });

  it("accepts one correct signature among several", () => {
    const other = proof("something else");
    expect(signed({ "webhook-signature": `v1,${other} v1,${PROOF}` })).toBe(true);
    expect(signed({ "webhook-signature": `v1a,${other} v1,${PROOF} v1,${other}` })).toBe(true);
    expect(signed({ "webhook-signature": `v1,${other} v1,${other}` })).toBe(false);
  });

  it.each([`v2,${PROOF}`, `v1a,${PROOF}`, `V1,${PROOF}`, `,${PROOF}`, PROOF, "v1,", "v1", "", `v1:${PROOF}`])(
    "refuses the signature %j",
    (signature) => {
      expect(signed({ "webhook-signature": signature })).toBe(false);
    },
  );

  it.each(["webhook-id", "webhook-timestamp", "webhook-signature"])("refuses without %s", (name) => {
    expect(signed({ [name]: null })).toBe(false);
  });

  it.each(["", "now", "-1", `${AT_SEC}.0`, `${NOW_MS}`, "1e9", `${AT_SEC}000000`])("refuses timestamp %j", (time) => {
    expect(signed({ "webhook-timestamp": time })).toBe(false);
  });

  it("refuses another id, time, body or key", () => {
    expect(signed({ "webhook-id": "msg_other" })).toBe(false);
    expect(signed({ "webhook-timestamp": String(AT_SEC + 1) })).toBe(false);
    expect(signed({}, `${BODY} `)).toBe(false);
    const foreign = proof(`${ID}.${AT_SEC}.${BODY}`, Buffer.from("another key of thirty-two bytes!"));
    expect(signed({ "webhook-signature": `v1,${foreign}` })).toBe(false);
  });

  it("refuses a signature that has only a correct beginning", () => {
    const cut = Buffer.from(PROOF, "base64").subarray(0, 16).toString("base64");
    expect(signed({ "webhook-signature": `v1,${cut}` })).toBe(false);
  });
});
