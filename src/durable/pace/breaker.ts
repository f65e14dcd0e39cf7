import * as z from "zod";
import type { CarrierState, Row } from "../../model/carrier/health.ts";

// Whether a carrier is left alone (contract §16.2). It holds back only messages that have another carrier: for the others
// the rate alone says when they may go, with its own pauses and probes of a carrier that takes nothing (outage.ts).

/**
 * Failures are in a row within a minute, as its health counts: acceptances of isolates that saw no failure are not told, so
 * that failures of days would add up between them.
 */
const ROW_MS = 60_000;

/** A carrier is left alone for so many times the first span, at most. */
const TIMES_MAX = 10;

/** How it stands, as it is stored: one row, written only where this changes. */
const stored = z.object({
  sinceMs: z.number(),
  /** Null while messages are taken. */
  opened: z
    .object({ untilMs: z.number(), times: z.number().min(1).max(TIMES_MAX), trouble: z.string().nullable() })
    .nullable(),
});
export type BreakerStored = z.output<typeof stored>;

/** Reads what is stored; null for nothing, and for a form that this release does not know. */
export function readBreaker(value: unknown): BreakerStored | null {
  const parsed = stored.safeParse(value);
  return parsed.success ? parsed.data : null;
}

/** The settings BREAKER_FAILURES and BREAKER_OPEN_MS, and how long the message that tries a carrier takes at least, in ms. */
export interface BreakerSettings {
  failures: number;
  openMs: number;
  trialMs: number;
}

/** What changed: `trouble` is the code of an account's trouble that it opened for, or had been opened for. */
export type BreakerChange = { kind: "opened" | "closed"; trouble: string | null } | null;

/** The breaker of one carrier; the clock is an argument, and never goes back. */
export class Breaker {
  readonly #settings: BreakerSettings;
  #at: BreakerStored;
  /** Failures in a row, by when they were heard of: fewer than open it. */
  #row: { failures: number; atMs: number }[] = [];
  /** The message that tries it: when it was let through, and when it counts as lost. */
  #trial: { atMs: number; untilMs: number } | null = null;

  constructor(settings: BreakerSettings, at: BreakerStored | null, nowMs: number) {
    this.#settings = settings;
    this.#at = at ?? { sinceMs: nowMs, opened: null };
    // A clock that was set back makes no span longer than it can be.
    const { opened } = this.#at;
    if (opened) this.#at = { ...this.#at, opened: { ...opened, untilMs: Math.min(opened.untilMs, this.#most(nowMs)) } };
  }

  /** What is worth keeping over an eviction. */
  get stored(): BreakerStored {
    return this.#at;
  }

  state(nowMs: number): CarrierState {
    const { opened } = this.#at;
    return opened === null ? "up" : nowMs < opened.untilMs ? "out" : "trial";
  }

  /** Since when it is in this state. */
  sinceMs(nowMs: number): number {
    const { opened, sinceMs } = this.#at;
    return opened && nowMs >= opened.untilMs ? opened.untilMs : sinceMs;
  }

  /** How long no message with another carrier goes to it, in ms; while one tries it, until that one counts as lost. */
  outMs(nowMs: number): number {
    const { opened } = this.#at;
    if (!opened) return 0;
    return Math.max(0, nowMs < opened.untilMs ? opened.untilMs - nowMs : (this.#trial?.untilMs ?? 0) - nowMs);
  }

  /**
   * Lets one message through that tries the carrier, and may take `longestMs`, in ms; false unless it is time for that and
   * no other one tries it.
   */
  tries(nowMs: number, longestMs = 0): boolean {
    if (this.state(nowMs) !== "trial" || this.outMs(nowMs) > 0) return false;
    this.#trial = { atMs: nowMs, untilMs: nowMs + Math.max(this.#settings.trialMs, longestMs) };
    return true;
  }

  /** The message that was to try it went elsewhere, or its answer says neither: the next one may. */
  tried(): void {
    this.#trial = null;
  }

  /** Learns from what a consumer saw. */
  saw({ takenAgoMs, failures, trouble }: Row, nowMs: number): BreakerChange {
    const takenMs = takenAgoMs === undefined ? null : nowMs - Math.max(0, takenAgoMs);
    const { opened } = this.#at;
    const isBad = failures > 0 || trouble !== undefined;
    if (opened) {
      // What was under way when it was taken out says nothing new; the message that tries it does.
      if (nowMs < opened.untilMs) return null;
      if (isBad) return this.#open(nowMs, Math.min(TIMES_MAX, opened.times * 2), trouble ?? null);
      return takenMs !== null && takenMs >= opened.untilMs ? this.#close(nowMs, opened.trouble) : null;
    }
    // What was taken before the first failure, and is told late, ends no row of failures.
    if (takenMs !== null && takenMs >= (this.#row[0]?.atMs ?? 0)) this.#row = [];
    if (trouble !== undefined) return this.#open(nowMs, 1, trouble);
    if (failures === 0) return null;
    this.#row = [...this.#row.filter(({ atMs }) => nowMs - atMs < ROW_MS), { failures, atMs: nowMs }];
    const inRow = this.#row.reduce((sum, one) => sum + one.failures, 0);
    return inRow >= this.#settings.failures ? this.#open(nowMs, 1, null) : null;
  }

  #most(nowMs: number): number {
    return nowMs + TIMES_MAX * this.#settings.openMs;
  }

  #open(nowMs: number, times: number, trouble: string | null): BreakerChange {
    const was = this.#at.opened?.trouble ?? null;
    this.#at = { sinceMs: nowMs, opened: { untilMs: nowMs + times * this.#settings.openMs, times, trouble } };
    this.#row = [];
    this.#trial = null;
    // The trouble goes on until a message is taken, also where the carrier could not be reached in between.
    if (trouble === null && was !== null && this.#at.opened) this.#at.opened.trouble = was;
    return { kind: "opened", trouble: was === null ? trouble : null };
  }

  #close(nowMs: number, trouble: string | null): BreakerChange {
    this.#at = { sinceMs: nowMs, opened: null };
    this.#row = [];
    this.#trial = null;
    return { kind: "closed", trouble };
  }
}
