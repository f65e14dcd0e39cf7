import type net from "node:net";
import smpp from "smpp";
import type { SmppPdu, SmppSession } from "smpp";
import { between, oneOf } from "../random.ts";
import type { Log } from "../log.ts";
import type { ReceiptSettings } from "../receipts.ts";
import { Desk } from "./desk.ts";
import type { DeskSettings, Taken, Verdict } from "./desk.ts";

// A carrier over SMPP: a centre of npm's smpp, which shares no code with the service. A message is one unit, and has no
// reference there.

const PASSWORD = "torture";
/** The longest that it is waited for an answer of the service to a receipt, in ms. */
const ANSWER_MS_MAX = 5_000;

/** How the operator sets it up (contract-carriers §16.3). */
export const smppSetup = (port: number, tps: number, responseSec: number) => ({
  kind: "smpp",
  tps,
  settings: {
    host: "127.0.0.1",
    port,
    system_id: "torture",
    binds: 2,
    window: 50,
    long: "payload",
    enquire_s: 3,
    response_s: responseSec,
  },
  secrets: { password: PASSWORD },
});

/** Statuses of refusals of the message, of "not now", and of a centre that is busy. */
const REFUSALS = [0x0b, 0x45, 0x33] as const;
const NOT_NOW = [0x08, 0x64] as const;
const THROTTLED = [0x58, 0x14] as const;
const BIND_FAILED = 0x0d;

const STATES = { submitted: "ENROUTE", delivered: "DELIVRD", undelivered: "UNDELIV", failed: "REJECTD" };

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export interface SmppCarrierSettings extends Omit<DeskSettings, "failsCertainly" | "saysWhen"> {
  port: number;
  /** Answers later than this are too late for the service. */
  timeoutMs: number;
  log: Log;
}

export class SmppCarrier {
  readonly desk: Desk;
  readonly #settings: SmppCarrierSettings;
  #bound: SmppSession[] = [];
  #open = new Set<SmppSession>();
  #server: net.Server | null = null;

  constructor(settings: SmppCarrierSettings) {
    this.#settings = settings;
    this.desk = new Desk({ ...settings, failsCertainly: true, saysWhen: false });
  }

  get isBound(): boolean {
    return this.#bound.length > 0;
  }

  async listen(): Promise<void> {
    if (this.#server) return;
    const server = (this.#server = smpp.createServer({}, (session) => this.#serve(session)));
    await new Promise<void>((resolve) => void server.listen(this.#settings.port, "127.0.0.1", resolve));
  }

  /** Stops listening, and ends every connection. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (!server) return;
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    for (const session of this.#open) session.destroy();
    await closed;
  }

  /** Posts a receipt over a bind; resolves with 200 where the service took it, null where no answer came. */
  readonly post: ReceiptSettings<Taken>["post"] = async ({ id, to }, { state, fault }) => {
    const session = this.#bound.at(Math.floor(Math.random() * this.#bound.length));
    if (!session) return null;
    const about = fault === "unknown_ref" ? `${id}-none` : id;
    const text = `id:${about} sub:001 dlvrd:001 stat:${STATES[state]} err:000 text:`;
    const fields = {
      source_addr: to.slice(1),
      destination_addr: "DASTAK",
      esm_class: 4,
      short_message: text,
    };
    const { promise, resolve } = Promise.withResolvers<number | null>();
    session.deliver_sm(fields, ({ command_status }) => resolve(command_status === 0 ? 200 : command_status));
    return Promise.race([promise, pause(ANSWER_MS_MAX).then(() => null)]);
  };

  #serve(session: SmppSession): void {
    const { log, name } = this.#settings;
    this.#open.add(session);
    session.on("error", () => undefined);
    session.on("close", () => {
      this.#open.delete(session);
      if (!this.#bound.includes(session)) return;
      this.#bound = this.#bound.filter((one) => one !== session);
      log.append({ t: "bound", carrier: name, binds: this.#bound.length });
    });
    session.on("bind_transceiver", (pdu) => {
      const isRight = pdu.password === PASSWORD && this.desk.trouble !== "no_credit";
      session.send(pdu.response(isRight ? {} : { command_status: BIND_FAILED }));
      if (!isRight) return;
      this.#bound.push(session);
      log.append({ t: "bound", carrier: name, binds: this.#bound.length });
    });
    session.on("enquire_link", (pdu) => void session.send(pdu.response()));
    session.on("unbind", (pdu) => void session.send(pdu.response()));
    session.on("submit_sm", (pdu) => void this.#take(session, pdu));
  }

  async #take(session: SmppSession, pdu: SmppPdu): Promise<void> {
    const words = (pdu["message_payload"] as { message?: unknown } | undefined)?.message ?? pdu.short_message.message;
    const to = `+${pdu.destination_addr}`;
    const text = typeof words === "string" ? words : "";
    const verdict = this.desk.take({ ref: "", to, operation: null, text, signed: true });
    const wasSent = await this.#answer(session, pdu, verdict);
    if (wasSent) this.desk.answered(verdict);
  }

  /** Whether the answer was written to a connection that is open. */
  async #answer(session: SmppSession, pdu: SmppPdu, { decision, random, taken }: Verdict): Promise<boolean> {
    const answer = (fields: object) => this.#open.has(session) && session.send(pdu.response(fields));
    switch (decision) {
      case "accepts":
        return answer({ message_id: taken.id });
      case "accepts_slowly":
        await pause(between(random, 200, 900));
        return answer({ message_id: taken.id });
      case "rejects":
        return answer({ command_status: oneOf(random, REFUSALS) });
      case "busy":
      case "limits":
        return answer({ command_status: oneOf(random, THROTTLED) });
      case "fails":
      case "no_credit":
        return answer({ command_status: oneOf(random, NOT_NOW) });
      case "hangs":
        return false;
      case "cuts":
        session.destroy();
        return false;
      case "answers_late":
        await pause(this.#settings.timeoutMs + 700);
        answer({ message_id: taken.id });
        return false;
    }
  }
}
