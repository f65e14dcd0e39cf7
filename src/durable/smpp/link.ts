import { logProblem } from "../../log.ts";
import { COMMAND, Framer, answerTo, encodePdu, isAnswer, joined, sequenceAfter } from "../../smpp/pdu.ts";
import type { Pdu } from "../../smpp/pdu.ts";
import { WINDOW_FULL } from "../../smpp/statuses.ts";
import { DELIVERED_BODY } from "../../smpp/units.ts";

// One connection to a carrier's message centre: who asked what, what was answered, and what came by itself.

/** A TCP connection. */
export interface Wire {
  readable: ReadableStream<Uint8Array>;
  writable: WritableStream<Uint8Array>;
  opened: Promise<unknown>;
  close(): Promise<void>;
}

/** What became of a request: `lost` may have been carried out, `not_sent` was certainly not. */
export type Answer =
  | { kind: "answer"; pdu: Pdu }
  | { kind: "lost"; code: "timeout" | "connection_broken" }
  | { kind: "not_sent"; code: "no_bind" | typeof WINDOW_FULL };

type Lost = Exclude<Answer, { kind: "not_sent" }>;

/** What a connection needs of its object. */
export interface LinkParts {
  /** Submissions without an answer at most. */
  window: number;
  /** How long an answer may take, in ms. */
  responseMs: number;
  /** Stores what the carrier delivers, synchronously; where it throws, the delivery is not answered and comes again. */
  deliver: (pdu: Pdu) => void;
  /** Resolves when all that was stored so far is on disk. */
  committed: () => Promise<void>;
  /** The connection has ended, for whatever reason. Called once. */
  closed: () => void;
}

interface Pending {
  /** Called at once with an answer, in time or late. */
  heard: ((pdu: Pdu, isLate: boolean) => void) | null;
  settle: (answer: Lost) => void;
  timer: ReturnType<typeof setTimeout>;
  isLate: boolean;
}

/** Submissions without an answer that are remembered after their time, for an answer that still comes. */
const LATE_MAX = 1_000;

/** How long a connection that is given up waits for its goodbye to be answered. */
const GOODBYE_MS = 2_000;

/** Statuses of answers to requests that are none of a centre's (§5.1.3). */
const INVALID_COMMAND = 0x03;

export class Link {
  readonly #wire: Wire;
  readonly #parts: LinkParts;
  readonly #pending = new Map<number, Pending>();
  readonly #waiting = new Set<(hasSlot: boolean) => void>();
  #writer: WritableStreamDefaultWriter<Uint8Array> | null = null;
  #state: "opening" | "bound" | "leaving" | "closed" = "opening";
  #sequence = 0;
  #inFlight = 0;
  #checking: Promise<void> | null = null;

  constructor(wire: Wire, parts: LinkParts) {
    this.#wire = wire;
    this.#parts = parts;
  }

  get isBound(): boolean {
    return this.#state === "bound";
  }

