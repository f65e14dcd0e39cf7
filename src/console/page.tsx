import type { Context, MiddlewareHandler } from "hono";
import type { Child } from "hono/jsx";
import { routePath } from "hono/route";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { paymentsOf } from "../config/config.ts";
import { settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import { BODY_BYTES_MAX, bodyBytesMax, declaredBytes, sizeText } from "../http/body.ts";
import { FailureError, STATUS_OF_CODE, fail, failBy } from "../http/errors.ts";
import type { Failure } from "../http/errors.ts";
import type { Person, Session } from "../model/person.ts";
import type { AccountRef } from "../model/ref.ts";
import { objectOf } from "../objects.ts";
import { findSession, isFresh, readCookie } from "../sign-in/sessions.ts";
import { LENGTH_MAX } from "../text/lengths.ts";
import { FailureNotice } from "../ui/failure.tsx";
import { Document } from "../ui/layout.tsx";
import type { DocumentProps } from "../ui/layout.tsx";
import { ViewContext } from "../ui/view.ts";
import type { View } from "../ui/view.ts";
import { failureText } from "../ui/words/failures.ts";
import { limitWords } from "../ui/words/limits.ts";
import { shell } from "../ui/words/shell.ts";

// What every page of the console shares: the signed-in person, language and mode, security headers, failures as pages.
// A cookie opens only pages; a key opens only the API.

/** The path of the console's base address, such as `/console`; often empty. */
function prefixOf(c: Context<AppEnv>): string {
  return new URL(settings(c).CONSOLE_URL).pathname.replace(/\/+$/u, "");
}

/** An address of this console. */
export function at(c: Context<AppEnv>, path: string): string {
  return prefixOf(c) + path;
}

function languageOf(c: Context<AppEnv>): View["lang"] {
  const chosen = readCookie(c, "lang");
  if (chosen === "en" || chosen === "hi") return chosen;
  return /^\s*hi\b/iu.test(c.req.header("accept-language") ?? "") ? "hi" : "en";
}

/** What the components of this request's page may use. */
export function viewOf(c: Context<AppEnv>): View {
  const theme = readCookie(c, "theme");
  const { ENVIRONMENT, CARRIER } = settings(c);
  const local = ENVIRONMENT === "local";
  const mode = readCookie(c, "mode") === "test" ? "test" : "live";
  return {
    lang: languageOf(c),
    theme: theme === "light" || theme === "dark" ? theme : null,
    mode,
    person: c.get("person") ?? null,
    operator: c.get("operator") ?? null,
    local,
    caught: mode === "test" || (local && CARRIER === "sim"),
    path: c.req.path + new URL(c.req.url).search,
    at: (path) => at(c, path),
  };
}

/** The HTML of a page. Components read nothing while they render, so that rendering is synchronous. */
function render(c: Context<AppEnv>, content: Child): string {
  const node = <ViewContext.Provider value={viewOf(c)}>{content}</ViewContext.Provider>;
  // Hono types an element as anything that can be rendered; the element's toString() renders it.
  // oxlint-disable-next-line typescript/no-base-to-string
  const text: unknown = node.toString();
  if (typeof text !== "string") throw new Error("a component waits for something; get it before rendering");
  return text;
}

/** Answers with a page. */
export function show(
  c: Context<AppEnv>,
  content: Child,
  { status = 200, ...props }: Omit<DocumentProps, "children"> & { status?: ContentfulStatusCode },
): Response {
  return c.html(`<!doctype html>${render(c, <Document {...props}>{content}</Document>)}`, status);
}

/** Answers with a part of a page, which the browser's script inserts into the page. */
export function showPart(c: Context<AppEnv>, content: Child): Response {
  return c.html(render(c, content));
}

/** Whether the client, such as the browser's script, wants JSON rather than a page. */
export function wantsJson(c: Context<AppEnv>): boolean {
  return !(c.req.header("accept") ?? "").includes("text/html");
}

/** Whether the request is for a page, or for an unknown address. The API answers JSON, whatever the client accepts. */
function isForPage(c: Context<AppEnv>, failure: Failure): boolean {
  return c.get("person") !== undefined || (failure.code === "not_found" && isUnknown(c));
}

/** Whether no route has the request's address. */
const isUnknown = (c: Context<AppEnv>) => routePath(c, -1) === "/*";

/** Finds who is signed in, for the page of an unknown address: it keeps the menu. A failure of D1 shows it without. */
export async function findPerson(c: Context<AppEnv>): Promise<void> {
  if (wantsJson(c) || !isUnknown(c) || c.get("person") !== undefined) return;
  const found = await findSession(c).catch(() => null);
  if (found) c.set("person", found.person);
}

/** A failure of a page's own form, as JSON for the browser's script in the reader's language; else null. */
function failureForScript(c: Context<AppEnv>, failure: Failure): Response | null {
  if (c.get("person") === undefined) return null;
  const { code, param } = failure;
  const sentence = failureText(failure, viewOf(c).lang);
  return c.json({ success: false, ...sentence, code, request_id: c.get("requestId"), param }, STATUS_OF_CODE[code]);
}

/** A failure as a page, or for its script; null where the client gets the API's JSON. */
export function failurePage(c: Context<AppEnv>, failure: Failure): Response | null {
  if (wantsJson(c)) return failureForScript(c, failure);
  if (!isForPage(c, failure)) return null;
  protect(c);
  const status = STATUS_OF_CODE[failure.code];
  return show(c, <FailureNotice failure={failure} requestId={c.get("requestId")} />, {
    title: String(status),
    status,
    bare: !c.get("person"),
  });
}

/** Hosts that a form may lead to: the payment provider's page, where one is configured. */
function formTargets(c: Context<AppEnv>): string {
  return paymentsOf(settings(c)) === "razorpay" ? " https://rzp.io https://*.razorpay.com" : "";
}

/**
 * Sets the security headers of a page: only this console's own script, style, fonts and pictures are allowed. A page
 * with a bot check of another party allows that party's script and frame.
 */
function protect(c: Context<AppEnv>): void {
  const third = c.get("thirdParty");
  const policy = [
    "default-src 'none'",
    third === undefined ? "script-src 'self'" : `script-src 'self' ${third}`,
    ...(third === undefined ? [] : [`frame-src ${third}`]),
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "media-src 'self'",
    "connect-src 'self'",
    `form-action 'self'${formTargets(c)}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  c.header("Content-Security-Policy", policy.join("; "));
  c.header("X-Frame-Options", "DENY");
  c.header("Referrer-Policy", "same-origin");
  c.header("Cross-Origin-Opener-Policy", "same-origin");
  c.header("Permissions-Policy", "camera=(), geolocation=(), microphone=()");
}

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** Whether the request comes from this console's pages; browsers send Origin with POST and WebSocket (Fetch §3.2). */
function isFromHere(c: Context<AppEnv>): boolean {
  const origin = c.req.header("origin");
  return origin === new URL(c.req.url).origin || origin === new URL(settings(c).CONSOLE_URL).origin;
}

/** Whether the request opens a WebSocket. Only a GET does (RFC 6455 §4.1), but Hono routes HEAD here too. */
function wantsSocket(c: Context<AppEnv>): boolean {
  return c.req.method === "GET" && c.req.header("upgrade")?.toLowerCase() === "websocket";
}

/**
 * Middleware of an address that takes WebSockets of this console's own pages. Where no cookie is required, only the
 * check of the origin keeps other sites from reading the feed.
 */
export const ownSocket: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (!isFromHere(c)) fail("permission_denied", "This address is for the pages of this console.");
  if (!wantsSocket(c)) return c.text("This address takes WebSockets.", 426, { Upgrade: "websocket" });
  return next();
};

/** Refuses a body that is not a form. */
export const damaged = () => failBy("invalid_request", { id: "damaged_form" });

/** Refuses a form of this length: 413 above the limit of all requests, 400 above that of its route. */
export function tooLarge(c: Context<AppEnv>, bytes: number): never {
  const t = limitWords[viewOf(c).lang];
  const asked = { forReader: true } as const;
  if (bytes > BODY_BYTES_MAX) fail("payload_too_large", t.formTooLarge(sizeText(BODY_BYTES_MAX)), asked);
  return fail("invalid_request", t.formTooLarge(sizeText(bodyBytesMax(c))), asked);
}

/**
 * Refuses a form whose declared length is above the limit. A route that takes more than usual does so for people who are
 * signed in: its limit is checked where the form is read, after the session.
 */
function refuseDeclared(c: Context<AppEnv>): void {
  const bytes = SAFE.has(c.req.method) ? 0 : declaredBytes(c);
  if (bytes > (c.get("bodyBytesMax") === undefined ? bodyBytesMax(c) : BODY_BYTES_MAX)) tooLarge(c, bytes);
}

/** Middleware of every page: security headers, no posts from other sites, and the signed-in person, if any. */
export const page: MiddlewareHandler<AppEnv> = async (c, next) => {
  // Marks the request as one for a page, so that a failure is shown as a page too.
  c.set("person", null);
  if (!SAFE.has(c.req.method) && !isFromHere(c)) {
    failBy("permission_denied", { id: "other_site" });
  }
  const found = await findSession(c);
  c.set("person", found?.person ?? null);
  if (found) c.set("session", found.session);
  refuseDeclared(c);
  await next();
  if (c.res.status !== 101) protect(c);
};

/** `next` if it is a path of this console, else the overview, so that no link leads to another site. */
export function safeNext(next: string | undefined): string {
  if (next === undefined || next.length > LENGTH_MAX.next) return "/";
  return /^\/(?![/\\])[\x21-\x7e]*$/u.test(next) && !next.includes("\\") ? next : "/";
}

function signInFirst(c: Context<AppEnv>, path: string, failure: Failure): Response {
  if (wantsJson(c)) throw new FailureError(failure);
  const back = SAFE.has(c.req.method) ? c.req.path + new URL(c.req.url).search : (c.req.header("referer") ?? "/");
  const next = back.startsWith("/") ? back : URL.parse(back)?.pathname.slice(prefixOf(c).length) || "/";
  return c.redirect(`${at(c, path)}?next=${encodeURIComponent(safeNext(next))}`, 303);
}

/** Middleware of pages that need a sign-in: redirects to the sign-in, which leads back. */
export const signedIn: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (c.get("person")) return next();
  return signInFirst(c, "/sign-in", { code: "unauthorized", error: shell[viewOf(c).lang].signedOut, forReader: true });
};

/** Middleware of actions that need a recent sign-in, such as showing, rotating and revoking keys. */
export const freshlySignedIn: MiddlewareHandler<AppEnv> = async (c, next) => {
  const session = c.get("session");
  if (session && isFresh(session, Date.now())) return next();
  return signInFirst(c, "/confirm", {
    code: "permission_denied",
    error: shell[viewOf(c).lang].confirmFirst,
    forReader: true,
    hint: at(c, "/confirm"),
  });
};

/** The signed-in person; only for pages behind `signedIn`. */
export function personOf(c: Context<AppEnv>): Person {
  const person = c.get("person");
  if (!person) throw new Error("this page needs somebody signed in and has no signedIn");
  return person;
}

/** The session of the signed-in person; only for pages behind `signedIn`. */
export function sessionOf(c: Context<AppEnv>): Session {
  const session = c.get("session");
  if (!session) throw new Error("this page needs a session and has no signedIn");
  return session;
}

/** The account that the pages show: that of the signed-in person, in the mode that they chose. */
export function refOf(c: Context<AppEnv>): AccountRef {
  return { accountId: personOf(c).accountId, mode: viewOf(c).mode };
}

/** The object of that account. */
export function stubOf(c: Context<AppEnv>) {
  return objectOf(c.env, refOf(c));
}
