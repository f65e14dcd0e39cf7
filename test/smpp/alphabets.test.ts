import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeText, encodeText } from "../../src/smpp/alphabets.ts";
import type { Alphabet } from "../../src/smpp/alphabets.ts";
import { isGsm } from "../../src/text/segments.ts";

const NOTHING = new Uint8Array();
const hex = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString("hex");
const units = Array.from({ length: 0x1_0000 }, (_, at) => String.fromCharCode(at)).filter((one) => one.isWellFormed());
const again = (text: string, alphabet: Alphabet) => decodeText(encodeText(text, alphabet) ?? NOTHING, alphabet);

describe("alphabets of SMPP", () => {
  it("GSM 7-bit has the characters that are counted as such, and no others", () => {
    expect(units.filter((one) => (encodeText(one, "gsm7") !== null) !== isGsm(one))).toEqual([]);
  });

  it("GSM 7-bit is one septet per octet, with an escape before the extension table", () => {
    expect(hex(encodeText("Hello {world} €5", "gsm7"))).toBe("48656c6c6f201b28776f726c641b29201b6535");
    expect(hex(encodeText("@Δ_¡§¿à", "gsm7"))).toBe("001011405f607f");
  });

  it("Latin-1 has 256 characters, and UCS-2 all of them", () => {
    expect(units.filter((one) => encodeText(one, "latin1") !== null)).toHaveLength(256);
    expect(hex(encodeText("é€", "latin1"))).toBeNull();
    expect(hex(encodeText("é", "latin1"))).toBe("e9");
    expect(hex(encodeText("नु😀", "ucs2"))).toBe("09280941d83dde00");
  });

  it("reads back what it wrote", () => {
    const gsm = fc.string({ unit: fc.constantFrom(...units.filter(isGsm)) });
    const latin = fc.string({ unit: fc.constantFrom(...units.slice(0, 256)) });
    fc.assert(fc.property(gsm, (text) => again(text, "gsm7") === text));
    fc.assert(fc.property(latin, (text) => again(text, "latin1") === text));
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => again(text, "ucs2") === text));
  });

  it("reads any octets", () => {
    const alphabet = fc.constantFrom<Alphabet>("gsm7", "latin1", "ucs2");
    fc.assert(fc.property(fc.uint8Array(), alphabet, (bytes, of) => typeof decodeText(bytes, of) === "string"));
  });
});
