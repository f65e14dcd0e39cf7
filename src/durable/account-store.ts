import { configOf } from "../config/config.ts";
import { enqueueHistory } from "../queues/enqueue.ts";
import { AccountAlarm } from "./account/alarm.ts";
import { LiveFeed } from "./account/live.ts";
import { forgetJournal } from "./account/receipts/journal.ts";
import { MIGRATIONS } from "./account/schema.ts";
import { beginTurn } from "./account/turn.ts";
import type { Turn } from "./account/turn.ts";
import type { WindowTimes } from "./account/window.ts";
import { eraseStorage, isErased } from "./erased.ts";
import { isOpened, migrate } from "./migrate.ts";
import { nameOf } from "./name.ts";

/** The storage of one account object, and what follows a change of it: the alarm, the live feed and history. */
export class AccountStore {
  readonly sql: SqlStorage;
  readonly live: LiveFeed;
  readonly alarm: AccountAlarm;
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly #window: WindowTimes = { times: null };
  #isOpened = false;

  constructor(ctx: DurableObjectState, env: Env) {
    this.#ctx = ctx;
    this.#env = env;
    this.sql = ctx.storage.sql;
    this.live = new LiveFeed(ctx, env);
    this.alarm = new AccountAlarm({
      ctx,
      env: () => env,
      sweepMs: () => configOf(env).SWEEP_MS,
      commit: (work) => this.commit(work),
    });
    if (!isOpened(this.sql)) return;
    void ctx.blockConcurrencyWhile(async () => {
      ctx.storage.transactionSync(() => migrate(this.sql, MIGRATIONS));
      this.#isOpened = true;
      await this.alarm.wake();
    });
  }

  /** Whether the account was ever opened; one that was not has no tables. */
  get isOpened(): boolean {
    return this.#isOpened;
  }

  /** Commits the opening of the account, with its tables where it has none. */
  open<T>(work: (turn: Turn) => T): T {
    const opened = this.commit((turn) => {
      if (!this.#isOpened) migrate(this.sql, MIGRATIONS);
      return work(turn);
    });
    this.#isOpened = true;
    return opened;
  }

  /** Whether the account was erased: then it is not opened again. */
  get isErased(): boolean {
    return !this.#isOpened && isErased(this.sql);
  }

  /**
   * Deletes everything, the alarm and the sockets included; from its first moment on, the object answers as one that was
   * never opened. May be repeated: after an interruption it completes what was begun.
   */
  async erase(): Promise<void> {
    this.#isOpened = false;
    this.alarm.stop();
    this.live.hangUp();
    this.#window.times = null;
    forgetJournal(this.sql);
    await eraseStorage(this.#ctx);
  }

  /** Reads; null where the account was never opened. */
  read<T>(work: (sql: SqlStorage) => T): T | null {
    return this.#isOpened ? work(this.sql) : null;
  }

  /** Commits; null where the account was never opened. */
  change<T>(work: (turn: Turn) => T): T | null {
    return this.#isOpened ? this.commit(work) : null;
  }

  /**
   * The only path for writes: all of `work` is stored, or none of it. Only here, and only after that, the changes that
   * `work` noted set the alarm and go to the live feed and to history.
   */
  commit<T>(work: (turn: Turn) => T): T {
    const turn = beginTurn(this.sql, this.#window, this.#env);
    let result: T;
    try {
      result = this.#ctx.storage.transactionSync(() => work(turn));
    } catch (problem) {
      this.#window.times = null;
      forgetJournal(this.sql);
      throw problem;
    }
    const { changes } = turn;
    this.alarm.setFor(changes);
    if (changes.jobs.size > 0 || changes.account) this.live.send(changes.jobs);
    if (changes.profile) this.#ctx.waitUntil(enqueueHistory(this.#env.HISTORY, nameOf(this.#ctx), [], true));
    return result;
  }
}
