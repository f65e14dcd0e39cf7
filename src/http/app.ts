import { Hono } from "hono";
import type { Context, MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { routePath } from "hono/route";
import { configOf, isLogged } from "../config/config.ts";
import type { Config } from "../config/settings.ts";
import { unlistedSecretOf } from "../crypto/api-key.ts";
import type { ApiKey } from "../crypto/api-key.ts";
import { unlistedSecretOfHook } from "../crypto/hook.ts";
import { newRequestId } from "../crypto/ids.ts";
import { StrangersLog, logLine, logProblem } from "../log.ts";
import type { DltRefused } from "../model/carrier/dlt.ts";
import type { WindowView } from "../model/command.ts";
import type { Operator } from "../model/operator.ts";
import type { Person, Session } from "../model/person.ts";
import { commonHeaders, turnedAway } from "./arrival.ts";
import { FailureError, STATUS_OF_CODE } from "./errors.ts";
import type { Failure } from "./errors.ts";
import { logRefusal } from "./security.ts";
import { tell } from "./told.ts";

// What every app shares: how requests arrive, headers, request id, log line, failure envelope, 404 and 405 (contract §3).

/** The variables of a request, which middleware sets and routes read. */
interface Vars {
  requestId: string;
  /** Set once the key is verified (`authenticate`). */
  key?: ApiKey;
  /** A key or hook that no listed secret made. */
  refusedKey?: string;
  /** What a request and its repetitions have in common, on a route whose client sends no Idempotency-Key. */
  idempotencyKey?: string;
  /** The brand of the hook that the request is for. */
  brand?: string;
  failureCode?: string;
  /** The failure that the request is answered with. */
  failure?: Failure;
  /** The number of the database that has the history of the key's account; set by `accountApi`. */
  historyDb?: number | undefined;
  /** The largest body that the route takes, in bytes, where it declares one (`bodyUpTo`). */
  bodyBytesMax?: number;
  /** Whether the route takes a form in place of JSON, and whether this request has one (`formToo`). */
  formBody?: "allowed" | "given";
  /** Whether the body of the route is CSV in place of JSON (`csvBody`). */
  isCsv?: true;
  /** The signed-in person and their session; set by the console's middleware. */
  session?: Session;
  person?: Person | null;
  /** The operator; set by the middleware of the desk and of the operator API. */
  operator?: Operator;
  /** Renders failures in another shape than contract §3: as pages, or as another product's API does. */
  failureAs?: FailureAs;
  /** The origin of another party's script, if this page shows one. */
  thirdParty?: string;
  /** Finds who is signed in, for the page of an unknown address, which no page's middleware saw. */
  findPerson?: (c: Context<AppEnv>) => Promise<void>;
  /** The API's own app, for pages that send through its endpoints. */
  ownApi?: Api;
}

/** A failure in another shape, or null where this request wants that of contract §3. */
export type FailureAs = (c: Context<AppEnv>, failure: Failure) => Response | null;

export interface AppEnv {
  Bindings: Env;
  Variables: Vars;
}

export type Api = Hono<AppEnv>;

/** The configuration of the environment that serves this request. */
export function settings(c: Context<AppEnv>): Config {
  return configOf(c.env);
}

/** The key that authenticated this request; throws on a route without `authenticate`. */
export function keyOf(c: Context<AppEnv>): ApiKey {
  const key = c.get("key");
  if (!key) throw new Error("this route reads a key and has no authenticate");
  return key;
}

/** Sets the RateLimit headers of a request that passed the account's key check (contract §7). */
export function showWindow(c: Context<AppEnv>, window: WindowView | undefined): void {
  if (!window) return;
  c.header("RateLimit-Policy", `"${window.plan}";q=${window.limit};w=60`);
  c.header("RateLimit", `"${window.plan}";r=${window.remaining};t=${window.resetSec}`);
}

/** What an operator of India would say of a message, as the API has it (contract §17.2). */
export function wireDlt({ code, templateId, at, expected, found, limit, length }: DltRefused) {
  return { code, template_id: templateId, at, expected, found, limit, length };
}

/** A failure in the shape of contract §3. */
export function plainReply(c: Context<AppEnv>, { code, error, param, hint, first, dlt, next_at }: Failure): Response {
  // The page that explains the code (RFC 8288; "help" of the HTML standard), set before the reply exists.
  c.header("Link", `<${settings(c).CONSOLE_URL}/docs/errors#${code}>; rel="help"`);
  const told = {
    success: false,
    error,
    code,
    request_id: c.get("requestId"),
    param,
    hint,
    first,
    dlt: dlt && wireDlt(dlt),
    next_at,
  };
  return c.json(told, STATUS_OF_CODE[code]);
}

/** The reply to a failure, in the one shape of contract §3 or in that of its route. */
export function failureReply(c: Context<AppEnv>, failure: Failure): Response {
  tell(c.req.raw, { failure });
  c.set("failureCode", failure.code);
  c.set("failure", failure);
  for (const [name, value] of Object.entries(failure.headers ?? {})) c.header(name, value);
  return c.get("failureAs")?.(c, failure) ?? plainReply(c, failure);
}

/** The longest address; it bounds each part of a path and each parameter. The longest that a page makes has 7,000. */
const URL_LENGTH_MAX = 8_192;

const TOO_LONG_ADDRESS: Failure = {
  code: "invalid_request",
  error: `The address of this request is longer than ${URL_LENGTH_MAX} characters.`,
};

/** Whether D1 could not be reached; a query that D1 refuses is a bug instead. */
function isWithoutD1(problem: Error): boolean {
  const { message } = problem.cause instanceof Error ? problem.cause : problem;
  return message.startsWith("D1_ERROR") && !/constraint failed|syntax error|no such|too big|TOOBIG/u.test(message);
}

/** A release that is too old for the storage of an account: after a rollback too far (`src/durable/migrate.ts`). */
const NOT_SERVED: Failure = {
  code: "unavailable",
  error: "This account cannot be served right now, and nothing was done. Repeat the request in a few minutes.",
  headers: { "Retry-After": "60" },
};

function onError(problem: Error, c: Context<AppEnv>): Response {
  if (problem instanceof FailureError) return failureReply(c, problem.failure);
  if (problem instanceof HTTPException && problem.status === 400) {
    return failureReply(c, { code: "invalid_json", error: "The body is not valid JSON." });
  }
  logProblem(routePath(c, -1), problem);
  if ("unavailable" in problem) return failureReply(c, NOT_SERVED);
  const lost = "retryable" in problem || "overloaded" in problem || isWithoutD1(problem);
  return failureReply(
    c,
    lost
      ? {
          code: "unavailable",
          error: "The service is busy; whether this was done is unknown. Repeat it with the same Idempotency-Key.",
          headers: { "Retry-After": "1" },
        }
      : {
          code: "internal_error",
          error: "Something went wrong on our side; repeat the request with the same Idempotency-Key.",
        },
  );
}

/** The methods that have a route at this path, for 405. */
function methodsAt(app: Api, path: string): string[] {
  const methods = new Set<string>();
  for (const { method } of app.routes) {
    if (method === "ALL" || methods.has(method)) continue;
    const [handlers] = app.router.match(method, path);
    if (handlers.some(([[, route]]) => route.method === method)) methods.add(method);
  }
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].toSorted();
}

