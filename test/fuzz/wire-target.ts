import http from "node:http";
import path from "node:path";
import { closeSync, openSync, readSync } from "node:fs";
import { HOSTS, OPERATOR_TOKEN, VARIABLES, bundleService, startService } from "../../harness/service.mjs";
import { demoAccountId, demoKeys, openDemo } from "../../src/accounts/open.ts";
import { signedHeaders } from "../../src/crypto/webhook-signature.ts";
import { mp3 } from "../world/recordings.ts";
import { units } from "../../harness/books.ts";
import { callOnce, until } from "../../harness/http.ts";
import type { Body, Reply } from "../../harness/http.ts";
import { freePort, freshDirectory } from "../../harness/program.ts";
import { CARRIER_SECRET, CONFIG, PAYMENTS_SECRET, SETTINGS } from "./wire-settings.ts";
import type { BaseName, Endpoint } from "./wire-endpoints.ts";
import type { Sender } from "./wire-requests.ts";

// The target of the fuzzer over the wire: the deployable bundle under workerd, with nothing between it and the socket.

/** Status after an exception in the service; the runtime's own one would look like the HTTP server's refusals. */
export const THROWN = 599;

const AROUND = `
  import service from "./dastak.js";
  export * from "./dastak.js";
  export default {
    ...service,
    fetch: async (request, env, ctx) => {
      try {
        return await service.fetch(request, env, ctx);
      } catch (problem) {
        return new Response("thrown: " + problem, { status: ${THROWN} });
      }
    },
  };`;

const OPENING_COINS = 100_000;
/** The limit is 200 requests per minute and customer; a case with its checks makes at most 5. */
const CASES_PER_CUSTOMER = 30;

export interface Customer {
  id: string;
  apiKey: string;
  testKey: string;
  /** Id of a recording of this account. */
  file: string;
  /** Units charged by replies with 200. */
  spent: number;
}

/** Ids of things that exist, by the names that endpoints use in braces. */
export type Known = Record<string, string>;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** The service's log; `read()` returns what was added since the last call. */
export interface Log {
  read(): string;
  close(): void;
}

/** A log in a file. */
class LogFile implements Log {
  readonly #file: number;
  readonly #buffer = Buffer.alloc(65_536);

  constructor(file: string) {
    this.#file = openSync(file, "r");
  }

