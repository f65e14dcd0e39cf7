import { DurableObject } from "cloudflare:workers";
import { endAlert, raiseAlert } from "../alerts/alerts.ts";
import { configOf } from "../config/config.ts";
import { logLine, logProblem } from "../log.ts";
import type { CarrierHealth } from "../model/carrier/health.ts";
import type { PaceNews, PaceStanding, Permits, PermitsAsked, Seen } from "../model/pace.ts";
import { meritOf, noEvidence, withReceipts } from "../routing/drift.ts";
import type { Evidence } from "../routing/drift.ts";
import { nameOf } from "./name.ts";
import { Breaker, readBreaker } from "./pace/breaker.ts";
import type { BreakerSettings } from "./pace/breaker.ts";
import { readEvidence } from "./pace/evidence.ts";
import { HealthRecord } from "./pace/health.ts";
import { Pacer } from "./pace/pacer.ts";
import { readLearned } from "./pace/learned.ts";
import type { LearnedStored } from "./pace/learned.ts";
import type { Learned } from "./pace/learned.ts";
import { PaceRecord } from "./pace/record.ts";

/** Where the learned limit is kept, and how often it is written at most, in ms. */
const KEY = "learned";
const WRITE_MS = 10_000;

/** Where the breaker is kept, and where what receipts say: this often at most, in ms. */
const BREAKER_KEY = "breaker";
const EVIDENCE_KEY = "evidence";
const EVIDENCE_MS = 300_000;

/** What the message that tries a carrier may take beside its submission, in ms: for its permit, and its report. */
const TRIAL_MARGIN_MS = 10_000;

/** While a message tries it, the carrier is passed over for so long, in ms; then it is asked for again. */
const TRIAL_AGAIN_MS = 1_000;

/** What holds while the configuration is broken, when nothing is submitted. */
const NO_SETTINGS = { setPerSec: Infinity, breaker: { failures: 5, openMs: 30_000, trialMs: 20_000 } };

/** What the configuration says of a carrier; its own limit is that of the carrier which it makes. */
function settingsOf(env: Env, carrier: string): { setPerSec: number; breaker: BreakerSettings } {
  try {
    const { CARRIER, CARRIER_TPS = Infinity, CARRIER_TIMEOUT_MS, ...config } = configOf(env);
    const trialMs = CARRIER_TIMEOUT_MS + TRIAL_MARGIN_MS;
    const breaker = { failures: config.BREAKER_FAILURES, openMs: config.BREAKER_OPEN_MS, trialMs };
    return { setPerSec: carrier === CARRIER ? CARRIER_TPS : Infinity, breaker };
  } catch (problem) {
    logProblem("pace", problem);
    return NO_SETTINGS;
  }
}

/**
 * The pace of one carrier, named by the carrier's name: who may submit to it, and when; and its health. It is in memory;
 * stored are a learned limit, while the carrier is near it, that it is left alone, and now and then what receipts say.
 */
export class Pace extends DurableObject<Env> {
  readonly #carrier = nameOf(this.ctx);
  readonly #pacer: Pacer;
  readonly #record: PaceRecord;
  readonly #breaker: Breaker;
  readonly #health = new HealthRecord();
  #evidence: Evidence;
  /** What the clock of the permits is ahead of the machine's, which may be set back. */
  #aheadMs = 0;
  #lastMs = Date.now();
  #timer: { atMs: number; id: ReturnType<typeof setTimeout> } | null = null;
  #writtenMs = Number.NEGATIVE_INFINITY;
  #evidenceMs: number;
  #stored: Learned | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const { kv } = ctx.storage;
    const { setPerSec, breaker } = settingsOf(env, this.#carrier);
    this.#stored = readLearned(kv.get(KEY), this.#lastMs);
    this.#pacer = new Pacer(setPerSec, this.#stored, Math.random, this.#lastMs);
    this.#record = new PaceRecord(this.#lastMs);
    this.#breaker = new Breaker(breaker, readBreaker(kv.get(BREAKER_KEY)), this.#lastMs);
    this.#evidence = readEvidence(kv.get(EVIDENCE_KEY), this.#lastMs) ?? noEvidence(this.#lastMs);
    this.#evidenceMs = this.#evidence.atMs;
  }

