import type { Carrier } from "../carriers/carrier.ts";
import { carrierFor } from "../carriers/table.ts";
import type { Config } from "../config/settings.ts";
import { accountOfName } from "../crypto/ids.ts";
import { land } from "../inbox/landing.ts";
import type { Attempt } from "../inbox/landing.ts";
import type { Lane } from "../model/lane.ts";
import type { Claimed, ClaimedJob, News } from "../model/message.ts";
import type { AccountRef } from "../model/ref.ts";
import type { AccountObject } from "../objects.ts";
import type { Budget } from "./budget.ts";
import { enqueueFollow } from "./enqueue.ts";
import { FOLLOW_DELAY_SEC } from "./follow-up.ts";
import { paceOf } from "./pace-client.ts";
import type { Taken } from "./pace-client.ts";
import { addresseeOf, report } from "./report.ts";
import type { Addressee } from "./report.ts";
import type { Slots } from "./slots.ts";
import { attemptOf, carrierOfJob, seenIn, submit } from "./submit.ts";

// What a consumer does for one account and lane: permits → claim, with the reports of the round before → submissions at
// the permits' times, again and again for a few seconds. Then the token goes to the end of its queue, for others' turns.

/** A consumer works for one account so long; what it has claimed by then it still submits. */
const SLICE_MS = 5_000;

/** Messages that one claim asks for at most. */
const CLAIM_MAX = 60;

/** A bulk's claim asks for more than its carrier's limit permits at once: a call of the account is to be worth it. */
const BULK_CLAIM_MIN = 20;
const BULK_CLAIM_TURNS = 3;

/** A bulk's account is called for another claim once so many outcomes can be reported with it, or none is awaited. */
const BULK_NEWS_MIN = 20;

/** The first claim of a single message's token: few others wait beside it. */
const FIRST_CLAIM = 2;

/** A claim may wait so long for permits and slots, and then still has this much time for its report. */
const WAIT_MARGIN_MS = 25_000;
const REPORT_MARGIN_MS = 10_000;

/** A consumer keeps up with permits that are this near, or nearer than it can tell. */
const GAP_MS_MIN = 5;

/** Permits are dated less far ahead: those that are further have lapsed, because the clock was set back. */
const AHEAD_MS_MAX = 5_000;

/** A permit lapses so long after its time: by then others have theirs. */
const LATE_MS_MAX = 1_000;

/** A consumer of one account alone waits so long for permits itself, with what is claimed; else the token waits. */
const WAIT_HERE_MS_MAX = 4_000;
const WAITS_HERE_MAX = 3;
/** The end of a silence is waited for to the ms; beside other accounts, only what no queue can delay a token by. */
const QUIET_HERE_MS_MAX = 5_500;
const SHARED_HERE_MS_MAX = 999;

/** Under a limit, one "not now" among permitted submissions is usual: the limit is being probed. The second stops them. */
const BUSY_MAX_LIMITED = 2;

/** Where no permits are needed: all of a claim at once. */
const AT_ONCE: Omit<Taken, "atMs" | "nowMs"> = { againMs: 0, quietMs: 0, isLimited: false, aheadMs: 0 };

/** What the work for all tokens of one invocation shares. */
export interface Invocation {
  env: Env;
  ctx: Pick<ExecutionContext, "waitUntil">;
  config: Config;
  slots: Slots;
  budget: Budget;
  /** Whether it works for several accounts or lanes: none of them is to wait for a permit of another. */
  isShared: boolean;
}

/** Claimed, and not submitted yet. */
interface Ready {
  job: ClaimedJob;
  at: Claimed;
  /** Until when it may be submitted: later its lease could end before its report. */
  untilMs: number;
}

/** The work for one account's lane in one invocation. */
export class LaneWork {
  readonly #on: Invocation;
  readonly #to: Addressee;
  readonly #ref: AccountRef;
  readonly #carrier: Carrier;
  #ready: Ready[] = [];
  #attempts: Attempt[] = [];
  readonly #flying = new Set<Promise<void>>();
  readonly #submittedSeqs = new Set<number>();
  /** Whether the account may have more that can be claimed now; what can be claimed later is its alarm's business. */
  #isMore = true;
  /** Answers of "not now" to the present permits. */
  #busy = 0;
  /** How long the last submission took. */
  #latencyMs: number | undefined;
  /** Whether the carrier's limit is set, or was met lately. */
  isLimited = false;