function notFound(app: Api) {
  return async (c: Context<AppEnv>): Promise<Response> => {
    const allowed = methodsAt(app, c.req.path);
    if (allowed.length === 0 || allowed.includes(c.req.method)) {
      await c.get("findPerson")?.(c);
      return failureReply(c, { code: "not_found", error: "There is nothing at this address." });
    }
    return failureReply(c, {
      code: "method_not_allowed",
      error: `This address takes ${allowed.join(", ")}.`,
      headers: { Allow: allowed.join(", ") },
    });
  };
}

/** Paths whose 2xx replies are not logged: probes, and receipts (the message records them). */
const NOT_LOGGED_WHEN_OK: ReadonlySet<string> = new Set([
  "/healthz",
  "/callbacks/:carrier",
  "/callbacks/:carrier/:token",
]);

const strangers = new StrangersLog();

/** Writes the security line of a reply that refuses a proof or a permission. */
function noteRefusal(c: Context<AppEnv>, nowMs: number): void {
  if (c.res.status < 400) return;
  const person = c.get("person");
  const { KEY_SECRET } = settings(c);
  const given = c.get("refusedKey") ?? "";
  const refused = {
    method: c.req.method,
    path: routePath(c, -1),
    status: c.res.status,
    code: c.get("failureCode"),
    actor: c.get("operator")?.name ?? person?.id,
    account: c.get("key")?.accountId ?? person?.accountId,
    requestId: c.get("requestId"),
    forPage: person !== undefined,
    unlistedSecret: () => unlistedSecretOf(KEY_SECRET, given) ?? unlistedSecretOfHook(KEY_SECRET, given),
  };
  logRefusal(KEY_SECRET, c.req.raw.headers, refused, nowMs);
}

