import type { Seen } from "../../model/pace.ts";
import { Countdown } from "../../queues/countdown.ts";
import { ANSWER_MS, Tally } from "./tally.ts";

// How many submissions a carrier takes in a second: set, or learned from its "not now" answers. After a decrease the
// rate comes back to where it was refused, stays around there and then grows faster and faster, as TCP CUBIC does
// (RFC 9438): so most of the time is spent near the limit, and a limit that was raised is found.

/** The rate at which bulks begin while nothing is known of the carrier; it doubles each half second. */
export const START_PER_SEC = 100;
const START_DOUBLES_MS = 500;

/** A rate beyond this is no limit. */
const FREE_PER_SEC = 10_000;

/** After so long without a request for permits, what the carrier takes is tried anew. */
const IDLE_MS = 60_000;

/** A limit counts as met lately for so long after the last "not now". */
export const LATELY_MS = 300_000;

/** What was learned is of no use after a day. */
export const KEPT_MS = 86_400_000;

/** After a decrease the rate is this part of the ceiling, and is back at it after the span. */
const DECREASE = 0.06;
const SPAN_MS_MIN = 2_000;
const SPAN_MS = 8_000;
/** A refusal that costs silence is risked more rarely: the span is this many silences. */
const SPAN_SILENCES = 30;
const SPAN_MS_MAX = 120_000;
/** Beyond twice the span the rate doubles in this time. */
const GROWTH_DOUBLES_MS = 4_000;

/** "Not now" answers up to this share are the price of being near the limit, where they cost no silence. */
const TOLERATED = 0.03;
/** From this share on, what was accepted is the limit. */
const HEAVY = 0.2;
/** So many refusals in a row and for so long: the carrier takes nothing, and the limit from before says more. */
const OUTAGE_BUSY = 5;
const OUTAGE_MS = 1_500;
/** Attempts per second with which an outage is probed, and how long its permits pause. */
const PROBES_PER_SEC = 1;
const PAUSE_MS = 1_000;
const RECOVERY_DOUBLES_MS = 500;

/** The least that is learned. */
const PER_SEC_MIN = 0.5;

/** What is kept of a learned limit over an eviction. */
export interface Learned {
  /** Submissions per second that the carrier took when it last refused some. */
  ceiling: number;
  /** When it last did. */
  busyAtMs: number;
  spanMs: number;
}

/** The rate of one carrier. */
export class Rate {
  readonly #setPerSec: number;
  readonly #tally = new Tally();
  readonly #quiet = new Countdown();
  #ceiling: number | null = null;
  #spanMs = SPAN_MS;
  /** When the growth from the ceiling began, or from nothing. */
  #sinceMs = 0;
  #isOutage = false;
  /** Whether a learned rate was without refusals for some seconds. */
  #hasLasted = false;
  /** Refusals since a submission was taken: how many, since when, and the ceiling before them. */
  #row = { busy: 0, sinceMs: 0, ceiling: null as number | null };
  #busyAtMs = Number.NEGATIVE_INFINITY;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  /** Since when answers count, and when those to earlier permits are all in. */
  #windowMs = 0;
  #settledMs = 0;

  /** `setPerSec`: the limit that is set, Infinity where none is. */
  constructor(setPerSec: number, learned: Learned | null, nowMs: number) {
    this.#setPerSec = setPerSec;
    if (learned === null || nowMs - learned.busyAtMs > KEPT_MS) return;
    this.#ceiling = learned.ceiling;
    this.#spanMs = learned.spanMs;
    this.#busyAtMs = Math.min(learned.busyAtMs, nowMs);
    this.#sinceMs = nowMs;
  }

