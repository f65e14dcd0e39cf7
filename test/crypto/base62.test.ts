import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base62, base62Length, fromBase62 } from "../../src/crypto/base62.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Base62 by its definition: a number written in base 62. */
function written(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString("hex") || "0"}`);
  let text = "";
  for (let left = base62Length(bytes.length); left > 0; left--, rest /= 62n) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text;
  }
  return text;
}

describe("base62", () => {
  it("survives a round trip, always in the same length", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const text = base62(bytes);
        expect(text).toHaveLength(base62Length(bytes.length));
        expect(fromBase62(text, bytes.length)).toEqual(new Uint8Array(bytes));
      }),
    );
  });

  it("writes the number that the bytes encode", () => {
    const edges = [0, 1, 2, 3, 4, 8, 12, 24, 29].flatMap((size) =>
      [0, 1, 127, 255].map((byte) => new Uint8Array(size).fill(byte)),
    );
    for (const bytes of edges) expect(base62(bytes)).toBe(written(bytes));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect(base62(bytes)).toBe(written(bytes));
      }),
    );
  });

  it("refuses every number that is too large for its size", () => {
    for (const size of [1, 2, 3, 8, 24, 29]) {
      const length = base62Length(size);
      const most = written(new Uint8Array(size).fill(255));
      expect(fromBase62(most, size)).toEqual(new Uint8Array(size).fill(255));
      expect(fromBase62("z".repeat(length), size)).toBeNull();
      // The smallest number that is too large.
      const last = most.search(/[^z]z*$/u);
      const next = `${most.slice(0, last)}${ALPHABET.charAt(ALPHABET.indexOf(most.charAt(last)) + 1)}${"0".repeat(length - last - 1)}`;
      expect(fromBase62(next, size)).toBeNull();
    }
  });

  it("sorts in the order of its bytes", () => {
    const pair = fc.tuple(fc.uint8Array({ minLength: 8, maxLength: 8 }), fc.uint8Array({ minLength: 8, maxLength: 8 }));
    fc.assert(
      fc.property(pair, ([one, other]) => {
        const bytesFirst = Buffer.compare(one, other) < 0;
        expect(base62(one) < base62(other)).toBe(bytesFirst);
      }),
    );
  });

  it("has exactly one spelling per value: other lengths, letters and ranges are refused", () => {
    const text = base62(Uint8Array.of(1, 2, 3));
    expect(fromBase62(text, 3)).toEqual(Uint8Array.of(1, 2, 3));
    for (const wrong of [`0${text}`, text.slice(1), "", `${text.slice(0, -1)}-`, `${text.slice(0, -1)}é`, "zzzzz"]) {
      expect(fromBase62(wrong, 3), wrong).toBeNull();
    }
  });
});
