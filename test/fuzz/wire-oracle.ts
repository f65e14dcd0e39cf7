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
const DOCUMENTS = /^\/openapi|^\/\.well-known\//u;

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
  if (headers.get("content-type")?.startsWith("application/json")) return body === "" ? null : envelopeFault(reply);
  if (body === "" || !endpoint.isApi) return PAGE_STATUSES.has(status) || status >= 400 ? null : `status ${status}`;
  // For an unknown path on the console host, a browser gets a page.
  if (endpoint.base === "console" && status === 404 && plan.accept === "text/html") return null;
  return FILES.test(endpoint.path) && PAGE_STATUSES.has(status) ? null : "no envelope";
}
