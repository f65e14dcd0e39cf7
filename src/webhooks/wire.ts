import { stateOf } from "../model/webhook.ts";
import type { Attempt, Endpoint } from "../model/webhook.ts";

const isoOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** An endpoint as the API shows it (contract §14). */
export function wireWebhook(endpoint: Endpoint, nowMs: number) {
  const { id, url, types, batch, description, acked, nextAt, lastError, disabled, createdAt } = endpoint;
  return {
    webhook_id: id,
    url,
    types,
    batch,
    description,
    state: stateOf(endpoint, nowMs),
    acked,
    last_error: disabled === null ? lastError : `disabled_${disabled}`,
    next_at: isoOf(disabled === null ? nextAt : null),
    created_at: isoOf(createdAt),
  };
}

/** An attempt as the API shows it; `last` only where it was a batch. */
export function wireAttempt({ seq, last, at, status, ms, error, answer }: Attempt) {
  return { seq, ...(last !== undefined && { last }), at: isoOf(at), status, ms, error, answer };
}
