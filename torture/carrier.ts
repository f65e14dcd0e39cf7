import type http from "node:http";
import type net from "node:net";
import { isSubmissionSigned } from "../harness/gateway.ts";
import type { Submission } from "../harness/gateway.ts";
import { LoopbackServer, textOf } from "../harness/loopback.ts";
import type { Log } from "./log.ts";
import { Gate } from "./mood.ts";
import type { Mood, NotNow } from "./mood.ts";
import type { Moments } from "./moments.ts";
import { between, oneOf, randomOf, weighted } from "./random.ts";
import type { Random } from "./random.ts";
import type { Receipts } from "./receipts.ts";

// A faulty gateway: it rejects, is busy, takes only so many a second, hangs, breaks off before or after reading, answers
// late, twice or with rubbish. It logs every submission before it acts on it. It may also recognise references: then what
// it took or rejected before, it takes or rejects again, and once.

const WEIGHTS = {
  accepts: 73,
  accepts_slowly: 9,
  accepts_with_rubbish: 1,
  accepts_twice: 1,
  accepts_by_half: 0.7,
  rejects: 6,
  busy: 1,
  resets: 1.5,
  hangs: 1.2,
  answers_late: 1.3,
  fails: 2,
  speaks_no_http: 0.8,
};

export type Decision = keyof typeof WEIGHTS | "resets_unread" | "limits";

/** The certain outcome that each decision conveys to the service. */
const TELLS: Record<Decision, "taken" | "rejected" | "busy" | "nothing"> = {
  accepts: "taken",
  accepts_slowly: "taken",
  accepts_with_rubbish: "taken",
  accepts_twice: "taken",
  accepts_by_half: "taken",
  rejects: "rejected",
  busy: "busy",
  limits: "busy",
  resets: "nothing",
  resets_unread: "nothing",
  hangs: "nothing",
  answers_late: "nothing",
  fails: "nothing",
  speaks_no_http: "nothing",
};

const BODY = "content-length: 2\r\n\r\n{}";

/** Share of connections that are reset before a byte of the message is read. */
const UNREAD = 0.012;
/** Share of numbers that are always refused as busy, until their messages' validity ends. */
const ALWAYS_BUSY = 0.003;

const REJECTIONS = [400, 403, 404, 410, 422] as const;
/** Statuses that leave the outcome unknown. */
const FAILURES = [302, 408, 425, 500, 502, 504] as const;

export interface CarrierSettings {
  seed: string;
  port: number;
  secret: string;
  /** Answers later than this are too late for the service. */
  timeoutMs: number;
  log: Log;
  receipts: Receipts<Submission>;
  moments: Moments;
  /** Whether it recognises references. */
  dedupes: boolean;
  /** The most submissions that it takes in a second; null: no limit but in moods. */
  perSec: number | null;
  /** The service's current time, and its time before a recent jump of the clock. */
  timesMs: () => number[];
}

/** A submission that was answered with certainty. */
export interface Arrived {
  submission: Submission;
  tells: "taken" | "rejected";
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Answers; throws if the client disconnects before all of it was sent. */
function reply(response: http.ServerResponse, status: number, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    response.once("close", () => (response.writableFinished ? resolve() : reject(new Error("nobody heard it"))));
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
}

export class Carrier {
  readonly #settings: CarrierSettings;
  /** How often each number was submitted: each attempt has its own random numbers, independent of when it arrives. */
  readonly #tries = new Map<string, number>();
  /** What it took and what it rejected, by reference. */
  readonly #known = new Map<string, "taken" | "rejected">();
  /** What is told of the first certain answer to a number. */
  readonly #awaited = new Map<string, (arrived: Arrived) => void>();
  readonly #rejected = new Set<string>();
  readonly #gate: Gate;
  #connections = 0;
  #submissions = 0;
  readonly #server: LoopbackServer;

