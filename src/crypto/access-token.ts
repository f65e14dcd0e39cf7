import * as z from "zod";

// Application tokens of Cloudflare Access: JWTs (RFC 7519) that are signed with RS256 (RFC 7518 §3.3). No other algorithm is
// accepted, whatever a token names, and a key is used as the kind of key that it was imported as.

const TOKEN_LENGTH_MAX = 8_192;

/** RFC 7518 §3.3 requires 2,048 bits: 256 bytes, in Base64url. */
const MODULUS_LENGTH_MIN = 342;

const KEYS_MAX = 32;

/** How far the clocks of Cloudflare and of this machine may differ. */
const SKEW_SEC = 60;

const RS256 = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const;

// Lazy: made when it is first needed, not at each start of the Worker.
const HEADER = z.lazy(() =>
  z.object({
    alg: z.literal("RS256"),
    kid: z.string().min(1).max(200),
    // RFC 7515 §4.1.11: a token with an extension that is not understood is refused.
    crit: z.never().optional(),
  }),
);

const CLAIMS = z.lazy(() =>
  z.object({
    iss: z.string(),
    aud: z.union([z.string(), z.array(z.string()).max(50)]),
    exp: z.number(),
    nbf: z.number().optional(),
    email: z.string().max(254),
  }),
);

/** One address, of ASCII characters only, so that no other letter looks like one of an operator's. */
const EMAIL = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/u;

const JWKS = z.lazy(() => z.object({ keys: z.array(z.unknown()).max(KEYS_MAX) }));

const JWK = z.lazy(() =>
  z.object({
    kty: z.literal("RSA"),
    alg: z.literal("RS256").optional(),
    use: z.literal("sig").optional(),
    kid: z.string().min(1).max(200),
    n: z.string().min(MODULUS_LENGTH_MIN).max(2_048),
    e: z.string().min(1).max(16),
  }),
);

/** A token that was read and not verified yet. */
export interface UnverifiedToken {
  /** The id of the key that is said to have signed it. */
  keyId: string;
  signed: Uint8Array<ArrayBuffer>;
  signature: Uint8Array<ArrayBuffer>;
  claims: unknown;
}

function decoded(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  } catch {
    return null;
  }
}

/** Reads a token; null when it is not a JWT with RS256. Proves nothing. */
export function readAccessToken(token: string): UnverifiedToken | null {
  if (token.length > TOKEN_LENGTH_MAX) return null;
  const [, header = "", payload = "", signature = ""] = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/u.exec(token) ?? [];
  const parsed = HEADER.safeParse(decoded(header));
  if (!parsed.success) return null;
  return {
    keyId: parsed.data.kid,
    signed: Uint8Array.from(Buffer.from(`${header}.${payload}`)),
    signature: Uint8Array.from(Buffer.from(signature, "base64url")),
    claims: decoded(payload),
  };
}

/** What a token must be for and by. */
export interface AccessApp {
  /** The team's domain, such as https://team.cloudflareaccess.com. */
  issuer: string;
  /** The application's audience tag. */
  audience: string;
}

/**
 * The e-mail of a token, in lower case, or null: when the signature is not by this key, when the token is for another
 * application or by another team, when it has expired or is not valid yet, and when it names no e-mail.
 */
export async function accessEmail(
  { signed, signature, claims }: UnverifiedToken,
  key: CryptoKey,
  { issuer, audience }: AccessApp,
  nowMs: number,
): Promise<string | null> {
  if (!(await crypto.subtle.verify(RS256, key, signature, signed))) return null;
  const parsed = CLAIMS.safeParse(claims);
  if (!parsed.success) return null;
  const { iss, aud, exp, nbf = 0, email } = parsed.data;
  const nowSec = nowMs / 1000;
  if (iss !== issuer || !(typeof aud === "string" ? aud === audience : aud.includes(audience))) return null;
  if (exp <= nowSec || nbf > nowSec + SKEW_SEC) return null;
  const lower = email.toLowerCase();
  return EMAIL.test(lower) ? lower : null;
}

/** The keys of a JWK set (RFC 7517) that can sign tokens, by their id; null when it is not a set. Others are left out. */
export async function readAccessKeys(text: string): Promise<ReadonlyMap<string, CryptoKey> | null> {
  const set = JWKS.safeParse(parsedJson(text));
  if (!set.success) return null;
  const keys = new Map<string, CryptoKey>();
  for (const one of set.data.keys) {
    const jwk = JWK.safeParse(one);
    if (!jwk.success) continue;
    const { kty, n, e, kid } = jwk.data;
    const key = await crypto.subtle.importKey("jwk", { kty, n, e }, RS256, false, ["verify"]).catch(() => null);
    if (key) keys.set(kid, key);
  }
  return keys;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
