import { randomBytes } from "node:crypto";
import type http from "node:http";
import { isSigned, signedHeaders } from "../src/crypto/webhook-signature.ts";
import { call } from "./http.ts";
import { LoopbackServer, textOf } from "./loopback.ts";
import { freePort } from "./program.ts";

// A deployment's own gateway (contract §11): it takes signed JSON and sends signed receipts.

/** The gateway's reaction to one submission. */
export type Answer =
  | { does: "answer"; status: number; headers?: Record<string, string>; afterMs?: number }
  | { does: "hang" }
  | { does: "reset" };

export const ACCEPT: Answer = { does: "answer", status: 200 };
export const REJECT: Answer = { does: "answer", status: 422 };
export const BUSY: Answer = { does: "answer", status: 503 };
export const HANG: Answer = { does: "hang" };
export const RESET: Answer = { does: "reset" };

/** The JSON of a submission. */
export interface Submission {
  ref: string;
  operation: string;
  to: string;
  text?: string;
  sender?: string;
  flash?: boolean;
  audio_url?: string;
  callback_url: string;
}

export interface Taken extends Submission {
  answer: Answer;
  /** Whether the signature is valid, with the right id and time. */
  signed: boolean;
}

type ReceiptState = "submitted" | "delivered" | "undelivered" | "failed";

/** The signed headers and the body of a receipt. */
export function signedReceipt(
  secret: string,
  receipt: { ref: string; state: ReceiptState; code?: string },
  nowMs: number = Date.now(),
): { headers: Record<string, string>; body: string } {
  const body = JSON.stringify(receipt);
  const id = `receipt_${randomBytes(8).toString("hex")}`;
  return { headers: signedHeaders(secret, id, body, nowMs), body };
}

/** Whether a submission's signature is valid by one of these clocks, and its id equals the ref in its body. */
export function isSubmissionSigned(
  secret: string,
  request: http.IncomingMessage,
  body: string,
  timesMs: number[] = [Date.now()],
): boolean {
  const headers = new Headers(request.headers as Record<string, string>);
  const { ref } = JSON.parse(body) as Submission;
  return headers.get("webhook-id") === ref && timesMs.some((nowMs) => isSigned(secret, headers, body, nowMs));
}

export class Gateway {
  readonly secret = `whsec_${randomBytes(32).toString("base64")}`;
  readonly port: number;
  /** All submissions, in order of arrival. */
  readonly log: Taken[] = [];
  /** Decides about a submission; `before` are the earlier ones with the same ref. */
  decide: (submission: Submission, before: Taken[]) => Answer = () => ACCEPT;
  /** Called after a submission was answered with success. */
  onAccepted: (submission: Submission) => void = () => {};
  readonly #server: LoopbackServer;

  constructor(port: number) {
    this.port = port;
    this.#server = new LoopbackServer(port, (request, response) => void this.#take(request, response));
  }

  /** Settings with which a service sends through this gateway. */
  get settings(): Record<string, string> {
    return {
      CARRIER: "http",
      CARRIER_HTTP_URL: `http://127.0.0.1:${this.port}/messages`,
      CARRIER_HTTP_SECRET: this.secret,
    };
  }

  listen(): Promise<void> {
    return this.#server.listen();
  }

  /** Stops listening and closes open connections. */
  close(): Promise<void> {
    return this.#server.close();
  }

  /** The submissions for a number. */
  for(to: string): Taken[] {
    return this.log.filter((taken) => taken.to === to);
  }

  /** Sends a receipt; returns the status of the reply. */
  async receipt(of: Submission, state: ReceiptState, code?: string): Promise<number> {
    const { headers, body } = signedReceipt(this.secret, { ref: of.ref, state, ...(code !== undefined && { code }) });
    return (await call(of.callback_url, { method: "POST", headers, body })).status;
  }

  async #take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    // A client that disconnects before its body is complete has submitted nothing.
    const body = await textOf(request).catch(() => null);
    if (body === null) return;
    const submission = JSON.parse(body) as Submission;
    const before = this.log.filter(({ ref }) => ref === submission.ref);
    const answer = this.decide(submission, before);
    this.log.push({ ...submission, answer, signed: isSubmissionSigned(this.secret, request, body) });
    if (answer.does === "hang") return;
    if (answer.does === "reset") {
      request.socket.resetAndDestroy();
      return;
    }
    setTimeout(() => {
      response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
      response.end(JSON.stringify({ id: `gw-${this.log.length}` }));
      if (answer.status < 300) this.onAccepted(submission);
    }, answer.afterMs ?? 0);
  }
}

/** Starts a gateway on a free port. */
export async function startGateway(): Promise<Gateway> {
  const gateway = new Gateway(await freePort());
  await gateway.listen();
  return gateway;
}
