import type { Carrier } from "../carriers/carrier.ts";
import { accountOfName } from "../crypto/ids.ts";
import { land } from "../inbox/landing.ts";
import type { Lane } from "../model/lane.ts";
import type { Claimed, ClaimedJob, News } from "../model/message.ts";
import type { AccountRef } from "../model/ref.ts";
import type { AccountObject } from "../objects.ts";
import { enqueueFollow } from "./enqueue.ts";
import { FOLLOW_DELAY_SEC } from "./follow-up.ts";
import { givenBack } from "./in-turn.ts";
import type { Offers } from "./offers.ts";
import { alternatives, paceOf } from "./pace/clients.ts";
import { PUT_OFF_MS_MAX, putOffMs } from "./pace/put-off.ts";
import type { Taken } from "./pace-client.ts";
import { addresseeOf, report } from "./report.ts";
import type { Addressee } from "./report.ts";
import { Submissions } from "./submissions.ts";
import type { Group, Invocation } from "./submissions.ts";

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

/** A consumer of one account alone waits so long for permits itself, with what is claimed; else the token waits. */
const WAIT_HERE_MS_MAX = 4_000;
const WAITS_HERE_MAX = 3;
/** The end of a silence is waited for to the ms; beside other accounts, only what no queue can delay a token by. */
const QUIET_HERE_MS_MAX = 5_500;
const SHARED_HERE_MS_MAX = 999;

/** Where no permits are needed: all of a claim at once. */
const AT_ONCE: Omit<Taken, "atMs" | "nowMs"> = { againMs: 0, quietMs: 0, isLimited: false, aheadMs: 0 };

/** Where routes choose: how many the claims after the first ask for, while no more than this wait for their carriers. */
const ROUTED_CLAIM = 20;
const ROUTED_READY_MAX = 60;

/** What came of one round; `again`: there was no permit, and when to ask for one; `isSurplus`: enough others ask. */
interface Round {
  used: number;
  again?: Taken;
  isSurplus?: boolean;
}

/** The work for one account's lane in one invocation. */
export class LaneWork {
  readonly #on: Invocation;
  readonly #ref: AccountRef;
  readonly #account: string;
  readonly #lane: Lane;
  readonly #offers: Offers;
  readonly #own: Submissions;
  readonly #submittedSeqs = new Set<number>();
  /** Whether the account may have more that can be claimed now; what can be claimed later is its alarm's business. */
  #isMore = true;
  /** Where routes choose: the carriers' turns under way, and how often in a row one of them had no permit. */
  readonly #turns = new Map<string, Promise<boolean>>();
  readonly #waits = new Map<string, number>();
  /** Whether a carrier's limit is set, or was met lately. */
  isLimited = false;

  constructor(on: Invocation, account: string, lane: Lane, offers: Offers) {
    this.#on = on;
    this.#ref = accountOfName(account);
    this.#account = account;
    this.#lane = lane;
    this.#offers = offers;
    this.#own = new Submissions(on, { account, lane, ref: this.#ref }, offers.sole === null);
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
    const { sole } = this.#offers;
    // A clock that was set, forward or back, ends the slice, too.
    const isOver = () => Math.abs(Date.now() - beganMs) >= SLICE_MS;
    return sole ? this.#soleRounds(sole, isOver) : this.#routedRounds(isOver);
  }

