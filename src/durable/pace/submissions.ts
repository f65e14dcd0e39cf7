import { ANSWER_MS, Tally } from "./tally.ts";

// What a carrier was sent lately, and what it refused.

/** From this share of refusals on, what was accepted is the limit. */
export const HEAVY = 0.2;
/** Where so many answers, and a large share, are another "not now", the carrier means its rate by it. */
const AWAY_MIN = 10;
/** While few were sent, a rate is taken for no higher than this. */
const FEW = 10;
const UNKNOWN_PER_SEC = 100;

/** Permits and "not now" answers of the last seconds. */
export class Submissions {
  /** Permits, and the answers that are about the rate. */
  readonly #permitted = new Tally();
  /** Answers that are not. */
  readonly #away = new Tally();
  /** Answers that took a submission, by when they were heard of. */
  readonly #taken = new Tally();

  /** Counts permits at their times; a negative count takes those that were given back out again. */
  grant(atMs: number, count: number): void {
    this.#permitted.grant(atMs, count);
  }

  /** Counts submissions of which it was heard now that the carrier took them. */
  take(nowMs: number, taken: number): void {
    this.#taken.grant(nowMs, taken);
  }

  /** Counts refusals that were heard of now. */
  refuse(nowMs: number, busy: number, away: number): void {
    this.#permitted.refuse(nowMs, busy);
    this.#away.refuse(nowMs, away);
  }

  /** What was permitted and refused between two times. Very many refusals are about the rate, whatever they say. */
  between(fromMs: number, toMs: number) {
    const { granted, busy } = this.#permitted.between(fromMs, toMs);
    const { busy: away } = this.#away.between(fromMs, toMs);
    const isRate = away >= AWAY_MIN && away >= HEAVY * granted;
    const refusedShare = (busy + away) / Math.max(busy + away, granted, 1);
    return { granted, busy: isRate ? busy + away : busy, refusedShare };
  }

  /**
   * What the carrier accepted per second just before now: what was permitted and not refused. While no rate is known, the
   * refusals may be those of a burst that is younger than answers are taken to be: then it is no less than what it is known
   * to have taken, and where nothing spaces the permits and few were given before, it is not known.
   */
  acceptedPerSec(nowMs: number, perSec: number, isKnown: boolean): number {
    const forMs = Math.min(4_000, Math.max(1_000, 10_000 / perSec));
    const { granted, busy } = this.#permitted.between(nowMs - ANSWER_MS - forMs, nowMs - ANSWER_MS);
    if (perSec === Infinity && granted < FEW) return UNKNOWN_PER_SEC;
    const taken = isKnown ? 0 : this.#taken.between(nowMs - forMs, nowMs).granted;
    return (Math.max(granted - busy, taken) * 1_000) / forMs;
  }

  /** How fast permits were given just before now; while few were, a carrier's pace is not known by them. */
  usedPerSec(nowMs: number, perSec: number, windowMs: number): number {
    const untilMs = nowMs - ANSWER_MS;
    const fromMs = Math.max(windowMs, untilMs - Math.min(4_000, Math.max(1_000, 10_000 / perSec)));
    const { granted } = this.#permitted.between(fromMs, untilMs);
    return granted < FEW ? Math.min(perSec, UNKNOWN_PER_SEC) : (granted * 1_000) / Math.max(300, untilMs - fromMs);
  }
}
