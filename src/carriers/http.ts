import * as z from "zod";
import { webhookSecret } from "../config/settings.ts";
import type { Config } from "../config/settings.ts";
import { isSigned, signedHeaders } from "../crypto/webhook-signature.ts";
import { readText } from "../http/streams.ts";
import type { CarrierSecrets, CarrierSetup } from "../model/carrier/carrier.ts";
import type { Outcome } from "../model/message.ts";
import { OPERATION_NAMES } from "../model/operations.ts";
import type { Carrier, Outgoing, Receipt } from "./carrier.ts";
import { exchange, seenOf } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import type { Around, Kind } from "./kind.ts";

// The carrier that sends to a gateway of the operator's choice (contract §11): signed JSON out, signed receipts in.

/** The name of the one that the settings set up; only of that one is it known whether it takes a reference once. */
const BUILT_IN = "http";

const ALL_OPERATIONS = new Set(OPERATION_NAMES);

/** The largest receipt. */
const RECEIPT_BYTES_MAX = 65_536;

const receipt = z.object({
  ref: z.string().max(200),
  state: z.enum(["submitted", "delivered", "undelivered", "failed"]),
  code: z.string().max(100).optional(),
});

/** The JSON body that is sent to the gateway. */
function bodyOf(message: Outgoing, callbackUrl: string): string {
  const { sender, flash, language, accent, gender, rate } = message.content;
  return JSON.stringify({
    ref: message.ref,
    operation: message.operation,
    to: message.to,
    text: message.text ?? undefined,
    sender,
    flash,
    language,
    accent,
    gender,
    rate,
    audio_url: message.audioUrl ?? undefined,
    dlt_entity_id: message.dlt?.entityId,
    dlt_template_id: message.dlt?.templateId ?? undefined,
    dlt_category: message.dlt?.category ?? undefined,
    callback_url: callbackUrl,
  });
}

/** What the gateway's answer means for the message (contract §11). */
function outcomeOf(made: Exchange): Outcome {
  if (made.kind === "not_connected") return { kind: "not_accepted", code: made.code };
  if (made.kind === "lost") return { kind: "unknown", code: made.code };
  const { status, retryAfterMs } = made;
  const code = `http_${status}`;
  if (status === 429 || status === 503) {
    return { kind: "not_accepted", code, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
  if (status >= 200 && status < 300) return { kind: "submitted" };
  if (status >= 400 && status < 500 && status !== 408 && status !== 425) return { kind: "rejected", code };
  return { kind: "unknown", code, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

const answered = z.object({ id: z.string().max(500) });

/** The gateway's own id of the message, which it may give. */
function idOf(made: Exchange): string | null {
  try {
    const parsed = answered.safeParse(made.kind === "answer" && made.text !== null ? JSON.parse(made.text) : null);
    return parsed.success ? parsed.data.id : null;
  } catch {
    return null;
  }
}

const settings = z.strictObject({
  /** Where messages are posted to. */
  url: z.url({ protocol: /^https?$/u, error: "url must be an https address." }),
});

const secrets = z.strictObject({ secret: webhookSecret });

function carrier(
  { name, settings: { url }, secrets: { secret } }: CarrierSetup<{ url?: string | undefined }>,
  { config, callbackUrl }: Pick<Around, "config" | "callbackUrl">,
): Carrier {
  return {
    name,
    isPaced: true,
    resubmits: name === BUILT_IN && config.CARRIER_HTTP_DEDUPES === "on",
    operations: ALL_OPERATIONS,

    async submit(message, see) {
      if (url === undefined || secret === undefined) return { kind: "not_accepted", code: "not_configured" };
      const body = bodyOf(message, callbackUrl);
      const headers = { "content-type": "application/json", ...signedHeaders(secret, message.ref, body, Date.now()) };
      const timeoutMs = config.CARRIER_TIMEOUT_MS;
      const made = await exchange({ url, method: "POST", headers, body, timeoutMs, reads: see !== undefined });
      see?.(seenOf(made, idOf(made)));
      return outcomeOf(made);
    },

    async receipts(request) {
      if (secret === undefined) return "forged";
      const text = await readText(request, RECEIPT_BYTES_MAX).catch(() => null);
      if (text === null || !isSigned(secret, request.headers, text, Date.now())) return "forged";
      try {
        const parsed = receipt.safeParse(JSON.parse(text));
        if (!parsed.success) return "invalid";
        const { ref, state, code } = parsed.data;
        const one: Receipt = code === undefined ? { ref, state } : { ref, state, code };
        return [one];
      } catch {
        return "invalid";
      }
    },
  };
}

/** The kind of a gateway of one's own, or of a service that speaks contract §11. */
export const http: Kind<typeof settings> = {
  settings,
  secrets,
  addresses: ({ url }) => ({ url }),
  callback: "signed",
  carrier,
};

/** How the settings set it up. */
export function httpSetup(config: Config) {
  const { CARRIER_HTTP_URL: url, CARRIER_HTTP_SECRET: secret, CARRIER_TPS: tps = null } = config;
  const given: CarrierSecrets = secret === undefined ? {} : { secret };
  return { name: BUILT_IN, kind: "http", settings: { url }, secrets: given, tps } as const;
}

/** The carrier behind CARRIER_HTTP_URL. */
export const httpCarrier = (config: Config): Carrier =>
  carrier(httpSetup(config), { config, callbackUrl: `${config.CONSOLE_URL}/callbacks/${BUILT_IN}` });