/** What only an app with pages needs: failures as pages, and the API through which its pages send. */
export interface Pages extends Required<Pick<Vars, "failureAs" | "findPerson" | "ownApi">> {
  /** The middleware of every page, by which a route is recognised as one. */
  page: MiddlewareHandler<AppEnv>;
}

/** What an app does with a request that was answered with a failure; it never throws, and the reply waits for nothing. */
type AfterFailure = (c: Context<AppEnv>, failure: Failure | undefined, nowMs: number) => void;

/** An app with the shared middleware and no routes; `pages` is for apps that browsers visit. */
export function createApp(pages?: Pages, afterFailure?: AfterFailure): Api {
  const app: Api = new Hono<AppEnv>();
  app.use(async (c, next) => {
    const startMs = Date.now();
    c.set("requestId", newRequestId(startMs));
    if (pages) {
      c.set("failureAs", pages.failureAs);
      c.set("findPerson", pages.findPerson);
      c.set("ownApi", pages.ownApi);
    }
    const config = settings(c);
    const common = commonHeaders(config);
    // Set before the reply exists: Hono builds the reply again for each header that is set later.
    c.header("X-Request-Id", c.get("requestId"));
    for (const [name, value] of common) c.header(name, value);
    const turned = turnedAway(c, config, pages?.page);
    if (turned) c.res = "failure" in turned ? failureReply(c, turned.failure) : c.redirect(turned.location, 308);
    else if (c.req.url.length > URL_LENGTH_MAX) c.res = failureReply(c, TOO_LONG_ADDRESS);
    else await next();
    const { headers } = c.res;
    noteRefusal(c, startMs);
    // By the failure, not the status: other products want some of theirs as a 200.
    if (c.get("failure")) afterFailure?.(c, c.get("failure"), startMs);
    // The headers of a WebSocket handshake are immutable.
    if (c.res.status === 101) return;
    if (headers.get("X-Request-Id") !== c.get("requestId")) c.header("X-Request-Id", c.get("requestId"));
    for (const [name, value] of common) if (!headers.has(name)) c.header(name, value);
    const path = routePath(c, -1);
    if ((c.res.ok && NOT_LOGGED_WHEN_OK.has(path)) || !isLogged(config, c.res.status)) return;
    const unlogged = c.res.status === 401 ? strangers.admit(startMs) : 0;
    if (unlogged === null) return;
    logLine("request", {
      request_id: c.get("requestId"),
      method: c.req.method,
      path,
      status: c.res.status,
      ms: Date.now() - startMs,
      account: c.get("key")?.accountId,
      code: c.get("failureCode"),
      unlogged: unlogged || undefined,
    });
  });
  app.onError(onError);
  app.notFound(notFound(app));
  return app;
}
