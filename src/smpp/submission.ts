import type { DltFields } from "../model/carrier/carrier.ts";
import { countSegments, partsOf } from "../text/segments.ts";
import { destinationOf, sourceOf } from "./addresses.ts";
import { encodeText } from "./alphabets.ts";
import type { Alphabet } from "./alphabets.ts";
import { joined, octets } from "./pdu.ts";
import type { SmppSettings } from "./settings.ts";
import { TAG } from "./tags.ts";
import { submitBody } from "./units.ts";
import type { Tlv } from "./units.ts";

// From a message to the bodies of its submit_sm: alphabet, parts, flash, addresses, DLT fields.

/** A message for SMPP. */
export interface SmppMessage {
  ref: string;
  /** E.164. */
  to: string;
  text: string;
  sender?: string;
  flash?: boolean;
  dlt?: DltFields;
}

/** The user data header's flag in esm_class (§5.2.12). */
const HAS_HEADER = 0x40;

/** data_coding of each alphabet (§5.2.19), and of a flash message in it: class 0 (3GPP TS 23.038 §4). */
const CODING = {
  gsm7: { plain: 0x00, flash: 0x10 },
  latin1: { plain: 0x03, flash: null },
  ucs2: { plain: 0x08, flash: 0x18 },
} as const satisfies Record<Alphabet, { plain: number; flash: number | null }>;

/** A handset's display (§5.3.2.1). */
const DISPLAY = Uint8Array.of(1);

/** Concatenation with an 8-bit reference (3GPP TS 23.040 §9.2.3.24.1). */
const header = (reference: number, total: number, nth: number) => Uint8Array.of(5, 0, 3, reference & 0xff, total, nth);

/** The first alphabet of the settings that has all characters. UCS-2 has them all. */
function alphabetOf(text: string, settings: SmppSettings, classed: boolean): Alphabet {
  // A class is said of the GSM alphabets alone.
  const first: Alphabet = classed ? "gsm7" : settings.encoding;
  return encodeText(text, first) === null ? "ucs2" : first;
}

/**
 * The texts of the parts, which are those that were charged wherever the alphabet allows it: Latin-1, too, goes to the
 * phone as GSM 7-bit or UCS-2.
 */
function textsOf(text: string, alphabet: Alphabet): string[] {
  return partsOf(text, alphabet === "ucs2" ? "UCS-2" : countSegments(text).encoding);
}

/** The fields of India's DLT. */
function dltTlvs(settings: SmppSettings, dlt: DltFields | undefined): Tlv[] {
  if (!dlt) return [];
  const value = (text: string) => octets(settings.tlv_terminated ? `${text}\0` : text);
  const entity: Tlv = [Number(settings.tlv_entity), value(dlt.entityId)];
  return dlt.templateId === null ? [entity] : [entity, [Number(settings.tlv_template), value(dlt.templateId)]];
}

/** One part's octets and its place among the parts. */
interface Part {
  octets: Uint8Array;
  hasHeader: boolean;
  tlvs: Tlv[];
}

const NO_OCTETS = new Uint8Array(0);

function partsIn(text: string, alphabet: Alphabet, long: SmppSettings["long"], reference: number): Part[] {
  const encoded = (part: string) => encodeText(part, alphabet) ?? NO_OCTETS;
  const texts = textsOf(text, alphabet);
  const total = texts.length;
  if (total === 1) return [{ octets: encoded(text), hasHeader: false, tlvs: [] }];
  switch (long) {
    case "payload":
      return [{ octets: NO_OCTETS, hasHeader: false, tlvs: [[TAG.messagePayload, encoded(text)]] }];
    case "udh":
      return texts.map((part, at) => ({
        octets: joined([header(reference, total, at + 1), encoded(part)]),
        hasHeader: true,
        tlvs: [],
      }));
    case "sar":
      return texts.map((part, at) => ({
        octets: encoded(part),
        hasHeader: false,
        tlvs: [
          [TAG.sarMsgRefNum, Uint8Array.of((reference >> 8) & 0xff, reference & 0xff)],
          [TAG.sarTotalSegments, Uint8Array.of(total)],
          [TAG.sarSegmentSeqnum, Uint8Array.of(at + 1)],
        ],
      }));
  }
}

/**
 * The bodies of the submissions that a message needs, in order. `reference` joins the parts of a long one; two long
 * messages to one phone must not have the same. Throws a RangeError where an address is too long.
 */
export function submissionOf(settings: SmppSettings, message: SmppMessage, reference: number): Uint8Array[] {
  const { text, sender, flash = false, to, dlt } = message;
  const classed = flash && settings.flash === "dc";
  const alphabet = alphabetOf(text, settings, classed);
  const { plain, flash: flashed } = CODING[alphabet];
  const common = {
    source: sourceOf(settings, sender),
    destination: destinationOf(settings, to),
    dataCoding: classed && flashed !== null ? flashed : plain,
  };
  const subunit: Tlv[] = flash && settings.flash === "tlv" ? [[TAG.destAddrSubunit, DISPLAY]] : [];
  const fields = [...subunit, ...dltTlvs(settings, dlt)];
  return partsIn(text, alphabet, settings.long, reference).map(({ octets: part, hasHeader, tlvs }) =>
    submitBody({ ...common, esmClass: hasHeader ? HAS_HEADER : 0, octets: part, tlvs: [...tlvs, ...fields] }),
  );
}