  /** What is worth keeping; null where nothing was learned. */
  learned(): Learned | null {
    if (this.#ceiling === null) return null;
    return { ceiling: this.#ceiling, busyAtMs: this.#busyAtMs, spanMs: this.#spanMs };
  }

  /** Whether the limit is set, or was met lately. */
  isLimited(nowMs: number): boolean {
    return this.#setPerSec < Infinity || nowMs - this.#busyAtMs < LATELY_MS;
  }

  /** How long the carrier wants silence, in ms. */
  quietMs(nowMs: number): number {
    return this.#quiet.leftMs(nowMs);
  }

  /** Whether the rate is doubling each half second: at the beginning, and after an outage. */
  get isRising(): boolean {
    return this.#isOutage || (this.#ceiling === null && this.#setPerSec === Infinity);
  }

  /** Notes that permits are asked for: after an idle time the carrier is tried anew. */
  asked(nowMs: number): void {
    if (nowMs - this.#askedAtMs > IDLE_MS) this.#sinceMs = nowMs;
    this.#askedAtMs = nowMs;
  }

  /** Counts a permit at its time; a count of -1 one that was given back. */
  granted(atMs: number, count = 1): void {
    this.#tally.grant(atMs, count);
  }

  /** Submissions per second that may be permitted now; Infinity where there is no limit. */
  perSec(nowMs: number): number {
    return Math.min(this.#setPerSec, this.#learnedPerSec(nowMs));
  }

  /** What it will be soon: after an outage, what it was before. */
  likelyPerSec(nowMs: number): number {
    const perSec = this.perSec(nowMs);
    return this.#isOutage ? Math.max(perSec, Math.min(this.#setPerSec, this.#ceiling ?? 0)) : perSec;
  }

  #learnedPerSec(nowMs: number): number {
    const sinceMs = Math.max(0, nowMs - this.#sinceMs);
    if (this.#ceiling === null) {
      const started = START_PER_SEC * 2 ** (sinceMs / START_DOUBLES_MS);
      return started > FREE_PER_SEC || this.#setPerSec < Infinity ? Infinity : started;
    }
    if (this.#isOutage) {
      const recovered = PROBES_PER_SEC * 2 ** (sinceMs / RECOVERY_DOUBLES_MS);
      if (recovered < this.#ceiling * (1 - DECREASE)) return recovered;
      this.#isOutage = false;
      this.#sinceMs = nowMs;
      return this.#ceiling * (1 - DECREASE);
    }
    const spans = sinceMs / this.#spanMs;
    if (spans < 2) return this.#ceiling * (1 + DECREASE * (spans - 1) ** 3);
    const grown =
      this.#ceiling * (1 + DECREASE) * 2 ** ((sinceMs - 2 * this.#spanMs) / Math.max(GROWTH_DOUBLES_MS, this.#spanMs));
    if (grown < Math.max(FREE_PER_SEC, this.#ceiling * 16)) return grown;
    this.#ceiling = null;
    this.#sinceMs = Number.NEGATIVE_INFINITY;
    return Infinity;
  }

  /**
   * Learns from what a consumer saw. `datedMs` is the time of the last permit that was given. Returns whether the
   * permits given so far are void: the carrier wants silence, or takes far less.
   */
  saw(nowMs: number, { taken, busy, quietMs = 0 }: Seen, datedMs: number): boolean {
    if (taken > 0) this.#row.busy = 0;
    if (busy === 0 && quietMs === 0) return false;
    this.#busyAtMs = nowMs;
    if (this.#row.busy === 0) this.#row = { busy: 0, sinceMs: nowMs, ceiling: this.#ceiling };
    this.#row.busy += busy;
    const wasQuiet = this.#quiet.leftMs(nowMs) > 0;
    this.#quiet.extend(nowMs, quietMs);
    // Answers to what was under way when the silence began say nothing new.
    if (wasQuiet) return this.#pause(nowMs);
    this.#tally.refuse(nowMs, busy);
    const perSec = this.perSec(nowMs);
    const fromMs = Math.max(this.#windowMs, nowMs - Math.max(2_000, Math.min(10_000, 40_000 / perSec)));
    const seen = this.#tally.between(fromMs, nowMs - ANSWER_MS);
    const share = seen.busy / Math.max(seen.busy, seen.granted, 1);
    const isHeavy = share >= HEAVY && seen.busy >= 3;
    if (quietMs === 0 && nowMs < this.#settledMs && !(isHeavy && nowMs - this.#windowMs > 500)) return false;
    const acceptedPerSec = this.#acceptedPerSec(nowMs, perSec);
    const base = Math.min(perSec, this.#usedPerSec(nowMs, perSec));
    const hurry = this.#hurry(nowMs, perSec, quietMs > 0);
    this.#hasLasted ||= nowMs - this.#windowMs >= 3_000 && this.#ceiling !== null;
    const isOutage = this.#isOutage || (this.#row.busy >= OUTAGE_BUSY && nowMs - this.#row.sinceMs >= OUTAGE_MS);
    if (isOutage) {
      this.#isOutage = true;
      this.#ceiling = this.#row.ceiling ?? this.#ceiling ?? Math.max(PER_SEC_MIN, base);
      this.#quiet.extend(nowMs, PAUSE_MS);
    } else if (isHeavy) {
      this.#ceiling = Math.max(PER_SEC_MIN, Math.min(base * (1 - DECREASE), acceptedPerSec));
    } else if (share < TOLERATED && quietMs === 0 && this.#ceiling !== null) {
      this.#ceiling = base;
    } else {
      const refused = Math.min(share, seen.granted < 10 ? 0.1 : 0.3);
      this.#ceiling = Math.max(PER_SEC_MIN, base * (1 - Math.max(refused, hurry)));
    }
    const isHeld = !isOutage && !isHeavy && share < TOLERATED && quietMs === 0;
    // A ceiling that was found in a rush is tried soon, and one that held each time later.
    const isRushed = isHeavy || isOutage || (hurry > 0.1 && quietMs > 0);
    const spanMsMin = Math.min(SPAN_MS, Math.max(SPAN_MS_MIN, 30_000 / this.#ceiling, 4 * quietMs));
    const spanMsMax = Math.min(SPAN_MS_MAX, Math.max(SPAN_MS, quietMs * SPAN_SILENCES));
    this.#spanMs = isRushed ? spanMsMin : Math.min(spanMsMax, this.#spanMs * 2);
    this.#sinceMs = isHeld ? nowMs - this.#spanMs : nowMs;
    this.#windowMs = nowMs;
    this.#settledMs = Math.min(nowMs + 4_500, Math.max(nowMs, datedMs) + 2 * ANSWER_MS);
    return this.#pause(nowMs) || isHeavy;
  }

  /** What the carrier accepted per second just before now. */
  #acceptedPerSec(nowMs: number, perSec: number): number {
    const forMs = Math.min(4_000, Math.max(1_000, 10_000 / perSec));
    const { granted, busy } = this.#tally.between(nowMs - ANSWER_MS - forMs, nowMs - ANSWER_MS);
    return (Math.max(0, granted - busy) * 1_000) / forMs;
  }

  /** How fast permits were given just before now; while few were, a carrier's pace is not known by them. */
  #usedPerSec(nowMs: number, perSec: number): number {
    const untilMs = nowMs - ANSWER_MS;
    const fromMs = Math.max(this.#windowMs, untilMs - Math.min(4_000, Math.max(1_000, 10_000 / perSec)));
    const { granted } = this.#tally.between(fromMs, untilMs);
    return granted < 10 ? Math.min(perSec, START_PER_SEC) : (granted * 1_000) / Math.max(300, untilMs - fromMs);
  }

  /**
   * The part of the rate that was too much, by when a silence came: while the rate was doubling, what it grew until the
   * answer was there; soon after the last silence, more, and most while no rate has lasted yet.
   */
  #hurry(nowMs: number, perSec: number, isQuiet: boolean): number {
    const doublesMs = Math.max(GROWTH_DOUBLES_MS, this.#spanMs);
    const isDoubling = nowMs - this.#sinceMs > 2 * this.#spanMs;
    if (isDoubling) return Math.max(0.08, 1 - 2 ** (-Math.min(2_000, 8_000 / perSec) / doublesMs));
    if (!isQuiet) return 0;
    const sinceMs = nowMs - this.#windowMs;
    if (sinceMs >= 3_000) return sinceMs < this.#spanMs / 2 ? 0.06 : 0;
    return this.#hasLasted || sinceMs >= 1_500 ? 0.12 : 0.3;
  }

  /** Puts growth and judgement off until the silence is over; false where there is none. */
  #pause(nowMs: number): boolean {
    const quietMs = this.#quiet.leftMs(nowMs);
    if (quietMs === 0) return false;
    this.#sinceMs = nowMs + quietMs;
    this.#windowMs = nowMs + quietMs;
    this.#settledMs = nowMs + quietMs;
    return true;
  }
}
