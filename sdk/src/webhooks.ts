import type { AccountEvent } from "./events.ts";

// Standard Webhooks (spec 1.0): proves that a delivery is the service's, and signs one, for tests and forwarding.

/** How far the sender's clock may be from this one, in seconds, as the standard recommends. */
const TOLERANCE_SEC = 300;

/** An event as a webhook delivers it. */
export type WebhookEvent = AccountEvent extends infer E
  ? E extends AccountEvent
    ? Omit<E, "id" | "at"> & { readonly timestamp: string }
    : never
  : never;

/** The event of `POST /v1/webhooks/{id}/test`, which is not in the account's sequence. */
export interface WebhookTest {
  readonly type: "test";
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Up to 50 events in one delivery, to an endpoint with `batch`. */
export interface WebhookBatch {
  readonly type: "batch";
  readonly data: readonly WebhookEvent[];
}

/** The body of a delivery. */
export type WebhookBody = WebhookEvent | WebhookTest | WebhookBatch;

/** Headers as `fetch`, Node's http, or an object has them. */
export type WebhookHeaders =
  { get(name: string): string | null | undefined } | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Why a delivery was not accepted. */
export type WebhookReason = "headers" | "timestamp" | "signature" | "body";

const SENTENCES: Readonly<Record<WebhookReason, string>> = {
  headers: "webhook-id, webhook-timestamp or webhook-signature is missing or malformed.",
  timestamp: "The webhook's time is more than five minutes from this machine's; check its clock.",
  signature: "No signature fits; check the secret, and that the body is passed byte for byte as it came.",
  body: "The body is signed, but no JSON.",
};

/** A delivery that is not proved; answer 400, and do nothing else. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly reason: WebhookReason;
  constructor(reason: WebhookReason) {
    super(SENTENCES[reason]);
    this.reason = reason;
  }
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** The key in a secret; throws a TypeError for what is no secret, which a caller must notice in development. */
function keyOf(secret: string): Promise<CryptoKey> {
  const [, base64 = ""] = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/u.exec(secret.trim()) ?? [];
  if (base64 === "") throw new TypeError("A webhook secret is whsec_ and Base64.");
  const hmac = { name: "HMAC", hash: "SHA-256" };
  return crypto.subtle.importKey("raw", bytesOf(base64), hmac, false, ["sign", "verify"]);
}

/** The keys in one secret or several. */
function keysOf(secret: string | readonly string[]): Promise<CryptoKey[]> {
  const secrets = [secret].flat();
  if (secrets.length === 0) throw new TypeError("A webhook needs a secret.");
  return Promise.all(secrets.map(keyOf));
}

/** The bytes that are signed. */
function signedBytes(id: string, timestamp: string, payload: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const head = encoder.encode(`${id}.${timestamp}.`);
  const body = typeof payload === "string" ? encoder.encode(payload) : payload;
  const all = new Uint8Array(head.length + body.length);
  all.set(head);
  all.set(body, head.length);
  return all;
}

/** A header's value under whichever case the object has it. */
function headerIn(headers: WebhookHeaders, name: string): string {
  if (typeof headers["get"] === "function") return headers["get"](name) ?? "";
  const [, value = ""] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === "string" ? value : value.join(" ");
}

/** Whether one of the signatures in the header is made of these bytes with this key. */
async function fits(key: CryptoKey, signatures: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  for (const part of signatures.split(" ")) {
    const [, base64 = ""] = /^v1,([A-Za-z0-9+/]{43}=)$/u.exec(part) ?? [];
    // `verify` compares in constant time.
    if (base64 !== "" && (await crypto.subtle.verify("HMAC", key, bytesOf(base64), signed))) return true;
  }
  return false;
}

/** How `verifyWebhook` reads the clock. */
export interface VerifyOptions {
  /** Instead of this machine's clock, in ms since 1970. */
  nowMs?: number | undefined;
  /** How far the delivery's time may be from it, in seconds; default 300. */
  toleranceSec?: number | undefined;
}

/**
 * The body of a delivery, once its signature is proved; rejects with a `WebhookError` otherwise. `payload` is the body
 * byte for byte as it came, not JSON that was parsed and written again. `secret` may be several while one is rotated.
 */
export async function verifyWebhook(
  payload: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { nowMs = Date.now(), toleranceSec = TOLERANCE_SEC }: VerifyOptions = {},
): Promise<WebhookBody> {
  const id = headerIn(headers, "webhook-id");
  const timestamp = headerIn(headers, "webhook-timestamp");
  const signatures = headerIn(headers, "webhook-signature");
  if (id === "" || signatures === "" || !/^[0-9]{1,12}$/u.test(timestamp)) throw new WebhookError("headers");
  const body = payload instanceof ArrayBuffer ? new Uint8Array(payload) : payload;
  const signed = signedBytes(id, timestamp, body);
  const keys = await keysOf(secret);
  const fitting = await Promise.all(keys.map((key) => fits(key, signatures, signed)));
  if (!fitting.includes(true)) throw new WebhookError("signature");
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceSec) throw new WebhookError("timestamp");
  try {
    return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)) as WebhookBody;
  } catch {
    throw new WebhookError("body");
  }
}

/** The headers of a delivery with this body, for tests and for forwarding. `nowMs` is its time, in ms since 1970. */
export async function signWebhook(
  payload: string,
  id: string,
  secret: string | readonly string[],
  nowMs: number = Date.now(),
): Promise<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signed = signedBytes(id, timestamp, payload);
  const signatures = await Promise.all(
    (await keysOf(secret)).map(async (key) => {
      const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, signed));
      return `v1,${btoa(String.fromCharCode(...bytes))}`;
    }),
  );
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
