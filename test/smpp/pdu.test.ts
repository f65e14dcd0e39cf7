import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  BodyReader,
  BodyWriter,
  BrokenPdu,
  COMMAND,
  Framer,
  answerTo,
  encodePdu,
  isAnswer,
  joined,
  octets,
} from "../../src/smpp/pdu.ts";
import type { Pdu } from "../../src/smpp/pdu.ts";
import { SMPP_SETTINGS } from "../../src/smpp/settings.ts";
import { bindBody, messageIdIn } from "../../src/smpp/units.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const u32 = fc.integer({ min: 0, max: 0xffff_ffff });
const unit: fc.Arbitrary<Pdu> = fc.record({
  command: u32,
  status: u32,
  sequence: u32,
  body: fc.uint8Array({ maxLength: 300 }),
});

describe("units of SMPP", () => {
  it("a bind is, octet for octet, what the standard lays out", () => {
    const settings = SMPP_SETTINGS.parse({ host: "smsc.example", system_id: "acme" });
    const body = bindBody(settings, "secret");
    const pdu = encodePdu({ command: COMMAND.bindTransceiver, status: 0, sequence: 1, body });
    expect(hex(pdu)).toBe(`00000021000000090000000000000001${hex(octets("acme\0secret\0\0"))}34000000`);
  });

  it("writes a password of 64 characters whole, and refuses what has no room", () => {
    const settings = SMPP_SETTINGS.parse({ host: "smsc.example", system_id: "acme" });
    expect(hex(bindBody(settings, "p".repeat(64)))).toContain("70".repeat(64));
    expect(() => bindBody(settings, "p".repeat(65))).toThrow(RangeError);
    expect(() => new BodyWriter().text("a\0b", 10)).toThrow(RangeError);
  });

  it("are the same after any cuts of the connection", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 });
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 8 }), sizes, (units, cuts) => {
        const bytes = joined(units.map(encodePdu));
        const framer = new Framer();
        const found: Pdu[] = [];
        for (let at = 0, nth = 0; at < bytes.length; nth += 1) {
          const size = cuts[nth % cuts.length] ?? 1;
          found.push(...framer.push(bytes.slice(at, at + size)));
          at += size;
        }
        expect(found).toEqual(units);
      }),
    );
  });

  it.each([0, 15, 70_001, 0xffff_ffff])("breaks off at a length of %i", (length) => {
    const bytes = new Uint8Array(16);
    new DataView(bytes.buffer).setUint32(0, length);
    expect(() => new Framer().push(bytes)).toThrow(BrokenPdu);
  });

  it("have optional parameters, of which a cut one is left out and the first of a tag counts", () => {
    const tlv = fc.tuple(fc.integer({ min: 0, max: 0xffff }), fc.uint8Array({ maxLength: 40 }));
    fc.assert(
      fc.property(fc.uniqueArray(tlv, { selector: ([tag]) => tag }), (tlvs) => {
        const body = tlvs.reduce((writer, [tag, value]) => writer.tlv(tag, value), new BodyWriter()).bytes;
        expect([...new BodyReader(body).tlvs()]).toEqual(tlvs);
      }),
    );
    const twice = new BodyWriter().tlv(1, octets("a")).tlv(1, octets("b")).bytes;
    expect([...new BodyReader(twice).tlvs()]).toEqual([[1, octets("a")]]);
    expect([...new BodyReader(Uint8Array.of(0, 30, 0, 9, 65)).tlvs()]).toEqual([]);
  });

  it("know answers from requests", () => {
    expect(answerTo(COMMAND.submitSm)).toBe(0x8000_0004);
    expect([COMMAND.genericNack, answerTo(COMMAND.deliverSm), COMMAND.dataSm].map(isAnswer)).toEqual([
      true,
      true,
      false,
    ]);
  });

  it.each([
    ["4711\0", "4711"],
    ["4711", "4711"],
    [" ab-1 \0", "ab-1"],
    ["\0", null],
    ["", null],
  ])("read the id of an answer %j", (body, id) => expect(messageIdIn(octets(body))).toBe(id));
});
