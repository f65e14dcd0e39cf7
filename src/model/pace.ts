import type { CarrierHealth, CarrierState, Lately, Row } from "./carrier/health.ts";
import type { Lane } from "./lane.ts";

// What consumers ask of a carrier's pacing object, and what it answers.

/** What a consumer saw at the carrier since it last told. */
export interface Seen {
  /** Submissions that the carrier accepted or rejected: they used its rate. */
  taken: number;
  /** Submissions that it answered with "not now" because of its rate (429). */
  busy: number;
  /** Submissions that it could not be reached for, or was not ready for (503): these say nothing of its rate. */
  away?: number;
  /** How long it asked for silence (`Retry-After`), in ms. */
  quietMs?: number;
  /** Permits that were not used, by their times on the object's clock: others get those that are still ahead. */
  returned?: number[];
  /** What counts for the breaker; absent where nothing does. */
  row?: Row;
  /** Whether the message that was to try the carrier is answered, or went elsewhere. */
  tried?: boolean;
  /** What came of submissions and receipts in the last minute. */
  lately?: Lately[];
  /** The last answer that was no acceptance. */
  error?: { code: string; agoMs: number };
}

/** A request for permits. */
export interface PermitsAsked {
  lane: Lane;
  /** The name of the account's object; accounts of one lane take turns. */
  account: string;
  /** Permits at most. */
  max: number;
  /**
   * The shortest time between two submissions that the consumer keeps up with, in ms: the carrier's latency by the
   * consumer's connections. Faster permits would be used late, when others have theirs.
   */
  gapMs?: number;
  /** When the oldest message was created that the consumer claimed last, in ms. */
  oldestMs?: number;
  /** Whether the messages have another carrier: then they get no permits while this one is left alone. */
  hasOther?: boolean;
  /** Then: what an attempt at this one may take, in ms, where that is longer than CARRIER_TIMEOUT_MS. */
  longestMs?: number;
  /** The limit that is set for the carrier, in submissions of each second; null: learned. Absent: that of the settings. */
  tps?: number | null;
  seen: Seen;
}

/** How a carrier stands, with every answer of its pacing object. */
export interface PaceNews {
  /** `trial` comes with the one permit of the message that tries it; all others are told `out` meanwhile. */
  state: CarrierState;
  /** How long messages with another carrier pass it over, in ms; 0 where they need not. */
  outMs: number;
  /** What its deliveries are worth, above 0 and at most 1 (routing/drift.ts). */
  merit: number;
}

/** Permits: each is for one submission, at its time or shortly after. */
export interface Permits extends Partial<PaceNews> {
  /** When each permit may be used: ascending, on the clock of `nowMs`. Empty: not now. */
  atMs: number[];
  /** The time of the answer. */
  nowMs: number;
  /** When to ask again, in ms from now, where there is no permit. */
  againMs: number;
  /** How long the carrier wants silence, in ms from now; 0 where it does not. */
  quietMs: number;
  /** Without permits: whether enough other consumers already ask for this account's lane, so that this one may go. */
  isSurplus?: boolean;
  /** Whether the carrier's limit is set, or was met lately. While it is not, a single message needs no permit. */
  isLimited: boolean;
  /** How the carrier stands; absent: up. */
  state?: "up" | "trial" | "out";
  /** How long messages with another carrier pass it over, in ms; 0 where they need not. */
  outMs?: number;
}

/** How a carrier's pace stands, for the operator; times in ms since the epoch. */
export interface PaceStanding {
  /** Since when the counts count: the pacing object's memory begins anew now and then. */
  sinceMs: number;
  /** Submissions that were taken, refused because of the rate, and not taken because the carrier was away. */
  taken: number;
  busy: number;
  away: number;
  /** The first and the last refusal since a submission was taken; null where the last was taken, or none was made. */
  refusedSinceMs: number | null;
  refusedLastMs: number | null;
  /** The learned limit in submissions per second; null where none is known. */
  perSec: number | null;
  /** How long the carrier still wants silence, in ms. */
  quietMs: number;
  health: CarrierHealth;
  /** When the oldest message was created that consumers of a lane claimed in the last minute. */
  oldestMs: Partial<Record<Lane, number>>;
}

/** Singles begin within this time after a silence; bulks no sooner, and within that part of it, or this. */
const SINGLE_MS = 200;
const BULK_MS = 300;
const BULK_SPREAD_MAX_MS = 1_700;

/**
 * How long after the end of a silence a lane begins, in ms: OTPs at once, then single messages, then bulks. Consumers of
 * one lane are spread, so that not all come at once; `random` is from 0 to 1.
 */
export function afterSilenceMs(lane: Lane, quietMs: number, random: () => number): number {
  if (lane === "otp") return 0;
  if (lane === "single") return random() * SINGLE_MS;
  return BULK_MS + random() * Math.min(BULK_SPREAD_MAX_MS, quietMs / 2);
}
