// The units of SMPP 3.4 (§3.2): a header of four numbers, and a body whose fields follow each other without names.

/** Command ids (§5.1.2.1); an answer has the highest bit set. */
export const COMMAND = {
  genericNack: 0x8000_0000,
  bindReceiver: 0x01,
  bindTransmitter: 0x02,
  submitSm: 0x04,
  deliverSm: 0x05,
  unbind: 0x06,
  bindTransceiver: 0x09,
  enquireLink: 0x15,
  alertNotification: 0x102,
  dataSm: 0x103,
} as const;

/** What makes a command's answer of it. */
const ANSWER = 0x8000_0000;

/** The command of the answer to a command. */
export const answerTo = (command: number): number => (command | ANSWER) >>> 0;

/** Whether a command is an answer. */
export const isAnswer = (command: number): boolean => command >>> 31 === 1;

const HEADER_BYTES = 16;

/** No unit is longer: a `message_payload` may have 64 KiB (§5.3.2.32). */
const UNIT_BYTES_MAX = 70_000;

/** Sequence numbers go from 1 to this (§5.1.4). */
const SEQUENCE_MAX = 0x7fff_ffff;

/** The number after a sequence number. */
export const sequenceAfter = (sequence: number): number => (sequence >= SEQUENCE_MAX ? 1 : sequence + 1);

/** One unit: a request or an answer. */
export interface Pdu {
  command: number;
  status: number;
  sequence: number;
  body: Uint8Array;
}

/** A text whose every character is one octet; the others become question marks. */
export function octets(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => {
    const code = letter.codePointAt(0) ?? 0;
    return code <= 0xff ? code : 0x3f;
  });
}

/** The text of octets, one character each. */
export function textOfOctets(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCodePoint(byte);
  return text;
}

/** Octets one after the other. */
export function joined(all: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const one of all) {
    bytes.set(one, at);
    at += one.length;
  }
  return bytes;
}

/** The octets of a unit. */
export function encodePdu({ command, status, sequence, body }: Pdu): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bytes.length);
  view.setUint32(4, command);
  view.setUint32(8, status);
  view.setUint32(12, sequence);
  bytes.set(body, HEADER_BYTES);
  return bytes;
}

/** Writes the fields of a body. */
export class BodyWriter {
  readonly #bytes: number[] = [];

  /** A number of one octet. */
  octet(value: number): this {
    this.#bytes.push(value & 0xff);
    return this;
  }

  /** A text that ends with a zero. Throws a RangeError where it is longer than `max` octets with it, or has one in it. */
  text(value: string, max: number): this {
    if (value.length >= max) throw new RangeError(`a field of ${max} octets cannot hold ${value.length} and a zero`);
    if (value.includes("\0")) throw new RangeError("a field that ends with a zero has none in it");
    return this.raw(octets(value)).octet(0);
  }

  raw(bytes: Uint8Array): this {
    for (const byte of bytes) this.#bytes.push(byte);
    return this;
  }

  /** An optional parameter (§3.2.4): tag, length, value. */
  tlv(tag: number, value: Uint8Array): this {
    return this.octet(tag >> 8)
      .octet(tag)
      .octet(value.length >> 8)
      .octet(value.length)
      .raw(value);
  }

  get bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

/** A body that ends before its fields do. */
export class BrokenPdu extends Error {}

/** Reads the fields of a body. */
export class BodyReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Whether all of it is read. */
  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  octet(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new BrokenPdu("a body ends before its fields");
    this.#at += 1;
    return value;
  }

  /** A text up to its zero, or to the end of the body: some centres leave the last zero out. */
  text(): string {
    const found = this.#bytes.indexOf(0, this.#at);
    const end = found === -1 ? this.#bytes.length : found;
    const text = textOfOctets(this.#bytes.subarray(this.#at, end));
    this.#at = end + 1;
    return text;
  }

  raw(length: number): Uint8Array {
    if (this.#at + length > this.#bytes.length) throw new BrokenPdu("a body ends before its fields");
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** The optional parameters up to the end; of a tag that stands twice, the first. What is cut off is left out. */
  tlvs(): Map<number, Uint8Array> {
    const found = new Map<number, Uint8Array>();
    while (this.#at + 4 <= this.#bytes.length) {
      const tag = this.octet() * 256 + this.octet();
      const length = this.octet() * 256 + this.octet();
      if (this.#at + length > this.#bytes.length) break;
      const value = this.raw(length);
      if (!found.has(tag)) found.set(tag, value);
    }
    return found;
  }
}

/** Makes units of the octets of a connection, however these are cut. */
export class Framer {
  #rest: Uint8Array = new Uint8Array(0);

  /** The units that are whole with this chunk. Throws BrokenPdu where a length is impossible: then all after it is lost. */
  push(chunk: Uint8Array): Pdu[] {
    const bytes = this.#rest.length === 0 ? chunk : joined([this.#rest, chunk]);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const units: Pdu[] = [];
    let at = 0;
    while (bytes.length - at >= HEADER_BYTES) {
      const length = view.getUint32(at);
      if (length < HEADER_BYTES || length > UNIT_BYTES_MAX) throw new BrokenPdu(`a unit of ${length} octets`);
      if (bytes.length - at < length) break;
      units.push({
        command: view.getUint32(at + 4),
        status: view.getUint32(at + 8),
        sequence: view.getUint32(at + 12),
        body: bytes.slice(at + HEADER_BYTES, at + length),
      });
      at += length;
    }
    this.#rest = bytes.slice(at);
    return units;
  }
}
