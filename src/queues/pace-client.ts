import { logProblem } from "../log.ts";
import type { Lane } from "../model/lane.ts";
import { afterSilenceMs } from "../model/pace.ts";
import type { Outcome, ReceiptState } from "../model/message.ts";
import type { Permits, PermitsAsked, Seen } from "../model/pace.ts";
import type { placeOf } from "../objects.ts";
import { Countdown } from "./countdown.ts";
import { madeOf, seenIn } from "./pace/attempt-seen.ts";
import { Known } from "./pace/known.ts";
import { tells, tellsLater } from "./pace/tells.ts";
import { Sent } from "./pace/sent.ts";
import { Untold } from "./pace/untold.ts";

// What one isolate knows of each carrier's pace. Far from a limit it knows that there is none, and a single message
// makes no call; what an isolate sees at the carrier it knows at once, and tells the carrier's pacing object.

/**
 * How a carrier stands, for a lane: `free` needs no permit for a single message; `limited` needs one; `congested` has
 * none just now, so that a message is better left to its queue. Bulks always take permits.
 */
export type Standing = "free" | "limited" | "congested";

/** A limit that was met is known this long after the last sign of it. */
const LIMITED_MS = 60_000;

/** After a "not now" without a `Retry-After`, single messages are left to their queue for so long. */
const BUSY_MS = 1_000;

/** The longest that single messages are left to their queue because there was no permit: then the next one asks. */
const NO_PERMIT_MS_MAX = 5_000;

/** The longest silence that a carrier is granted: a `Retry-After` of days is a mistake. */
export const QUIET_MS_MAX = 3_600_000;

/** A pacing object holds a request up to two seconds; one that has not answered by then is taken for unreachable. */
const ANSWER_MS_MAX = 5_000;

/** After how long a pacing object that could not be reached is asked again, and how far such requests are spread. */
const AWAY_MS = 2_000;

/** Permits for longer than this keep an ear on the object, which may hear of a silence from another consumer. */
const LISTEN_MS_MIN = 150;

/** Unused permits that are given back: those nearer than this would come too late for others. */
const RETURN_MS_MIN = 100;

type Waits = Pick<ExecutionContext, "waitUntil">;

/** What an invocation gets: permits on this isolate's clock. */
export interface Taken extends Permits {
  /** What the object's clock is ahead of this isolate's, in ms. */
  aheadMs: number;
}

/** A submission that was made: the message's reference, and what came of it. */
interface Submitted {
  ref: string | null;
  news: { outcome: Outcome };
}

/** Where a pacing object is to live. */
type Place = ReturnType<typeof placeOf>;

/** The pace of one carrier, as this isolate knows it. */
export class PaceClient {
  readonly #binding: Env["PACE"];
  readonly #carrier: string;
  readonly #isSet: boolean;
  readonly #place: Place;
  readonly #limited = new Countdown();
  readonly #noPermits = new Countdown();
  readonly #quiet = new Countdown();
  readonly #listening = new Countdown();
  readonly #known = new Known();
  readonly #untold = new Untold();
  readonly #sent = new Sent();
  /** The limit that the carrier was set up with; undefined: the configuration's. */
  tps: number | null | undefined;
  /** Submissions that the carrier took and the object does not know of. */
  #taken = 0;
  /** The oldest messages that consumers here claimed, and the object does not know of. */
  readonly #oldestMs: Partial<Record<Lane, number>> = {};

  constructor(binding: Env["PACE"], carrier: string, isSet: boolean, place: Place = {}) {
    this.#binding = binding;
    this.#carrier = carrier;
    this.#isSet = isSet;
    this.#place = place;
  }

