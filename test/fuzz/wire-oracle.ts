import { STATUS_OF_CODE } from "../../src/http/errors.ts";
import type { Endpoint } from "./wire-endpoints.ts";
import type { WireReply } from "./wire-replies.ts";
import type { Plan } from "./wire-requests.ts";

// The replies that are allowed to an arbitrary request (contract §3).

/** Statuses of successful replies without JSON: recordings, pages and redirects. */
const PAGE_STATUSES: ReadonlySet<number> = new Set([101, 200, 206, 303, 304, 416, 426]);

/** Endpoints of the API that answer with a file: recordings, exports, archives, figures for Prometheus. */
const FILES = /^\/media|\/export$|^\/v1\/messages(?:\.csv)?$|\/archives\/:name$|^\/operator\/metrics$/u;

/** Endpoints whose JSON is a document of its own, and no reply of contract §3. */
const DOCUMENTS = /^\/openapi|^\/\.well-known\/|^\/desk\/carrier-set\/export$/u;

/** Endpoints whose failures have another product's shape, but where the path or the method is not theirs. */
const HOOKS = /^\/hooks\//u;

/** Whether the HTTP server itself refused the request, which then never reached the service. */
function isServersOwn({ status, headers, body }: WireReply): boolean {
  if (headers.has("x-request-id")) return false;
  if (status === 500) return body === "Internal Server Error";
  return status === 501 ? body.startsWith("ERROR: ") : status >= 400 && status < 500;
}

/** The fault of an envelope, or null. */
function envelopeFault({ status, headers, body }: WireReply): string | null {
  const reply = JSON.parse(body) as Record<string, unknown>;
  if (reply["success"] !== (status === 200)) return `success is ${String(reply["success"])}`;
  if (status === 200) return null;
  const { error, code, request_id: requestId } = reply;
  if (typeof error !== "string" || error === "" || typeof code !== "string") return "no error or no code";
  if ((STATUS_OF_CODE as Record<string, number>)[code] !== status) return `${code} under ${status}`;
  return requestId === headers.get("x-request-id") ? null : "another request's id";
}

/** The fault of a reply to a JSON-RPC message (contract §15), or null. */
function rpcFault({ status, body }: WireReply): string | null {
  if (status === 202) return body === "" ? null : "a notification is answered";
  const { jsonrpc, id, result, error, ...more } = JSON.parse(body) as Record<string, unknown>;
  const isId = id === null || typeof id === "string" || typeof id === "number";
  if (jsonrpc !== "2.0" || !isId || Object.keys(more).length > 0) return "no message of JSON-RPC";
  if ((result === undefined) === (error === undefined)) return "not one of result and error";
  if (result !== undefined) return status === 200 ? null : `a result with status ${status}`;
  const { code, message } = error as Record<string, unknown>;
  const isSaid = Number.isInteger(code) && typeof message === "string" && message !== "";
  if (!isSaid) return "an error without code or message";
  return [200, 400, 404].includes(status) ? null : `an error with status ${status}`;
}

/** The fault of a reply in Supabase's shape, or null: what a person may read comes with 200. */
function hookFault({ status, body }: WireReply): string | null {
  const { error, ...rest } = JSON.parse(body) as { error?: { http_code?: unknown; message?: unknown } };
  if (Object.keys(rest).length > 0) return "a field beside error";
  if (error === undefined) return status === 200 ? null : `nothing is said of status ${status}`;
  const { http_code: code, message } = error;
  const isRight = typeof code === "number" && code >= 400 && (status === code || (status === 200 && code < 500));
  return isRight && typeof message === "string" && message !== "" ? null : `${String(code)} under ${status}`;
}

/** Endpoints in Twilio's form, whose failures have another envelope. */
const TWILIO = /^\/2010-04-01\//u;

function twilioFault(reply: WireReply): string | null {
  const { status, body } = reply;
  if (status === 200 || status === 201) return null;
  const { code, message, more_info: more, status: told } = JSON.parse(body) as Record<string, unknown>;
  // What is refused before its address is looked at.
  if (typeof code === "string") return envelopeFault(reply);
  if (typeof code !== "number" || typeof message !== "string" || message === "") return "no code or no message";
  return told === status && typeof more === "string" ? null : "another status, or no more_info";
}

/** The fault of a reply, or null. */
export function faultOf(endpoint: Endpoint, plan: Plan, reply: WireReply): string | null {
  const { status, headers, body } = reply;
  // The HTTP server itself refuses a broken head. An exception in the service gives another status (wire-target.ts).
  if (!headers.has("x-request-id") && status !== 101) {
    const mayRefuse = plan.fault !== null || plan.sending.how === "broken off" || plan.sending.how === "too long";
    return mayRefuse && isServersOwn(reply) ? null : "a reply that is not the service's";
  }
  if (status >= 500) return `status ${status}`;
  if (DOCUMENTS.test(endpoint.path) && status === 200) return null;
  if (HOOKS.test(endpoint.path) && !body.includes('"success"')) return body === "" ? null : hookFault(reply);
  if (endpoint.path === "/mcp" && (status === 202 || body.startsWith('{"jsonrpc"'))) return rpcFault(reply);
  if (headers.get("content-type")?.startsWith("application/json")) {
    if (body === "") return null;
    return TWILIO.test(endpoint.path) ? twilioFault(reply) : envelopeFault(reply);
  }
  if (body === "" || !endpoint.isApi) return PAGE_STATUSES.has(status) || status >= 400 ? null : `status ${status}`;
  // For an unknown path on the console host, a browser gets a page.
  if (endpoint.base === "console" && status === 404 && plan.accept === "text/html") return null;
  return FILES.test(endpoint.path) && PAGE_STATUSES.has(status) ? null : "no envelope";
}
