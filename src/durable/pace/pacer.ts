import { afterSilenceMs } from "../../model/pace.ts";
import { LANES } from "../../model/lane.ts";
import type { Lane } from "../../model/lane.ts";
import type { Permits, PermitsAsked, Seen } from "../../model/pace.ts";
import { Bound } from "./bound.ts";
import { Lately } from "./lately.ts";
import { Listeners } from "./listeners.ts";
import { Rate, START_PER_SEC } from "./rate.ts";
import type { Learned } from "./learned.ts";
import { Schedule } from "./schedule.ts";
import { Turns } from "./turns.ts";

// Who may submit to one carrier, and when. OTPs come first and at once; single messages come before bulks by weight;
// within a lane accounts take turns. The clock is an argument, and never goes back.

/** A request waits for its turn no longer than this. */
export const HELD_MS_MAX = 2_000;

/** Permits are given when the first is this near, so that the answer is there in time. */
const LEAD_MS = 500;

/** Permits are dated this far ahead at most; where other lanes were active lately, a bulk's are nearer. */
const AHEAD_MS_MAX = 4_000;
const AHEAD_MS_SHARED = 1_000;
/** While the rate doubles within half a second, slots further ahead would be too few. */
const AHEAD_MS_RISING = 600;

/** Permits of one answer, and those that a bulk gets also where they are worth more than a second. */
const BATCH_MAX = 60;
const BATCH_MIN = 20;

/** Of four permits that single messages get, a bulk gets one, while both wait. */
const WEIGHTS: Record<Lane, number> = { otp: 1, single: 4, bulk: 1 };

/**
 * An OTP waits so long for a slot that is free before it borrows one. A carrier at its limit refuses the borrowed ones, and
 * may want a second of silence from all lanes for each: waiting less long cost a quarter of the rate at 20 a second.
 */
const SOON_MS = 900;

/** Of the slots that lie ahead, other lanes are kept most of what they took lately, and some more; bulks get a half at least. */
const KEPT_OF_TAKEN = 0.75;
const KEPT_MORE = 0.05;
const KEPT_MAX = 0.5;

/** Another lane counts as active for so long after its last request. */
const ACTIVE_MS = 10_000;

/** Requests that are held at once: each is a promise of the object's memory. */
const HELD_MAX = 10_000;

/** OTPs borrow what the carrier takes in this time, at most. */
const BORROWED_MS = 1_000;

/** A look at what has become possible is never nearer than this. */
const WAKE_MS_MIN = 10;

/** Where so many consumers of an account wait beside those that use up its share, another one brings it nothing. */
const OTHERS_ENOUGH = 2;

/** A consumer whose pace is not known is taken to submit this often, in ms: six connections of 150 ms. */
const GAP_MS = 25;

/** The bounds of when to ask again. */
const AGAIN_MS_MIN = 250;
const AGAIN_MS_MAX = 60_000;

interface Held {
  asked: PermitsAsked;
  sinceMs: number;
  answer: (permits: Permits) => void;
  isAnswered: boolean;
}

/** The permits of one carrier. */
export class Pacer {
  readonly #rate: Rate;
  readonly #schedule = new Schedule();
  readonly #random: () => number;
  readonly #turns: Record<Lane, Turns<Held>> = { otp: new Turns(), single: new Turns(), bulk: new Turns() };
  readonly #activeMs: Record<Lane, number> = { otp: -ACTIVE_MS, single: -ACTIVE_MS, bulk: -ACTIVE_MS };
  /** What each lane was given, by its weight. */
  readonly #given: Record<Lane, number> = { otp: 0, single: 0, bulk: 0 };
  /** Requests in the order in which they came, which is that of their ends; answered ones are dropped at the head. */
  #held: Held[] = [];
  readonly #listeners = new Listeners();
  /** Times of OTPs that did not wait for a slot, of the last second. */
  #borrowedMs: number[] = [];
  /** Permits of other lanes than bulks. */
  readonly #others = new Lately();
  /** Of a limit that holds in each second. */
  #bound: Bound | null = null;
  /** The time of the last permit. */
  #datedMs = 0;

