import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { octets } from "../../src/smpp/pdu.ts";
import { idOf, readReceipt } from "../../src/smpp/receipts.ts";
import { codeOfStatus, outcomeOfStatus } from "../../src/smpp/statuses.ts";
import { readDeliver } from "../../src/smpp/units.ts";
import { seenIn } from "../../src/queues/pace/attempt-seen.ts";
import { deliverBody } from "../world/smpp.ts";

const read = (text: string, more: Parameters<typeof deliverBody>[1] = {}) =>
  readReceipt(readDeliver(deliverBody(text, more)));

const DATES = "submit date:2611200000 done date:2611200001";

describe("receipts", () => {
  it.each([
    // SMPP 3.4, appendix B, and what centres make of it.
    [`id:4711 sub:001 dlvrd:001 ${DATES} stat:DELIVRD err:000 text:Hi`, "4711", "delivered", null],
    [`id:4711 sub:001 dlvrd:000 ${DATES} stat:UNDELIV err:011 text:`, "4711", "undelivered", "011"],
    ["id:a-b.9 sub:001 submit_date:26 done_date:26 stat:EXPIRED err:000 Text:x", "a-b.9", "undelivered", "EXPIRED"],
    ["ID:4711 SUB:1 DLVRD:1 SUBMIT DATE:26 DONE DATE:26 STAT:DELETED ERR:0 TEXT:", "4711", "undelivered", "DELETED"],
    ["id:4711 stat:REJECTD err:633", "4711", "failed", "633"],
    ["id:4711 stat:ENROUTE err:0", "4711", "submitted", null],
    ["id:4711 stat:ACCEPTD", "4711", "submitted", null],
    ["id:4711 stat:UNKNOWN err:000", "4711", "submitted", null],
    ["Id: 4711, Stat: Delivered, Err: 0", "4711", "delivered", null],
    ["id=4711 status=UNDELIVERABLE error=27", "4711", "undelivered", "27"],
    ["message id:4711 sub:001 stat:UNDELIVRD err:", "4711", "undelivered", "UNDELIVRD"],
    ["messageid:4711;stat:EXPIRD;err:00A", "4711", "undelivered", "00A"],
  ])("reads %j", (text, id, state, code) => expect(read(text)).toEqual({ id, state, code }));

  it.each([
    ["id:4711 text:stat:DELIVRD"],
    ["stat:DELIVRD err:000"],
    ["id:4711 stat:SOMETHING"],
    ["valid:4711 substat:DELIVRD"],
    [""],
  ])("is no receipt: %j", (text) => expect(read(text)).toBeNull());

  it("never reads a message from a phone as one", () => {
    expect(read("id:4711 stat:DELIVRD err:000", { esmClass: 0 })).toBeNull();
    expect(read("id:4711 stat:DELIVRD err:000", { esmClass: 0x40 })).toBeNull();
  });

  it("believes parameters before the text", () => {
    const tlvs = { 0x001e: octets("99\0"), 0x0427: Uint8Array.of(5), 0x0423: Uint8Array.of(3, 1, 4) };
    expect(read("id:1 stat:DELIVRD err:000", { tlvs })).toEqual({ id: "99", state: "undelivered", code: "260" });
    expect(read("", { tlvs })).toEqual({ id: "99", state: "undelivered", code: "260" });
    const two = { 0x001e: octets("99"), 0x0427: Uint8Array.of(2) };
    expect(read("", { esmClass: 0, tlvs: two })).toEqual({ id: "99", state: "delivered", code: null });
    expect(read("", { tlvs: { 0x0424: octets("id:7 stat:REJECTD") } })).toMatchObject({ id: "7", state: "failed" });
  });

  it.each([
    [1, "submitted"],
    [2, "delivered"],
    [3, "undelivered"],
    [4, "undelivered"],
    [5, "undelivered"],
    [6, "submitted"],
    [7, "submitted"],
    [8, "failed"],
  ])("knows message_state %i as %s", (state, expected) =>
    expect(read("id:1", { tlvs: { 0x0427: Uint8Array.of(state) } })?.state).toBe(expected),
  );

  it("reads a text in UCS-2 and one of an intermediate notification", () => {
    const text = [..."id:5 stat:DELIVRD"].map((letter) => `\0${letter}`).join("");
    expect(read(text, { dataCoding: 8 })).toMatchObject({ id: "5", state: "delivered" });
    expect(read("id:5 stat:ENROUTE", { esmClass: 0x20 })).toMatchObject({ id: "5", state: "submitted" });
  });

  it("reads any text, and never one from a phone", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(0xff), (text, esmClass) => {
        const receipt = read(text, { esmClass });
        if (![0x04, 0x20].includes(esmClass & 0x3c)) expect(receipt).toBeNull();
      }),
    );
  });

  it("has one number for both forms of an id", () => {
    expect(idOf("1F", "hex", "answer")).toBe(idOf("0031", "hex", "receipt"));
    expect(idOf("00ab", "hex", "answer")).toBe("171");
    expect(idOf("x-1", "hex", "answer")).toBe("x-1");
    expect(idOf("0031", "same", "receipt")).toBe("0031");
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 64n }),
        (id) => idOf(id.toString(16), "hex", "answer") === idOf(id.toString(), "hex", "receipt"),
      ),
    );
  });
});

describe("command statuses", () => {
  it.each([
    [0x00, "submitted", { taken: 1, busy: 0 }],
    [0x58, "not_accepted", { taken: 0, busy: 1 }],
    [0x14, "not_accepted", { taken: 0, busy: 1 }],
    [0x08, "not_accepted", { taken: 0, busy: 0, away: 1 }],
    [0x64, "not_accepted", { taken: 0, busy: 0, away: 1 }],
    [0x04, "not_accepted", { taken: 0, busy: 0, away: 1 }],
    [0x0b, "rejected", { taken: 1, busy: 0 }],
    [0x45, "rejected", { taken: 1, busy: 0 }],
    [0x400, "rejected", { taken: 1, busy: 0 }],
  ])("%i is %s, and the pace sees it", (status, kind, seen) => {
    const outcome = outcomeOfStatus(status);
    expect(outcome.kind).toBe(kind);
    expect(seenIn(outcome)).toEqual(seen);
  });

  it("have a code", () => expect([0x0b, 0x400].map(codeOfStatus)).toEqual(["smpp_0x0b", "smpp_0x400"]));
});
