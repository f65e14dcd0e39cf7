import type { AccountEvent } from "./event.ts";

// Webhook endpoints of an account (contract §14), as its object keeps them and a Worker delivers to them.

/** One attempt to post, as the account remembers it. */
export interface Attempt {
  /** The number of the event, or of the first of a batch; null for a test. */
  seq: number | null;
  /** The number of the last event of a batch; absent for one event. */
  last?: number;
  at: number;
  /** The answer's status; null where none came. */
  status: number | null;
  ms: number;
  /** Why it failed; null where it was taken. */
  error: string | null;
  /** The beginning of the answer. */
  answer: string;
}

/** Which derived secret signs: the generation, and the id of the KEY_SECRET that it comes from. */
export interface Generation {
  generation: number;
  secretId: number;
}

/** Why an endpoint was disabled: by its owner, a 410, nothing but failures, or because its secret can't be made any more. */
export type DisabledReason = "owner" | "gone" | "failures" | "secret_removed";

/** What an endpoint is, as its owner set it. */
export interface EndpointTerms {
  url: string;
  types: string[];
  batch: boolean;
  description: string;
}

/** One endpoint. Times are in ms since the epoch. */
export interface Endpoint extends EndpointTerms, Generation {
  id: string;
  createdAt: number;
  /** The number up to which every event was taken, parked or not asked for. */
  acked: number;
  /** When it is posted to again; null: at once. */
  nextAt: number | null;
  /** Failures in a row of the endpoint as a whole. */
  failures: number;
  /** When its first failure since the last success was; null: none. */
  failingSince: number | null;
  /** The event that was refused last: its batch's last number, and how often in a row it got a 5xx. */
  head: { seq: number; last: number; refused: number } | null;
  lastError: string | null;
  disabled: DisabledReason | null;
  /** The secret before, which signs as well until then. */
  old: (Generation & { until: number }) | null;
  /** Events that are sent again: the next one and the last. */
  replay: { next: number; to: number } | null;
}

/** An event that is tried apart from the others, because the endpoint refused it alone. */
export interface Parked {
  seq: number;
  failures: number;
  nextAt: number;
}

/** Which cursor of an endpoint a post belongs to. */
export type PostKind = "live" | "replay" | "parked";

/** Events that are posted together: one, or a batch. */
export interface Post {
  kind: PostKind;
  events: AccountEvent[];
  /** The number up to which everything is settled once this is. */
  through: number;
}

/** What a Worker has to deliver. */
export interface Claim {
  endpoint: Endpoint;
  /** Names the claim; another one takes its place when it took too long. */
  lease: number;
  posts: Post[];
}

/** What became of a post. */
export interface Posted {
  kind: PostKind;
  first: number;
  last: number;
  /** Of a batch: its events' numbers, between which there may be some that the endpoint does not want. Absent: all are in it. */
  seqs?: number[];
  through: number;
  attempt: Attempt;
  /** What `Retry-After` asked for, in ms. */
  retryAfterMs: number | null;
}

/** Why a change of an endpoint is refused. */
export type EndpointRefusal = "unknown" | "too_many" | "events_expired" | "disabled";

/** What an owner changes of an endpoint; `skip`: it goes on from now. */
export interface EndpointChange extends Partial<EndpointTerms> {
  state?: "active" | "disabled";
  skip?: boolean;
}

/** How an endpoint stands (contract §14). */
export function stateOf({ disabled, nextAt }: Endpoint, nowMs: number): "active" | "waiting" | "disabled" {
  if (disabled !== null) return "disabled";
  return nextAt !== null && nextAt > nowMs ? "waiting" : "active";
}
