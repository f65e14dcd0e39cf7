import type { Config } from "../config/settings.ts";
import type { Attempt } from "../model/webhook.ts";
import { headersFor } from "./body.ts";
import type { Message } from "./body.ts";
import { refusedAddress } from "./guard.ts";

// One post to a receiver: whatever it answers, or does not, is a result.

/** How much of an answer is read, in bytes, and shown, in characters. */
const ANSWER_BYTES_MAX = 4_096;
const ANSWER_LENGTH_MAX = 200;

/** What came back. `error` is null where the receiver took it. */
export interface Answer extends Pick<Attempt, "at" | "status" | "ms" | "error" | "answer"> {
  retryAfterMs: number | null;
}

/** The beginning of an answer; what cannot be read, or not in time, is left out. */
async function beginningOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    // Leaving the loop cancels the rest.
    for await (const part of body ?? []) {
      const bytes = part as Uint8Array;
      parts.push(bytes.subarray(0, ANSWER_BYTES_MAX - size));
      size += bytes.length;
      if (size >= ANSWER_BYTES_MAX) break;
    }
  } catch {
    // The status says all, even if the rest cannot be read.
  }
  return Buffer.concat(parts).toString("utf8").slice(0, ANSWER_LENGTH_MAX);
}

/** What `Retry-After` asks for (RFC 9110 §10.2.3), in ms; null for nothing that can be read. */
function retryAfterOf({ headers }: Response, nowMs: number): number | null {
  const value = headers.get("retry-after");
  if (value === null) return null;
  const ms = /^[0-9]{1,8}$/u.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}

const errorOf = (status: number): string | null =>
  status >= 200 && status < 300 ? null : status >= 300 && status < 400 ? "redirect" : `http_${status}`;

/** Posts a message once, signed with each secret. Never throws. */
export const post = (config: Config, url: string, secrets: readonly string[], message: Message): Promise<Answer> =>
  postBody(config, url, message.body, (nowMs) => ({
    "content-type": "application/json",
    ...headersFor(secrets, message, nowMs),
  }));

/** Posts a body once, with the headers for that time. Never throws. */
export async function postBody(
  config: Config,
  url: string,
  body: string,
  headersAt: (nowMs: number) => Record<string, string>,
): Promise<Answer> {
  const at = Date.now();
  const ended = (rest: Omit<Answer, "at" | "ms">): Answer => ({ at, ms: Math.max(0, Date.now() - at), ...rest });
  const none = { status: null, answer: "", retryAfterMs: null };
  if (refusedAddress(config, url) !== null) return ended({ ...none, error: "address_refused" });
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "user-agent": "Dastak-Webhooks/1", ...headersAt(at) },
      body,
      // A redirect is not followed: it could lead to an address that was never asked about.
      redirect: "manual",
      signal: AbortSignal.timeout(config.WEBHOOK_TIMEOUT_MS),
    });
    const { status } = response;
    const retryAfterMs = retryAfterOf(response, at);
    return ended({ status, error: errorOf(status), answer: await beginningOf(response), retryAfterMs });
  } catch (problem) {
    const isLate = problem instanceof Error && problem.name === "TimeoutError";
    return ended({ ...none, error: isLate ? "timeout" : "no_connection" });
  }
}
