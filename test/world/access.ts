import { createHmac, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { vi } from "vitest";
import { Visitor } from "./visitor.ts";
import { serviceWith } from "./deployment.ts";

// A team at Cloudflare Access: it makes keys, serves their public halves and signs tokens.

const AUD = "0123456789abcdef".repeat(4);

export const ROLES = "Alice@example.com=admin, bob@example.com=support, *@example.com=viewer";

interface SigningKey {
  kid: string;
  pem: string;
  publicPem: string;
  jwk: Record<string, unknown>;
}

/** A key that belongs to no team. */
export function newKey(bits = 2_048): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: bits });
  const kid = randomUUID();
  return {
    kid,
    pem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    publicPem: publicKey.export({ type: "spki", format: "pem" }).toString(),
    jwk: { ...publicKey.export({ format: "jwk" }), kid, alg: "RS256", use: "sig" },
  };
}

const part = (of: object) => Buffer.from(JSON.stringify(of)).toString("base64url");

let teams = 0;

export class Team {
  readonly domain: string;
  keys: SigningKey[];
  /** How often the keys were fetched. */
  fetches = 0;
  /** What the keys' address answers in place of the keys. */
  broken: (() => Response) | null = null;

  constructor(bits = 2_048) {
    teams += 1;
    this.domain = `https://team-${teams}.cloudflareaccess.com`;
    this.keys = [newKey(bits)];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
      const url = typeof input === "string" ? input : input instanceof URL ? input.href : input.url;
      if (url !== `${this.domain}/cdn-cgi/access/certs`) return new Response("no such host", { status: 599 });
      this.fetches += 1;
      return this.broken?.() ?? Response.json({ keys: this.keys.map(({ jwk }) => jwk), public_cert: {} });
    });
  }

  /** Settings of a service whose desk this team opens. */
  get settings() {
    return { ACCESS_TEAM_DOMAIN: this.domain, ACCESS_AUD: AUD, OPERATORS: ROLES };
  }

  /** Withdraws the keys and makes another. */
  rotate(): void {
    this.keys = [newKey()];
  }

  /** The key that signs now. */
  get key(): SigningKey {
    const [key] = this.keys;
    if (!key) throw new Error("this team has no key");
    return key;
  }

  /** A token as Cloudflare Access makes it; `claims` and `header` replace its fields. */
  token(email: string, claims: object = {}, header: object = {}, key = this.key): string {
    const nowSec = Math.floor(Date.now() / 1000);
    const signed = `${this.#head(key, header)}.${part({
      aud: [AUD],
      email,
      exp: nowSec + 3_600,
      iat: nowSec,
      nbf: nowSec,
      iss: this.domain,
      type: "app",
      identity_nonce: "nonce",
      sub: randomUUID(),
      ...claims,
    })}`;
    return `${signed}.${sign("RSA-SHA256", Buffer.from(signed), key.pem).toString("base64url")}`;
  }

  #head(key: SigningKey, header: object): string {
    return part({ alg: "RS256", kid: key.kid, ...header });
  }

  /** The same token with another header and no signature, or one by HMAC with the public key as the secret. */
  forged(email: string, alg: "none" | "HS256"): string {
    const [, payload = ""] = this.token(email).split(".");
    const signed = `${this.#head(this.key, { alg })}.${payload}`;
    if (alg === "none") return `${signed}.`;
    return `${signed}.${createHmac("sha256", this.key.publicPem).update(signed).digest("base64url")}`;
  }

  /** A browser at a service whose desk this team opens, without a token of its own. */
  visitor(changed: Partial<Cloudflare.Env> = {}): Visitor {
    return new Visitor(serviceWith({ ...this.settings, ...changed }));
  }

  /** A browser with a token for this e-mail. */
  visitorAs(email: string, changed: Partial<Cloudflare.Env> = {}): Visitor {
    const fetch = serviceWith({ ...this.settings, ...changed });
    const token = this.token(email);
    return new Visitor((url, init) =>
      fetch(url, { ...init, headers: { "cf-access-jwt-assertion": token, ...init.headers } }),
    );
  }
}
