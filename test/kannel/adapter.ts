import http from "node:http";
import { randomBytes } from "node:crypto";
import { PASSWORD, USER } from "../../bench/peers/kannel.mjs";
import { isSubmissionSigned, signedReceipt } from "../../harness/gateway.ts";
import type { Submission } from "../../harness/gateway.ts";
import { callOnce } from "../../harness/http.ts";
import { LoopbackServer, textOf } from "../../harness/loopback.ts";

// The gateway that an operator would put in front of Kannel: it takes the service's signed JSON (contract §11), hands
// each message to Kannel's sendsms, and turns Kannel's delivery reports into signed receipts. It remembers and
// repeats nothing: what Kannel does not take now is refused, and the service must come again.

/** One submission, and what the gateway answered. */
export interface Taken {
  ref: string;
  to: string;
  operation: string;
  atMs: number;
  signed: boolean;
  status: number;
}

/** Kannel's reports that are asked for: delivered (1), undelivered (2) and refused by the carrier (16). */
const REPORTS = { 1: "delivered", 2: "undelivered", 16: "failed" } as const;
const REPORTS_MASK = 1 + 2 + 16;

/** A receipt that the service does not take is sent again this often, with a growing gap. */
const RECEIPT_TRIES = 10;
const RECEIPT_GAP_MS = 200;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The HTTP adapter between the service and a Kannel. */
export class KannelAdapter {
  readonly secret = `whsec_${randomBytes(32).toString("base64")}`;
  /** All submissions, in order of their answers. */
  readonly log: Taken[] = [];
  /** Receipts that the service took. */
  receipts = 0;
  /** Receipts that the service refused each time. */
  receiptsLost = 0;
  readonly #port: number;
  readonly #sendsms: string;
  readonly #retryAfterSec: number | null;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  readonly #callbacks = new Map<string, string>();
  readonly #server: LoopbackServer;

  /** `retryAfterSec`: what a busy answer asks the service to wait; null: it says nothing about it. */
  constructor(options: { port: number; kannelPort: number; retryAfterSec: number | null }) {
    this.#port = options.port;
    this.#sendsms = `http://127.0.0.1:${options.kannelPort}/cgi-bin/sendsms`;
    this.#retryAfterSec = options.retryAfterSec;
    this.#server = new LoopbackServer(options.port, (request, response) => void this.#serve(request, response));
  }

  /** Settings with which a service sends through this adapter. */
  get settings(): Record<string, string> {
    return {
      CARRIER: "http",
      CARRIER_HTTP_URL: `http://127.0.0.1:${this.#port}/messages`,
      CARRIER_HTTP_SECRET: this.secret,
    };
  }

  listen(): Promise<void> {
    return this.#server.listen();
  }

  async close(): Promise<void> {
    await this.#server.close();
    this.#agent.destroy();
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://adapter.test");
    if (pathname === "/report") {
      response.end();
      await this.#report(searchParams.get("ref") ?? "", searchParams.get("type") ?? "");
      return;
    }
    const body = await textOf(request).catch(() => null);
    if (body === null) return;
    const submission = JSON.parse(body) as Submission;
    const signed = isSubmissionSigned(this.secret, request, body);
    // What Kannel cannot be asked, or answers by half, has an outcome that this adapter does not know either: 502.
    const status = signed ? await this.#pass(submission).catch(() => 502) : 401;
    const { ref, to, operation } = submission;
    this.log.push({ ref, to, operation, atMs: Date.now(), signed, status });
    const wait = status === 429 && this.#retryAfterSec !== null ? { "retry-after": String(this.#retryAfterSec) } : {};
    response.writeHead(status, { "content-type": "application/json", ...wait });
    response.end("{}");
  }

  /** Hands a message to Kannel; returns the gateway's status for the service. */
  async #pass({ ref, to, text, sender, callback_url }: Submission): Promise<number> {
    this.#callbacks.set(ref, callback_url);
    const query = new URLSearchParams({
      username: USER,
      password: PASSWORD,
      to,
      from: sender ?? "DASTAK",
      text: text ?? "",
      charset: "UTF-8",
      coding: "2",
      "dlr-mask": String(REPORTS_MASK),
      // Kannel puts the report's number in the place of %d.
      "dlr-url": `http://127.0.0.1:${this.#port}/report?ref=${ref}&type=%d`,
    });
    const { status } = await callOnce(`${this.#sendsms}?${query.toString()}`, { agent: this.#agent });
    if (status === 202) return 200;
    // Kannel says 503 while its queue is full; other refusals are for good.
    return status === 503 ? 429 : 422;
  }

  async #report(ref: string, type: string): Promise<void> {
    const state = Object.hasOwn(REPORTS, type) ? REPORTS[Number(type) as keyof typeof REPORTS] : null;
    const callback = this.#callbacks.get(ref);
    if (!state || callback === undefined) {
      this.receiptsLost += 1;
      return;
    }
    for (let tried = 0; tried < RECEIPT_TRIES; tried++) {
      const { headers, body } = signedReceipt(this.secret, { ref, state });
      const reply = await callOnce(callback, { method: "POST", headers, body, agent: this.#agent }).catch(() => null);
      if (reply?.status === 200) {
        this.receipts += 1;
        return;
      }
      await pause(RECEIPT_GAP_MS * 2 ** tried);
    }
    this.receiptsLost += 1;
  }
}