  /** `setPerSec`: the limit that is set, Infinity where none is; `random` spreads what is told to come again. */
  constructor(setPerSec: number, learned: Learned | null, random: () => number, nowMs: number) {
    this.#rate = new Rate(setPerSec, learned, nowMs);
    this.#random = random;
  }

  /** What is worth keeping over an eviction; null where nothing was learned. */
  learned(nowMs: number): Learned | null {
    return this.#rate.learned(nowMs);
  }

  /** Sets the limit of submissions in each second; null: none is set, it is learned. */
  limit(tps: number | null): void {
    this.#rate.limit(tps ?? Infinity);
    if (tps !== (this.#bound?.perSec ?? null)) this.#bound = tps === null ? null : new Bound(tps);
  }

  /** Asks for permits: `answer` is called once, now or from a later `turn`. */
  ask(asked: PermitsAsked, nowMs: number, answer: (permits: Permits) => void): void {
    const { lane, account } = asked;
    this.saw(asked.seen, nowMs);
    this.#rate.asked(nowMs);
    this.#activeMs[lane] = nowMs;
    const held: Held = { asked, sinceMs: nowMs, answer, isAnswered: false };
    const turns = this.#turns[lane];
    if (turns.waiting === 0) this.#join(lane);
    const comesLater = !turns.isExpected(account) && this.#roundMs(lane, nowMs) > 2 * HELD_MS_MAX;
    const isCrowded = this.#held.length >= HELD_MAX || (turns.waitingOf(account).length > 0 && comesLater);
    if (isCrowded || this.#rate.quietMs(nowMs) > HELD_MS_MAX) return this.#refuse(held, nowMs);
    turns.add(account, held);
    this.#held.push(held);
    this.turn(nowMs);
  }

  /** Learns from what a consumer saw. */
  saw(seen: Seen, nowMs: number): void {
    for (const atMs of this.#schedule.giveBack(nowMs, seen.returned ?? [])) {
      this.#rate.granted(atMs, -1);
      this.#bound?.giveBack(atMs);
    }
    if (!this.#rate.saw(nowMs, seen, this.#datedMs)) return;
    const quietMs = this.#rate.quietMs(nowMs);
    this.#schedule.clear(quietMs > 0 ? nowMs + quietMs : null);
    if (quietMs > 0) this.#listeners.tell(quietMs);
  }

  /** Calls `answer` with the length of a silence as soon as the carrier wants one, else with 0 after `forMs`. */
  listen(forMs: number, nowMs: number, answer: (quietMs: number) => void): void {
    const quietMs = this.#rate.quietMs(nowMs);
    if (quietMs > 0) return answer(quietMs);
    this.#listeners.add(nowMs, forMs, answer);
  }

  /** Answers the requests whose turn it is, and those that waited too long. */
  turn(nowMs: number): void {
    while (this.#serveNext(nowMs));
    for (const held of this.#held) {
      if (held.isAnswered) continue;
      if (nowMs - held.sinceMs < HELD_MS_MAX) break;
      this.#turns[held.asked.lane].drop(held.asked.account, held);
      this.#refuse(held, nowMs);
    }
    const waiting = this.#held.findIndex((held) => !held.isAnswered);
    if (waiting !== 0) this.#held = waiting === -1 ? [] : this.#held.slice(waiting);
    this.#listeners.turn(nowMs);
  }

  /** When `turn` has something to do next; null while no request waits. */
  wakeMs(nowMs: number): number | null {
    const times = this.#listeners.untilMs;
    const oldest = this.#held.find((held) => !held.isAnswered);
    if (oldest) {
      times.push(oldest.sinceMs + HELD_MS_MAX);
      const quietMs = this.#rate.quietMs(nowMs);
      for (const lane of LANES) {
        if (this.#turns[lane].waiting === 0) continue;
        if (lane === "otp" && !this.#bound) times.push((this.#borrowedMs[0] ?? nowMs) + BORROWED_MS);
        times.push(quietMs > 0 ? nowMs + quietMs : this.#schedule.headMs(nowMs, lane === "bulk") - LEAD_MS);
      }
    }
    return times.length === 0 ? null : Math.max(nowMs + WAKE_MS_MIN, Math.min(...times));
  }

  /** Gives permits to the request whose turn it is; false where there is none, or none can be given yet. */
  #serveNext(nowMs: number): boolean {
    if (this.#rate.quietMs(nowMs) > 0) return false;
    return this.#lanes().some((lane) => this.#serve(lane, nowMs));
  }

  #serve(lane: Lane, nowMs: number): boolean {
    const turns = this.#turns[lane];
    const held = turns.first();
    if (!held) return false;
    const atMs = this.#permits(held.asked, nowMs);
    if (atMs.length === 0) return false;
    turns.serve(nowMs, atMs.length);
    if (lane !== "bulk") this.#others.add(atMs.length, nowMs);
    this.#given[lane] += atMs.length / WEIGHTS[lane];
    this.#datedMs = Math.max(this.#datedMs, atMs.at(-1) ?? 0);
    for (const at of atMs) this.#rate.granted(at);
    this.#answer(held, atMs, 0, nowMs);
    return true;
  }

  /** The lanes in the order of their claims: what the first cannot use now, the next may. */
  #lanes(): Lane[] {
    return this.#given.bulk < this.#given.single ? ["otp", "bulk", "single"] : ["otp", "single", "bulk"];
  }

  /** A lane that was idle has saved nothing up. */
  #join(lane: Lane): void {
    const others = LANES.filter((other) => other !== lane && other !== "otp" && this.#turns[other].waiting > 0);
    this.#given[lane] = Math.max(this.#given[lane], ...others.map((other) => this.#given[other]));
  }

  #permits({ lane, max, gapMs = 0 }: PermitsAsked, nowMs: number): number[] {
    const perSec = this.#rate.perSec(nowMs);
    const isFree = perSec === Infinity || (lane !== "bulk" && !this.#rate.isLimited(nowMs));
    if (isFree) return Array.from({ length: Math.min(max, BATCH_MAX) }, () => nowMs);
    const isBulk = lane === "bulk";
    const isShared = nowMs - Math.max(this.#activeMs.otp, this.#activeMs.single) < ACTIVE_MS;
    const kept = isShared ? Math.min(KEPT_MAX, (KEPT_OF_TAKEN * this.#others.perSec(nowMs)) / perSec + KEPT_MORE) : 0;
    if (lane === "otp") return this.#atOnce(max, perSec, kept, nowMs);
    if (this.#schedule.headMs(nowMs, isBulk) > nowMs + LEAD_MS) return [];
    // An account that comes back in a moment has its turn then, not after a whole batch of the next one.
    const isOneDue = isBulk && this.#turns.bulk.isOneDue(nowMs);
    const most = isBulk ? Math.max(isOneDue ? 1 : BATCH_MIN, perSec) : Math.max(5, perSec / 4);
    const atMs = this.#schedule.take(nowMs, perSec, kept, {
      count: Math.min(max, BATCH_MAX, Math.floor(most)),
      gapMs,
      untilMs: nowMs + (isBulk ? this.#aheadMs(isShared) : LEAD_MS),
      isBulk,
    });
    return this.#bounded(atMs);
  }

  /** Those of these permits that a second has room for: one that was borrowed may have taken the place of a later one. */
  #bounded(atMs: number[]): number[] {
    return atMs.filter((at) => this.#bound?.take(at) !== false);
  }

  /** How far ahead a bulk's permits are dated. */
  #aheadMs(isShared: boolean): number {
    if (this.#rate.isRising) return AHEAD_MS_RISING;
    // Nothing may be borrowed beside permits that fill their seconds: an OTP waits for the end of these.
    return isShared || this.#bound ? AHEAD_MS_SHARED : AHEAD_MS_MAX;
  }

  /** Permits for now: free slots, else borrowed from the slots to come, up to those of a second. */
  #atOnce(max: number, perSec: number, kept: number, nowMs: number): number[] {
    const most = Math.min(max, BATCH_MAX);
    this.#borrowedMs = this.#borrowedMs.filter((at) => nowMs - at < BORROWED_MS);
    const wanted = { count: most, gapMs: 0, untilMs: nowMs + SOON_MS, isBulk: false };
    const atMs = this.#bounded(this.#schedule.take(nowMs, perSec, kept, wanted));
    while (atMs.length < most && this.#borrowedMs.length < Math.max(1, Math.floor(perSec))) {
      if (this.#bound?.take(nowMs) === false) break;
      this.#schedule.payBack(nowMs, perSec);
      this.#borrowedMs.push(nowMs);
      atMs.unshift(nowMs);
    }
    return atMs;
  }

  /** How long a round of the accounts of a lane takes, until all were given a batch: an estimate. */
  #roundMs(lane: Lane, nowMs: number): number {
    const perSec = this.#rate.likelyPerSec(nowMs);
    const batch = lane === "bulk" ? Math.min(BATCH_MAX, Math.max(BATCH_MIN, perSec)) : 1;
    return (this.#turns[lane].accounts * batch * 1_000) / perSec;
  }

  /** How many consumers use up an account's share of the lane. */
  #useful({ lane, gapMs = GAP_MS }: PermitsAsked, nowMs: number): number {
    const perSec = Math.max(START_PER_SEC, this.#rate.likelyPerSec(nowMs)) / Math.max(1, this.#turns[lane].accounts);
    return OTHERS_ENOUGH + (perSec * gapMs) / 1_000;
  }

  /** Tells a request to come again: when its turn is about to be, spread, so that not all come at once. */
  #refuse(held: Held, nowMs: number): void {
    const { lane, account } = held.asked;
    const turns = this.#turns[lane];
    // A lone message of a request asks for one permit and goes; consumers ask for more, and come again.
    const others = turns.waitingOf(account).filter((other) => other.asked.max > 1).length;
    const isSurplus = others >= OTHERS_ENOUGH && others >= this.#useful(held.asked, nowMs);
    if (isSurplus) return this.#answer(held, [], AGAIN_MS_MAX, nowMs, { isSurplus });
    const quietMs = this.#rate.quietMs(nowMs);
    const headMs = Math.max(0, this.#schedule.headMs(nowMs, lane === "bulk") - nowMs - LEAD_MS - quietMs);
    const rounds = turns.waitingOf(account).length + turns.ahead(account) / Math.max(1, turns.accounts);
    const waitMs = Math.min(AGAIN_MS_MAX, Math.max(AGAIN_MS_MIN, headMs + rounds * this.#roundMs(lane, nowMs)));
    const spreadMs = waitMs * (1 - 0.3 * this.#random());
    const againMs = quietMs + (quietMs > 0 ? this.#afterSilenceMs(lane, quietMs, spreadMs) : spreadMs);
    turns.expect(account, nowMs, againMs);
    this.#answer(held, [], Math.ceil(againMs), nowMs);
  }

  #afterSilenceMs(lane: Lane, quietMs: number, spreadMs: number): number {
    const afterMs = afterSilenceMs(lane, quietMs, this.#random);
    return lane === "bulk" ? Math.max(afterMs, spreadMs) : afterMs;
  }

  #answer(held: Held, atMs: number[], againMs: number, nowMs: number, more: Pick<Permits, "isSurplus"> = {}): void {
    held.isAnswered = true;
    const isLimited = this.#rate.isLimited(nowMs);
    held.answer({ atMs, nowMs, againMs, quietMs: this.#rate.quietMs(nowMs), isLimited, ...more });
  }
}
