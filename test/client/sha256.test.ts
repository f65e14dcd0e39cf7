import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { firstWord } from "../../src/client/sha256.ts";

const ascii = fc.string({ unit: "grapheme-ascii", maxLength: 55 });

const expected = (text: string) => createHash("sha256").update(text).digest().readUInt32BE(0);

it("hashes as the server does: every length that one block takes", () => {
  const bytes = new Uint8Array(64);
  const hash = (text: string) => {
    bytes.set(Buffer.from(text, "latin1"));
    return firstWord(bytes, text.length);
  };
  for (let length = 0; length <= 55; length++) expect(hash("a".repeat(length))).toBe(expected("a".repeat(length)));
  fc.assert(fc.property(ascii, (text) => hash(text) === expected(text)));
});
