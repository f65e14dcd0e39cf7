import { randomBytes } from "node:crypto";
import type http from "node:http";
import { signedReceipt } from "./gateway.ts";
import type { Submission } from "./gateway.ts";
import { GatewayRecord } from "./gateway-record.ts";
import type { Origin } from "./gateway-record.ts";
import { LoopbackServer, textOf } from "./loopback.ts";
import type { RateLimit } from "./rate-limits.ts";
import { ReceiptSender } from "./receipt-sender.ts";

// A gateway (contract §11) that behaves as those of carriers do: it has a rate, takes its time, handles only so many
// submissions at once, and reports deliveries late and in another order.

export interface Behaviour {
  /** The limit of its rate; without one it accepts everything. */
  limit?: RateLimit;
  /** Whether a refusal for the rate says `Retry-After`, in whole seconds. */
  saysRetryAfter?: boolean;
  /** How long it takes to answer, from and to. */
  latencyMs?: readonly [number, number];
  /** Submissions that it handles at once; more wait, as behind a listener's backlog. */
  handlesMax?: number;
  /** How long after a submission its receipt is sent, in ms; null: no receipt. */
  receiptAfterMs?: (submission: Submission, random: () => number) => number | null;
  /** Connections for receipts; each waits for its reply before it sends the next one. */
  receiptConnections?: number;
  /** Whether it answers this submission with a 503 that has nothing to do with its rate. */
  isBusyFor?: (submission: Submission, origin: Origin, nowMs: number) => boolean;
  /** What a submission belongs to, for the record. */
  originOf?: (submission: Submission) => Origin;
  /** Seeded random numbers from 0 to 1. */
  random: () => number;
  /** The service's clock, which may run faster than this one: it dates signatures. */
  serviceMs?: () => number;
}

/**
 * Idle connections stay open: a submission on a connection that is just being closed has an unknown outcome, and that
 * is not what is measured with this gateway.
 */
const IDLE_MS = 600_000;

const UNKNOWN: Origin = { lane: "unknown", account: "unknown" };

export class PacedGateway {
  readonly secret = `whsec_${randomBytes(32).toString("base64")}`;
  readonly port: number;
  readonly record = new GatewayRecord();
  readonly receipts: ReceiptSender;
  readonly #behaviour: Behaviour;
  readonly #server: LoopbackServer;
  readonly #waiting: (() => void)[] = [];
  #handling = 0;
  #closedUntilMs = 0;

  constructor(port: number, behaviour: Behaviour) {
    this.port = port;
    this.#behaviour = behaviour;
    this.receipts = new ReceiptSender(behaviour.receiptConnections ?? 16);
    const take = (request: http.IncomingMessage, response: http.ServerResponse) => {
      // A client that disconnects before its body is complete has submitted nothing.
      this.#take(request, response).catch(() => undefined);
    };
    this.#server = new LoopbackServer(port, take, IDLE_MS);
  }

  /** Settings with which a service on `port` of this machine sends through this gateway. */
  settingsFor(port: number): Record<string, string> {
    return {
      // Plain http to a carrier is allowed locally only.
      ENVIRONMENT: "local",
      CARRIER: "http",
      // The path says where the receipts of this service go: its addresses do not lead to its port.
      CARRIER_HTTP_URL: `http://127.0.0.1:${this.port}/${port}`,
      CARRIER_HTTP_SECRET: this.secret,
    };
  }

  listen(): Promise<void> {
    return this.#server.listen();
  }

  /** Stops listening, closes open connections, and forgets the receipts that wait. */
  async close(): Promise<void> {
    this.receipts.close();
    await this.#server.close();
  }

  /** Answers every submission of the next `ms` with 503 and a `Retry-After` up to their end. */
  closeFor(ms: number): void {
    this.#closedUntilMs = Date.now() + ms;
  }

  async #take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    await this.#slot();
    try {
      const submission = JSON.parse(await textOf(request)) as Submission;
      const { latencyMs: [from, to] = [0, 0], random } = this.#behaviour;
      const latencyMs = from + random() * (to - from);
      const { status, retryAfterSec } = this.#decide(submission, latencyMs);
      if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs));
      const retryAfter = retryAfterSec === null ? {} : { "retry-after": String(retryAfterSec) };
      response.writeHead(status, { "content-type": "application/json", ...retryAfter });
      response.end(JSON.stringify({ id: `gw-${submission.ref.slice(-8)}` }));
      if (status === 200) this.#report(request, submission);
    } finally {
      this.#handling -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #slot(): Promise<void> {
    if (this.#handling >= (this.#behaviour.handlesMax ?? Infinity)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#handling += 1;
  }

  /** Decides about a submission at its arrival, and notes it. */
  #decide(submission: Submission, latencyMs: number): { status: number; retryAfterSec: number | null } {
    const { limit, saysRetryAfter = false, isBusyFor, originOf } = this.#behaviour;
    const nowMs = Date.now();
    const origin = originOf?.(submission) ?? UNKNOWN;
    const refuse = (status: number, waitMs: number | null) => {
      this.record.note(submission, origin, false, nowMs);
      if (waitMs === null) return { status, retryAfterSec: null };
      const retryAfterSec = Math.max(1, Math.ceil(waitMs / 1_000));
      this.record.silence(nowMs + latencyMs, nowMs + latencyMs + retryAfterSec * 1_000);
      return { status, retryAfterSec };
    };
    if (nowMs < this.#closedUntilMs) return refuse(503, this.#closedUntilMs - nowMs);
    if (isBusyFor?.(submission, origin, nowMs)) return refuse(503, null);
    const waitMs = limit?.take(nowMs) ?? 0;
    if (waitMs > 0) return refuse(429, saysRetryAfter ? waitMs : null);
    this.record.note(submission, origin, true, nowMs);
    return { status: 200, retryAfterSec: null };
  }

  #report(request: http.IncomingMessage, submission: Submission): void {
    const { receiptAfterMs, random, serviceMs } = this.#behaviour;
    const afterMs = receiptAfterMs?.(submission, random) ?? null;
    if (afterMs === null) return;
    const { ref, callback_url: callback } = submission;
    const { host, pathname } = new URL(callback);
    this.receipts.add({
      dueMs: Date.now() + afterMs,
      port: Number(request.url?.slice(1)),
      host,
      path: pathname,
      make: () => signedReceipt(this.secret, { ref, state: "delivered" }, serviceMs?.()),
    });
  }
}
