import type { Context } from "hono";
import { accessEmail, readAccessKeys, readAccessToken } from "../crypto/access-token.ts";
import { logProblem } from "../log.ts";
import { roleOf } from "../model/operator.ts";
import type { Operator } from "../model/operator.ts";
import { settings } from "./app.ts";
import type { AppEnv } from "./app.ts";
import { readText } from "./streams.ts";

// Operators by Cloudflare Access, which adds a signed token to every request that it lets through. Only the signature
// proves who it is: unsigned headers such as Cf-Access-Authenticated-User-Email are never read.

const TOKEN_HEADER = "cf-access-jwt-assertion";

const CERTS_PATH = "/cdn-cgi/access/certs";
const CERTS_BYTES_MAX = 65_536;
const CERTS_TIMEOUT_MS = 5_000;

/** After this the keys are fetched again, so that one that Cloudflare withdrew is no longer accepted. */
const KEPT_MS = 3_600_000;

/** While the keys cannot be fetched, the last ones are used this long. */
const STALE_MS_MAX = 24 * KEPT_MS;

/** Keys are fetched at most this often, however many tokens name unknown ones. */
const FETCH_GAP_MS = 60_000;

/** The wait after a fetch that failed. */
const FAILED_GAP_MS = 5_000;

interface Kept {
  keys: ReadonlyMap<string, CryptoKey>;
  fetchedAtMs: number;
  /** Before this the keys are not fetched again. */
  fetchAfterMs: number;
}

/** Keys by team: one in a deployment. It holds results, not promises: a promise belongs to the request that made it. */
const kept = new Map<string, Kept>();

/** Fetches a team's keys; null when they did not come. */
async function fetchKeys(team: string): Promise<ReadonlyMap<string, CryptoKey> | null> {
  try {
    const signal = AbortSignal.timeout(CERTS_TIMEOUT_MS);
    // A redirect would lead to keys of another host.
    const reply = await fetch(team + CERTS_PATH, { redirect: "manual", signal });
    const text = reply.status === 200 ? await readText(reply, CERTS_BYTES_MAX) : null;
    const keys = text === null ? null : await readAccessKeys(text);
    if (!keys) throw new Error(`no keys in the reply with status ${reply.status}`);
    return keys;
  } catch (problem) {
    logProblem("keys of Cloudflare Access", problem);
    return null;
  }
}

/** A team's key with this id; undefined when there is none, null when the team's keys are not known. */
async function keyOf(team: string, keyId: string, nowMs: number): Promise<CryptoKey | undefined | null> {
  const known = kept.get(team);
  const enough = known !== undefined && nowMs - known.fetchedAtMs < KEPT_MS && known.keys.has(keyId);
  const tooSoon = known !== undefined && nowMs < known.fetchAfterMs && nowMs >= known.fetchAfterMs - FETCH_GAP_MS;
  if (!enough && !tooSoon) {
    // Noted before the fetch: of many requests with an unknown key, one fetches. Without any keys each request does.
    if (known && known.keys.size > 0) known.fetchAfterMs = nowMs + FETCH_GAP_MS;
    const keys = await fetchKeys(team);
    if (keys) kept.set(team, { keys, fetchedAtMs: nowMs, fetchAfterMs: nowMs + FETCH_GAP_MS });
    else if (known) known.fetchAfterMs = nowMs + FAILED_GAP_MS;
    else kept.set(team, { keys: new Map(), fetchedAtMs: 0, fetchAfterMs: nowMs + FAILED_GAP_MS });
  }
  const now = kept.get(team);
  if (!now || nowMs - now.fetchedAtMs >= STALE_MS_MAX) return null;
  return now.keys.get(keyId);
}

/** The result of reading a request's token of Cloudflare Access. */
export type ByAccess =
  | { ok: true; operator: Operator }
  /** `missing`: no token. `invalid`: it proves nothing. `unavailable`: the team's keys could not be fetched. */
  | { ok: false; reason: "missing" | "invalid" | "unavailable" }
  /** The e-mail is proved, and OPERATORS gives it no role. */
  | { ok: false; reason: "no_role"; email: string };

/** Whether Cloudflare Access opens the desk of this service. */
export const usesAccess = (c: Context<AppEnv>): boolean => settings(c).ACCESS_TEAM_DOMAIN !== undefined;

/** A handle of a token, from which no token can be made. */
async function handleOf(token: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  return Buffer.from(hash).toString("base64url").slice(0, 16);
}

/** The operator whom Cloudflare Access let through with this request. */
export async function operatorByAccess(c: Context<AppEnv>): Promise<ByAccess> {
  const { ACCESS_TEAM_DOMAIN: issuer, ACCESS_AUD: audience, OPERATORS: grants } = settings(c);
  const given = c.req.header(TOKEN_HEADER);
  if (issuer === undefined || audience === undefined || grants === undefined || given === undefined) {
    return { ok: false, reason: "missing" };
  }
  const token = readAccessToken(given);
  if (!token) return { ok: false, reason: "invalid" };
  const nowMs = Date.now();
  const key = await keyOf(issuer, token.keyId, nowMs);
  if (key === null) return { ok: false, reason: "unavailable" };
  const email = key && (await accessEmail(token, key, { issuer, audience }, nowMs));
  if (email === undefined || email === null) return { ok: false, reason: "invalid" };
  const role = roleOf(grants, email);
  if (role === null) return { ok: false, reason: "no_role", email };
  return { ok: true, operator: { name: email, role, session: await handleOf(given) } };
}