  /** How the carrier stands for messages of a lane; costs nothing. */
  standing(nowMs: number, lane: Lane): Standing {
    if (this.#quiet.leftMs(nowMs) > 0) return "congested";
    // An OTP is given a permit at once, also when other messages have to wait.
    if (lane !== "otp" && this.#noPermits.leftMs(nowMs) > 0) return "congested";
    const isSet = this.tps === undefined ? this.#isSet : this.tps !== null;
    return isSet || !this.#known.isUp || this.#limited.leftMs(nowMs) > 0 ? "limited" : "free";
  }

  /** How long messages that have another carrier pass this one over, in ms (contract §16.2); costs nothing. */
  outMs(nowMs: number): number {
    return this.#known.outMs(nowMs);
  }

  /** Whether a message that may go to another carrier does so at once: this one is out, or wants silence. */
  isAway(nowMs: number): boolean {
    return this.outMs(nowMs) > 0 || this.quietMs(nowMs) > 0;
  }

  /** What the carrier's deliveries are worth, for the shares of its route (routing/drift.ts); 1 where it is not known. */
  merit(nowMs: number): number {
    return this.#known.merit(nowMs);
  }

  /** How long the carrier still wants silence, in ms: nothing is submitted to it meanwhile. */
  quietMs(nowMs: number): number {
    return this.#quiet.leftMs(nowMs);
  }

  /**
   * Asks for permits, and waits up to two seconds for them. Never throws: where the object cannot be reached, an OTP
   * goes without a permit, and everything else later.
   */
  async take(asked: Omit<PermitsAsked, "seen" | "tps">): Promise<Taken> {
    const outMs = asked.hasOther === true ? this.#known.outMs(Date.now()) : 0;
    if (outMs > 0) return { ...this.#none(outMs), state: "out", outMs };
    const quietMs = this.#quiet.leftMs(Date.now());
    if (quietMs > 0) return this.#none(quietMs + afterSilenceMs(asked.lane, quietMs, Math.random));
    try {
      const oldestMs = this.#oldestMs[asked.lane];
      delete this.#oldestMs[asked.lane];
      const seen = this.untold();
      const { tps } = this;
      const said = { ...asked, ...(oldestMs !== undefined && { oldestMs }), ...(tps !== undefined && { tps }), seen };
      const answering = this.#binding.getByName(this.#carrier, this.#place).take(said);
      const answer = await Promise.race([answering, scheduler.wait(ANSWER_MS_MAX).then(() => null)]);
      if (answer !== null) {
        const answered = this.#learn(answer, asked.lane);
        const leftMs = this.#quiet.leftMs(Date.now());
        if (leftMs === 0) return answered;
        // The carrier asked for silence while the answer was on its way: these permits are dated into it.
        if (answered.state === "trial") this.#return(answer).catch(() => undefined);
        return this.#none(leftMs + afterSilenceMs(asked.lane, leftMs, Math.random));
      }
      logProblem("pace", new Error("the pacing object did not answer"));
      answering.then((late) => this.#return(late)).catch(() => undefined);
    } catch (problem) {
      logProblem("pace", problem);
    }
    const none = this.#none(AWAY_MS * (1 + Math.random()));
    return asked.lane === "otp" ? { ...none, atMs: Array.from({ length: asked.max }, () => none.nowMs) } : none;
  }

  /**
   * What an invocation saw at the carrier: known in this isolate at once. The object is told of a "not now" at once,
   * and of everything else with the next request for permits. Never throws.
   */
  saw(ctx: Waits, { taken, busy, away = 0, quietMs = 0, tried }: Omit<Seen, "returned">): void {
    this.#taken += taken;
    if (busy + away === 0 && quietMs === 0) return;
    const nowMs = Date.now();
    const silenceMs = Math.min(quietMs, QUIET_MS_MAX);
    this.#limited.extend(nowMs, LIMITED_MS);
    this.#noPermits.extend(nowMs, busy > 0 ? Math.max(silenceMs, BUSY_MS) : silenceMs);
    this.#quiet.extend(nowMs, silenceMs);
    this.#tell(ctx, {
      taken: this.#taken,
      busy,
      ...(away > 0 && { away }),
      ...(tried && { tried }),
      quietMs: silenceMs,
    });
    this.#taken = 0;
  }

  /** What became of a submission that took `ms`: it is for the rate, for the breaker and for the operator. Never throws. */
  made(ctx: Waits, { ref, news: { outcome } }: Submitted, ms: number): void {
    const made = madeOf(outcome, ms);
    if (outcome.kind === "submitted" && ref !== null) this.#sent.note(ref, Date.now());
    if (made) this.#untold.saw(made, Date.now());
    const isNews = made !== null && (made.isFailure === true || made.isTrouble === true || !this.#known.isUp);
    if (isNews) this.#limited.extend(Date.now(), LIMITED_MS);
    const tried = this.#known.isTrying && made?.isFailure !== true && outcome.kind !== "submitted";
    const seen = { ...seenIn(outcome), ...(tried && { tried }) };
    if (seen.busy + (seen.away ?? 0) > 0 || seen.quietMs !== undefined) return this.saw(ctx, seen);
    this.#taken += seen.taken;
    if (!isNews && !tried) return;
    this.#tell(ctx, { taken: this.#taken, busy: 0, ...(tried && { tried }) });
    this.#taken = 0;
  }

  /** What was seen here and the object does not know of, for a call of it that is made anyway. */
  untold(): Seen {
    const taken = this.#taken;
    this.#taken = 0;
    return { taken, busy: 0, ...this.#untold.take(Date.now()) };
  }

  /** Notes receipts that came here: the object is told of final ones in a moment, once. Never throws. */
  receipts(ctx: Waits, all: readonly { ref: string; state: ReceiptState }[]): void {
    const nowMs = Date.now();
    const final = all.filter(({ ref, state }) => state !== "submitted" && this.#sent.ends(ref));
    for (const { ref, state } of final) {
      const deliveryMs = this.#sent.since(ref, nowMs);
      const isTimed = deliveryMs !== null && state === "delivered";
      this.#untold.saw({ results: { [state]: 1 }, ...(isTimed && { deliveryMs }) }, nowMs);
    }
    if (final.length > 0) tellsLater(this).add(ctx, [null]);
  }

  /** Tells the object what it does not know of, if anything. */
  async tellRest(): Promise<void> {
    const seen = this.untold();
    if (seen.taken === 0 && !seen.lately && !seen.row) return;
    await this.tell(seen);
  }

  /** Tells the object, and hears how the carrier stands. */
  async tell(seen: Seen): Promise<void> {
    this.#known.hear(await this.#binding.getByName(this.#carrier, this.#place).tell(seen), Date.now());
  }

  /** Notes when the oldest message was created that a consumer has just claimed; the next request for permits says it. */
  claimed(lane: Lane, oldestMs: number | undefined): void {
    if (oldestMs !== undefined) this.#oldestMs[lane] = Math.min(oldestMs, this.#oldestMs[lane] ?? oldestMs);
  }

  /** Gives back the permits after the first `used`, so that others may have those that are still ahead. Never throws. */
  giveBack(ctx: Waits, { atMs, aheadMs, isLimited, state }: Taken, used: number): void {
    // The next message tries the carrier.
    const tried = state === "trial" && used === 0;
    const fromMs = Date.now() + RETURN_MS_MIN;
    const ahead = isLimited ? atMs.slice(used).filter((at) => at >= fromMs) : [];
    if (!tried && ahead.length === 0) return;
    const returned = ahead.map((at) => at + aheadMs);
    this.#tell(ctx, {
      taken: this.#taken,
      busy: 0,
      ...(returned.length > 0 && { returned }),
      ...(tried && { tried }),
    });
    this.#taken = 0;
  }

  /** Gives permits back that came when they were of no use any more. */
  async #return({ atMs, isLimited, state }: Permits): Promise<void> {
    const tried = state === "trial";
    if (atMs.length === 0 || (!isLimited && !tried)) return;
    if (tried) this.#known.isTrying = false;
    await this.tell({ taken: 0, busy: 0, returned: atMs, ...(tried && { tried }) });
  }

  #tell(ctx: Waits, seen: Seen): void {
    if (seen.tried === true) this.#known.isTrying = false;
    tells(this).add(ctx, [{ ...seen, ...this.#untold.take(Date.now()) }]);
  }

  #none(againMs: number): Taken {
    const nowMs = Date.now();
    return { atMs: [], nowMs, againMs, quietMs: this.#quiet.leftMs(nowMs), isLimited: true, aheadMs: 0 };
  }

  #learn(answer: Permits, lane: Lane): Taken {
    const nowMs = Date.now();
    const aheadMs = answer.nowMs - nowMs;
    const atMs = answer.atMs.map((at) => at - aheadMs);
    this.#limited.set(nowMs, answer.isLimited ? LIMITED_MS : 0);
    this.#quiet.extend(nowMs, Math.min(answer.quietMs, QUIET_MS_MAX));
    this.#known.hear(answer, nowMs);
    if (answer.state === "out" && atMs.length === 0) return { ...answer, nowMs, atMs, aheadMs };
    if (lane === "bulk") {
      this.#listen((atMs.at(-1) ?? 0) - nowMs);
    } else if (lane === "single") {
      this.#noPermits.set(nowMs, atMs.length > 0 ? 0 : Math.min(answer.againMs, NO_PERMIT_MS_MAX));
    }
    return { ...answer, nowMs, atMs, aheadMs };
  }

  /** Hears from the object if the carrier asks another consumer for silence while this one's permits last. */
  #listen(forMs: number): void {
    const nowMs = Date.now();
    if (forMs < this.#listening.leftMs(nowMs) + LISTEN_MS_MIN) return;
    this.#listening.set(nowMs, forMs);
    this.#binding
      .getByName(this.#carrier, this.#place)
      .listen(forMs)
      .then((quietMs) => {
        this.#listening.set(Date.now(), 0);
        this.#quiet.extend(Date.now(), Math.min(quietMs, QUIET_MS_MAX));
      })
      .catch((problem: unknown) => logProblem("pace", problem));
  }
}
