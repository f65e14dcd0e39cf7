import type { Lane } from "./lane.ts";

// What consumers ask of a carrier's pacing object, and what it answers.

/** What a consumer saw at the carrier since it last told. */
export interface Seen {
  /** Submissions that the carrier accepted or rejected: they used its rate. */
  taken: number;
  /** Submissions that it answered with "not now" because of its rate or load. */
  busy: number;
  /** How long it asked for silence (`Retry-After`), in ms. */
  quietMs?: number;
}

/** A request for permits. */
export interface PermitsAsked {
  lane: Lane;
  /** The name of the account's object; accounts of one lane take turns. */
  account: string;
  /** Permits at most. */
  max: number;
  seen: Seen;
}

/** Permits: `count` submissions, the first after `startMs`, each following one `gapMs` later. */
export interface Permits {
  count: number;
  startMs: number;
  gapMs: number;
  /** When to ask again, in ms from now, where `count` is 0. */
  againMs: number;
  /** Whether the carrier's limit is set, or was met lately. While it is not, a single message needs no permit. */
  isLimited: boolean;
}
