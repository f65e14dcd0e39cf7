import type { Seen } from "../../model/pace.ts";
import { Countdown } from "../../queues/countdown.ts";
import type { Learned } from "./learned.ts";
import { Outage, PAUSE_MS } from "./outage.ts";
import type { Before } from "./outage.ts";
import { limitOf } from "./set-limit.ts";
import type { SetLimit } from "./set-limit.ts";
import { HEAVY, Submissions } from "./submissions.ts";
import { ANSWER_MS } from "./tally.ts";

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

/** After a decrease the rate is this part below the ceiling, and back at it after the span. It is never below the least. */
const DECREASE = 0.06;
const PER_SEC_MIN = 0.5;
/** The first refusals, which came when few answers were there, divide the rate by no more. */
const UNKNOWN_STEP = 16;
const SPAN_MS_MIN = 2_000;
const SPAN_MS = 8_000;
/** A refusal that costs silence is risked more rarely: the span is this many silences. */
const SPAN_SILENCES = 30;
const SPAN_MS_MAX = 30_000;
/** In this time, silences that follow each other halve a rate that had lasted, and no more. */
const EPISODE_MS = 20_000;
/** A rate that fell far below one that had lasted grows so much in a second, until it is near that one again. */
const CLIMB_PER_SEC = 1.12;
const CLIMB_BELOW = 0.6;
const CLIMB_TO = 0.85;
/** Beyond twice the span the rate doubles in this time. */
const GROWTH_DOUBLES_MS = 6_000;

/**
 * What refusals say of the rate: a lone one nothing, since carriers refuse some for reasons of their own, at any rate.
 * More of them than that share brings by chance say that the rate is too high; a large share, what the limit is.
 */
const OWN_REASONS = 0.03;
const SIGMAS = 2;
const BUSY_MIN = 3;

/** The rate of one carrier. */
export class Rate {
  #set: SetLimit | null = null;
  readonly #submissions = new Submissions();
  readonly #quiet = new Countdown();
  #ceiling: number | null = null;
  #spanMs = SPAN_MS;
  /** When the growth from the ceiling began, or from nothing. */
  #sinceMs = 0;
  /** The growth back to a rate that had lasted. */
  #climb: Before["climb"] = null;
  readonly #outage = new Outage();
  /** Whether a learned rate was without refusals for some seconds. */
  #hasLasted = false;
  /** Silences in a row: when they began, the last one, and the ceiling before them. */
  #episode = { sinceMs: Number.NEGATIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY, ceiling: null as number | null };
  #busyAtMs = Number.NEGATIVE_INFINITY;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  /** Since when answers count, and when those to earlier permits are all in. */
  #windowMs = 0;
  /** The end of the last silence that growth was put off for. */
  #pausedMs = Number.NEGATIVE_INFINITY;
  #settledMs = 0;

  /** `setPerSec`: the limit that is set, Infinity where none is. */
  constructor(setPerSec: number, learned: Learned | null, nowMs: number) {
    this.limit(setPerSec);
    if (learned === null) return;
    this.#quiet.set(nowMs, Math.max(0, learned.quietUntilMs - nowMs));
    if (learned.ceiling === null || nowMs - learned.busyAtMs > KEPT_MS) return;
    this.#ceiling = learned.ceiling;
    this.#spanMs = learned.spanMs;
    this.#busyAtMs = Math.min(learned.busyAtMs, nowMs);
    this.#sinceMs = nowMs;
    this.#hasLasted = true;
  }

  /** Sets the limit anew; Infinity lifts it. */
  limit(setPerSec: number): void {
    this.#set = limitOf(setPerSec, this.#set);
  }

