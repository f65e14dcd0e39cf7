import { configOf } from "../config/config.ts";
import { logProblem } from "../log.ts";
import { enqueueHistory } from "../queues/enqueue.ts";
import { AccountAlarm } from "./account/alarm.ts";
import { forgetSeal } from "./account/archive/checkpoint.ts";
import { forgetDlt } from "./account/dlt/rows.ts";
import { StatusCallbacks } from "./account/callbacks/deliveries.ts";
import { Deliveries } from "./account/endpoints/deliveries.ts";
import { EventFeed } from "./account/events/feed.ts";
import { sealTurn } from "./account/events/seal.ts";
import { LiveFeed } from "./account/live.ts";
import { forgetJournal } from "./account/receipts/journal.ts";
import { ACCOUNT_SCHEMA } from "./account/schema.ts";
import { forgetTextKeys } from "./account/retention/text-keys.ts";
import { beginTurn, keepsOf } from "./account/turn.ts";
import type { Turn } from "./account/turn.ts";
import type { WindowTimes } from "./account/window.ts";
import { eraseStorage, isErased } from "./erased.ts";
import { nameOf } from "./name.ts";
import { Tables } from "./tables.ts";

/** An alarm of storage that this release cannot serve rings again after this, in ms: it is kept for one that can. */
const CLOSED_MS = 600_000;

/** The storage of one account object, and what follows a change of it: the alarm, the live feed and history. */
export class AccountStore {
  readonly sql: SqlStorage;
  readonly live: LiveFeed;
  readonly events: EventFeed;
  readonly webhooks: Deliveries;
  readonly callbacks: StatusCallbacks;
  readonly alarm: AccountAlarm;
  readonly #ctx: DurableObjectState;
  readonly #env: () => Env;
  readonly #window: WindowTimes = { times: null };
  readonly #tables: Tables;

  constructor(ctx: DurableObjectState, env: () => Env) {
    this.#ctx = ctx;
    this.#env = env;
    this.sql = ctx.storage.sql;
    this.live = new LiveFeed(ctx, env());
    const host = { ctx, env, commit: <T>(work: (turn: Turn) => T) => this.commit(work) };
    this.events = new EventFeed(host);
    this.webhooks = new Deliveries(host, this.events);
    this.callbacks = new StatusCallbacks(host);
    this.alarm = new AccountAlarm({
      ctx,
      env,
      sweepMs: () => configOf(env()).SWEEP_MS,
      keeps: () => keepsOf(configOf(env())),
      commit: (work) => this.commit(work),
      posts: () => [this.webhooks, this.callbacks],
    });
    this.#tables = new Tables(ctx, ACCOUNT_SCHEMA);
    if (!this.#tables.isReady) return;
    void ctx.blockConcurrencyWhile(() => this.alarm.wake(this.#tables.hasGrown));
    this.events.wake();
  }

  /** Whether the account was ever opened; one that was not has no tables. Throws where this release cannot serve them. */
  get isOpened(): boolean {
    return this.#tables.isOpened;
  }

  /** Commits the opening of the account, with its tables where it has none. */
  open<T>(work: (turn: Turn) => T): T {
    return this.#tables.make((make) =>
      this.commit((turn) => {
        make();
        return work(turn);
      }),
    );
  }

  /** Runs the alarm. Never throws, since the platform gives up an alarm that fails too often. */
  async ring(): Promise<void> {
    try {
      if (this.isOpened) await this.alarm.ring();
    } catch (problem) {
      logProblem(`alarm of ${nameOf(this.#ctx)}`, problem);
      await this.#ctx.storage.setAlarm(Date.now() + CLOSED_MS);
    }
  }

  /** Whether the account was erased: then it is not opened again. */
  get isErased(): boolean {
    return !this.isOpened && isErased(this.sql);
  }

  /**
   * Deletes everything, the alarm and the sockets included; from its first moment on, the object answers as one that was
   * never opened. May be repeated: after an interruption it completes what was begun.
   */
  async erase(): Promise<void> {
    this.#tables.close();
    this.alarm.stop();
    this.live.hangUp();
    this.events.stop();
    this.#forget();
    await eraseStorage(this.#ctx);
  }

  /** Reads; null where the account was never opened. */
  read<T>(work: (sql: SqlStorage) => T): T | null {
    return this.isOpened ? work(this.sql) : null;
  }

  /** Commits; null where the account was never opened. */
  change<T>(work: (turn: Turn) => T): T | null {
    return this.isOpened ? this.commit(work) : null;
  }

  /**
   * The only path for writes: all of `work` is stored, or none of it. Only here, and only after that, the changes that
   * `work` noted set the alarm and go to the live feed and to history.
   */
  commit<T>(work: (turn: Turn) => T): T {
    // A feed that cannot be read stops no other work: what changes meanwhile gets its events once it can be.
    if (this.#tables.isReady) this.events.wake();
    const turn = beginTurn(this.sql, this.#window, this.#env(), nameOf(this.#ctx));
    let result: T;
    try {
      result = this.#ctx.storage.transactionSync(() => {
        const done = work(turn);
        sealTurn(turn);
        return done;
      });
    } catch (problem) {
      this.#forget();
      throw problem;
    }
    const { changes } = turn;
    this.alarm.setFor(changes);
    this.events.committed(changes.events);
    if (changes.callbacks) this.callbacks.name();
    if (changes.jobs.size > 0 || changes.account) this.live.send(changes.jobs);
    if (changes.profile) this.#ctx.waitUntil(enqueueHistory(this.#env().HISTORY, nameOf(this.#ctx), [], true));
    return result;
  }

  /** Forgets what was read: storage has changed behind it. */
  #forget(): void {
    this.#window.times = null;
    this.#window.day = undefined;
    this.#window.takenBack = undefined;
    this.#window.spent = undefined;
    this.#window.otps = undefined;
    forgetJournal(this.sql);
    forgetSeal(this.sql);
    forgetTextKeys(this.sql);
    forgetDlt(this.sql);
  }
}
