import { readFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { onTestFinished } from "vitest";
import { freePort, freshDirectory } from "../../../harness/program.ts";
import { call } from "../../../harness/http.ts";
import { HOSTS, OPERATOR_TOKEN, bundleService, startService } from "../../../harness/service.mjs";
import type { Outcome } from "../../../src/model/message.ts";
import type { SmppBindStanding, SmppSubmitted } from "../../../src/smpp/answers.ts";
import { SMPP_SETTINGS } from "../../../src/smpp/settings.ts";
import type { SmppMessage } from "../../../src/smpp/submission.ts";

// The service with a bind to a centre that others wrote. Its messages are stored by the service's own API, over a gateway
// that takes everything, and then submitted over SMPP, whose receipts find them: the bind has the gateway's name, so that
// its receipts are those of the carrier that was given the messages.

/** The bind of the tests. */
export const BIND = "http:1";

export type Answer<T> = { value: T } | { broken: string };

let bundle: Promise<string> | undefined;

const AROUND = readFileSync(path.join(import.meta.dirname, "around-smpp.mjs"), "utf8");

/** A gateway that takes everything; returns its address. */
async function startGateway(): Promise<string> {
  const server = http.createServer((request, response) => {
    request.resume().once("end", () => response.setHeader("content-type", "application/json").end("{}"));
  });
  const port = await freePort();
  await new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${port}/messages`;
}

export class SmppService {
  readonly #state = freshDirectory();
  #port = 0;
  #gateway = "";
  #running: {
    miniflare: { unsafeEvictDurableObject: (...asked: unknown[]) => Promise<unknown> };
    stop: () => Promise<void>;
  } | null = null;
  #apiKey = "";
  #account = "";

  async start(): Promise<void> {
    this.#port = await freePort();
    this.#gateway ||= await startGateway();
    bundle ??= bundleService();
    const variables = {
      CARRIER: "http",
      // A deployed service wants an https address for its gateway.
      ENVIRONMENT: "local",
      CARRIER_HTTP_URL: this.#gateway,
      CARRIER_HTTP_SECRET: "whsec_bG9jYWwtb25seS1nYXRld2F5LXNlY3JldC0wMDAwMDA=",
      SMS_URL: `http://${HOSTS.sms}`,
      TTS_URL: `http://${HOSTS.tts}`,
      VOICE_URL: `http://${HOSTS.voice}`,
      OTP_URL: `http://${HOSTS.otp}`,
      CONSOLE_URL: `http://${HOSTS.console}`,
    };
    const options = { port: this.#port, stateDir: this.#state, bundle: await bundle, variables, around: AROUND };
    this.#running = (await startService(options)) as unknown as NonNullable<typeof this.running>;
  }

  get running() {
    return this.#running;
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
    this.#running = null;
  }

  /** Kills the runtime with SIGKILL, as a crash of the machine does; it is started again by itself, on the same state. */
  kill(): void {
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ");
    const runtimes = children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("workerd"));
    if (runtimes.length !== 1) throw new Error(`${runtimes.length} runtimes, not one`);
    process.kill(Number(runtimes[0]), "SIGKILL");
  }

  /** Evicts the object of a bind, as the platform does: its connection ends with it. */
  async evict(name: string): Promise<void> {
    await this.#running?.miniflare.unsafeEvictDurableObject("dastak", "SmppBind", { name });
  }

  /** Calls a method of a bind's object. */
  async ask<T>(name: string, method: string, ...args: unknown[]): Promise<Answer<T>> {
    const headers = { host: HOSTS.console };
    const { body } = await call(`http://127.0.0.1:${this.#port}/__smpp`, {
      method: "POST",
      headers,
      body: { name, method, args },
    });
    return body as unknown as Answer<T>;
  }

  /** Sets a bind up; resolves when it is bound. */
  async bind(name: string, settings: object, password = "secret"): Promise<void> {
    const whole = SMPP_SETTINGS.parse({ host: "127.0.0.1", system_id: "acme", ...settings });
    await this.ask(name, "configure", { settings: whole, password }, Date.now());
    await eventually(async () => (await this.standing(name))?.state === "bound");
  }

  async standing(name: string): Promise<SmppBindStanding | undefined> {
    const answer = await this.ask<SmppBindStanding[]>(name, "standing");
    return "value" in answer ? answer.value[0] : undefined;
  }

  /** Submits a message over a bind; a call that broke off is unknown, as it is for the carrier. */
  async submit(name: string, message: SmppMessage, waitMs = 5_000): Promise<Outcome> {
    const answer = await this.ask<SmppSubmitted>(name, "submit", message, waitMs);
    return "value" in answer ? answer.value.outcome : { kind: "unknown", code: "connection_broken" };
  }

  /** Orders a message of the service; returns its reference. */
  async order(): Promise<string> {
    if (this.#apiKey === "") {
      const headers = { host: HOSTS.console, authorization: `Bearer ${OPERATOR_TOKEN}` };
      const opened = await call(`http://127.0.0.1:${this.#port}/operator/accounts`, {
        method: "POST",
        headers,
        body: { name: "Test", plan: "premium", balance: 1_000 },
      });
      this.#apiKey = opened.body.api_key ?? "";
      this.#account = opened.body.account_id ?? "";
    }
    const headers = { host: HOSTS.sms, authorization: `Bearer ${this.#apiKey}` };
    const sent = await call(`http://127.0.0.1:${this.#port}/send-sms`, {
      method: "POST",
      headers,
      body: { phone: "9876543210", message: "Hello" },
    });
    return String(sent.headers["x-message-id"]);
  }

  /** The states of the account's messages, by reference. */
  async states(): Promise<Map<string, string>> {
    const headers = { host: HOSTS.console, authorization: `Bearer ${OPERATOR_TOKEN}` };
    const at = `http://127.0.0.1:${this.#port}/operator/accounts/${this.#account}/messages?limit=500`;
    const { body } = await call(at, { headers });
    return new Map((body.data as { message_id: string; state: string }[]).map((one) => [one.message_id, one.state]));
  }
}

/** Waits until it holds; the test ends by its own timeout. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** A service that ends with its test. */
export async function startSmppService(): Promise<SmppService> {
  const service = new SmppService();
  await service.start();
  onTestFinished(() => service.stop());
  return service;
}
