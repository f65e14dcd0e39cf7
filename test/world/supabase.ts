import { createHmac, randomUUID } from "node:crypto";

// Supabase Auth as a client of its Send SMS hook, as its source has it in version 2.196.0 (internal/hooks/hookshttp,
// internal/api/phone.go): the order of its fields, its headers, and how it makes signatures.

/** What a hook's owner enters at Supabase. */
export interface MadeHook {
  url: string;
  secret: string;
}

export interface Asked {
  user?: { id?: string; phone?: string; new_phone?: string };
  sms?: { otp?: string; sms_type?: string; phone?: string };
}

/** The body of one invocation: the same for all its attempts. */
export function payloadOf({ user = {}, sms = {} }: Asked = {}): string {
  const { id = "6481a5c1-3d37-4a56-9f6a-bee08c554965", phone = sms.phone ?? "919876543210", new_phone } = user;
  const at = "2026-11-22T09:30:00.123456789Z";
  const whole = {
    metadata: { uuid: randomUUID(), time: at, name: "send-sms", ip_address: "203.0.113.7" },
    user: {
      id,
      aud: "authenticated",
      role: "authenticated",
      email: "",
      phone,
      ...(new_phone !== undefined && { new_phone }),
      confirmation_sent_at: at,
      app_metadata: { provider: "phone", providers: ["phone"] },
      user_metadata: { about: "Tom & <Jerry> हिंदी" },
      identities: [],
      created_at: at,
      updated_at: at,
      is_anonymous: false,
    },
    sms: { otp: "048213", phone, ...sms },
  };
  // Go escapes these in JSON.
  return JSON.stringify(whole).replaceAll(/[&<>]/gu, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);
}

/** A payload without the field that Supabase Auth has since 2.180.0. */
export function olderPayloadOf(asked: Asked): string {
  const { sms, ...rest } = JSON.parse(payloadOf(asked)) as { sms: Record<string, unknown> };
  const { phone: _, ...older } = sms;
  return JSON.stringify({ ...rest, sms: older });
}

/** The headers of one attempt: a new id each time, and a signature for each secret, joined by a comma and a space. */
export function attemptHeaders(secrets: readonly string[], body: string, nowMs = Date.now()): Record<string, string> {
  const id = randomUUID();
  const timestamp = String(Math.floor(nowMs / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^v1,/u, "").replace(/^whsec_/u, ""), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(", "),
    "accept-encoding": "identity",
  };
}

/** The request of one attempt. */
export const attemptOf = ({ secret }: MadeHook, body: string): RequestInit & { headers: Record<string, string> } => ({
  method: "POST",
  headers: attemptHeaders([secret], body),
  body,
});

interface Answer {
  status: number;
  type: string | null;
  retryAfter: string | null;
  text: string;
}

/** What the person sees, or `repeat`. */
export type Shown = "sent" | "repeat" | [number, string];

/**
 * What the person sees: `sent`, or the message that Supabase Auth shows them, with its status; `repeat` where it makes
 * another attempt, at once.
 */
export function shownBySupabase({ status, type, retryAfter, text }: Answer): Shown {
  if (status === 204) return "sent";
  if (status === 200 || status === 202) {
    if (type?.split(";")[0] !== "application/json") return [400, "Invalid Content-Type"];
    const { error } = JSON.parse(text) as { error?: { http_code?: number; message?: string } };
    return error?.message ? [error.http_code ?? 500, error.message] : "sent";
  }
  const isBusy = status === 429 || status === 503;
  if (isBusy) return retryAfter ? "repeat" : [500, "Service currently unavailable due to hook"];
  if (status === 400) return [500, "Invalid payload sent to hook"];
  if (status === 401) return [500, "Hook requires authorization token"];
  return [500, `Unexpected status code returned from hook: ${status}`];
}