  read(): string {
    let text = "";
    for (;;) {
      const count = readSync(this.#file, this.#buffer);
      if (count === 0) return text;
      text += this.#buffer.toString("latin1", 0, count);
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}

export class Target {
  readonly port: number;
  readonly customers: Customer[] = [];
  known: Known = {};
  readonly #log: Log;
  #unread = "";
  #cases = 0;
  #current: Promise<Customer> | undefined;
  readonly #stop: () => Promise<void>;
  readonly #agent = new http.Agent({ keepAlive: true });
  #cookies = "";

  constructor(port: number, log: Log, stop: () => Promise<void>) {
    this.port = port;
    this.#log = log;
    this.#stop = stop;
  }

  /** Log lines about faults of the service since the last call. */
  newFaults(): string[] {
    // The runtime logs each line as a string inside a line of its own.
    const lines = (this.#unread + this.#log.read().replaceAll('\\"', '"')).split("\n");
    this.#unread = lines.pop() ?? "";
    return lines.filter((line) => /"event":"problem"|"status":5\d\d/u.test(line));
  }

  ask(base: BaseName, at: string, { headers = {}, ...rest }: Parameters<typeof callOnce>[1] = {}): Promise<Reply> {
    const all = { headers: { host: HOSTS[base], ...headers }, agent: this.#agent, ...rest };
    return callOnce(`http://127.0.0.1:${this.port}${at}`, all);
  }

  async operator(method: string, at: string, body?: object): Promise<Body> {
    const asked = { method, headers: bearer(OPERATOR_TOKEN), ...(body && { body }) };
    const reply = await this.ask("console", `/operator${at}`, asked);
    if (reply.status !== 200) throw new Error(`${method} ${at}: ${reply.status} ${reply.bytes.toString()}`);
    return reply.body;
  }

  async open(name: string): Promise<Customer> {
    const opened = await this.operator("POST", "/accounts", { name, plan: "premium", balance: OPENING_COINS });
    const { account_id: id = "", api_key: apiKey = "", test_key: testKey = "" } = opened;
    return this.adopt(id, apiKey, testKey);
  }

  /** The demo customer, whose account is open, with the coins and the rate limit that the fuzzer needs. */
  async adoptDemo(): Promise<Customer> {
    const id = demoAccountId(CONFIG);
    const { balance = 0 } = await this.operator("PATCH", `/accounts/${id}`, { plan: "premium" });
    await this.operator("POST", `/accounts/${id}/credits`, { amount: OPENING_COINS - balance, reference: "fuzzer" });
    const { apiKey, testKey } = demoKeys(CONFIG);
    return this.adopt(id, apiKey, testKey);
  }

  /** A customer for an existing account; uploads a recording for it. */
  async adopt(id: string, apiKey: string, testKey: string): Promise<Customer> {
    return { id, apiKey, testKey, file: await this.#upload(apiKey), spent: 0 };
  }

  async #upload(apiKey: string): Promise<string> {
    const body = { fileName: "a.mp3", base64Data: Buffer.from(mp3(1)).toString("base64") };
    const headers = { "x-api-key": apiKey };
    const reply = await this.ask("voice", "/api/upload-voice", { method: "POST", headers, body });
    return reply.body.fileId ?? "";
  }

  /** A customer whose rate limit admits another case. */
  customer(): Promise<Customer> {
    if (!this.#current || this.#cases % CASES_PER_CUSTOMER === 0) this.#current = this.#next();
    this.#cases += 1;
    return this.#current;
  }

  async #next(): Promise<Customer> {
    const fresh = await this.open("Fuzzed");
    this.customers.push(fresh);
    return fresh;
  }

  /** The balance of an account in units. */
  async balanceOf(id: string): Promise<number> {
    return units((await this.operator("GET", `/accounts/${id}`)).balance ?? Number.NaN);
  }

  /** The balance that a customer must have by its replies with 200. */
  due(customer: Customer): number {
    return units(OPENING_COINS) - customer.spent;
  }

  async send(customer: Customer): Promise<Reply> {
    const body = { phone: "9876543210", message: "Are you there?" };
    const reply = await this.ask("sms", "/send-sms", { method: "POST", headers: bearer(customer.apiKey), body });
    customer.spent += units(reply.body.coins_used ?? 0);
    return reply;
  }

  async #session(at: string, body: string): Promise<string[]> {
    const origin = `http://${HOSTS.console}`;
    const headers = { origin, "content-type": "application/x-www-form-urlencoded", accept: "text/html" };
    const reply = await this.ask("console", at, { method: "POST", headers, body });
    return (reply.headers["set-cookie"] ?? []).map((cookie) => cookie.split(";")[0] ?? "");
  }

  /** Signs the demo customer and the operator in; a form may have signed them out. */
  async signIn(): Promise<void> {
    const customer = await this.#session("/sign-in/demo", "");
    const operator = await this.#session("/desk/sign-in", `token=${OPERATOR_TOKEN}`);
    this.#cookies = [...customer, ...operator].join("; ");
  }

  /** The header fields with the client's credentials, or with the body's signature. */
  fieldsOf(endpoint: Endpoint, customer: Customer, sender: Sender, body: Buffer): string[] {
    const from = `Origin: http://${HOSTS.console}`;
    if (sender === "nobody") return endpoint.isApi ? [] : [from];
    const forge = (text: string) => (sender === "forger" ? `${text.slice(0, -1)}x` : text);
    const { hookSecret = "" } = this.known;
    const signature = { carrier: CARRIER_SECRET, payments: PAYMENTS_SECRET, supabase: hookSecret };
    if (endpoint.signed) {
      const signed = signedHeaders(forge(signature[endpoint.signed]), "evt_1", body.toString(), Date.now());
      return Object.entries(signed).map(([name, value]) => `${name}: ${value}`);
    }
    if (!endpoint.isApi) {
      const socket = ["Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"];
      const upgrade = endpoint.socket ? ["Connection: Upgrade", ...socket] : [];
      return [`Cookie: ${forge(this.#cookies)}`, from, ...upgrade];
    }
    if (endpoint.path.startsWith("/operator")) return [`Authorization: Bearer ${forge(OPERATOR_TOKEN)}`];
    const isTwilio = endpoint.path.startsWith("/2010-04-01");
    const isTest = isTwilio || endpoint.path.startsWith("/v1/test");
    const key = forge(isTest ? (this.known["testKey"] ?? "") : customer.apiKey);
    if (isTwilio) return [`Authorization: Basic ${btoa(`AC1:${key}`)}`];
    return [`Authorization: Bearer ${key}`, `X-Api-Key: ${key}`];
  }

  /** Restores the default prices, which a fuzzed request may have changed. */
  async resetPrices(): Promise<void> {
    await this.operator("PUT", "/rate-card", {});
    await this.operator("PUT", "/number-rules", {});
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    this.#log.close();
    await this.#stop();
  }

  /** Creates one thing of every kind, so that requests can name it; `demo` is the account of the demo customer. */
  async makeKnown(demo: Customer): Promise<void> {
    const toy = await this.open("Toy");
    await this.signIn();
    const file = await this.#upload(demo.testKey);
    await this.ask("voice", "/api/make-voice-call", {
      method: "POST",
      headers: { "x-api-key": demo.testKey },
      body: { callee: "919876543210", fileId: file },
    });
    const caught = await until("a call is in the inbox", async () => {
      const { body } = await this.ask("console", "/v1/test/inbox", { headers: bearer(demo.testKey) });
      return (body.data?.[0] as { id: string; audio_url: string } | undefined) ?? null;
    });
    const origin = `http://${HOSTS.console}`;
    const order = await this.ask("console", "/billing/orders", {
      method: "POST",
      headers: {
        origin,
        cookie: this.#cookies,
        "content-type": "application/x-www-form-urlencoded",
        accept: "text/html",
      },
      body: "plan=business",
    });
    const page = await this.ask("console", "/", { headers: { cookie: this.#cookies, accept: "text/html" } });
    const { data = [] } = await this.operator("GET", `/accounts/${toy.id}/keys`);
    const asked = { method: "POST", headers: bearer(demo.testKey), body: { kind: "supabase" } };
    const made = (await this.ask("console", "/v1/hooks", asked)).body as { hook?: { url: string }; secret?: string };
    this.known = {
      sid: "AC1",
      id: toy.id,
      demo: demo.id,
      keyId: (data[0] as { key_id: string }).key_id,
      testKey: demo.testKey,
      file: demo.file,
      message: caught.id,
      inboxId: caught.id,
      token: path.basename(caught.audio_url),
      operatorToken: OPERATOR_TOKEN,
      order: /ord_\w+/u.exec(order.headers.location ?? "")?.[0] ?? "",
      name: /assets\/([\w.-]+\.js)/u.exec(page.bytes.toString())?.[1] ?? "",
      carrier: "http",
      provider: "sandbox",
      hook: path.basename(made.hook?.url ?? ""),
      hookSecret: made.secret?.replace("v1,", "") ?? "",
      kind: "sms",
      step: "code",
      note: "C26-27-1",
    };
    const unknown = Object.entries(this.known).filter(([, value]) => value === "");
    if (unknown.length > 0) throw new Error(`nothing is known of ${unknown.map(([name]) => name).join(", ")}`);
  }
}

/** Starts the deployable bundle; its settings are those of a local service, and each base has its own host. */
export async function startTarget(): Promise<Target> {
  const stateDir = freshDirectory();
  const port = await freePort();
  const { stop, miniflare } = await startService({
    port,
    stateDir,
    bundle: await bundleService(),
    around: AROUND,
    variables: SETTINGS,
  });
  const target = new Target(port, new LogFile(path.join(stateDir, "log")), stop);
  // The bundle opens no demo account; only a local service does.
  const ACCOUNT = await miniflare.getDurableObjectNamespace("ACCOUNT");
  await openDemo({ ...VARIABLES, ...SETTINGS, ACCOUNT } as unknown as Env, CONFIG);
  await target.makeKnown(await target.adoptDemo());
  return target;
}
