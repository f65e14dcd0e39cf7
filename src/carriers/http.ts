import * as z from "zod";
import type { Config } from "../config/settings.ts";
import { isSigned, signedHeaders } from "../crypto/webhook-signature.ts";
import { readText } from "../http/streams.ts";
import type { Outcome } from "../model/message.ts";
import type { Carrier, Outgoing, Receipt } from "./carrier.ts";

// The carrier that sends to a gateway of the operator's choice (contract §11): signed JSON out, signed receipts in.

/**
 * What Cloudflare answers when it could not connect to the gateway: refused, unreachable, TLS failed, unknown host.
 * Nothing was delivered. (520, 522 and 524 can also occur after the gateway received the message.)
 */
const NOT_CONNECTED: ReadonlySet<number> = new Set([521, 523, 525, 526, 530]);

/** How much of a gateway's response is read. */
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
    callback_url: callbackUrl,
  });
}

/**
 * A request body that records whether all of it was sent. Its first byte is written alone: until the second write has
 * been read, no connection has taken the first one, so the gateway has certainly received nothing to act on.
 */
function tracedBody(text: string): { stream: ReadableStream; left: () => boolean } {
  const bytes = new TextEncoder().encode(text);
  const { readable, writable } = new FixedLengthStream(bytes.length);
  let left = false;
  const pump = async () => {
    const writer = writable.getWriter();
    await writer.write(bytes.subarray(0, 1));
    await writer.write(bytes.subarray(1));
    left = true;
    await writer.close();
  };
  // A broken connection also rejects this promise; the fetch reports it.
  pump().catch(() => undefined);
  return { stream: readable, left: () => left };
}

function retryAfterMs(response: Response, nowMs: number): { retryAfterMs?: number } {
  const value = response.headers.get("retry-after");
  if (value === null) return {};
  const ms = /^[0-9]{1,6}$/u.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) && ms > 0 ? { retryAfterMs: ms } : {};
}

/** What the gateway's status means for the message (contract §11). */
async function outcomeOf(response: Response): Promise<Outcome> {
  const { status } = response;
  const code = `http_${status}`;
  // The status says all, even if the rest of the response cannot be read.
  await response.body?.cancel().catch(() => undefined);
  if (status === 429 || status === 503 || NOT_CONNECTED.has(status)) {
    return { kind: "not_accepted", code, ...retryAfterMs(response, Date.now()) };
  }
  if (response.ok) return { kind: "submitted" };
  if (status >= 400 && status < 500 && status !== 408 && status !== 425) {
    return { kind: "rejected", code };
  }
  return { kind: "unknown", code };
}

/** The carrier behind CARRIER_HTTP_URL. */
export function httpCarrier(config: Config): Carrier {
  const url = config.CARRIER_HTTP_URL;
  const secret = config.CARRIER_HTTP_SECRET;
  const callbackUrl = `${config.CONSOLE_URL}/callbacks/http`;
  return {
    name: "http",
    isPaced: true,
    resubmits: config.CARRIER_HTTP_DEDUPES === "on",

    async submit(message) {
      if (url === undefined || secret === undefined) return { kind: "not_accepted", code: "not_configured" };
      const text = bodyOf(message, callbackUrl);
      const headers = {
        "content-type": "application/json",
        ...signedHeaders(secret, message.ref, text, Date.now()),
      };
      const body = tracedBody(text);
      try {
        const signal = AbortSignal.timeout(config.CARRIER_TIMEOUT_MS);
        // A redirect is not followed: it would send the message to a host that the operator did not configure.
        return await outcomeOf(
          await fetch(url, { method: "POST", headers, body: body.stream, signal, redirect: "manual" }),
        );
      } catch (problem) {
        const timeout = problem instanceof Error && problem.name === "TimeoutError";
        if (!body.left()) return { kind: "not_accepted", code: timeout ? "connect_timeout" : "connection_refused" };
        return { kind: "unknown", code: timeout ? "timeout" : "connection_broken" };
      }
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
