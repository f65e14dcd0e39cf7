import { createHmac } from "node:crypto";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { httpCarrier } from "../../src/carriers/http.ts";
import { configOf } from "../../src/config/config.ts";

const NOW_MS = 1_790_000_000_000;
const NOW_SEC = String(NOW_MS / 1000);
const KEY = Buffer.from(env.CARRIER_HTTP_SECRET.slice("whsec_".length), "base64");
const GOOD = '{"ref":"msg_1","state":"delivered"}';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW_MS });
});

afterEach(() => {
  vi.useRealTimers();
});

/** An independent implementation of Standard Webhooks. */
function signed(body: string, timestamp = NOW_SEC, key: Buffer = KEY): Record<string, string> {
  const proof = createHmac("sha256", key).update(`rcpt_1.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": "rcpt_1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${proof}` };
}

function read(body: string, headers: Record<string, string> = signed(body), config = configOf(env)) {
  const request = new Request("http://console.localhost/callbacks/http", { method: "POST", headers, body });
  return httpCarrier(config).receipts?.(request, null);
}

/** Reads a valid receipt that was signed this many seconds ago. */
const aged = (seconds: number) => read(GOOD, signed(GOOD, String(NOW_MS / 1000 - seconds)));

describe("a receipt", () => {
  it.each(["submitted", "delivered", "undelivered", "failed"])("of %s is read", async (state) => {
    expect(await read(JSON.stringify({ ref: "msg_1", state }))).toEqual([{ ref: "msg_1", state }]);
    expect(await read(JSON.stringify({ ref: "msg_1", state, code: "27", more: [1] }))).toEqual([
      { ref: "msg_1", state, code: "27" },
    ]);
  });

  it("is forged without a signature, with a wrong one, or with one for another body or id", async () => {
    expect(await read(GOOD, {})).toBe("forged");
    expect(await read(GOOD, signed(GOOD, NOW_SEC, Buffer.from("another key of thirty-two bytes!")))).toBe("forged");
    expect(await read(GOOD, signed(`${GOOD} `))).toBe("forged");
    expect(await read(GOOD, { ...signed(GOOD), "webhook-id": "rcpt_2" })).toBe("forged");
  });

  it("is forged when its timestamp is more than five minutes in the past or future", async () => {
    expect(await aged(300)).toEqual([{ ref: "msg_1", state: "delivered" }]);
    expect(await aged(301)).toBe("forged");
    expect(await aged(-300)).toEqual([{ ref: "msg_1", state: "delivered" }]);
    expect(await aged(-301)).toBe("forged");
  });

  it("is forged when no secret is configured", async () => {
    const config = { ...configOf(env), CARRIER_HTTP_SECRET: undefined };
    expect(await read(GOOD, signed(GOOD, NOW_SEC, Buffer.alloc(0)), config)).toBe("forged");
  });

  it.each([
    ["an unknown state", '{"ref":"msg_1","state":"read"}'],
    ["a state that only the service itself sets", '{"ref":"msg_1","state":"unconfirmed"}'],
    ["no state", '{"ref":"msg_1"}'],
    ["no ref", '{"state":"delivered"}'],
    ["a ref of another type", '{"ref":1,"state":"delivered"}'],
    ["a ref that is too long", JSON.stringify({ ref: "x".repeat(201), state: "delivered" })],
    ["a code that is too long", JSON.stringify({ ref: "msg_1", state: "failed", code: "x".repeat(101) })],
    ["a code of another type", '{"ref":"msg_1","state":"failed","code":27}'],
    ["a list", `[${GOOD}]`],
    ["null", "null"],
    ["text that is not JSON", "delivered"],
    ["an empty body", ""],
  ])("with a valid signature and %s is invalid", async (_, body) => {
    expect(await read(body)).toBe("invalid");
  });

  it("that is too large is not read to its end, even with a valid signature", async () => {
    const large = JSON.stringify({ ref: "msg_1", state: "delivered", more: "x".repeat(65_536) });
    expect(await read(large)).toBe("forged");
    const fits = JSON.stringify({ ref: "msg_1", state: "delivered", more: "x".repeat(60_000) });
    expect(await read(fits)).toEqual([{ ref: "msg_1", state: "delivered" }]);
  });
});