  /** What is worth keeping; null where nothing was learned. */
  learned(nowMs: number): Learned | null {
    const quietMs = this.#quiet.leftMs(nowMs);
    const ceiling = this.#outage.before ? this.#outage.before.ceiling : this.#ceiling;
    if (ceiling === null && quietMs === 0) return null;
    return { ceiling, busyAtMs: this.#busyAtMs, spanMs: this.#spanMs, quietUntilMs: nowMs + quietMs };
  }

  /** Whether the limit is set, or was met lately. */
  isLimited(nowMs: number): boolean {
    return this.#set !== null || nowMs - this.#busyAtMs < LATELY_MS;
  }

  /** How long the carrier wants silence, in ms. */
  quietMs(nowMs: number): number {
    return this.#quiet.leftMs(nowMs);
  }

  /** Whether the rate is doubling each half second: at the beginning, and after an outage. */
  get isRising(): boolean {
    return this.#outage.before !== null || (this.#ceiling === null && this.#set === null);
  }

  /** Notes that permits are asked for: after an idle time the carrier is tried anew. */
  asked(nowMs: number): void {
    if (nowMs - this.#askedAtMs > IDLE_MS) this.#sinceMs = nowMs;
    this.#askedAtMs = nowMs;
  }

  /** Counts a permit at its time; a count of -1 one that was given back. */
  granted(atMs: number, count = 1): void {
    this.#submissions.grant(atMs, count);
  }

  /** Submissions per second that may be permitted now; Infinity where there is no limit. */
  perSec(nowMs: number): number {
    const probes = this.#outage.perSec(nowMs, FREE_PER_SEC);
    if (probes !== null) return probes;
    const before = this.#outage.end();
    if (before) {
      // What was learned before the outage holds again.
      this.#ceiling = before.ceiling;
      this.#climb = before.climb;
      this.#sinceMs = nowMs - before.grownMs;
    }
    return this.#limitPerSec(nowMs);
  }

  /** What it will be soon: after an outage, what it was before. */
  likelyPerSec(nowMs: number): number {
    const perSec = this.perSec(nowMs);
    return Math.max(perSec, Math.min(this.#outage.before?.perSec ?? 0, FREE_PER_SEC));
  }

  #limitPerSec(nowMs: number): number {
    if (this.#set) return this.#set.perSec(nowMs);
    const sinceMs = Math.max(0, nowMs - this.#sinceMs);
    if (this.#ceiling === null) {
      const started = START_PER_SEC * 2 ** (sinceMs / START_DOUBLES_MS);
      return started > FREE_PER_SEC ? Infinity : started;
    }
    if (this.#climb) {
      const { fromPerSec, toPerSec } = this.#climb;
      const climbed = fromPerSec * CLIMB_PER_SEC ** (sinceMs / 1_000);
      if (climbed < toPerSec * (1 - DECREASE)) return climbed;
      this.#climb = null;
      this.#ceiling = toPerSec;
      this.#sinceMs = nowMs;
      return toPerSec * (1 - DECREASE);
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
  saw(nowMs: number, { taken, busy, away = 0, quietMs = 0 }: Seen, datedMs: number): boolean {
    this.#submissions.take(nowMs, taken);
    const refused = busy + away;
    if (taken + refused > 0) this.#outage.saw(nowMs, { taken, refused }, this.#known(nowMs));
    if (refused === 0 && quietMs === 0) return false;
    const wasQuiet = this.#quiet.leftMs(nowMs) > 0;
    this.#quiet.extend(nowMs, quietMs);
    // Answers to what was under way when the silence began say nothing new.
    if (wasQuiet) return this.#pause(nowMs);
    this.#submissions.refuse(nowMs, busy, away);
    const perSec = this.perSec(nowMs);
    const fromMs = Math.max(this.#windowMs, nowMs - Math.max(2_000, Math.min(10_000, 40_000 / perSec)));
    const seen = this.#submissions.between(fromMs, nowMs - ANSWER_MS);
    if (this.#outage.isOn(nowMs, seen.refusedShare)) return this.#stop(nowMs);
    // A carrier that is away, or busy for reasons of its own, says nothing of its rate.
    if (busy + seen.busy === 0) return this.#pause(nowMs);
    if (this.#set) {
      this.#set.met(nowMs, seen, quietMs);
      return this.#pause(nowMs);
    }
    const share = seen.busy / Math.max(seen.busy, seen.granted, 1);
    const verdict = this.#verdict(seen, share, quietMs > 0 && busy > 0);
    if (verdict === null) return this.#pause(nowMs);
    const isHeavy = verdict === "heavy";
    if (quietMs === 0 && nowMs < this.#settledMs && !(isHeavy && nowMs - this.#windowMs > 500)) return false;
    this.#busyAtMs = nowMs;
    const { sinceMs, lastMs } = this.#episode;
    const isNew = nowMs - sinceMs > EPISODE_MS || nowMs - lastMs > 2 * quietMs + 2_000;
    const known = this.#climb ? perSec : Math.min(perSec, this.#ceiling ?? perSec);
    this.#episode = isNew
      ? { sinceMs: nowMs, lastMs: nowMs, ceiling: this.#ceiling }
      : { ...this.#episode, lastMs: nowMs };
    const hurry = this.#hurry(nowMs, perSec, quietMs > 0);
    this.#hasLasted ||= nowMs - this.#windowMs >= 3_000 && this.#ceiling !== null;
    this.#lower(nowMs, verdict, Math.max(hurry, Math.min(share, seen.granted < 10 ? 0.1 : 0.3)));
    const ceiling = Math.max(this.#ceiling ?? 0, this.#hasLasted && quietMs > 0 ? (this.#episode.ceiling ?? 0) / 2 : 0);
    this.#ceiling = ceiling;
    // A ceiling that was found in a rush is tried soon, and one that held each time later.
    const isRushed = isHeavy || (hurry > 0.1 && quietMs > 0);
    this.#climb =
      this.#hasLasted && !this.#climb && ceiling < known * CLIMB_BELOW
        ? { fromPerSec: ceiling, toPerSec: known * CLIMB_TO }
        : null;
    const spanMsMin = Math.min(SPAN_MS, Math.max(SPAN_MS_MIN, 30_000 / ceiling, 4 * quietMs));
    const spanMsMax = Math.min(SPAN_MS_MAX, Math.max(SPAN_MS, quietMs * SPAN_SILENCES));
    this.#spanMs = isRushed ? spanMsMin : Math.min(spanMsMax, this.#spanMs * 2);
    this.#sinceMs = nowMs;
    this.#pausedMs = nowMs;
    this.#windowMs = nowMs;
    this.#settledMs = Math.min(nowMs + 4_500, Math.max(nowMs, datedMs) + 2 * ANSWER_MS);
    return this.#pause(nowMs) || isHeavy;
  }

  /** What holds again after an outage that begins now. */
  #known(nowMs: number): Before {
    return { perSec: this.perSec(nowMs), ceiling: this.#ceiling, climb: this.#climb, grownMs: nowMs - this.#sinceMs };
  }

  /** Begins an outage: a silence, then probes. */
  #stop(nowMs: number): boolean {
    this.#quiet.extend(nowMs, PAUSE_MS);
    const quietMs = this.#quiet.leftMs(nowMs);
    this.#outage.begin(nowMs + quietMs);
    this.#busyAtMs = nowMs;
    this.#windowMs = nowMs + quietMs;
    this.#settledMs = nowMs + quietMs;
    return true;
  }

  /** What the refusals of a window say; null where they say nothing. */
  #verdict(seen: { granted: number; busy: number }, share: number, isQuiet: boolean): "heavy" | "light" | null {
    if (seen.busy >= BUSY_MIN && share >= HEAVY) return "heavy";
    const byChance = OWN_REASONS * seen.granted;
    return isQuiet || seen.busy > Math.max(BUSY_MIN - 1, byChance + SIGMAS * Math.sqrt(byChance)) ? "light" : null;
  }

  /** Lowers the ceiling; `part` is what was too much of the rate. */
  #lower(nowMs: number, verdict: "heavy" | "light", part: number): void {
    const perSec = this.perSec(nowMs);
    const base = Math.min(perSec, this.#submissions.usedPerSec(nowMs, perSec, this.#windowMs));
    const acceptedPerSec = this.#submissions.acceptedPerSec(nowMs, perSec, this.#ceiling !== null);
    const lower = verdict === "heavy" ? Math.min(base * (1 - DECREASE), acceptedPerSec) : base * (1 - part);
    this.#ceiling = Math.max(PER_SEC_MIN, lower, this.#ceiling === null ? base / UNKNOWN_STEP : 0);
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
    const endMs = nowMs + quietMs;
    // Where the rate was lowered growth begins at the end, else it goes on there.
    this.#sinceMs += endMs - Math.max(this.#pausedMs, nowMs);
    this.#pausedMs = endMs;
    this.#outage.pause(endMs);
    this.#windowMs = endMs;
    this.#settledMs = endMs;
    return true;
  }
}
