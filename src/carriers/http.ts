import * as z from "zod";
import type { Config } from "../config.ts";
import { isSigned, signedHeaders } from "../crypto/webhook-signature.ts";
import { readText } from "../http/streams.ts";
import type { Outcome } from "../model/message.ts";
import type { Carrier, Outgoing, Receipt } from "./carrier.ts";

// The bring-your-own-gateway carrier (contract §11): signed JSON out, signed receipts in.

/**
 * What Cloudflare answers in place of a gateway that it could not connect to: refused, unreachable, TLS failed, no such
 * name. Nothing was delivered. (520, 522 and 524 may come after the gateway had the message.)
 */
const NOT_CONNECTED: ReadonlySet<number> = new Set([521, 523, 525, 526, 530]);

/** A receipt call is small; more than this is not one. */
const RECEIPT_BYTES_MAX = 65_536;

const receipt = z.object({
  ref: z.string().max(200),
  state: z.enum(["submitted", "delivered", "undelivered", "failed"]),
  code: z.string().max(100).optional(),
});

/** The JSON that the gateway gets. */
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
 * A body that tells whether it left whole. Its first byte goes alone: while the second piece has not been asked for,
 * no connection took the first, so the gateway certainly has nothing it could act on.
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
  // A broken connection also breaks the pump; the fetch beside it says so.
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
  if (status === 429 || status === 503 || NOT_CONNECTED.has(status)) {
    await response.body?.cancel();
    return { kind: "not_accepted", code, ...retryAfterMs(response, Date.now()) };
  }
  if (response.ok) {
    // The message is taken, whatever the rest of the answer says and however it ends.
    await response.body?.cancel().catch(() => undefined);
    return { kind: "submitted" };
  }
  await response.body?.cancel();
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

    async submit(message) {
      if (url === undefined || secret === undefined) return { kind: "not_accepted", code: "not_configured" };
      const text = bodyOf(message, callbackUrl);
      const body = tracedBody(text);
      const headers = {
        "content-type": "application/json",
        ...signedHeaders(secret, message.ref, text, Date.now()),
      };
      try {
        const signal = AbortSignal.timeout(config.CARRIER_TIMEOUT_MS);
        // A redirect is not followed: it would hand the message to somebody whom nobody configured.
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
