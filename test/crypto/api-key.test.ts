import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accountIdOf, newAccountId } from "../../src/crypto/ids.ts";
import { modeOfKeyId, newKeyId, readKeyId, showKey, showKeyId, verifyKey } from "../../src/crypto/api-key.ts";

const SECRET = "local-only-secret-of-this-test-0000";
const accountId = newAccountId(SECRET, "keys");

const anyKey = fc.record({
  accountId: fc.uint8Array({ minLength: 8, maxLength: 8 }).map(accountIdOf),
  mode: fc.constantFrom("live" as const, "test" as const),
  keyId: fc.integer({ min: 0, max: 0xffff_ffff }),
});

describe("API keys", () => {
  it("open the account, mode and key id that they were made for", () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        const text = showKey(SECRET, key);
        expect(text).toMatch(key.mode === "live" ? /^dsk_live_[0-9A-Za-z]{39}$/u : /^dsk_test_[0-9A-Za-z]{39}$/u);
        expect(verifyKey(SECRET, text)).toEqual({ ...key, secretId: 1 });
      }),
    );
  });

  it("are derived: the same key id always gives the same key", () => {
    const key = { accountId, mode: "live" as const, keyId: 5 };
    expect(showKey(SECRET, key)).toBe(showKey(SECRET, { ...key }));
  });

  it("are refused with any one character changed", () => {
    const text = showKey(SECRET, { accountId, mode: "live", keyId: 77 });
    // Every printable ASCII character at every position, prefix included.
    const printable = Array.from({ length: 95 }, (_, at) => String.fromCharCode(0x20 + at));
    const opened: string[] = [];
    for (let at = 0; at < text.length; at++) {
      for (const letter of printable) {
        if (letter === text[at]) continue;
        const altered = text.slice(0, at) + letter + text.slice(at + 1);
        if (verifyKey(SECRET, altered)) opened.push(altered);
      }
    }
    expect(opened).toEqual([]);
  });

  it("are refused under the other mode", () => {
    const live = showKey(SECRET, { accountId, mode: "live", keyId: 77 });
    const test = showKey(SECRET, { accountId, mode: "test", keyId: 77 });
    expect(verifyKey(SECRET, live.replace("dsk_live_", "dsk_test_"))).toBeNull();
    expect(verifyKey(SECRET, test.replace("dsk_test_", "dsk_live_"))).toBeNull();
  });

  it("are refused under another secret, cut, longer or spaced", () => {
    const text = showKey(SECRET, { accountId, mode: "live", keyId: 77 });
    expect(verifyKey(`${SECRET}1`, text)).toBeNull();
    for (const wrong of [text.slice(0, -1), `${text}0`, ` ${text}`, `${text} `, text.slice(1), "dsk_live_", ""]) {
      expect(verifyKey(SECRET, wrong), wrong).toBeNull();
    }
  });

  it("cannot be made without a valid account id", () => {
    expect(() => showKey(SECRET, { accountId: "acc_no", mode: "live", keyId: 1 })).toThrow("account id");
  });
});

describe("key ids", () => {
  it("survive a round trip through text", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffff_ffff }), (keyId) => {
        expect(readKeyId(showKeyId(keyId))).toBe(keyId);
      }),
    );
    expect(showKeyId(10)).toBe("key_0000000a");
  });

  it.each(["", "key_", "key_1", "key_0000000A", "key_000000000", "key_0000000g", "0000000a", "key_0000000a "])(
    "refuse %j",
    (text) => {
      expect(readKeyId(text)).toBeNull();
    },
  );

  it("carry their mode, seeded or not", () => {
    fc.assert(
      fc.property(fc.constantFrom("live" as const, "test" as const), fc.option(fc.string()), (mode, seed) => {
        const keyId = newKeyId(SECRET, mode, seed);
        expect(modeOfKeyId(keyId)).toBe(mode);
        expect(keyId).toBe(keyId >>> 0);
      }),
    );
  });

  it("are the same for the same seed, and different in the other mode", () => {
    expect(newKeyId(SECRET, "live", "a")).toBe(newKeyId(SECRET, "live", "a"));
    expect(newKeyId(SECRET, "live", "a")).not.toBe(newKeyId(SECRET, "live", "b"));
    expect(newKeyId(SECRET, "live", "a")).not.toBe(newKeyId(SECRET, "test", "a") - 0x8000_0000);
  });
});
