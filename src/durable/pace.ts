import { DurableObject } from "cloudflare:workers";
import { configOf } from "../config/config.ts";
import { logProblem } from "../log.ts";
import type { PaceStanding, Permits, PermitsAsked, Seen } from "../model/pace.ts";
import { Pacer } from "./pace/pacer.ts";
import { readLearned } from "./pace/learned.ts";
import type { Learned } from "./pace/rate.ts";
import { PaceRecord } from "./pace/record.ts";

/** Where the learned limit is kept, and how often it is written at most, in ms. */
const KEY = "learned";
const WRITE_MS = 10_000;

/** The limit that is set; none while the configuration is broken, when nothing is submitted either. */
function setPerSecOf(env: Env): number {
  try {
    return configOf(env).CARRIER_TPS ?? Infinity;
  } catch (problem) {
    logProblem("pace", problem);
    return Infinity;
  }
}

/**
 * The pace of one carrier, named by the carrier's name: who may submit to it, and when. It is in memory; only a learned
 * limit is stored, while the carrier is near it.
 */
export class Pace extends DurableObject<Env> {
  readonly #pacer: Pacer;
  readonly #record: PaceRecord;
  /** What the clock of the permits is ahead of the machine's, which may be set back. */
  #aheadMs = 0;
  #lastMs = Date.now();
  #timer: { atMs: number; id: ReturnType<typeof setTimeout> } | null = null;
  #writtenMs = Number.NEGATIVE_INFINITY;
  #stored: Learned | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#stored = readLearned(ctx.storage.kv.get(KEY));
    this.#pacer = new Pacer(setPerSecOf(env), this.#stored, Math.random, this.#lastMs);
    this.#record = new PaceRecord(this.#lastMs);
  }

  /** Permits for submissions, up to `max`: at once, or after up to two seconds; none with when to ask again. */
  async take(asked: PermitsAsked): Promise<Permits> {
    const { promise, resolve } = Promise.withResolvers<Permits>();
    const nowMs = this.#clock();
    this.#record.saw(asked.seen, nowMs);
    if (asked.oldestMs !== undefined) this.#record.waited(asked.lane, asked.oldestMs, nowMs);
    this.#pacer.ask(asked, nowMs, resolve);
    this.#settle();
    return promise;
  }

  /** What a consumer saw at the carrier: may be lost, late or repeated. */
  async tell(seen: Seen): Promise<void> {
    const nowMs = this.#clock();
    this.#record.saw(seen, nowMs);
    this.#pacer.saw(seen, nowMs);
    this.#pacer.turn(nowMs);
    this.#settle();
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
    return { ...this.#record.standing(nowMs), perSec: learned?.ceiling ?? null, quietMs };
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
    if (learned) this.ctx.storage.kv.put(KEY, learned);
    else this.ctx.storage.kv.delete(KEY);
  }
}
