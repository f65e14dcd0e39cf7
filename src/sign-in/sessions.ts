import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { createHash, randomBytes } from "node:crypto";
import {
  deleteSession,
  deleteSessionsOf,
  forgetOldSessions,
  insertSession,
  sessionByHash,
  sessionsOf,
  touchSession,
} from "../db/people.ts";
import { settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import { inboxNamed, pageInbox } from "../inbox/landing.ts";
import { logProblem } from "../log.ts";
import type { Person, Session, SessionView } from "../model/person.ts";
import { bothOf } from "../objects.ts";

// Sessions of customers: the browser holds a token of 256 random bits, D1 only its hash.

/** A session that is not used for this long expires. */
const SESSION_IDLE_MS = 14 * 86_400_000;

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

/**
 * Closes the live sockets of the signed-in person's account after a session has ended; browsers that are still signed
 * in reconnect by themselves. An object that cannot be reached is only logged, so that it cannot fail the sign-out.
 */
async function hangUp(c: Context<AppEnv>): Promise<void> {
  const accountId = c.get("person")?.accountId;
  if (accountId === undefined) return;
  const config = settings(c);
  const { live, test } = bothOf(c.env, accountId);
  const lists = [live.hangUp(), test.hangUp()];
  // The local inbox requires no session.
  if (config.ENVIRONMENT !== "local") {
    const inbox = pageInbox(config, () => accountId);
    lists.push(inboxNamed(c.env, inbox).hangUp());
  }
  for (const done of await Promise.allSettled(lists)) {
    if (done.status === "rejected") logProblem("live", done.reason);
  }
}

/** Starts a session with a new token, and deletes the browser's previous session. */
export async function startSession(c: Context<AppEnv>, personId: string): Promise<void> {
  const before = readCookie(c, NAME);
  if (before !== undefined) await deleteSession(c.env.DB, hashOf(before));
  const token = newToken();
  const nowMs = Date.now();
  const hash = hashOf(token);
  await insertSession(c.env.DB, {
    hash,
    holder: personId,
    device: deviceOf(c.req.header("user-agent") ?? ""),
    createdAt: nowMs,
    authenticatedAt: nowMs,
    seenAt: nowMs,
    expiresAt: nowMs + SESSION_IDLE_MS,
  });
  c.set("session", { hash, authenticatedAt: nowMs });
  keepCookie(c, NAME, token, SESSION_IDLE_MS);
  if (before !== undefined) await hangUp(c);
}

/** The unexpired session of the request's cookie, or null. Extends it at most once per SEEN_STEP_MS. */
export async function findSession(c: Context<AppEnv>): Promise<{ session: Session; person: Person } | null> {
  const token = readCookie(c, NAME);
  if (token === undefined) return null;
  const nowMs = Date.now();
  const found = await sessionByHash(c.env.DB, hashOf(token), nowMs);
  if (!found?.person) return null;
  if (nowMs - found.session.seenAt >= SEEN_STEP_MS) {
    await touchSession(c.env.DB, found.session.hash, nowMs, nowMs + SESSION_IDLE_MS);
    keepCookie(c, NAME, token, SESSION_IDLE_MS);
  }
  return { session: found.session, person: found.person };
}

/** Signs this browser out. */
export async function endSession(c: Context<AppEnv>): Promise<void> {
  const token = readCookie(c, NAME);
  if (token !== undefined) await deleteSession(c.env.DB, hashOf(token));
  dropCookie(c, NAME);
  await hangUp(c);
}

/** Signs a person out in every browser except the one with `exceptHash`. */
export async function endSessionsOf(c: Context<AppEnv>, personId: string, exceptHash?: string): Promise<void> {
  await deleteSessionsOf(c.env.DB, personId, exceptHash);
  await hangUp(c);
}

/** The sessions of a person that have not expired: the one of this request first, then by last use. */
export async function listSessions(c: Context<AppEnv>, personId: string): Promise<SessionView[]> {
  const own = c.get("session")?.hash;
  const rows = await sessionsOf(c.env.DB, personId, Date.now());
  return rows
    .map(({ hash, device, createdAt, seenAt }) => ({ device, current: hash === own, createdAt, seenAt }))
    .toSorted((one, other) => Number(other.current) - Number(one.current));
}

/** Whether the holder authenticated within the last FRESH_MS. */
export function isFresh(session: Session, nowMs: number): boolean {
  return nowMs - session.authenticatedAt < FRESH_MS;
}

/** Deletes expired sessions; the scheduled handler calls it. */
export async function forgetSessions(env: Env, nowMs: number): Promise<void> {
  await forgetOldSessions(env.DB, nowMs);
}
