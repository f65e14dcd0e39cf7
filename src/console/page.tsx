import type { Context, MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import type { Child } from "hono/jsx";
import { routePath } from "hono/route";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { paymentsOf } from "../config.ts";
import { settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import { BODY_BYTES_MAX } from "../http/body.ts";
import { FailureError, STATUS_OF_CODE, fail } from "../http/errors.ts";
import type { Failure } from "../http/errors.ts";
import { readBytes } from "../http/streams.ts";
import type { Person, Session } from "../model/person.ts";
import type { AccountRef } from "../model/ref.ts";
import { objectOf } from "../objects.ts";
import { findSession, isFresh } from "../sign-in/sessions.ts";
import { FailureNotice } from "../ui/failure.tsx";
import { Document } from "../ui/layout.tsx";
import type { DocumentProps } from "../ui/layout.tsx";
import { ViewContext } from "../ui/view.ts";
import type { View } from "../ui/view.ts";

// What every page of the console shares: who is signed in, language and mode, security headers, failures as pages.
// A cookie opens pages and nothing else; a key opens the API and nothing else.

/** The console's own path, `/console` or nothing: a base address may have one. */
function prefixOf(c: Context<AppEnv>): string {
  return new URL(settings(c).CONSOLE_URL).pathname.replace(/\/+$/u, "");
}

/** An address of this console. */
export function at(c: Context<AppEnv>, path: string): string {
  return prefixOf(c) + path;
}

function languageOf(c: Context<AppEnv>): View["lang"] {
  const chosen = getCookie(c, "lang");
  if (chosen === "en" || chosen === "hi") return chosen;
  return /^\s*hi\b/iu.test(c.req.header("accept-language") ?? "") ? "hi" : "en";
}

/** What the components of this request's page may ask for. */
export function viewOf(c: Context<AppEnv>): View {
  const theme = getCookie(c, "theme");
  return {
    lang: languageOf(c),
    theme: theme === "light" || theme === "dark" ? theme : null,
    mode: getCookie(c, "mode") === "test" ? "test" : "live",
    person: c.get("person") ?? null,
    local: settings(c).ENVIRONMENT === "local",
    path: c.req.path + new URL(c.req.url).search,
    at: (path) => at(c, path),
  };
}

/** A page's text. Components ask nobody while they render, so there is nothing to wait for. */
function render(c: Context<AppEnv>, content: Child): string {
  const node = <ViewContext.Provider value={viewOf(c)}>{content}</ViewContext.Provider>;
  // Hono types an element as anything that may be rendered; its own toString() is what renders it.
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

/** Answers with a part of a page, for the browser's script to put into one. */
export function showPart(c: Context<AppEnv>, content: Child): Response {
  return c.html(render(c, content));
}

/** Whether the browser's script asks, and wants JSON. */
export function wantsJson(c: Context<AppEnv>): boolean {
  return !(c.req.header("accept") ?? "").includes("text/html");
}

/** Whether a page is asked for: one of ours, or an address that is nobody's. The API answers JSON, whatever is accepted. */
function isForPage(c: Context<AppEnv>, failure: Failure): boolean {
  return c.get("person") !== undefined || (failure.code === "not_found" && routePath(c, -1) === "/*");
}

/** A failure as a page, where a browser asked for one. */
export function failurePage(c: Context<AppEnv>, failure: Failure): Response | null {
  if (wantsJson(c) || !isForPage(c, failure)) return null;
  protect(c);
  c.set("failureCode", failure.code);
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

/** Security headers of a page: nothing but this console's own script, style, fonts and pictures. */
function protect(c: Context<AppEnv>): void {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
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
  c.header("X-Content-Type-Options", "nosniff");
  c.header("X-Frame-Options", "DENY");
  c.header("Referrer-Policy", "same-origin");
  c.header("Cross-Origin-Opener-Policy", "same-origin");
  c.header("Permissions-Policy", "camera=(), geolocation=(), microphone=()");
}

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** Whether a request comes from a page of this console; every browser says so of a post and of a WebSocket (Fetch, §3.2). */
function isFromHere(c: Context<AppEnv>): boolean {
  const origin = c.req.header("origin");
  return origin === new URL(c.req.url).origin || origin === new URL(settings(c).CONSOLE_URL).origin;
}

/** Whether a WebSocket is asked for, which only a GET opens (RFC 6455 §4.1); Hono takes a HEAD for one. */
function wantsSocket(c: Context<AppEnv>): boolean {
  return c.req.method === "GET" && c.req.header("upgrade")?.toLowerCase() === "websocket";
}

/**
 * Middleware of an address that takes WebSockets of this console's own pages. Where no cookie is asked for, the origin
 * alone keeps other sites from reading what comes.
 */
export const ownSocket: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (!isFromHere(c)) fail("permission_denied", "This address is for the pages of this console.");
  if (!wantsSocket(c)) return c.text("This address takes WebSockets.", 426, { Upgrade: "websocket" });
  return next();
};

/** Refuses a body that is no form after all. */
export const damaged = () => fail("invalid_request", "This form is damaged; open the page again.");

const tooLarge = () => fail("payload_too_large", `This form is larger than ${BODY_BYTES_MAX / 1024 / 1024} MiB.`);

/**
 * No form is larger than any body of the API may be. One that does not say its length is read first. What comes with a
 * GET is nobody's form.
 */
async function limitForm(c: Context<AppEnv>): Promise<void> {
  if (!c.req.raw.body || SAFE.has(c.req.method)) return;
  const told = c.req.header("content-length") !== undefined && c.req.header("transfer-encoding") === undefined;
  if (told) return Number(c.req.header("content-length")) > BODY_BYTES_MAX ? tooLarge() : undefined;
  const body = (await readBytes(c.req.raw, BODY_BYTES_MAX).catch(damaged)) ?? tooLarge();
  c.req.raw = new Request(c.req.raw, { method: c.req.method, body: await body.arrayBuffer() });
}

/** Middleware of every page: security headers, no posts from elsewhere, and who is signed in, if anybody is. */
export const page: MiddlewareHandler<AppEnv> = async (c, next) => {
  // From here on this is a page, also where it fails.
  c.set("person", null);
  if (!SAFE.has(c.req.method) && !isFromHere(c)) {
    fail("permission_denied", "This form was sent from another site; open the page here and send it again.");
  }
  const found = await findSession(c, "customer");
  c.set("person", found?.person ?? null);
  if (found) c.set("session", found.session);
  await limitForm(c);
  await next();
  if (c.res.status !== 101) protect(c);
};

/** A path of this console that a form or a link may lead back to; anything else leads to the overview. */
export function safeNext(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/u.test(next) && !next.includes("\\") ? next : "/";
}

function signInFirst(c: Context<AppEnv>, path: string, failure: Failure): Response {
  if (wantsJson(c)) throw new FailureError(failure);
  const back = SAFE.has(c.req.method) ? c.req.path + new URL(c.req.url).search : (c.req.header("referer") ?? "/");
  const next = back.startsWith("/") ? back : URL.parse(back)?.pathname.slice(prefixOf(c).length) || "/";
  return c.redirect(`${at(c, path)}?next=${encodeURIComponent(safeNext(next))}`, 303);
}

/** Middleware of pages that need somebody signed in: leads to the sign-in, and back. */
export const signedIn: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (c.get("person")) return next();
  return signInFirst(c, "/sign-in", { code: "unauthorized", error: "You are signed out; sign in again." });
};

/** Middleware of what needs a sign-in of a moment ago: showing, rotating and revoking keys. */
export const freshlySignedIn: MiddlewareHandler<AppEnv> = async (c, next) => {
  const session = c.get("session");
  if (session && isFresh(session, Date.now())) return next();
  return signInFirst(c, "/confirm", {
    code: "permission_denied",
    error: "Confirm that it is you first.",
    hint: at(c, "/confirm"),
  });
};

/** The person who is signed in; only pages behind `signedIn` ask. */
export function personOf(c: Context<AppEnv>): Person {
  const person = c.get("person");
  if (!person) throw new Error("this page needs somebody signed in and has no signedIn");
  return person;
}

/** The session of the person who is signed in. */
export function sessionOf(c: Context<AppEnv>): Session {
  const session = c.get("session");
  if (!session) throw new Error("this page needs a session and has no signedIn");
  return session;
}

/** The account that the pages show: the signed-in person's, in the mode that they chose. */
export function refOf(c: Context<AppEnv>): AccountRef {
  return { accountId: personOf(c).accountId, mode: viewOf(c).mode };
}

/** The object of that account. */
export function stubOf(c: Context<AppEnv>) {
  return objectOf(c.env, refOf(c));
}
