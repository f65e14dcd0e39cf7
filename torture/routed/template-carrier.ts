import type http from "node:http";
import { LoopbackServer, textOf } from "../../harness/loopback.ts";
import type { Log } from "../log.ts";
import { between, oneOf } from "../random.ts";
import type { ReceiptSettings } from "../receipts.ts";
import { statusOf } from "../signed-receipts.ts";
import { Desk } from "./desk.ts";
import type { DeskSettings, Taken, Verdict } from "./desk.ts";

// A carrier over HTTP that is set up by configuration alone: it has ids of its own, words of its own, and says no in its
// bodies as well as by its statuses.

export const TEMPLATE_TOKEN = "token-of-the-template-carrier";

/** How the operator sets it up (contract-carriers §16.3). */
export const templateSetup = (port: number, tps: number) => ({
  kind: "template",
  tps,
  settings: {
    url: `http://127.0.0.1:${port}/messages`,
    headers: { authorization: "Bearer {secret.token}" },
    body: { number: "{to}", words: "{text}", reference: "{ref}", what: "{operation}" },
    busy: [{ status: [429, 503] }, { status: 200, json: { result: "BUSY" } }],
    rejected: [{ status: [400, 404, 422] }, { status: 200, json: { result: "REFUSED" } }],
    accepted: [{ status: 200, json: { result: "TAKEN" } }],
    id: { json: "message.id" },
    receipt: {
      id: "message",
      state: "status",
      states: { SENT: "submitted", DELIVERED: "delivered", EXPIRED: "undelivered", FAILED: "failed" },
    },
  },
  secrets: { token: TEMPLATE_TOKEN },
});

const WORDS = { submitted: "sent", delivered: "DELIVERED", undelivered: "Expired", failed: "FAILED" };

/** How it posts a receipt: as a form, to the address whose token proves it. */
export const postForm =
  (callbackUrl: () => string, agent: http.Agent): ReceiptSettings<Taken>["post"] =>
  ({ id }, { state, fault }) => {
    const url = fault === "forged" ? `${callbackUrl().slice(0, -4)}AAAA` : callbackUrl();
    const message = fault === "unknown_ref" ? `${id}-none` : id;
    const body = new URLSearchParams({ message, status: fault === "no_state" ? "PERHAPS" : WORDS[state] });
    return statusOf(url, { "content-type": "application/x-www-form-urlencoded" }, body.toString(), agent);
  };

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export interface TemplateCarrierSettings extends Omit<DeskSettings, "failsCertainly" | "saysWhen"> {
  port: number;
  /** Answers later than this are too late for the service. */
  timeoutMs: number;
}

export class TemplateCarrier {
  readonly desk: Desk;
  readonly #timeoutMs: number;
  readonly #log: Log;
  readonly #server: LoopbackServer;

  constructor(settings: TemplateCarrierSettings) {
    this.desk = new Desk({ ...settings, failsCertainly: false, saysWhen: true });
    this.#log = settings.log;
    this.#timeoutMs = settings.timeoutMs;
    this.#server = new LoopbackServer(settings.port, (request, response) => {
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

  async #take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = JSON.parse(await textOf(request)) as Record<string, string>;
    const { number: to = "", words: text = "", reference: ref = "", what: operation = "" } = body;
    if (request.url !== "/messages") this.#log.append({ t: "astray", carrier: String(request.url), to });
    const signed = request.headers.authorization === `Bearer ${TEMPLATE_TOKEN}`;
    const verdict = this.desk.take({ ref, to, operation, text, signed });
    await this.#answer(verdict, request, response);
    this.desk.answered(verdict);
  }

  async #answer(verdict: Verdict, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { decision, random, notNow, taken } = verdict;
    const answer = (status: number, body: object, retryAfterSec: number | null = null) => {
      const headers = retryAfterSec === null ? {} : { "retry-after": String(retryAfterSec) };
      return new Promise<void>((resolve, reject) => {
        response.once("close", () => (response.writableFinished ? resolve() : reject(new Error("nobody heard it"))));
        response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
      });
    };
    const took = () => answer(200, { result: "TAKEN", message: { id: taken.id } });
    switch (decision) {
      case "accepts":
        return took();
      case "accepts_slowly":
        await pause(between(random, 200, 900));
        return took();
      case "rejects":
        return random() < 0.5
          ? answer(200, { result: "REFUSED" })
          : answer(oneOf(random, [400, 404, 422]), { result: "REFUSED" });
      case "busy":
        return random() < 0.5 ? answer(200, { result: "BUSY" }) : answer(oneOf(random, [429, 503]), {});
      case "limits":
        return answer(notNow?.status ?? 429, {}, notNow?.retryAfterSec ?? null);
      case "no_credit":
        return answer(402, {});
      case "hangs":
        return;
      case "cuts":
        request.socket.resetAndDestroy();
        return;
      case "fails":
        return answer(oneOf(random, [500, 502, 504]), {});
      case "answers_late":
        await pause(this.#timeoutMs + 700);
        return took();
    }
  }
}
