import type { Context } from "hono";
import { mac } from "../crypto/bytes.ts";
import type { Secret } from "../crypto/secrets.ts";
import {
  deleteSession,
  deleteSessionsOf,
  insertSession,
  sessionByHash,
  sessionsOf,
  touchSession,
} from "../db/people.ts";
import { settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import { deviceOf, dropCookie, keepCookie, newToken, readCookie } from "./sessions.ts";

// Sessions of the operator's desk, which the operator's token opens. They belong to the present token: another
// OPERATOR_TOKEN finds none of them, so that changing a token that leaked also ends what was opened with it.

/** A session that is not used for this long expires. */
export const DESK_IDLE_MS = 3_600_000;

/** A session ends this long after its sign-in, however much it is used. */
export const DESK_LIFETIME_MS = 12 * 3_600_000;

/** `seen_at` is written at most this often. */
const SEEN_STEP_MS = 300_000;

const COOKIE = "operator";
const HOLDER_SIZE = 12;
const HANDLE_LENGTH = 16;

/** A session of the desk as it is listed. */
export interface DeskSession {
  /** Names the session, and cannot be made into its cookie. */
  handle: string;
  device: string;
  /** Whether it is the session of this request. */
  current: boolean;
  createdAt: number;
  /** When it was used last, to five minutes. */
  seenAt: number;
  expiresAt: number;
}

/** The stored hash of a cookie's token: keyed with the operator's token. */
function hashFor(c: Context<AppEnv>, token: string): string {
  return Buffer.from(mac(settings(c).OPERATOR_TOKEN, "desk-session/v1", token)).toString("base64url");
}

/**
 * The holders of all sessions of the present token, first that of new ones: one for each listed KEY_SECRET, without which
 * a holder says nothing about the token.
 */
function holdersOf(c: Context<AppEnv>): [string, ...string[]] {
  const { KEY_SECRET, OPERATOR_TOKEN } = settings(c);
  const holderOf = ({ value }: Secret) =>
    `operator:${Buffer.from(mac(value, "desk-holder/v1", OPERATOR_TOKEN, HOLDER_SIZE)).toString("base64url")}`;
  return [holderOf(KEY_SECRET.current), ...KEY_SECRET.all.slice(1).map(holderOf)];
}

/** The rows of all sessions of the present token. */
async function rowsOf(c: Context<AppEnv>) {
  const nowMs = Date.now();
  return (await Promise.all(holdersOf(c).map((holder) => sessionsOf(c.env.DB, holder, nowMs)))).flat();
}

const handleOf = (hash: string) => hash.slice(0, HANDLE_LENGTH);

const expiryOf = (createdAt: number, nowMs: number) => Math.min(nowMs + DESK_IDLE_MS, createdAt + DESK_LIFETIME_MS);

/** Starts a session with a new cookie, deletes the browser's previous one, and returns the new one's handle. */
export async function startDeskSession(c: Context<AppEnv>): Promise<string> {
  const before = readCookie(c, COOKIE);
  if (before !== undefined) await deleteSession(c.env.DB, hashFor(c, before));
  const token = newToken();
  const hash = hashFor(c, token);
  const nowMs = Date.now();
  await insertSession(c.env.DB, {
    hash,
    holder: holdersOf(c)[0],
    device: deviceOf(c.req.header("user-agent") ?? ""),
    createdAt: nowMs,
    authenticatedAt: nowMs,
    seenAt: nowMs,
    expiresAt: expiryOf(nowMs, nowMs),
  });
  keepCookie(c, COOKIE, token, DESK_LIFETIME_MS);
  return handleOf(hash);
}

/** The handle of the unexpired session of the request's cookie, or null. Extends it at most once per SEEN_STEP_MS. */
export async function findDeskSession(c: Context<AppEnv>): Promise<string | null> {
  const token = readCookie(c, COOKIE);
  if (token === undefined) return null;
  const nowMs = Date.now();
  const hash = hashFor(c, token);
  const found = await sessionByHash(c.env.DB, hash, nowMs);
  if (!found) return null;
  const { createdAt, seenAt } = found.session;
  if (nowMs - seenAt >= SEEN_STEP_MS) await touchSession(c.env.DB, hash, nowMs, expiryOf(createdAt, nowMs));
  return handleOf(hash);
}

/** Signs this browser out of the desk. */
export async function endDeskSession(c: Context<AppEnv>): Promise<void> {
  const token = readCookie(c, COOKIE);
  if (token !== undefined) await deleteSession(c.env.DB, hashFor(c, token));
  dropCookie(c, COOKIE);
}

/** The sessions of the present token that have not expired: the one of this request first, then by last use. */
export async function listDeskSessions(c: Context<AppEnv>): Promise<DeskSession[]> {
  const own = c.get("operator")?.session;
  const rows = await rowsOf(c);
  return rows
    .map(({ hash, device, createdAt, seenAt, expiresAt }) => {
      const handle = handleOf(hash);
      return { handle, device, current: handle === own, createdAt, seenAt, expiresAt };
    })
    .toSorted((one, other) => Number(other.current) - Number(one.current));
}

/** Ends one session; false when there is none with this handle. */
export async function endDeskSessionOf(c: Context<AppEnv>, handle: string): Promise<boolean> {
  const rows = await rowsOf(c);
  const found = rows.find(({ hash }) => handleOf(hash) === handle);
  if (found) await deleteSession(c.env.DB, found.hash);
  return found !== undefined;
}

/** Ends every session of the present token, that of this request too. */
export async function endAllDeskSessions(c: Context<AppEnv>): Promise<void> {
  for (const holder of holdersOf(c)) await deleteSessionsOf(c.env.DB, holder);
  dropCookie(c, COOKIE);
}
