import type net from "node:net";
import smpp from "smpp";
import type { SmppPdu, SmppSession } from "smpp";
import { onTestFinished } from "vitest";
import { freePort } from "../../../harness/program.ts";

// A message centre of npm's smpp, which shares no code with the service.

/** A key and its certificate, in PEM: a centre with them speaks TLS. */
export interface Certified {
  key: string;
  cert: string;
}

/** A centre; `answer` decides how a submission is answered, null: not at all. */
export class NpmCentre {
  readonly port: number;
  readonly certified: Certified | null;
  readonly got: SmppPdu[] = [];
  readonly binds: SmppPdu[] = [];
  /** Connections, over TLS those included that ended once the client had seen the certificate; and what was said in them. */
  connections = 0;
  pdus = 0;
  sessions: SmppSession[] = [];
  answer: (pdu: SmppPdu, nth: number) => { status?: number; id?: string } | null = (_pdu, nth) => ({ id: `n${nth}` });
  #server: net.Server | null = null;

  constructor(port: number, certified: Certified | null = null) {
    this.port = port;
    this.certified = certified;
  }

  async start(): Promise<void> {
    this.#server = smpp.createServer({ ...this.certified }, (session) => this.#serve(session));
    this.#server.on("connection", () => (this.connections += 1));
    // Over TLS: a client that does not trust the certificate.
    this.#server.on("tlsClientError", () => undefined);
    await new Promise<void>((resolve) => void this.#server?.listen(this.port, "127.0.0.1", resolve));
  }

  /** Ends the centre and every connection. */
  stop(): void {
    this.#server?.close();
    for (const session of this.sessions) session.destroy();
    this.sessions = [];
  }

  /** Delivers a receipt; resolves with the status of its answer. */
  deliver(text: string): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    const fields = { source_addr: "919876543210", destination_addr: "TESTID", esm_class: 4, short_message: text };
    this.sessions.at(-1)?.deliver_sm(fields, ({ command_status }) => resolve(command_status));
    return promise;
  }

  #serve(session: SmppSession): void {
    this.sessions.push(session);
    session.on("error", () => undefined);
    session.on("pdu", () => (this.pdus += 1));
    session.on("bind_transceiver", (pdu) => {
      this.binds.push(pdu);
      session.send(pdu.response(pdu.password === "secret" ? {} : { command_status: 0x0e }));
    });
    session.on("enquire_link", (pdu) => void session.send(pdu.response()));
    session.on("unbind", (pdu) => void session.send(pdu.response()));
    session.on("submit_sm", (pdu) => {
      this.got.push(pdu);
      const answer = this.answer(pdu, this.got.length);
      if (answer) session.send(pdu.response({ message_id: answer.id ?? "", command_status: answer.status ?? 0 }));
    });
  }
}

/** A centre that ends with its test. */
export async function startCentre(certified: Certified | null = null): Promise<NpmCentre> {
  const centre = new NpmCentre(await freePort(), certified);
  await centre.start();
  onTestFinished(() => centre.stop());
  return centre;
}
