import { TOLERANCE_MS, isSigned } from "../crypto/webhook-signature.ts";

// Says why a signature does not hold (`POST /v1/webhooks/verify`): each usual mistake is tried.

/** What was received, and the secret that it was checked with. */
export interface Received {
  headers: Readonly<Record<string, string>>;
  body: string;
  secret: string;
}

/** Why a signature does not hold. */
export type VerifyReason =
  | "secret_form"
  | "no_id"
  | "no_timestamp"
  | "timestamp_form"
  | "timestamp_ms"
  | "too_old"
  | "too_new"
  | "no_signature"
  | "signature_form"
  | "body_parsed"
  | "body_space"
  | "body_encoding"
  | "wrong_secret";

const SECRET = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/u;

/** The bodies that usual mistakes turn into the one that was received, undone as far as they can be. */
function restored(body: string): [VerifyReason, string][] {
  const found: [VerifyReason, string][] = [
    ["body_space", body.trim()],
    ["body_space", body.replaceAll("\r\n", "\n").trim()],
  ];
  try {
    // Parsed and written again: with spaces, or escaped otherwise.
    found.push(["body_parsed", JSON.stringify(JSON.parse(body))]);
  } catch {
    // No JSON: it was cut or changed in another way.
  }
  found.push(["body_encoding", Buffer.from(body, "latin1").toString("utf8")]);
  return found;
}

/** Why the signature does not hold; null: it does. */
export function whyNotSigned({ headers: given, body, secret }: Received, nowMs: number): VerifyReason | null {
  const headers = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value.trim()]));
  if (!SECRET.test(secret)) return "secret_form";
  const id = headers.get("webhook-id");
  const timestamp = headers.get("webhook-timestamp");
  const signature = headers.get("webhook-signature");
  if (!id) return "no_id";
  if (!timestamp) return "no_timestamp";
  if (!/^[0-9]{1,15}$/u.test(timestamp)) return "timestamp_form";
  if (/^[0-9]{13,15}$/u.test(timestamp)) return "timestamp_ms";
  if (!signature) return "no_signature";
  if (!/(^|\s)v1,[A-Za-z0-9+/]{43}=(\s|$)/u.test(signature)) return "signature_form";
  const sentMs = Number(timestamp) * 1000;
  const isRight = (text: string) =>
    isSigned(secret, new Headers(signedHeadersOf(id, timestamp, signature)), text, sentMs);
  if (!isRight(body)) {
    const mended = restored(body).find(([, text]) => text !== body && isRight(text));
    return mended?.[0] ?? "wrong_secret";
  }
  if (nowMs - sentMs > TOLERANCE_MS) return "too_old";
  return sentMs - nowMs > TOLERANCE_MS ? "too_new" : null;
}

const signedHeadersOf = (id: string, timestamp: string, signature: string) => ({
  "webhook-id": id,
  "webhook-timestamp": timestamp,
  "webhook-signature": signature,
});

/** The reasons in English, as the API says them; null: the signature holds. */
export const VERIFY_REASONS: Readonly<Record<VerifyReason, string>> = {
  secret_form: "The secret must be whsec_ and Base64, exactly as it was shown.",
  no_id: "The header webhook-id is missing.",
  no_timestamp: "The header webhook-timestamp is missing.",
  timestamp_form: "webhook-timestamp must be whole seconds since 1970.",
  timestamp_ms: "webhook-timestamp is in milliseconds; it must be as it was received, in seconds.",
  too_old: "The signature is right, but more than five minutes old. Check the clock, or whether this is a repetition.",
  too_new: "The signature is right, but its time is more than five minutes ahead. Check the clock.",
  no_signature: "The header webhook-signature is missing.",
  signature_form: "webhook-signature must have a part such as v1, and 44 characters of Base64.",
  body_parsed: "The body was parsed and written again. Verify the bytes as they were received, before parsing.",
  body_space: "Spaces or line ends were added to the body. Verify the bytes as they were received.",
  body_encoding: "The body was read in another encoding. Read it as UTF-8, or verify the bytes.",
  wrong_secret: "The secret does not belong to this webhook, or the id, the timestamp or the body was changed.",
};
