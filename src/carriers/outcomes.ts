import type { Outcome } from "../model/message.ts";
import type { Exchange } from "./exchange.ts";

// What an answer by HTTP means where a carrier's own documents say nothing else (contract §16.2 and §16.3).

type Answer = Extract<Exchange, { kind: "answer" }>;

/** The outcome of an exchange that got no answer; null where there is one. */
export function withoutAnswer(made: Exchange): Outcome | null {
  switch (made.kind) {
    case "not_connected":
      return { kind: "not_accepted", code: made.code };
    case "lost":
      return { kind: "unknown", code: made.code };
    case "answer":
      return null;
  }
}

/** Certainly not taken, for now or because of the deployment's own account there. */
export function notAccepted({ status, retryAfterMs }: Answer, code = `http_${status}`): Outcome {
  return { kind: "not_accepted", code, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/**
 * What a status that takes no message means: 429 and 503 are busy, `ours` speak of the deployment's own account, and
 * other ones from 400 on of the message, but for 408 and 425, which say that a request may be on its way.
 */
export function byStatus(answer: Answer, ours: readonly number[], code = `http_${answer.status}`): Outcome {
  const { status } = answer;
  if (status === 429 || status === 503 || ours.includes(status)) return notAccepted(answer, code);
  const isRefused = status >= 400 && status < 500 && status !== 408 && status !== 425;
  if (isRefused) return { kind: "rejected", code };
  return { kind: "unknown", code, ...(answer.retryAfterMs !== undefined && { retryAfterMs: answer.retryAfterMs }) };
}

/** A JSON text as its value; null where it is none. */
export function jsonOf(text: string | null): unknown {
  try {
    return text === null ? null : (JSON.parse(text) as unknown);
  } catch {
    return null;
  }
}

/** The callback address with the message that its receipts speak of, for carriers that do not repeat a reference. */
export const callbackFor = (callbackUrl: string, ref: string): string =>
  `${callbackUrl}?ref=${encodeURIComponent(ref)}`;

/** The longest reference and code that a receipt may have. */
export const REF_LENGTH_MAX = 200;
export const CODE_LENGTH_MAX = 100;