  constructor(on: Invocation, account: string, lane: Lane) {
    this.#on = on;
    this.#ref = accountOfName(account);
    this.#carrier = carrierFor(on.config, this.#ref.mode);
    this.#to = addresseeOf(account, lane, this.#carrier);
  }

  /**
   * Submits waiting messages for a slice of time. Returns when a token is to come again, in ms; null where no message
   * waits now (those that wait for a later attempt have the alarm). Throws when the account cannot be asked; whatever is
   * known by then is reported all the same.
   */
  async run(): Promise<number | null> {
    try {
      return await this.#rounds();
    } finally {
      await this.#end();
    }
  }

  async #rounds(): Promise<number | null> {
    const beganMs = Date.now();
    let first = true;
    for (let waits = 0; ;) {
      if (this.#ready.length === 0) {
        if (!this.#isMore) return null;
        await this.#enough();
        // A clock that was set, forward or back, ends the slice, too.
        if ((!first && Math.abs(Date.now() - beganMs) >= SLICE_MS) || this.#on.budget.isSpent) return 0;
      }
      const wanted = first && this.#carrier.isPaced && this.#to.lane !== "bulk" ? FIRST_CLAIM : CLAIM_MAX;
      const permits = await this.#permits(this.#ready.length || wanted);
      this.isLimited = permits.isLimited;
      if (permits.atMs.length === 0) {
        if (permits.isSurplus === true) return null;
        waits += 1;
        if (waits > WAITS_HERE_MAX || permits.againMs > this.#waitMsMax(permits)) return permits.againMs;
        await scheduler.wait(permits.againMs);
        continue;
      }
      first = false;
      if (this.#ready.length === 0) await this.#claim(permits.atMs);
      const used = await this.#submitAll(permits);
      this.#pace()?.giveBack(this.#on.ctx, permits, used);
      waits = used > 0 ? 0 : waits + 1;
      if (waits > WAITS_HERE_MAX) return WAIT_HERE_MS_MAX;
    }
  }

  /** How long it waits itself: a silence is all accounts', so that it holds up none of them. */
  #waitMsMax({ quietMs }: Taken): number {
    return quietMs > 0 ? QUIET_HERE_MS_MAX : this.#on.isShared ? SHARED_HERE_MS_MAX : WAIT_HERE_MS_MAX;
  }

  /** The carrier's pace; null where it has none. */
  #pace() {
    return this.#carrier.isPaced ? paceOf(this.#on.env, this.#carrier.name) : null;
  }

  async #permits(max: number): Promise<Taken> {
    const pace = this.#pace();
    const nowMs = Date.now();
    if (!pace) return { ...AT_ONCE, nowMs, atMs: Array.from({ length: max }, () => nowMs) };
    const { lane, account } = this.#to;
    const gapMs = (this.#latencyMs ?? 0) / this.#on.config.DISPATCH_CONCURRENCY;
    return pace.take({ lane, account, max, ...(gapMs >= GAP_MS_MIN && { gapMs }) });
  }

  /** Claims messages for these permits, and reports in the same call what is known. */
  async #claim(permitsMs: readonly number[]): Promise<void> {
    const { env, config, budget } = this.#on;
    const { account, lane, follow, resubmits } = this.#to;
    const isGathered = lane === "bulk" && this.#carrier.isPaced;
    const max = isGathered
      ? Math.min(CLAIM_MAX, Math.max(BULK_CLAIM_MIN, BULK_CLAIM_TURNS * permitsMs.length))
      : permitsMs.length;
    const nowMs = Date.now();
    const waitMs = Math.max(0, (permitsMs.at(-1) ?? 0) - nowMs) + WAIT_MARGIN_MS;
    const leaseMs = config.CARRIER_TIMEOUT_MS + waitMs + REPORT_MARGIN_MS;
    const news = await this.#news();
    const stub: AccountObject = env.ACCOUNT.getByName(account);
    try {
      const claim = { lane, max, carrier: this.#carrier.name, leaseMs };
      const work = await stub.work({ news, follow, resubmits, claim });
      for (const job of work?.jobs ?? []) {
        for (const at of job.messages) this.#ready.push({ job, at, untilMs: nowMs + waitMs });
      }
      this.#pace()?.claimed(lane, work?.oldestMs);
      this.#isMore = this.#ready.length > 0 && typeof work?.againMs === "number" && work.againMs <= 0;
    } catch (problem) {
      await report(env, this.#to, news);
      throw problem;
    }
    // The claim, and perhaps the test inbox and permits, besides the submissions.
    budget.spend(3 + this.#ready.length);
  }

  /** Submits what is ready, each at its permit's time; returns how many permits were used. */
  async #submitAll({ atMs, isLimited }: Taken): Promise<number> {
    const { slots, config } = this.#on;
    this.#busy = 0;
    let used = 0;
    while (used < atMs.length && this.#ready.length > 0) {
      const leftMs = (atMs[used] ?? 0) - Date.now();
      if (leftMs > AHEAD_MS_MAX) return used;
      if (leftMs > 0) await scheduler.wait(leftMs);
      const nowMs = Date.now();
      const later = atMs.findIndex((at, nth) => nth > used && at > nowMs);
      const due = (later === -1 ? atMs.length : later) - used;
      // Slots as permits fall due: no account holds slots for messages whose time has not come.
      const taken = await slots.take(Math.min(due, this.#ready.length, config.DISPATCH_CONCURRENCY));
      for (let nth = 0; nth < taken; nth++) {
        const isLate = isLimited && Date.now() - (atMs[used] ?? 0) > LATE_MS_MAX;
        const next = !isLate && this.#mayGoOn(isLimited) ? this.#ready.shift() : undefined;
        if (!next) {
          slots.give(taken - nth);
          return used;
        }
        this.#start(next);
        used += 1;
      }
    }
    return used;
  }

  /** Whether another submission may start now. Gives messages back whose lease could end before their report. */
  #mayGoOn(isLimited: boolean): boolean {
    const nowMs = Date.now();
    if (this.#busy >= (isLimited ? BUSY_MAX_LIMITED : 1) || (this.#pace()?.quietMs(nowMs) ?? 0) > 0) return false;
    this.#release(({ untilMs }) => untilMs < nowMs);
    return true;
  }

  #start({ job, at }: Ready): void {
    const { env, ctx, config, slots } = this.#on;
    const own = carrierOfJob(config, job, this.#carrier);
    const startedMs = Date.now();
    const flying = submit(own, config, this.#ref, job, at)
      .then((attempt) => {
        this.#latencyMs = Date.now() - startedMs;
        this.#attempts.push(attempt);
        const seen = seenIn(attempt.news.outcome);
        this.#busy += seen.busy + (seen.away ?? 0);
        if (own.isPaced) paceOf(env, own.name).saw(ctx, seen);
      })
      // Each submission frees its slot as it ends, so that one that hangs does not hold up other accounts.
      .finally(() => {
        slots.give(1);
        this.#flying.delete(flying);
      });
    this.#flying.add(flying);
  }

  /** Waits until what is known is worth a call of the account. */
  async #enough(): Promise<void> {
    const least = this.#to.lane === "bulk" ? BULK_NEWS_MIN : 1;
    while (this.#flying.size > 0 && this.#attempts.length < least) await Promise.race(this.#flying);
  }

  /** Gives claimed messages back, unused. */
  #release(which: (one: Ready) => boolean): void {
    const released = this.#ready.filter((one) => which(one));
    if (released.length === 0) return;
    this.#ready = this.#ready.filter((one) => !which(one));
    this.#attempts.push(...released.map(({ job, at }) => attemptOf(job, at, null, { kind: "released" })));
  }

  /** What is known and was not reported. Messages of another carrier, from before a change, are reported here. */
  async #news(): Promise<News[]> {
    const { env, config } = this.#on;
    const attempts = this.#attempts;
    this.#attempts = [];
    const news = await land(env, config, this.#ref, attempts);
    const own: News[] = [];
    for (const [nth, told] of news.entries()) {
      const job = attempts[nth]?.job;
      const carrier = job ? carrierOfJob(config, job, this.#carrier) : this.#carrier;
      const isSubmitted = told.kind === "outcome" && told.outcome.kind === "submitted";
      if (isSubmitted && carrier.lookup) this.#submittedSeqs.add(told.seq);
      if (carrier.name === this.#carrier.name) own.push(told);
      else await report(env, addresseeOf(this.#to.account, this.#to.lane, carrier), [told]);
    }
    return own;
  }

  /** Reports the rest, and asks for lookups where the carrier has them. Never throws. */
  async #end(): Promise<void> {
    const { env } = this.#on;
    this.#release(() => true);
    await Promise.all(this.#flying);
    await report(env, this.#to, await this.#news());
    if (this.#submittedSeqs.size === 0) return;
    const { lane, account } = this.#to;
    await enqueueFollow(env, account, [...this.#submittedSeqs], { lane, delaySeconds: FOLLOW_DELAY_SEC });
  }
}
