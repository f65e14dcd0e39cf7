// The client of the benchmarks that count or need many accounts: one connection pool per service, with the Host header
// that selects the base, and accounts opened several at once.
import http from "node:http";
import { HOSTS, OPERATOR_TOKEN } from "./service.mjs";

const CONNECTIONS = 32;

const bearer = (key) => ({ authorization: `Bearer ${key}` });

/** Sends requests to a local service; a JSON reply is parsed. */
export class Client {
  #agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });

  constructor(port) {
    this.port = port;
  }

  /** Sends a request, and repeats it once if the runtime closed the connection before it read anything. */
  async ask(host, path, options) {
    try {
      return await this.#askOnce(this.#agent, host, path, options);
    } catch (problem) {
      if (!problem.unread) throw problem;
      return this.#askOnce(false, host, path, options);
    }
  }

  #askOnce(agent, host, path, { method, headers = {}, body } = {}) {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const options = {
      agent,
      host: "127.0.0.1",
      port: this.port,
      path,
      method: method ?? (text === undefined ? "GET" : "POST"),
      headers: { host, ...(text !== undefined && { "content-type": "application/json" }), ...headers },
    };
    return new Promise((resolve, reject) => {
      const request = http.request(options, (reply) => {
        const chunks = [];
        reply.on("data", (chunk) => chunks.push(chunk));
        reply.on("error", reject);
        reply.once("end", () => {
          const said = Buffer.concat(chunks).toString();
          const isJson = reply.headers["content-type"]?.startsWith("application/json");
          resolve({ status: reply.statusCode, headers: reply.headers, body: isJson ? JSON.parse(said) : said });
        });
      });
      request.on("error", (problem) => {
        reject(Object.assign(problem, { unread: request.reusedSocket && problem.code === "ECONNRESET" }));
      });
      request.end(text);
    });
  }

  /** Sends a request as the operator; throws on any status but 200. */
  async operate(path, options = {}) {
    const reply = await this.ask(HOSTS.console, path, { ...options, headers: bearer(OPERATOR_TOKEN) });
    if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  }

  /** Sends a request with a customer's key. */
  askAs(key, host, path, options = {}) {
    return this.ask(host, path, { ...options, headers: { ...bearer(key), ...options.headers } });
  }

  close() {
    this.#agent.destroy();
  }
}

/** Runs `work(0)` to `work(count - 1)`, several at once, and returns their results. */
export async function inParallel(count, work, atOnce = CONNECTIONS) {
  const results = Array.from({ length: count });
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const at = next++;
      results[at] = await work(at);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker));
  return results;
}

/** Opens accounts with more coins than a benchmark spends; returns `{account_id, api_key, test_key}` of each. */
export function openAccounts(client, count, { plan = "premium", balance = 1e6 } = {}) {
  return inParallel(count, () => client.operate("/operator/accounts", { body: { name: "Bench", plan, balance } }));
}

/** A phone number for each `at`; the first million are distinct. */
export const phoneOf = (at) => `9876${String(at % 1e6).padStart(6, "0")}`;

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
