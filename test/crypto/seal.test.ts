import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seal, unseal } from "../../src/crypto/seal.ts";

const SECRET = "local-only-secret-of-this-test-0000";
const TEXT = "Your code is 0042. नमस्ते 👍🏽";

describe("sealed text", () => {
  it("opens to the same text", async () => {
    // Every text has at least one character and every scope is an object's name, so nothing empty is ever sealed.
    const anyText = fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(anyText, fc.string({ minLength: 1 }), async (text, scope) => {
        expect(unseal(SECRET, scope, await seal(SECRET, scope, text))).toBe(text);
      }),
    );
  });

  it("differs on every call and never shows the text", async () => {
    const [one, other] = [await seal(SECRET, "acc_a", TEXT), await seal(SECRET, "acc_a", TEXT)];
    expect(one).not.toEqual(other);
    expect(Buffer.from(one).includes("0042")).toBe(false);
    // The nonces must differ: two texts under one nonce would reveal each other.
    expect(one.slice(1, 13)).not.toEqual(other.slice(1, 13));
  });

  it("does not open for another account, mode or secret", async () => {
    const sealed = await seal(SECRET, "acc_a", TEXT);
    expect(() => unseal(SECRET, "acc_b", sealed)).toThrow();
    expect(() => unseal(SECRET, "acc_a.test", sealed)).toThrow();
    expect(() => unseal(`${SECRET}1`, "acc_a", sealed)).toThrow();
  });

  it("does not open with any byte altered, or when cut anywhere", async () => {
    const sealed = await seal(SECRET, "acc_a", TEXT);
    for (let at = 0; at < sealed.length; at++) {
      const altered = Uint8Array.from(sealed);
      altered[at] = (altered[at] ?? 0) ^ 1;
      expect(() => unseal(SECRET, "acc_a", altered), `byte ${at}`).toThrow();
      expect(() => unseal(SECRET, "acc_a", sealed.slice(0, at)), `first ${at} bytes`).toThrow();
    }
  });

  it("opens after texts were sealed for many other accounts", async () => {
    const sealed = await seal(SECRET, "acc_first", TEXT);
    for (let count = 0; count < 5_100; count++) await seal(SECRET, `acc_${count}`, "x");
    expect(unseal(SECRET, "acc_first", sealed)).toBe(TEXT);
  });
});
