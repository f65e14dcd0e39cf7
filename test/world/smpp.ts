import {
  BodyReader,
  BodyWriter,
  COMMAND,
  Framer,
  answerTo,
  encodePdu,
  octets,
  textOfOctets,
} from "../../src/smpp/pdu.ts";
import type { Pdu } from "../../src/smpp/pdu.ts";
import type { Wire } from "../../src/durable/smpp/link.ts";

// A carrier's message centre in memory, and the bodies that only a centre reads and writes. Centres that others wrote are
// in test/process/carriers.

/** What a centre reads of a submit_sm. */
export function readSubmit(bytes: Uint8Array) {
  const body = new BodyReader(bytes);
  body.text();
  const address = () => ({ ton: body.octet(), npi: body.octet(), address: body.text() });
  const source = address();
  const destination = address();
  const esmClass = body.octet();
  body.raw(2);
  body.text();
  body.text();
  const registered = body.octet();
  body.octet();
  const dataCoding = body.octet();
  body.octet();
  const short = Buffer.from(body.raw(body.octet())).toString("hex");
  const tlvs = Object.fromEntries([...body.tlvs()].map(([tag, value]) => [tag, textOfOctets(value)]));
  return { source, destination, esmClass, registered, dataCoding, octets: short, tlvs: tlvs as Record<number, string> };
}

interface Delivery {
  esmClass?: number;
  dataCoding?: number;
  tlvs?: Record<number, Uint8Array>;
}

/** The body of a deliver_sm; by default a receipt. */
export function deliverBody(text: string, { esmClass = 4, dataCoding = 0, tlvs = {} }: Delivery = {}): Uint8Array {
  const short = octets(text).slice(0, 254);
  const body = new BodyWriter();
  for (const address of ["919876543210", "TESTID"]) {
    if (address === "919876543210") body.text("", 6);
    body.octet(1).octet(1).text(address, 21);
  }
  body.octet(esmClass).octet(0).octet(0).text("", 17).text("", 17).octet(0).octet(0).octet(dataCoding).octet(0);
  body.octet(short.length).raw(short);
  for (const [tag, value] of Object.entries(tlvs)) body.tlv(Number(tag), value);
  return body.bytes;
}

/** How a centre answers a submission; `null` does not. */
export type OnSubmit = (pdu: Pdu, centre: Centre, connection: Connection) => { status?: number; id?: string } | null;

/** One connection as the centre has it. */
export class Connection {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #sequence = 0;
  mode = 0;
  isOpen = true;

  constructor(writable: WritableStream<Uint8Array>) {
    this.#writer = writable.getWriter();
  }

  send(...units: Partial<Pdu>[]): void {
    for (const unit of units) {
      const whole = { command: 0, status: 0, sequence: 0, body: new Uint8Array(), ...unit };
      this.#writer.write(encodePdu(whole)).catch(() => undefined);
    }
  }

  /** Delivers a receipt with a text. */
  deliver(text: string, more: Delivery = {}): number {
    this.#sequence += 1;
    this.send({ command: COMMAND.deliverSm, sequence: this.#sequence, body: deliverBody(text, more) });
    return this.#sequence;
  }

  cut(): void {
    this.isOpen = false;
    this.#writer.close().catch(() => undefined);
  }
}

/** A centre that takes everything under the ids 1, 2, 3 …, unless its properties are changed. */
export class Centre {
  /** The status of answers to binds. */
  bindStatus = 0;
  /** A centre that is silent reads, and answers nothing. */
  isSilent = false;
  /** Refuses connections. */
  isAway = false;
  onSubmit: OnSubmit = () => ({});
  readonly connections: Connection[] = [];
  /** Every unit that came, in order. */
  readonly got: Pdu[] = [];
  dials = 0;
  #ids = 0;

  /** What came of one command. */
  of(command: number): Pdu[] {
    return this.got.filter((pdu) => pdu.command === command);
  }

  /** The connection that was made last. */
  get last(): Connection {
    const last = this.connections.at(-1);
    if (!last) throw new Error("there was no connection");
    return last;
  }

  /** Connects a client; what an object has as its `dial`. */
  dial = (): Wire => {
    this.dials += 1;
    if (this.isAway) {
      const opened = Promise.reject(new Error("connection refused"));
      opened.catch(() => undefined);
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      return { readable, writable, opened, close: async () => undefined };
    }
    const up = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 64 }, { highWaterMark: 64 });
    const down = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 64 }, { highWaterMark: 64 });
    const connection = new Connection(down.writable);
    this.connections.push(connection);
    void this.#serve(up.readable, connection);
    const close = async () => connection.cut();
    return { readable: down.readable, writable: up.writable, opened: Promise.resolve(), close };
  };

  async #serve(readable: ReadableStream<Uint8Array>, connection: Connection): Promise<void> {
    const framer = new Framer();
    for await (const chunk of readable) {
      for (const pdu of framer.push(chunk)) {
        this.got.push(pdu);
        if (!this.isSilent) this.#take(pdu, connection);
      }
    }
  }

  #take(pdu: Pdu, connection: Connection): void {
    const { command, sequence } = pdu;
    switch (command) {
      case COMMAND.bindTransceiver:
      case COMMAND.bindTransmitter:
      case COMMAND.bindReceiver:
        connection.mode = command;
        connection.send({ command: answerTo(command), status: this.bindStatus, sequence, body: octets("centre\0") });
        break;
      case COMMAND.submitSm: {
        const answer = this.onSubmit(pdu, this, connection);
        if (!answer) return;
        this.#ids += 1;
        const { status = 0, id = String(this.#ids) } = answer;
        connection.send({
          command: answerTo(command),
          status,
          sequence,
          body: octets(status === 0 ? `${id}\0` : "\0"),
        });
        break;
      }
      case COMMAND.enquireLink:
      case COMMAND.unbind:
        connection.send({ command: answerTo(command), sequence });
        break;
      default:
        break;
    }
  }
}

/** Waits until it holds; tests fail by their own timeout. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}
