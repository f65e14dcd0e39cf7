// How a carrier does: what consumers say of their submissions to it, and what its pacing object makes of that.

/** `up`: it takes messages; `out`: it is left alone for a while; `trial`: one message at a time tries it. */
export type CarrierState = "up" | "trial" | "out";

/** What became of submissions, and of what was taken. */
export const RESULTS = [
  "submitted",
  "rejected",
  "not_accepted",
  "unknown",
  "delivered",
  "undelivered",
  "failed",
] as const;
export type Result = (typeof RESULTS)[number];
export type Results = Record<Result, number>;

export const noResults = (): Results => ({
  submitted: 0,
  rejected: 0,
  not_accepted: 0,
  unknown: 0,
  delivered: 0,
  undelivered: 0,
  failed: 0,
});

/** What came of submissions and receipts of one moment, `agoMs` before it is told. */
export interface Lately {
  agoMs: number;
  results: Partial<Results>;
  /** How long submissions took, and deliveries, in ms: some of them. */
  submitMs: number[];
  deliveryMs: number[];
}

/** What counts for the breaker (contract §16.2): first what was taken, then the failures since. */
export interface Row {
  /** How long ago a submission was last taken, in ms; absent where none was. */
  takenAgoMs?: number;
  /** Failures in a row since then: no connection, a timeout, a broken one, or a 5xx without `Retry-After`. */
  failures: number;
  /** The code of trouble of the deployment's own account there: credentials, credit. */
  trouble?: string;
}

/** The health of a carrier as its pacing object sees it; times in ms since the epoch. */
export interface CarrierHealth {
  state: CarrierState;
  sinceMs: number;
  lastError: { code: string; atMs: number } | null;
  /** Of the last minute. */
  minute: Results;
  /** Of the time that submissions took in the last minute. */
  medianMs: number | null;
}