  async #soleRounds(sole: Carrier, isOver: () => boolean): Promise<number | null> {
    let first = true;
    for (let waits = 0; ;) {
      if (this.#own.waiting === 0) {
        if (!this.#isMore) return null;
        await this.#own.enough(this.#lane === "bulk" ? BULK_NEWS_MIN : 1);
        if ((!first && isOver()) || this.#on.budget.isSpent) return 0;
      }
      const round = await this.#soleRound(sole, first);
      if (round.isSurplus) return null;
      if (round.again) {
        waits += 1;
        if (waits > WAITS_HERE_MAX || round.again.againMs > this.#waitMsMax(round.again)) return round.again.againMs;
        await scheduler.wait(round.again.againMs);
        continue;
      }
      first = false;
      waits = round.used > 0 ? 0 : waits + 1;
      if (waits > WAITS_HERE_MAX) return WAIT_HERE_MS_MAX;
    }
  }

  /**
   * Where routes choose for each message: claims, and permits of each carrier for its messages, all side by side. There is
   * another claim as soon as one carrier's messages are through: none waits for the permits of another.
   */
  async #routedRounds(isOver: () => boolean): Promise<number | null> {
    let first = true;
    for (let isThrough = true; ;) {
      const mayClaim = this.#isMore && (first || !isOver()) && !this.#on.budget.isSpent;
      if (mayClaim && isThrough && this.#own.waiting < ROUTED_READY_MAX) {
        await this.#claim(null, [], first && this.#lane !== "bulk" ? FIRST_CLAIM : ROUTED_CLAIM);
        first = false;
      } else if (!mayClaim && this.#own.waiting === 0 && this.#turns.size === 0) return this.#isMore ? 0 : null;
      for (const group of this.#own.groups()) {
        if (this.#turns.has(group.key)) continue;
        const turn = this.#turn(group).finally(() => this.#turns.delete(group.key));
        this.#turns.set(group.key, turn);
      }
      isThrough = this.#turns.size === 0 || (await Promise.race(this.#turns.values()));
    }
  }

  /** One turn of a carrier's messages; whether they are through, or put off so that they stand in no one's way. */
  async #turn(group: Group): Promise<boolean> {
    const { key, carrier, hasOther, ready } = group;
    const permits = await this.#permits(carrier, ready.length, hasOther);
    this.isLimited ||= permits.isLimited;
    const isAway = this.#pace(carrier)?.isAway(Date.now()) === true && permits.state !== "trial";
    if (hasOther && isAway) {
      this.#pace(carrier)?.giveBack(this.#on.ctx, permits, 0);
      this.#own.passOver(group);
      return false;
    }
    const used = permits.atMs.length > 0 ? await this.#submit(group, permits) : 0;
    const waits = used > 0 ? 0 : (this.#waits.get(key) ?? 0) + 1;
    this.#waits.set(key, waits);
    if (used >= ready.length) return true;
    const isAlone = this.#turns.size <= 1 && this.#own.groups().every((one) => one.key === key);
    if (isAlone && (used > 0 || (await this.#waitsHere(carrier, permits, waits)))) return false;
    this.#waits.delete(key);
    const those = new Set(ready);
    this.#own.release((one) => those.has(one), putOffMs(permits));
    return true;
  }

  /** Waits for a carrier's next permits, or for room where it has some; false where that is too long. */
  async #waitsHere(carrier: Carrier, { atMs, againMs }: Taken, waits: number): Promise<boolean> {
    if (atMs.length > 0 && (await this.#own.landed(carrier))) return true;
    if (waits > WAITS_HERE_MAX || againMs > SHARED_HERE_MS_MAX) return false;
    await scheduler.wait(againMs);
    return true;
  }

  /** A round where all messages have one carrier: permits first, then a claim for them. */
  async #soleRound(carrier: Carrier, first: boolean): Promise<Round> {
    const wanted = first && carrier.isPaced && this.#lane !== "bulk" ? FIRST_CLAIM : CLAIM_MAX;
    const permits = await this.#permits(carrier, this.#own.waiting || wanted, false);
    this.isLimited = permits.isLimited;
    if (permits.atMs.length === 0) return { used: 0, again: permits, isSurplus: permits.isSurplus === true };
    if (this.#own.waiting === 0) await this.#claim(carrier, permits.atMs);
    return { used: await this.#submit({ carrier, ready: this.#own.allReady() }, permits) };
  }

  async #submit(group: Pick<Group, "carrier" | "ready">, permits: Taken): Promise<number> {
    const used = await this.#own.submitAll(group, permits);
    this.#pace(group.carrier)?.giveBack(this.#on.ctx, permits, used);
    return used;
  }

  /** How long it waits itself: a silence is all accounts', so that it holds up none of them. */
  #waitMsMax({ quietMs }: Taken): number {
    return quietMs > 0 ? QUIET_HERE_MS_MAX : this.#on.isShared ? SHARED_HERE_MS_MAX : WAIT_HERE_MS_MAX;
  }

  /** The carrier's pace; null where it has none. */
  #pace(carrier: Carrier) {
    return carrier.isPaced ? paceOf(this.#on.env, carrier.name, carrier.tps) : null;
  }

  async #permits(carrier: Carrier, max: number, hasOther: boolean): Promise<Taken> {
    const pace = this.#pace(carrier);
    const nowMs = Date.now();
    if (!pace) return { ...AT_ONCE, nowMs, atMs: Array.from({ length: max }, () => nowMs) };
    const [lane, account] = [this.#lane, this.#account];
    const gapMs = this.#own.latencyMs(carrier) / this.#on.config.DISPATCH_CONCURRENCY;
    const gap = gapMs >= GAP_MS_MIN ? { gapMs } : {};
    return pace.take({ lane, account, max, ...gap, ...alternatives(carrier, hasOther) });
  }

  /** Claims messages, for permits where they have one carrier, and reports in the same call what is known. */
  async #claim(sole: Carrier | null, permitsMs: readonly number[], most = permitsMs.length): Promise<void> {
    const { env, budget } = this.#on;
    const [account, lane] = [this.#account, this.#lane];
    const isGathered = lane === "bulk" && sole?.isPaced === true;
    const max = isGathered ? Math.min(CLAIM_MAX, Math.max(BULK_CLAIM_MIN, BULK_CLAIM_TURNS * most)) : most;
    const nowMs = Date.now();
    const waitMs = Math.max(0, (permitsMs.at(-1) ?? 0) - nowMs) + WAIT_MARGIN_MS;
    const leaseMs = this.#offers.attemptMs + waitMs + REPORT_MARGIN_MS;
    const news = await this.#news();
    const before = this.#own.waiting;
    const stub: AccountObject = env.ACCOUNT.getByName(account);
    const { follow, resubmits } = this.#addressee();
    try {
      const claim = { lane, max, ...this.#offers.claim, leaseMs };
      const work = await stub.work({ news, follow, resubmits, claim });
      for (const job of work?.jobs ?? []) for (const at of job.messages) this.#hold(job, at, nowMs + waitMs);
      if (sole) this.#pace(sole)?.claimed(lane, work?.oldestMs);
      this.#isMore = (work?.jobs.length ?? 0) > 0 && typeof work?.againMs === "number" && work.againMs <= 0;
    } catch (problem) {
      await report(env, this.#addressee(), news);
      throw problem;
    }
    // The claim, and perhaps the test inbox and permits, besides the submissions.
    budget.spend(3 + this.#own.waiting - before);
  }

  /** Holds a claimed message for its carriers; what has none any more is put off. */
  #hold(job: ClaimedJob, at: Claimed, untilMs: number): void {
    const all = this.#offers.allOfClaimed(job, at);
    const [carrier, ...more] = this.#offers.present(all);
    if (carrier) this.#own.add({ job, at, carriers: [carrier, ...more], all, untilMs });
    else this.#own.note(givenBack(job, at, PUT_OFF_MS_MAX));
  }

  /** Where reports go: what the account must know of carriers that routes chose, each report says itself. */
  #addressee(): Addressee {
    const { sole } = this.#offers;
    const [account, lane] = [this.#account, this.#lane];
    return sole ? addresseeOf(account, lane, sole) : { account, lane, follow: false, resubmits: false };
  }

  /** What is known and was not reported. Messages of another carrier, from before a change, are reported here. */
  async #news(): Promise<News[]> {
    const { env, config } = this.#on;
    const known = this.#own.takeKnown();
    const attempts = known.map(({ attempt }) => attempt);
    const news = await land(env, config, this.#ref, attempts);
    const own: News[] = [];
    const { sole } = this.#offers;
    for (const [nth, told] of news.entries()) {
      const carrier = known[nth]?.carrier ?? sole;
      const isSubmitted = told.kind === "outcome" && told.outcome.kind === "submitted";
      if (isSubmitted && carrier?.lookup) this.#submittedSeqs.add(told.seq);
      const isOffered = told.kind === "outcome" && told.offered !== undefined;
      if (!sole || !carrier || isOffered || carrier.name === sole.name) own.push(told);
      else await report(env, addresseeOf(this.#account, this.#lane, carrier), [told]);
    }
    return own;
  }

  /** Reports the rest, and asks for lookups where the carrier has them. Never throws. */
  async #end(): Promise<void> {
    const { env } = this.#on;
    await this.#own.end();
    // Where a claim failed; they find nothing to submit any more.
    await Promise.allSettled(this.#turns.values());
    await report(env, this.#addressee(), await this.#news());
    if (this.#submittedSeqs.size === 0) return;
    const [lane, account] = [this.#lane, this.#account];
    await enqueueFollow(env, account, [...this.#submittedSeqs], { lane, delaySeconds: FOLLOW_DELAY_SEC });
  }
}