  constructor(settings: CarrierSettings) {
    this.#settings = settings;
    this.#gate = new Gate(settings.perSec);
    this.#server = new LoopbackServer(settings.port, (request, response) => {
      // The client disconnected before the request was complete.
      this.#take(request, response).catch(() => request.socket.destroy());
    });
  }

  listen(): Promise<void> {
    return this.#server.listen();
  }

  /** Stops listening and breaks off all answers in progress. */
  close(): Promise<void> {
    return this.#server.close();
  }

  /** Changes what it does with everything; null is its usual mood. */
  set mood(mood: Mood | null) {
    this.#gate.set(mood);
  }

  /** Resolves once a message to this number is taken or rejected. */
  arrivalOf(to: string): Promise<Arrived> {
    return new Promise((resolve) => this.#awaited.set(to, resolve));
  }

  /** Rejects all messages to this number. */
  reject(to: string): void {
    this.#rejected.add(to);
  }

  async #take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { seed, log, secret, timesMs, moments } = this.#settings;
    const ref = String(request.headers["webhook-id"]);
    const n = (this.#submissions += 1);
    this.#connections += 1;
    if (randomOf(seed, "unread", this.#connections)() < UNREAD) {
      log.append({ t: "submission", carrier: "http", n, ref, decision: "resets_unread", tells: TELLS.resets_unread });
      request.socket.resetAndDestroy();
      return;
    }
    const body = await textOf(request);
    const submission = JSON.parse(body) as Submission;
    const { to, operation, text } = submission;
    const tries = (this.#tries.get(to) ?? 0) + 1;
    this.#tries.set(to, tries);
    const random = randomOf(seed, "carrier", to, tries);
    const notNow = this.#gate.pass();
    const decision = notNow ? "limits" : this.#decide(random, ref, to);
    const signed = isSubmissionSigned(secret, request, body, timesMs());
    const quietMs = notNow?.retryAfterSec ? 1_000 * notNow.retryAfterSec : null;
    const seen = { ref, to, operation, text, decision, tells: TELLS[decision], signed };
    log.append({ t: "submission", carrier: "http", n, ...seen, ...(quietMs !== null && { quietMs }) });
    moments.note("submission");
    if (!notNow) this.#plan(random, submission, decision);
    await (notNow ? this.#refuse(notNow, response) : this.#answer(random, decision, request.socket, response));
    if (TELLS[decision] === "nothing") return;
    log.append({ t: "answered", carrier: "http", n, ref });
    moments.note("answer");
    const tells = TELLS[decision];
    if (tells === "taken" || tells === "rejected") this.#awaited.get(to)?.({ submission, tells });
  }

  #decide(random: Random, ref: string, to: string): Decision {
    if (this.#rejected.has(to)) return "rejects";
    const decision =
      randomOf(this.#settings.seed, "always busy", to)() < ALWAYS_BUSY ? "busy" : weighted(random, WEIGHTS);
    const known = this.#known.get(ref);
    const tells = TELLS[decision];
    const contradicts = known !== undefined && known !== tells && (tells === "taken" || tells === "rejected");
    if (!this.#settings.dedupes || !contradicts) return decision;
    return known === "taken" ? "accepts" : "rejects";
  }

  /** Sends the receipts of what it takes; a reference that it recognises has had them. */
  #plan(random: Random, submission: Submission, decision: Decision): void {
    const { receipts, dedupes } = this.#settings;
    const tells = TELLS[decision];
    if (dedupes && this.#known.has(submission.ref)) return;
    const took = receipts.plan(random, submission, tells);
    if (tells === "taken" || tells === "rejected") this.#known.set(submission.ref, tells);
    else if (took) this.#known.set(submission.ref, "taken");
  }

  #refuse({ status, retryAfterSec }: NotNow, response: http.ServerResponse): Promise<void> {
    if (retryAfterSec !== null) response.setHeader("retry-after", String(retryAfterSec));
    return reply(response, status, "{}");
  }

  async #answer(random: Random, decision: Decision, socket: net.Socket, response: http.ServerResponse): Promise<void> {
    const answer = (status: number, body = `{"id":"gw-${Math.floor(random() * 1e9)}"}`) =>
      reply(response, status, body);
    const raw = (text: string) => new Promise<void>((resolve) => socket.write(text, () => resolve()));
    switch (decision) {
      case "accepts":
        return answer(oneOf(random, [200, 201, 202]));
      case "accepts_slowly":
        await pause(between(random, 200, 900));
        return answer(200);
      case "accepts_with_rubbish":
        return answer(200, "<html>it's fine");
      case "accepts_twice":
        // `connection: close`, or a client would take the second response for the answer to its next request.
        await raw(`HTTP/1.1 200 OK\r\nconnection: close\r\n${BODY}HTTP/1.1 422 Oh\r\n${BODY}`);
        socket.end();
        return;
      case "accepts_by_half":
        await raw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"id": "ha');
        socket.end();
        return;
      case "rejects":
        return answer(oneOf(random, REJECTIONS));
      case "busy":
      case "limits":
        return answer(oneOf(random, [429, 503]));
      case "resets":
      case "resets_unread":
        socket.resetAndDestroy();
        return;
      case "hangs":
        return;
      case "answers_late":
        await pause(this.#settings.timeoutMs + 700);
        return answer(200);
      case "fails":
        return answer(oneOf(random, FAILURES));
      case "speaks_no_http":
        await raw("It is a fine day, is it not?\r\n\r\n");
        socket.end();
    }
  }
}