  /**
   * Permits for submissions, up to `max`: at once, or after up to two seconds; none with when to ask again. While the
   * carrier is left alone there are none for messages that have another one, but for the one that tries it.
   */
  async take(asked: PermitsAsked): Promise<Permits> {
    const nowMs = this.#clock();
    if (asked.tps !== undefined) this.#pacer.limit(asked.tps);
    this.#saw(asked.seen, nowMs);
    if (asked.oldestMs !== undefined) this.#record.waited(asked.lane, asked.oldestMs, nowMs);
    const isHeldBack = asked.hasOther === true && this.#breaker.state(nowMs) !== "up";
    const isTrial = isHeldBack && this.#breaker.tries(nowMs, (asked.longestMs ?? 0) + TRIAL_MARGIN_MS);
    if (isHeldBack && !isTrial) {
      this.#pacer.saw(asked.seen, nowMs);
      this.#settle();
      return this.#none(nowMs);
    }
    const { promise, resolve } = Promise.withResolvers<Permits>();
    this.#pacer.ask(isTrial ? { ...asked, max: 1 } : asked, nowMs, resolve);
    this.#settle();
    return this.#told(await promise, { ...asked, isTrial });
  }

  /** What a consumer saw at the carrier, or receipts: may be lost, late or repeated. */
  async tell(seen: Seen): Promise<PaceNews> {
    const nowMs = this.#clock();
    this.#saw(seen, nowMs);
    this.#pacer.saw(seen, nowMs);
    this.#pacer.turn(nowMs);
    this.#settle();
    return this.#news(nowMs);
  }

