import type { Address } from "./addresses.ts";
import { BodyReader, BodyWriter, COMMAND, octets } from "./pdu.ts";
import type { SmppSettings } from "./settings.ts";
import { TAG } from "./tags.ts";

// The bodies that a client writes and reads: binds (§4.1), submit_sm (§4.4), deliver_sm (§4.6), data_sm (§4.7).

const INTERFACE_VERSION = 0x34;

/** In which direction a connection carries messages. */
export type BindMode = "trx" | "tx" | "rx";

/** The command that binds. */
export const BIND_COMMAND: Readonly<Record<BindMode, number>> = {
  trx: COMMAND.bindTransceiver,
  tx: COMMAND.bindTransmitter,
  rx: COMMAND.bindReceiver,
};

/** The password is written whole: the standard's 8 octets are fewer than several carriers issue. */
const PASSWORD_OCTETS = 65;

/** The body of a bind. */
export function bindBody(of: Pick<SmppSettings, "system_id" | "system_type">, password: string): Uint8Array {
  return new BodyWriter()
    .text(of.system_id, 16)
    .text(password, PASSWORD_OCTETS)
    .text(of.system_type, 13)
    .octet(INTERFACE_VERSION)
    .octet(0)
    .octet(0)
    .text("", 41).bytes;
}

/** An optional parameter. */
export type Tlv = readonly [tag: number, value: Uint8Array];

/** One short message. */
export interface ShortMessage {
  source: Address;
  destination: Address;
  esmClass: number;
  dataCoding: number;
  /** At most 254 octets. */
  octets: Uint8Array;
  tlvs: readonly Tlv[];
}

/** Asks for a receipt of success and of failure (§5.2.17). */
const RECEIPT_WANTED = 1;

const SHORT_OCTETS_MAX = 254;

/** The body of a submit_sm. Throws a RangeError where a field is too long. */
export function submitBody({ source, destination, esmClass, dataCoding, octets, tlvs }: ShortMessage): Uint8Array {
  if (octets.length > SHORT_OCTETS_MAX) throw new RangeError(`a short message of ${octets.length} octets`);
  const body = new BodyWriter()
    .text("", 6)
    .octet(source.ton)
    .octet(source.npi)
    .text(source.address, 21)
    .octet(destination.ton)
    .octet(destination.npi)
    .text(destination.address, 21)
    .octet(esmClass)
    .octet(0) // protocol_id
    .octet(0) // priority_flag
    .text("", 17) // schedule_delivery_time
    .text("", 17) // validity_period
    .octet(RECEIPT_WANTED)
    .octet(0) // replace_if_present_flag
    .octet(dataCoding)
    .octet(0) // sm_default_msg_id
    .octet(octets.length)
    .raw(octets);
  for (const [tag, value] of tlvs) body.tlv(tag, value);
  return body.bytes;
}

/** The id in the answer to a submission; null where it has none. */
export function messageIdIn(body: Uint8Array): string | null {
  const id = new BodyReader(body).text().trim();
  return id === "" ? null : id;
}

/** What a carrier delivers: a receipt, or a message from a phone. */
export interface Delivered {
  esmClass: number;
  dataCoding: number;
  octets: Uint8Array;
  tlvs: ReadonlyMap<number, Uint8Array>;
}

/** Two numbers and an address. */
function skipAddress(body: BodyReader): void {
  body.octet();
  body.octet();
  body.text();
}

/** Reads the body of a deliver_sm. Throws BrokenPdu where it is cut off. */
export function readDeliver(bytes: Uint8Array): Delivered {
  const body = new BodyReader(bytes);
  body.text();
  skipAddress(body);
  skipAddress(body);
  const esmClass = body.octet();
  body.raw(2); // protocol_id, priority_flag
  body.text();
  body.text();
  body.raw(2); // registered_delivery, replace_if_present_flag
  const dataCoding = body.octet();
  body.octet();
  const short = body.raw(body.octet());
  const tlvs = body.tlvs();
  return { esmClass, dataCoding, octets: short.length > 0 ? short : (tlvs.get(TAG.messagePayload) ?? short), tlvs };
}

/** Reads the body of a data_sm, which has its text in a parameter. Throws BrokenPdu where it is cut off. */
export function readData(bytes: Uint8Array): Delivered {
  const body = new BodyReader(bytes);
  body.text();
  skipAddress(body);
  skipAddress(body);
  const esmClass = body.octet();
  body.octet(); // registered_delivery
  const dataCoding = body.octet();
  const tlvs = body.tlvs();
  return { esmClass, dataCoding, octets: tlvs.get(TAG.messagePayload) ?? new Uint8Array(0), tlvs };
}

/** The body of the answer to a delivery: an id that is not used (§4.6.2). */
export const DELIVERED_BODY = octets("\0");
