import { describe, expect, it } from "vitest";
import { readBuyer } from "../../src/payments/buyer.ts";
import { GST_STATES, gstinCheck, isGstin } from "../../src/money/gstin.ts";

/** Published by their holders or by the tax office. */
const KNOWN = ["27AAPFU0939F1ZV", "29AAGCB7383J1Z4", "27AASCS2460H1Z0", "24AAACC1206D1ZM"];

describe("a GSTIN", () => {
  it.each(KNOWN)("%s is valid", (gstin) => {
    expect(isGstin(gstin)).toBe(true);
  });

  it("is invalid with any one character changed", () => {
    const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const [gstin = ""] = KNOWN;
    for (let at = 0; at < gstin.length; at++) {
      for (const letter of alphabet) {
        const changed = gstin.slice(0, at) + letter + gstin.slice(at + 1);
        expect(isGstin(changed)).toBe(changed === gstin);
      }
    }
  });

  it("is invalid with an unknown state, in lower case, or with anything around it", () => {
    const unknown = "28AAPFU0939F1Z";
    expect(isGstin(unknown + gstinCheck(unknown))).toBe(false);
    for (const text of ["27aapfu0939f1zv", " 27AAPFU0939F1ZV", "27AAPFU0939F1ZV\n", "", "27"]) {
      expect(isGstin(text)).toBe(false);
    }
  });

  it("has states with unique codes", () => {
    expect(new Set(GST_STATES.map(({ code }) => code)).size).toBe(GST_STATES.length);
  });
});

describe("a buyer", () => {
  const form = {
    buyer_name: "Asha Traders",
    buyer_address: "12 MG Road\r\nPune",
    buyer_state: "27",
    buyer_gstin: "27aapfu0939f1zv",
  };

  it("keeps the lines of the address, with the GSTIN in capitals", () => {
    expect(readBuyer(form)).toEqual({
      ok: true,
      buyer: { name: "Asha Traders", address: "12 MG Road\nPune", state: "27", gstin: "27AAPFU0939F1ZV" },
    });
  });

  it("is null when every field is empty", () => {
    expect(readBuyer({})).toEqual({ ok: true, buyer: null });
  });

  it.each([
    ["name", { buyer_name: " " }],
    ["state", { buyer_state: "" }],
    ["state", { buyer_state: "25" }],
    ["gstin", { buyer_gstin: "27AAPFU0939F1ZW" }],
    ["gstinState", { buyer_state: "29" }],
    ["address", { buyer_address: "" }],
  ])("is refused for its %s", (fault, change) => {
    expect(readBuyer({ ...form, ...change })).toEqual({ ok: false, fault });
  });

  it("loses control characters, and anything beyond the maximum length", () => {
    const read = readBuyer({
      ...form,
      buyer_name: `A\u0000\u202Bb\n${"x".repeat(500)}`,
      buyer_address: "a\u0007b\n\n\nc",
    });
    expect(read.ok && read.buyer?.name.length).toBe(120);
    expect(read.ok && read.buyer?.name.startsWith("A b x")).toBe(true);
    expect(read.ok && read.buyer?.address).toBe("a b\nc");
  });
});
