import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { isThisMachine } from "../model/hosts.ts";
import type { Config } from "../config/settings.ts";
import type { Failure } from "./errors.ts";

// How a request may arrive, before any route sees it: deployed over https only, locally not from other sites' pages; and
// the headers that every reply has.

/** Two years, which the preload lists of browsers ask for. Not for subdomains: they may belong to other services. */
const HSTS = "max-age=63072000";

const COMMON: readonly (readonly [string, string])[] = [
  ["Cache-Control", "no-store"],
  ["X-Content-Type-Options", "nosniff"],
  // Pages of other origins, which no reply is for, cannot load one as a picture, script or sound (Fetch §3.7).
  ["Cross-Origin-Resource-Policy", "same-origin"],
];
const DEPLOYED = [...COMMON, ["Strict-Transport-Security", HSTS] as const];

/**
 * The headers of every reply, unless a route sets them otherwise. A deployed service has only https addresses (RFC 6797
 * §7.1); a local one must not bind its browser, because all services on `localhost` share that name.
 */
export function commonHeaders(config: Config): typeof COMMON {
  return config.ENVIRONMENT === "local" ? COMMON : DEPLOYED;
}

/** How a request is answered that may not go on: with a failure, or with a redirect to an https address. */
export type Turned = { failure: Failure } | { location: string };

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD"]);

const PLAIN: Failure = {
  code: "permission_denied",
  error: "This address answers only over https; the request came over plain http.",
  hint: "Replace a key that was sent over plain http: others may have read it.",
};

/** Whether the route is one of a page, which has this middleware; an app without pages has none. */
function isPage(c: Context, page: MiddlewareHandler | undefined): boolean {
  return page !== undefined && matchedRoutes(c).some(({ handler }) => handler === page);
}

/**
 * Redirects plain http only for pages, and only a request without a key: a client that is redirected goes on sending
 * its key in the clear first, and its owner never learns of it.
 */
function overPlainHttp(c: Context, config: Config, page: MiddlewareHandler | undefined): Turned {
  const carriesKey = c.req.header("authorization") !== undefined || c.req.header("x-api-key") !== undefined;
  if (carriesKey || !SAFE.has(c.req.method) || !isPage(c, page)) return { failure: PLAIN };
  return { location: config.CONSOLE_URL + c.req.path + new URL(c.req.url).search };
}

const FOREIGN: Failure = {
  code: "permission_denied",
  error: "A local service does not answer the pages of other sites.",
};

/**
 * What any page may ask for: the console's public files, the API's documents, and recordings, whose addresses are their
 * own proof.
 */
const OPEN_PATH = /^\/(?:(?:assets|media)\/|openapi(?:-operator)?\.json$)/u;

const isLocalPage = (address: string | undefined) => isThisMachine(URL.parse(address ?? "")?.hostname ?? "");

/**
 * Whether a page of another site sent this, as browsers report it (Fetch §3.2; Fetch Metadata §2). Following a link is
 * allowed. A page under a foreign name that leads to this machine reports the same origin, and a development proxy may
 * hide that name from the Worker; but it cannot forge a Referer. Programs other than browsers send no Sec-Fetch-Site.
 */
function isFromOtherSite(c: Context): boolean {
  const [origin, site] = [c.req.header("origin"), c.req.header("sec-fetch-site")];
  if (origin !== undefined) return site === "cross-site" || !isLocalPage(origin);
  if (site === undefined || site === "none") return false;
  const isLink = c.req.header("sec-fetch-dest") === "document" && SAFE.has(c.req.method);
  if (c.req.header("sec-fetch-mode") === "navigate") return site === "cross-site" && !isLink;
  return site === "cross-site" || !isLocalPage(c.req.header("referer"));
}

/** Whether an endpoint answers this request: every app also has the middleware of `/*`. */
const hasEndpoint = (c: Context) => matchedRoutes(c).some(({ path }) => path !== "/*");

/**
 * How a request is answered that may not go on to its route; null when it may. Locally the forms of pages are left out,
 * because the pages check their origin themselves, and more strictly (`src/console/page.tsx`).
 */
export function turnedAway(c: Context, config: Config, page: MiddlewareHandler | undefined): Turned | null {
  if (config.ENVIRONMENT !== "local") return c.req.url.startsWith("https:") ? null : overPlainHttp(c, config, page);
  if (!isFromOtherSite(c) || OPEN_PATH.test(c.req.path) || !hasEndpoint(c)) return null;
  return !SAFE.has(c.req.method) && isPage(c, page) ? null : { failure: FOREIGN };
}
