import { mac } from "../crypto/bytes.ts";
import type { Secrets } from "../crypto/secrets.ts";
import { RefusalsLog, logLine } from "../log.ts";

// Security lines of the log, which no setting switches off: what was refused to clients without a proof or a permission.
// src/audit writes the lines of what was done.

const ADDRESS_MAC_SIZE = 9;

/** The client's address as Cloudflare reports it, or an empty text. */
const addressOf = (headers: Headers): string => (headers.get("cf-connecting-ip") ?? "").toLowerCase();

/**
 * A MAC of the client's address, by which acts from one address can be matched, until the secret is replaced; null without
 * an address.
 */
export function addressMac(secrets: Secrets, headers: Headers): string | null {
  const address = addressOf(headers);
  if (address === "") return null;
  return Buffer.from(mac(secrets.current.value, "audit-address/v1", address, ADDRESS_MAC_SIZE)).toString("base64url");
}

/** A request that was refused. */
export interface RefusedRequest {
  method: string;
  /** The route's path, without what the client put into it. */
  path: string;
  status: number;
  code: string | undefined;
  /** The operator or person who is known to have sent it. */
  actor: string | undefined;
  account: string | undefined;
  requestId: string;
  /** Whether it was for a page, where a 429 limits attempts to sign in, and not an account's rate. */
  forPage: boolean;
  /** The id that the refused key or address names, where no secret with it is listed; else null. */
  unlistedSecret: () => number | null;
}

function isSecurityRefusal({ status, code, forPage }: RefusedRequest): boolean {
  return status === 401 || (status === 403 && code === "permission_denied") || (status === 429 && forPage);
}

const refusals = new RefusalsLog();

/**
 * Logs a refused key, token, code, password or permission: the first of each address in a minute, with how many were
 * left out before it.
 */
export function logRefusal(secrets: Secrets, headers: Headers, refused: RefusedRequest, nowMs: number): void {
  if (!isSecurityRefusal(refused)) return;
  const unlogged = refusals.admit(addressOf(headers), nowMs);
  if (unlogged === null) return;
  const { method, path, status, code, actor, account, requestId } = refused;
  const about = { method, path, status, code, actor, account, address: addressMac(secrets, headers) };
  const unlisted = refused.unlistedSecret() ?? undefined;
  logLine("security", {
    act: "refused",
    ...about,
    unlisted_secret: unlisted,
    request_id: requestId,
    unlogged: unlogged || undefined,
  });
}
