import { once } from "node:events";
import net from "node:net";

// A carrier's SMSC over SMPP 3.4, as far as Kannel's driver asks for it: it takes every message, and reports each as
// delivered a moment later. Kannel's own simulated carrier is of no use here: it forgets its limit under load.

/** Command ids (SMPP 3.4, §5.1.2.1); an answer has the highest bit set. */
const BIND_TRANSCEIVER = 0x09;
const SUBMIT_SM = 0x04;
const DELIVER_SM = 0x05;
const UNBIND = 0x06;
const ENQUIRE_LINK = 0x15;
const ANSWER = 0x8000_0000;

const HEAD_BYTES = 16;
/** esm_class of a delivery receipt (§5.2.12). */
const IS_RECEIPT = 0x04;
const REPORT_AFTER_MS = 100;

function pdu(command: number, sequence: number, body = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(HEAD_BYTES + body.length, 0);
  head.writeUInt32BE(command, 4);
  head.writeUInt32BE(sequence, 12);
  return Buffer.concat([head, body]);
}

const cString = (text: string) => Buffer.from(`${text}\0`, "latin1");

/** The sender and the receiver in the body of a submit_sm (§4.4.1). */
function addressesIn(body: Buffer): { from: string; to: string } {
  let at = 0;
  const text = () => {
    const end = body.indexOf(0, at);
    const found = body.toString("latin1", at, end);
    at = end + 1;
    return found;
  };
  text(); // service_type
  at += 2; // source_addr_ton, source_addr_npi
  const from = text();
  at += 2; // dest_addr_ton, dest_addr_npi
  return { from, to: text() };
}

/** The body of a deliver_sm that reports a message as delivered (§4.6.1 and appendix B). */
function receiptOf(id: string, { from, to }: { from: string; to: string }): Buffer {
  const time = "2601010000";
  const text = `id:${id} sub:001 dlvrd:001 submit date:${time} done date:${time} stat:DELIVRD err:000 text:`;
  const address = (number: string) => Buffer.concat([Buffer.from([1, 1]), cString(number)]);
  return Buffer.concat([
    cString(""), // service_type
    address(to),
    address(from),
    Buffer.from([IS_RECEIPT, 0, 0]), // esm_class, protocol_id, priority_flag
    cString(""), // schedule_delivery_time
    cString(""), // validity_period
    Buffer.from([0, 0, 0, 0, text.length]), // registered_delivery to sm_length
    Buffer.from(text, "latin1"),
  ]);
}

/** An SMSC on a local port. */
export class Smsc {
  /** How many messages each number got; numbers are in E.164 without the plus. */
  readonly arrived = new Map<string, number>();
  /** The bodies of the messages (submit_sm, §4.4.1), in order. */
  readonly bodies: Buffer[] = [];
  readonly #server = net.createServer((socket) => this.#serve(socket));
  readonly #sockets = new Set<net.Socket>();
  #ids = 0;
  #sequence = 0;

  /** Starts to listen; returns the port. */
  async listen(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return (this.#server.address() as net.AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, "close");
  }

  #serve(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => undefined);
    let read = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      read = Buffer.concat([read, chunk]);
      while (read.length >= HEAD_BYTES && read.length >= read.readUInt32BE(0)) {
        const length = read.readUInt32BE(0);
        this.#take(socket, read.subarray(0, length));
        read = read.subarray(length);
      }
    });
  }

  #take(socket: net.Socket, asked: Buffer): void {
    const command = asked.readUInt32BE(4);
    const sequence = asked.readUInt32BE(12);
    const answer = (body?: Buffer) => socket.write(pdu(ANSWER + command, sequence, body));
    switch (command) {
      case BIND_TRANSCEIVER:
        answer(cString("smsc"));
        return;
      case SUBMIT_SM: {
        this.bodies.push(asked.subarray(HEAD_BYTES));
        const of = addressesIn(asked.subarray(HEAD_BYTES));
        const id = `id${(this.#ids += 1)}`;
        this.arrived.set(of.to, (this.arrived.get(of.to) ?? 0) + 1);
        answer(cString(id));
        const report = () => socket.writable && socket.write(pdu(DELIVER_SM, (this.#sequence += 1), receiptOf(id, of)));
        setTimeout(report, REPORT_AFTER_MS);
        return;
      }
      case ENQUIRE_LINK:
      case UNBIND:
        answer();
        return;
      default:
        // The answers to deliver_sm need nothing.
        return;
    }
  }
}
