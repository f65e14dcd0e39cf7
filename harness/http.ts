import http from "node:http";

// The HTTP client of the tests. It uses node:http because fetch replaces a Host header.

/** All fields of replies that the tests read. */
export interface Body {
  success?: boolean;
  message?: string;
  error?: string;
  code?: string;
  coins_used?: number;
  coins_remaining?: number;
  balance?: number;
  account_id?: string;
  api_key?: string;
  test_key?: string;
  fileId?: string;
  callId?: string;
  details?: { otp_sent: string; new_balance: number };
  differences?: unknown[];
  has_more?: boolean;
  next?: string | null;
  data?: unknown[];
}

export interface Reply {
  status: number;
  headers: http.IncomingHttpHeaders;
  bytes: Buffer;
  body: Body;
}

export interface Call {
  method?: string;
  headers?: Record<string, string>;
  body?: string | object;
  /** Keeps connections; without it Node's own does, and `false` opens one for this request alone. */
  agent?: http.Agent | false;
}

function parse(bytes: Buffer): Body {
  try {
    return JSON.parse(bytes.toString()) as Body;
  } catch {
    return {};
  }
}

/** Whether a kept connection was closed under a request, of whose reply nothing came. */
class ClosedUnderIt extends Error {}

/** What broke before a reply began. */
function brokenBy(problem: NodeJS.ErrnoException, request: http.ClientRequest): Error {
  const { code = "", message } = problem;
  const isClosed = request.reusedSocket && (code === "ECONNRESET" || code === "EPIPE");
  return isClosed ? Object.assign(new ClosedUnderIt(message, { cause: problem }), { code }) : problem;
}

/**
 * Sends a request once, over a connection that `agent` may have kept, and reads its whole reply; throws if the connection
 * breaks, because the outcome is then unknown.
 */
export function callOnce(url: string, { method = "GET", headers = {}, body, agent }: Call = {}): Promise<Reply> {
  const text = typeof body === "object" ? JSON.stringify(body) : body;
  const type = text === undefined ? {} : { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const options = { method, headers: { ...type, ...headers }, ...(agent !== undefined && { agent }) };
    const request = http.request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        const bytes = Buffer.concat(chunks);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, body: parse(bytes) });
      });
    });
    request.once("error", (problem) => reject(brokenBy(problem, request)));
    request.end(text);
  });
}

/** Whether a request may be made twice: it changes nothing, or the service knows its key. */
const isRepeatable = ({ method = "GET", headers = {} }: Call) =>
  method === "GET" || method === "HEAD" || Object.keys(headers).some((name) => /^idempotency-key$/iu.test(name));

/**
 * Sends a request and reads its whole reply; throws if the connection breaks, because the outcome is then unknown. A
 * service may close a kept connection for having been idle while a request is on its way on it (RFC 9112 §9.5), on a busy
 * machine at any time. So a request that may be repeated is then repeated, once, and every other one has a connection of
 * its own.
 */
export async function call(url: string, options: Call = {}): Promise<Reply> {
  if (!isRepeatable(options)) return callOnce(url, { ...options, agent: false });
  try {
    return await callOnce(url, options);
  } catch (problem) {
    if (!(problem instanceof ClosedUnderIt)) throw problem;
    return callOnce(url, { ...options, agent: false });
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Polls until the result is neither null nor false; throws with the last observation after the deadline. */
export async function until<T>(
  what: string,
  ask: () => T | null | false | Promise<T | null | false>,
  { withinMs = 30_000, everyMs = 50, sight }: { withinMs?: number; everyMs?: number; sight?: () => unknown } = {},
): Promise<T> {
  const giveUpAt = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== false) return answer;
    if (Date.now() >= giveUpAt) {
      const seen = sight ? ` Last seen: ${JSON.stringify(await sight())}` : "";
      throw new Error(`Waited ${withinMs} ms in vain: ${what}.${seen}`);
    }
    await pause(everyMs);
  }
}
