import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import type { AppEnv } from "../../src/http/app.ts";
import { FailureError } from "../../src/http/errors.ts";
import { idempotencyOf } from "../../src/http/idempotency.ts";
import type { AskedOnce } from "../../src/model/command.ts";

/** What idempotencyOf() reads from a request with this header. */
async function askedOf(
  header: string | null,
  fields: object = {},
  path = "/send-sms",
  variables: Record<string, string> = {},
): Promise<AskedOnce | null> {
  let asked: AskedOnce | null = null;
  const app = new Hono<AppEnv>();
  app.post("*", (c) => {
    asked = idempotencyOf(c, fields);
    return c.body(null);
  });
  app.onError((problem) => {
    throw problem;
  });
  const headers: Record<string, string> = header === null ? {} : { "idempotency-key": header };
  await app.request(path, { method: "POST", headers }, { ...env, ...variables });
  return asked;
}

const keyOf = async (header: string) => (await askedOf(header))?.key;
const fingerprintOf = async (fields: object, path?: string) => (await askedOf("k", fields, path))?.fingerprint;

describe("the Idempotency-Key header", () => {
  it("may be absent", async () => {
    expect(await askedOf(null)).toBeNull();
  });

  it("is the same key bare and as a quoted string", async () => {
    expect(await keyOf("order-1")).toEqual(await keyOf('"order-1"'));
    expect(await keyOf('a"b')).toEqual(await keyOf('"a\\"b"'));
    expect(await keyOf("a\\b")).toEqual(await keyOf('"a\\\\b"'));
    expect(await keyOf("order-1")).not.toEqual(await keyOf("order-2"));
    expect(await keyOf("order-1")).not.toEqual(await keyOf("Order-1"));
  });

  it("accepts every visible ASCII character, up to 255 of them", async () => {
    const visible = Array.from({ length: 94 }, (_, at) => String.fromCharCode(0x21 + at));
    for (const letter of visible) expect(await keyOf(`a${letter}`), letter).toHaveLength(32);
    expect(await keyOf("a".repeat(255))).toHaveLength(32);
    expect(await keyOf(`"${"a".repeat(255)}"`)).toHaveLength(32);
  });

  it.each([
    "",
    '""',
    "a b",
    '"a b"',
    '"open',
    '"a"b"',
    '"a\\"',
    '"a\\x"',
    "schlüssel",
    "a".repeat(256),
    `"${"a".repeat(256)}"`,
  ])("refuses %j", async (header) => {
    const refused = await askedOf(header).catch((problem: unknown) => problem);
    expect(refused).toBeInstanceOf(FailureError);
    expect((refused as FailureError).failure).toMatchObject({ code: "invalid_request", param: "Idempotency-Key" });
  });

  it("hashes under a secret, so that one-time passwords cannot be brute-forced from stored fingerprints", async () => {
    const fields = { phone: "9876543210", otp: "1234" };
    const [ours, theirs] = [
      await askedOf("k", fields, "/send-otp"),
      await askedOf("k", fields, "/send-otp", { SEAL_SECRET: "local-only-another-seal-secret-000000" }),
    ];
    expect(ours?.fingerprint).not.toEqual(theirs?.fingerprint);
    expect(ours?.key).not.toEqual(theirs?.key);
  });

  it("stores no text: key and fingerprint are hashes", async () => {
    // 32 bytes like a hash, so that the length alone does not distinguish a key stored in plain text.
    const text = "order-of-9876543210-at-breakfast";
    expect(text).toHaveLength(32);
    const fields = { phone: "9876543210", message: "Breakfast for two" };
    const [one, other] = [
      await askedOf(text, fields),
      await askedOf(`${text.slice(0, -1)}!`, { ...fields, message: "Breakfast for twO" }),
    ];
    for (const name of ["key", "fingerprint"] as const) {
      const [hash, near] = [Buffer.from(one?.[name] ?? []), Buffer.from(other?.[name] ?? [])];
      expect(hash).toHaveLength(32);
      for (const part of ["9876", "order", "phone", "reakfast", "/send-sms"]) expect(hash.includes(part)).toBe(false);
      // One changed letter changes nearly every byte of a hash, but only few bytes of any encoded text.
      expect([...hash].filter((byte, at) => byte === near[at]).length).toBeLessThan(8);
    }
  });
});

describe("the fingerprint", () => {
  const fields = { phone: "9876543210", message: "Hello" };

  it("is the same for the same path and fields, whatever API key is in the body", async () => {
    const first = await fingerprintOf(fields);
    expect(await fingerprintOf({ ...fields })).toEqual(first);
    expect(await fingerprintOf({ ...fields, apiKey: "dsk_live_1" })).toEqual(first);
    expect(await fingerprintOf({ ...fields, senderId: undefined })).toEqual(first);
  });

  it("differs for another field, value or path", async () => {
    const first = await fingerprintOf(fields);
    expect(await fingerprintOf({ ...fields, message: "Hello " })).not.toEqual(first);
    expect(await fingerprintOf({ ...fields, senderId: "A" })).not.toEqual(first);
    expect(await fingerprintOf({ phone: fields.phone })).not.toEqual(first);
    expect(await fingerprintOf(fields, "/send-otp")).not.toEqual(first);
  });
});
