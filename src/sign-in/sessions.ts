import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { createHash, randomBytes } from "node:crypto";
import {
  deleteSession,
  forgetOldSessions,
  insertSession,
  sessionByHash,
  touchSession,
  trimSessions,
} from "../db/people.ts";
import { settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import type { Person, Session } from "../model/person.ts";
import { hangUp } from "./hang-up.ts";
import { nameOf } from "./people.ts";

// Sessions of customers: the browser holds a token of 256 random bits, D1 only its hash.

/** A session that is not used for this long expires (ASVS 5, 7.3.1). */
export const SESSION_IDLE_MS = 14 * 86_400_000;

/**
 * A session ends this long after its holder authenticated, however often it is used (ASVS 5, 7.3.2): a stolen token
 * that its thief keeps in use still ends. Customers authenticate again for keys and settings, which starts anew.
 */
export const SESSION_MS_MAX = 90 * 86_400_000;

/** Sessions of one person; the least recently used ends. More browsers than people have, and a bound on the list. */
export const SESSIONS_MAX = 50;

/** How long after authentication a key can be shown, rotated or revoked without authenticating again. */
const FRESH_MS = 10 * 60_000;

/** `seen_at` is written at most this often; far below SESSION_IDLE_MS, so that a session in use does not expire. */
const SEEN_STEP_MS = 3_600_000;

const TOKEN_SIZE = 32;

/** Whether browsers reach this console over https; its cookies are then Secure and have the `__Host-` prefix. */
function isHttps(c: Context<AppEnv>): boolean {
  return settings(c).CONSOLE_URL.startsWith("https:");
}

/** A cookie's name: with `__Host-` no other host and no plain http can set it (RFC 6265bis §4.1.3.2). */
function cookieName(c: Context<AppEnv>, name: string): string {
  return isHttps(c) ? `__Host-${name}` : name;
}

const NAME = "session";

export const hashOf = (token: string) => createHash("sha256").update(token).digest("base64url");

/** A new random token for a cookie. */
export const newToken = () => randomBytes(TOKEN_SIZE).toString("base64url");

/** Sets a cookie that scripts cannot read and that browsers do not send with posts from other sites. */
export function keepCookie(c: Context<AppEnv>, name: string, value: string, maxAgeMs: number): void {
  setCookie(c, cookieName(c, name), value, {
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    secure: isHttps(c),
    maxAge: Math.floor(maxAgeMs / 1000),
  });
}

export function readCookie(c: Context<AppEnv>, name: string): string | undefined {
  return getCookie(c, cookieName(c, name));
}

export function dropCookie(c: Context<AppEnv>, name: string): void {
  deleteCookie(c, cookieName(c, name), { path: "/", secure: isHttps(c) });
}

/** A User-Agent in a few words, for the list of sessions. */
export function deviceOf(userAgent: string): string {
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)\//u.exec(userAgent)?.[1] ?? "";
  const system = /Android|iPhone|iPad|Windows|Mac OS X|Linux/u.exec(userAgent)?.[0] ?? "";
  const names: Record<string, string> = { Edg: "Edge", OPR: "Opera", "Mac OS X": "macOS" };
  return [names[browser] ?? browser, names[system] ?? system].filter((part) => part !== "").join(", ");
}

/** Where a request comes from, as Cloudflare tells it; XX stands for an unknown country, and T1 for Tor. */
function placeOf(c: Context<AppEnv>): { country: string; city: string } {
  const { country, city } = (c.req.raw.cf ?? {}) as { country?: unknown; city?: unknown };
  const known = typeof country === "string" && /^(?!XX)[A-Z]{2}$/u.test(country);
  return { country: known ? country : "", city: known && typeof city === "string" ? nameOf(city.slice(0, 80)) : "" };
}

/** Closes the live sockets of the account that the request's session belongs to. */
async function hangUpOwn(c: Context<AppEnv>): Promise<void> {
  const accountId = c.get("person")?.accountId;
  if (accountId !== undefined) await hangUp(c.env, accountId);
}

/** When a session expires that is in use now. */
function expiryOf(createdAt: number, nowMs: number): number {
  return Math.min(nowMs + SESSION_IDLE_MS, createdAt + SESSION_MS_MAX);
}

/** Starts a session with a new token, and deletes the browser's previous session. */
export async function startSession(c: Context<AppEnv>, person: Person, phoneProved: boolean): Promise<void> {
  const before = readCookie(c, NAME);
  if (before !== undefined) await deleteSession(c.env.DB, hashOf(before));
  const token = newToken();
  const hash = hashOf(token);
  const nowMs = Date.now();
  const phoneProvedAt = phoneProved ? nowMs : null;
  const expiresAt = expiryOf(nowMs, nowMs);
  await insertSession(c.env.DB, {
    hash,
    holder: person.id,
    device: deviceOf(c.req.header("user-agent") ?? ""),
    ...placeOf(c),
    createdAt: nowMs,
    authenticatedAt: nowMs,
    phoneProvedAt,
    seenAt: nowMs,
    expiresAt,
  });
  c.set("session", { hash, authenticatedAt: nowMs, phoneProvedAt });
  keepCookie(c, NAME, token, expiresAt - nowMs);
  if (before !== undefined) await hangUpOwn(c);
  if (await trimSessions(c.env.DB, person.id, SESSIONS_MAX)) await hangUp(c.env, person.accountId);
}

/** The session of the request's cookie, unless it has expired by either limit. Extends it at most once per SEEN_STEP_MS. */
export async function findSession(c: Context<AppEnv>): Promise<{ session: Session; person: Person } | null> {
  const token = readCookie(c, NAME);
  if (token === undefined) return null;
  const nowMs = Date.now();
  const found = await sessionByHash(c.env.DB, hashOf(token), nowMs);
  if (!found?.person) return null;
  const { createdAt, seenAt } = found.session;
  if (nowMs >= createdAt + SESSION_MS_MAX) return null;
  if (nowMs - seenAt >= SEEN_STEP_MS) {
    const expiresAt = expiryOf(createdAt, nowMs);
    await touchSession(c.env.DB, found.session.hash, nowMs, expiresAt);
    keepCookie(c, NAME, token, expiresAt - nowMs);
  }
  return { session: found.session, person: found.person };
}

/** Signs this browser out. */
export async function endSession(c: Context<AppEnv>): Promise<void> {
  const token = readCookie(c, NAME);
  if (token !== undefined) await deleteSession(c.env.DB, hashOf(token));
  dropCookie(c, NAME);
  await hangUpOwn(c);
}

/** Whether the holder authenticated within the last FRESH_MS. */
export function isFresh(session: Session, nowMs: number): boolean {
  return nowMs - session.authenticatedAt < FRESH_MS;
}

/** Whether the holder answered a code to their phone within the last FRESH_MS. */
export function isPhoneFresh(session: Session, nowMs: number): boolean {
  return session.phoneProvedAt !== null && nowMs - session.phoneProvedAt < FRESH_MS;
}

/** Deletes expired sessions; the scheduled handler calls it. */
export async function forgetSessions(env: Env, nowMs: number): Promise<void> {
  await forgetOldSessions(env.DB, nowMs);
}
