import * as fc from "fast-check";
import { expect, it } from "vitest";
import { seal } from "../../src/crypto/seal.ts";
import { WrappingKey, newWrappingKey, wrappingKeyId } from "../../src/crypto/wrap.ts";

const bytes = fc.uint8Array({ maxLength: 6_000 });
const id = fc.integer({ min: 0, max: 2 ** 48 - 1 });

it("gives back what was wrapped, for texts of any length and number", () => {
  fc.assert(
    fc.property(id, fc.array(bytes, { minLength: 1, maxLength: 30 }), (keyId, texts) => {
      const material = newWrappingKey();
      const key = new WrappingKey(keyId, material);
      const wrapped = texts.map((text) => key.wrap(text));
      // Another instance, as after an eviction.
      const later = new WrappingKey(keyId, material);
      expect(wrapped.map((one) => wrappingKeyId(one))).toEqual(texts.map(() => keyId));
      expect(wrapped.map((one) => later.unwrap(one))).toEqual(texts);
    }),
    { numRuns: 30 },
  );
});

it("takes no block of a key's stream twice, in any instance", () => {
  const material = newWrappingKey();
  const text = new Uint8Array(100);
  const blocks = [1, 2].flatMap(() => {
    const key = new WrappingKey(7, material);
    // The stream itself: the text is zeros.
    return Array.from({ length: 200 }, () => key.wrap(text).subarray(-100)).flatMap((stream) =>
      Array.from({ length: 6 }, (_, at) => Buffer.from(stream.subarray(16 * at, 16 * at + 16)).toString("hex")),
    );
  });
  expect(new Set(blocks).size).toBe(2 * 200 * 6);
});

it("opens nothing without the key", () => {
  const sealed = crypto.getRandomValues(new Uint8Array(60));
  const wrapped = new WrappingKey(1, newWrappingKey()).wrap(sealed);
  expect(new WrappingKey(1, newWrappingKey()).unwrap(wrapped)).not.toEqual(sealed);
  expect(Buffer.from(wrapped).includes(Buffer.from(sealed.subarray(0, 8)))).toBe(false);
});

it("recognises what is only sealed", async () => {
  expect(wrappingKeyId(await seal("0123456789abcdef0123456789abcdef", "acc", "Hello"))).toBeNull();
  expect(wrappingKeyId(new Uint8Array())).toBeNull();
});