  /** Waits up to `forMs` for a silence that the carrier asks for: its length in ms, 0 where it asks for none. */
  async listen(forMs: number): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#pacer.listen(forMs, this.#clock(), resolve);
    this.#settle();
    return promise;
  }

  /** How the carrier stands, for the operator. */
  standing(): PaceStanding {
    const nowMs = this.#clock();
    const learned = this.#pacer.learned(nowMs);
    const quietMs = Math.max(0, (learned?.quietUntilMs ?? 0) - nowMs);
    const health = {
      state: this.#breaker.state(nowMs),
      sinceMs: this.#breaker.sinceMs(nowMs),
      ...this.#health.standing(nowMs),
    };
    return { ...this.#record.standing(nowMs), perSec: learned?.ceiling ?? null, quietMs, health };
  }

  /** How the carrier does; what the asking isolate knows of it and has not told counts. */
  health(seen: Seen): CarrierHealth {
    const nowMs = this.#clock();
    this.#saw(seen, nowMs);
    this.#pacer.saw(seen, nowMs);
    this.#settle();
    return this.standing().health;
  }

  /** Counts what a consumer saw, but for the rate's learning from it. */
  #saw(seen: Seen, nowMs: number): void {
    this.#record.saw(seen, nowMs);
    const { lately = [], error, row, tried } = seen;
    this.#health.saw(lately, nowMs);
    if (error) this.#health.erred(error.code, nowMs - error.agoMs);
    for (const { results, deliveryMs } of lately) {
      const { delivered = 0, undelivered = 0, failed = 0 } = results;
      const final = delivered + undelivered + failed;
      if (final > 0) this.#evidence = withReceipts(this.#evidence, { delivered, final, deliveryMs }, nowMs);
    }
    this.#keepEvidence(nowMs);
    if (tried === true) this.#breaker.tried();
    const change = row ? this.#breaker.saw(row, nowMs) : null;
    if (!change) return;
    this.ctx.storage.kv.put(BREAKER_KEY, this.#breaker.stored);
    const { kind, trouble } = change;
    logLine(`carrier_${kind}`, { carrier: this.#carrier, for_ms: this.#breaker.outMs(nowMs), code: row?.trouble });
    if (trouble === null) return;
    const raised = { kind: "carrier_account", subject: this.#carrier, values: { code: trouble } } as const;
    this.ctx.waitUntil(
      kind === "opened" ? raiseAlert(this.env, raised) : endAlert(this.env, raised.kind, this.#carrier),
    );
  }

  #keepEvidence(nowMs: number): void {
    if (nowMs - this.#evidenceMs < EVIDENCE_MS || this.#evidence.atMs <= this.#evidenceMs) return;
    this.#evidenceMs = nowMs;
    this.ctx.storage.kv.put(EVIDENCE_KEY, this.#evidence);
  }

  /** An answer with how the carrier stands now: it may have been taken out while the request was held. */
  #told(permits: Permits, { isTrial, hasOther }: { isTrial: boolean; hasOther?: boolean }): Permits {
    const nowMs = this.#clock();
    if (isTrial && permits.atMs.length > 0) return { ...permits, ...this.#news(nowMs), state: "trial" };
    if (isTrial) this.#breaker.tried();
    if (hasOther !== true || this.#breaker.state(nowMs) === "up") return { ...permits, ...this.#news(nowMs) };
    this.#pacer.saw({ taken: 0, busy: 0, returned: permits.atMs }, nowMs);
    this.#settle();
    return this.#none(nowMs);
  }

  /** No permits: messages that have another carrier pass this one over. */
  #none(nowMs: number): Permits {
    const news = this.#news(nowMs);
    return { atMs: [], nowMs, againMs: news.outMs, quietMs: 0, isLimited: true, ...news };
  }

  #news(nowMs: number): PaceNews {
    const merit = meritOf(this.#evidence, nowMs);
    const state = this.#breaker.state(nowMs);
    if (state === "up") return { state, outMs: 0, merit };
    // While another message tries it, what that one finds is known soon.
    const outMs = state === "trial" ? Math.min(TRIAL_AGAIN_MS, this.#breaker.outMs(nowMs)) : this.#breaker.outMs(nowMs);
    return { state: "out", outMs, merit };
  }

  /** A clock that never goes back. */
  #clock(): number {
    const nowMs = Date.now();
    if (nowMs + this.#aheadMs < this.#lastMs) this.#aheadMs = this.#lastMs - nowMs;
    this.#lastMs = nowMs + this.#aheadMs;
    return this.#lastMs;
  }

  /** Stores what was learned, and sets the timer that answers those who wait; without them there is none. */
  #settle(): void {
    this.#store();
    const nowMs = this.#clock();
    const wakeMs = this.#pacer.wakeMs(nowMs);
    if (this.#timer && this.#timer.atMs === wakeMs) return;
    if (this.#timer) clearTimeout(this.#timer.id);
    this.#timer = null;
    if (wakeMs === null) return;
    const ring = () => {
      this.#timer = null;
      this.#pacer.turn(this.#clock());
      this.#settle();
    };
    this.#timer = { atMs: wakeMs, id: setTimeout(ring, wakeMs - nowMs) };
  }

  #store(): void {
    const learned = this.#pacer.learned(this.#lastMs);
    const stored = this.#stored;
    // A long silence outlives the object's memory, which ends soon when no request comes.
    const isLong = (learned?.quietUntilMs ?? 0) > Math.max(this.#lastMs, stored?.quietUntilMs ?? 0) + WRITE_MS;
    const isNew = learned?.busyAtMs !== stored?.busyAtMs || learned?.ceiling !== stored?.ceiling;
    if (!isLong && (!isNew || this.#lastMs - this.#writtenMs < WRITE_MS)) return;
    this.#writtenMs = this.#lastMs;
    this.#stored = learned;
    if (learned) this.ctx.storage.kv.put(KEY, { ...learned, storedMs: this.#lastMs } satisfies LearnedStored);
    else this.ctx.storage.kv.delete(KEY);
  }
}
