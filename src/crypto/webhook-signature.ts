import { createHmac } from "node:crypto";
import { sameBytes } from "./bytes.ts";

// Standard Webhooks 1.0.0: HMAC-SHA256 over `id.timestamp.body`, as `v1,<base64>` in webhook-signature.

/** How far the timestamp of a signature may be from now, in the past or in the future. */
export const TOLERANCE_MS = 300_000;

function signature(secret: string, id: string, timestamp: string, body: string): Uint8Array {
  const key = Buffer.from(secret.replace(/^whsec_/u, ""), "base64");
  return Uint8Array.from(createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest());
}

/** The headers that sign a body. `secret` is `whsec_` and the Base64 of the key's bytes. */
export function signedHeaders(secret: string, id: string, body: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${Buffer.from(signature(secret, id, timestamp, body)).toString("base64")}`,
  };
}

/** Whether a body has a valid signature (one of several, for rotation) and a timestamp within TOLERANCE_MS. */
export function isSigned(secret: string, headers: Headers, body: string, nowMs: number): boolean {
  const id = headers.get("webhook-id");
  const timestamp = headers.get("webhook-timestamp");
  const given = headers.get("webhook-signature");
  if (!id || !given || !timestamp || !/^[0-9]{1,12}$/u.test(timestamp)) return false;
  if (Math.abs(nowMs - Number(timestamp) * 1000) > TOLERANCE_MS) return false;
  const right = signature(secret, id, timestamp, body);
  return given.split(" ").some((one) => {
    const [version, text] = one.split(",", 2);
    return version === "v1" && text !== undefined && sameBytes(right, Uint8Array.from(Buffer.from(text, "base64")));
  });
}