  /** Submissions without an answer. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Connects and binds. Returns the status of the answer, which is 0 for a bind; null where none came. Never throws. */
  async bind(command: number, body: Uint8Array): Promise<number | null> {
    const { promise: late, resolve } = Promise.withResolvers<"late">();
    const timer = setTimeout(() => resolve("late"), this.#parts.responseMs);
    try {
      if ((await Promise.race([this.#wire.opened, late])) === "late") throw new Error("no connection in time");
      this.#writer = this.#wire.writable.getWriter();
      void this.#read();
      const answer = await this.#ask(command, body, null);
      if (answer.kind === "answer" && answer.pdu.status === 0 && this.#state === "opening") this.#state = "bound";
      else this.end();
      return answer.kind === "answer" ? answer.pdu.status : null;
    } catch {
      this.end();
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Submits one unit, after up to `waitMs` for its place in the window. `heard` is called the moment the answer is read,
   * also where that is after its time. Never throws.
   */
  async submit(body: Uint8Array, waitMs: number, heard: (pdu: Pdu, isLate: boolean) => void): Promise<Answer> {
    if (!(await this.#slot(waitMs))) return { kind: "not_sent", code: this.isBound ? WINDOW_FULL : "no_bind" };
    try {
      return await this.#ask(COMMAND.submitSm, body, heard);
    } finally {
      this.#free();
    }
  }

  /** Asks whether the other side still answers, and ends the connection where it does not. Never throws. */
  check(): Promise<void> {
    this.#checking ??= this.#ask(COMMAND.enquireLink, new Uint8Array(0), null).then(({ kind }) => {
      this.#checking = null;
      if (kind === "lost") this.end();
    });
    return this.#checking;
  }

  /** Takes nothing more, waits for what is in flight as long as an answer may take, and says goodbye. Never throws. */
  async leave(): Promise<void> {
    if (this.#state === "closed") return;
    const wasBound = this.#state === "bound";
    this.#state = "leaving";
    this.#sendAway();
    const untilMs = Date.now() + this.#parts.responseMs;
    while (this.#inFlight > 0 && Date.now() < untilMs) await new Promise((resolve) => setTimeout(resolve, 50));
    if (wasBound) {
      const goodbye = this.#ask(COMMAND.unbind, new Uint8Array(0), null);
      await Promise.race([goodbye, new Promise((resolve) => setTimeout(resolve, GOODBYE_MS))]);
    }
    this.end();
  }

  /** Ends the connection at once: what is in flight is lost. May be repeated. */
  end(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#sendAway();
    for (const { timer, settle } of this.#pending.values()) {
      clearTimeout(timer);
      settle({ kind: "lost", code: "connection_broken" });
    }
    this.#pending.clear();
    this.#wire.close().catch(() => undefined);
    this.#parts.closed();
  }

  /** Tells those who wait for a place that there will be none. */
  #sendAway(): void {
    for (const tell of this.#waiting) tell(false);
    this.#waiting.clear();
  }

  /** A place in the window; false where none became free in time, or the connection takes nothing. */
  async #slot(waitMs: number): Promise<boolean> {
    if (!this.isBound) return false;
    if (this.#inFlight >= this.#parts.window || this.#waiting.size > 0) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const giveUp = () => {
        this.#waiting.delete(resolve);
        resolve(false);
      };
      const timer = setTimeout(giveUp, waitMs);
      this.#waiting.add(resolve);
      const hasSlot = await promise;
      clearTimeout(timer);
      // The place was counted by the one that gave it away.
      return hasSlot;
    }
    this.#inFlight += 1;
    return true;
  }

  /** Gives a place to the longest waiting. */
  #free(): void {
    const [next] = this.#waiting;
    if (next && this.isBound) {
      this.#waiting.delete(next);
      next(true);
    } else this.#inFlight -= 1;
  }

  #ask(command: number, body: Uint8Array, heard: Pending["heard"]): Promise<Lost> {
    const { promise, resolve } = Promise.withResolvers<Lost>();
    if (this.#state === "closed") {
      resolve({ kind: "lost", code: "connection_broken" });
      return promise;
    }
    this.#sequence = sequenceAfter(this.#sequence);
    const sequence = this.#sequence;
    const timer = setTimeout(() => this.#late(sequence), this.#parts.responseMs);
    this.#pending.set(sequence, { heard, settle: resolve, timer, isLate: false });
    this.#write([{ command, status: 0, sequence, body }]);
    return promise;
  }

  /** The answer to a request is overdue: its outcome is unknown from now on, and the connection is suspect. */
  #late(sequence: number): void {
    const pending = this.#pending.get(sequence);
    if (!pending) return;
    pending.isLate = true;
    pending.settle({ kind: "lost", code: "timeout" });
    if (!pending.heard) {
      this.#pending.delete(sequence);
      return;
    }
    if (this.#pending.size > LATE_MAX) {
      const oldest = [...this.#pending].find(([, { isLate }]) => isLate);
      if (oldest) this.#pending.delete(oldest[0]);
    }
    void this.check();
  }

  #write(units: readonly Pdu[]): void {
    this.#writer?.write(joined(units.map(encodePdu))).catch(() => this.end());
  }

  /** Reads until the connection ends. Never throws. */
  async #read(): Promise<void> {
    const framer = new Framer();
    try {
      const reader = this.#wire.readable.getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        await this.#take(framer.push(value));
      }
    } catch (problem) {
      if (this.#state !== "closed") logProblem("smpp connection", problem);
    } finally {
      this.end();
    }
  }

  /** Takes units in their order; what was delivered is answered once it is on disk. */
  async #take(units: readonly Pdu[]): Promise<void> {
    const answers: Pdu[] = [];
    let isStored = false;
    for (const pdu of units) {
      if (isAnswer(pdu.command)) {
        this.#heard(pdu);
        continue;
      }
      const answer = this.#answerTo(pdu);
      if (!answer) continue;
      isStored ||= answer.body === DELIVERED_BODY;
      answers.push(answer);
    }
    if (isStored) await this.#parts.committed();
    if (answers.length > 0) this.#write(answers);
    if (units.some(({ command }) => command === COMMAND.unbind)) this.end();
  }

  #heard(pdu: Pdu): void {
    const pending = this.#pending.get(pdu.sequence);
    if (!pending) return;
    this.#pending.delete(pdu.sequence);
    clearTimeout(pending.timer);
    try {
      pending.heard?.(pdu, pending.isLate);
    } catch (problem) {
      logProblem("smpp answer", problem);
    }
    pending.settle({ kind: "answer", pdu });
  }

  /** The answer to a request of the carrier, whose part is done here; null where it gets none. */
  #answerTo({ command, status, sequence, body }: Pdu): Pdu | null {
    const answer = { command: answerTo(command), status: 0, sequence, body: new Uint8Array(0) };
    switch (command) {
      case COMMAND.deliverSm:
      case COMMAND.dataSm:
        try {
          this.#parts.deliver({ command, status, sequence, body });
        } catch (problem) {
          logProblem("smpp delivery", problem);
          return null;
        }
        return { ...answer, body: DELIVERED_BODY };
      case COMMAND.enquireLink:
      case COMMAND.unbind:
        return answer;
      case COMMAND.alertNotification:
        return null;
      default:
        return { ...answer, command: COMMAND.genericNack, status: INVALID_COMMAND };
    }
  }
}
