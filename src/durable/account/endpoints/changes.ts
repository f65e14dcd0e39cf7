import type {
  Attempt,
  Endpoint,
  EndpointChange,
  EndpointRefusal,
  EndpointTerms,
  Generation,
} from "../../../model/webhook.ts";
import { ATTEMPTS_KEPT } from "../../../webhooks/policy.ts";
import { keptEvents } from "../events/pages.ts";
import type { Turn } from "../turn.ts";
import { deleteEndpoint, readAttempts, readEndpoint, readEndpoints, unparkAll, writeEndpoint } from "./rows.ts";

// What the owner of the account does with endpoints (contract §14).

/** Endpoints of one account. */
export const ENDPOINTS_MAX = 10;

/** Adds an endpoint, which gets what happens from now on. */
export function addEndpoint(
  { sql, nowMs }: Turn,
  id: string,
  terms: EndpointTerms,
  secretId: number,
): Endpoint | EndpointRefusal {
  // The same request, repeated by the platform after its commit.
  const before = readEndpoint(sql, id);
  if (before) return before;
  if (readEndpoints(sql).length >= ENDPOINTS_MAX) return "too_many";
  const endpoint: Endpoint = {
    ...terms,
    id,
    createdAt: nowMs,
    acked: keptEvents(sql).last,
    nextAt: null,
    failures: 0,
    failingSince: null,
    head: null,
    lastError: null,
    disabled: null,
    generation: 1,
    secretId,
    old: null,
    replay: null,
  };
  writeEndpoint(sql, endpoint, []);
  return endpoint;
}

/** What an endpoint is like after it was enabled: nothing of its failures counts any more. */
const enabled = { disabled: null, failures: 0, failingSince: null, nextAt: null, lastError: null, head: null } as const;

/** Changes an endpoint. A new address, and enabling it again, end its wait. */
export function changeEndpoint({ sql }: Turn, id: string, change: EndpointChange): Endpoint | EndpointRefusal {
  const before = readEndpoint(sql, id);
  if (!before) return "unknown";
  const { state, skip = false, ...terms } = change;
  const endpoint: Endpoint = { ...before, ...terms };
  const isMoved = endpoint.url !== before.url;
  if (state === "active" || (isMoved && before.disabled === null)) Object.assign(endpoint, enabled);
  if (state === "disabled" && before.disabled === null) Object.assign(endpoint, { disabled: "owner", nextAt: null });
  // A batch keeps its end only while it is one.
  if (endpoint.batch !== before.batch) endpoint.head = null;
  if (skip && endpoint.disabled === null) {
    Object.assign(endpoint, { acked: keptEvents(sql).last, replay: null, head: null });
    unparkAll(sql, id);
  }
  writeEndpoint(sql, endpoint);
  return endpoint;
}

/** Deletes an endpoint; false where there is none. */
export function removeEndpoint({ sql }: Turn, id: string): boolean {
  if (!readEndpoint(sql, id)) return false;
  deleteEndpoint(sql, id);
  return true;
}

/** Gives an endpoint another secret; the one before signs as well for so long, in ms. */
export function rotateEndpoint(
  { sql, nowMs }: Turn,
  id: string,
  overlapMs: number,
  secretId: number,
): Endpoint | EndpointRefusal {
  const before = readEndpoint(sql, id);
  if (!before) return "unknown";
  const next: Generation = { generation: before.generation + 1, secretId };
  const old = { generation: before.generation, secretId: before.secretId, until: nowMs + overlapMs };
  const endpoint = { ...before, ...next, old: overlapMs > 0 ? old : null };
  writeEndpoint(sql, endpoint);
  return endpoint;
}

/** Has events sent again, both ends included; returns how many of the account's events that are. */
export function replayEvents(
  { sql }: Turn,
  id: string,
  from: number,
  to: number | null,
): { replayed: number } | EndpointRefusal {
  const endpoint = readEndpoint(sql, id);
  if (!endpoint) return "unknown";
  if (endpoint.disabled !== null) return "disabled";
  const { first, last } = keptEvents(sql);
  if (from < first && from <= last) return "events_expired";
  // What it has not got yet, it gets anyway.
  const end = Math.min(to ?? last, last, endpoint.acked);
  if (end < from) return { replayed: 0 };
  const { replay } = endpoint;
  const next = replay ? Math.min(replay.next, from) : from;
  writeEndpoint(sql, { ...endpoint, replay: { next, to: Math.max(replay?.to ?? end, end) } });
  return { replayed: end - from + 1 };
}

/** Notes an attempt that was no event, as a test is. */
export function noteAttempt({ sql }: Turn, id: string, attempt: Attempt): boolean {
  const endpoint = readEndpoint(sql, id);
  if (!endpoint) return false;
  writeEndpoint(sql, endpoint, [...readAttempts(sql, id), attempt].slice(-ATTEMPTS_KEPT));
  return true;
}
