import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeText } from "../../src/smpp/alphabets.ts";
import type { Alphabet } from "../../src/smpp/alphabets.ts";
import { SMPP_SETTINGS } from "../../src/smpp/settings.ts";
import { submissionOf } from "../../src/smpp/submission.ts";
import type { SmppMessage } from "../../src/smpp/submission.ts";
import { readSubmit } from "../world/smpp.ts";
import { countSegments } from "../../src/text/segments.ts";

const SETTINGS = { host: "smsc.example", system_id: "acme" };

/** What a centre reads of a message's submissions. */
function submitted(message: Partial<SmppMessage>, settings: object = {}, reference = 3) {
  const whole = { ref: "msg_1", to: "+919876543210", text: "Hello", sender: "TESTID", ...message };
  return submissionOf(SMPP_SETTINGS.parse({ ...SETTINGS, ...settings }), whole, reference).map(readSubmit);
}

const DLT = { entityId: "1101234567890123456", templateId: "1107161234567890123", category: "otp" };
const HINDI =
  "आपका ओटीपी कोड 123456 है। कृपया इसे किसी के साथ साझा न करें। यह कोड दस मिनट तक मान्य है और केवल एक बार उपयोग किया जा सकता है। धन्यवाद, आपकी सेवा टीम की ओर से।";

describe("the submissions of a message", () => {
  it("carry GSM 7-bit, the DLT fields, and a wish for a receipt", () => {
    const [one, ...more] = submitted({ text: "Hello {world} €5", dlt: DLT });
    expect(more).toEqual([]);
    expect(one).toMatchObject({
      source: { ton: 5, npi: 0, address: "TESTID" },
      destination: { ton: 1, npi: 1, address: "919876543210" },
      esmClass: 0,
      registered: 1,
      dataCoding: 0,
      octets: "48656c6c6f201b28776f726c641b29201b6535",
    });
    expect(one?.tlvs).toEqual({ 0x1400: DLT.entityId, 0x1401: DLT.templateId });
  });

  it("carry DLT under other tags, ended by a zero, and the entity alone without a template", () => {
    const other = { tlv_entity: "0x1501", tlv_template: "0x15A0", tlv_terminated: true };
    const [one] = submitted({ dlt: DLT }, other);
    expect(one?.tlvs).toEqual({ 0x1501: `${DLT.entityId}\0`, 0x15a0: `${DLT.templateId}\0` });
    expect(submitted({ dlt: { ...DLT, templateId: null } })[0]?.tlvs).toEqual({ 0x1400: DLT.entityId });
  });

  it.each([
    ["Hi", {}, 0x10, {}],
    ["नमस्ते", {}, 0x18, {}],
    ["Hé", { encoding: "latin1" }, 0x10, {}],
    ["Hi", { flash: "tlv" }, 0x00, { 0x0005: "\u0001" }],
    ["नमस्ते", { flash: "tlv" }, 0x08, { 0x0005: "\u0001" }],
  ])("show %j as flash with %j", (text, settings, dataCoding, tlvs) => {
    expect(submitted({ text, flash: true }, settings)[0]).toMatchObject({ dataCoding, tlvs });
    expect(submitted({ text, flash: false }, settings)[0]?.tlvs).toEqual({});
  });

  it.each([
    ["+14155550111", {}, { ton: 1, npi: 1, address: "14155550111" }],
    ["56767", {}, { ton: 1, npi: 1, address: "56767" }],
    ["ACME 1", {}, { ton: 5, npi: 0, address: "ACME 1" }],
    ["ACME", { source_ton: 0, source_npi: 0 }, { ton: 0, npi: 0, address: "ACME" }],
    ["56767", { source_ton: 3, source_npi: null }, { ton: 3, npi: 1, address: "56767" }],
    [undefined, { sender: "DASTAK" }, { ton: 5, npi: 0, address: "DASTAK" }],
    [undefined, {}, { ton: 0, npi: 0, address: "" }],
  ])("come from %j with %j", (sender, settings, source) => {
    const message = { ref: "msg_1", to: "+14155550100", text: "Hi", ...(sender !== undefined && { sender }) };
    const [body] = submissionOf(SMPP_SETTINGS.parse({ ...SETTINGS, ...settings }), message, 1);
    expect(readSubmit(body ?? new Uint8Array())).toMatchObject({ source, destination: { address: "14155550100" } });
  });

  it("are three parts of 140, 140 and 54 octets for a Hindi text of 158 characters, as Net::SMPP decoded them", () => {
    const parts = submitted({ text: HINDI });
    expect(parts.map(({ octets }) => octets.length / 2)).toEqual([140, 140, 54]);
    expect(parts.map(({ octets }) => octets.slice(0, 12))).toEqual(["050003030301", "050003030302", "050003030303"]);
    expect(parts.every(({ esmClass, dataCoding }) => esmClass === 0x40 && dataCoding === 0x08)).toBe(true);
  });

  it("join their parts by parameters, or are one with all of it", () => {
    const sar = submitted({ text: HINDI }, { long: "sar" }, 0x1234);
    expect(sar.map(({ tlvs, esmClass }) => [tlvs[0x020c], tlvs[0x020e], tlvs[0x020f], esmClass])).toEqual(
      [1, 2, 3].map((nth) => ["\u00124", "\u0003", String.fromCodePoint(nth), 0]),
    );
    const [whole, ...more] = submitted({ text: HINDI }, { long: "payload" });
    expect(more).toEqual([]);
    expect(whole).toMatchObject({ octets: "", esmClass: 0 });
    expect(decodeText(Buffer.from(whole?.tlvs[0x0424] ?? "", "latin1"), "ucs2")).toBe(HINDI);
    expect(submitted({ text: "short" }, { long: "payload" })[0]?.tlvs).toEqual({});
  });

  it("say Latin-1 where it has all characters, else UCS-2", () => {
    const latin = { encoding: "latin1" };
    expect(submitted({ text: "ça va" }, latin)[0]).toMatchObject({ dataCoding: 3, octets: "e761207661" });
    expect(submitted({ text: "5 €" }, latin)[0]?.dataCoding).toBe(8);
    expect(submitted({ text: "5 €" })[0]?.dataCoding).toBe(0);
  });

  it("are as many as are charged, fit, and hold the whole text", () => {
    const piece = fc.constantFrom(..."aZ9 {€^é\nç", "क्षि", "😀", "👩‍🚀", "न्");
    const text = fc.array(fc.tuple(piece, fc.integer({ min: 1, max: 60 })), { minLength: 1, maxLength: 12 });
    const alphabets: Record<number, Alphabet> = { 0: "gsm7", 3: "latin1", 8: "ucs2" };
    fc.assert(
      fc.property(text, fc.constantFrom("udh", "sar"), fc.constantFrom("gsm7", "latin1"), (pieces, long, encoding) => {
        const whole = pieces.map(([letters, times]) => letters.repeat(times)).join("");
        const parts = submitted({ text: whole }, { long, encoding });
        const isWide = encoding === "latin1" && parts[0]?.dataCoding === 8;
        if (!isWide) expect(parts).toHaveLength(countSegments(whole).segments);
        const read = parts.map(({ octets, dataCoding, esmClass }) => {
          expect(octets.length / 2).toBeLessThanOrEqual(dataCoding === 8 ? 140 : 160);
          const body = Buffer.from(octets, "hex").subarray(esmClass === 0x40 ? 6 : 0);
          return decodeText(body, alphabets[dataCoding] ?? "ucs2");
        });
        expect(read.join("")).toBe(whole);
      }),
    );
  });
});
