import { Callers } from "./callers.ts";
import type { Wait } from "./callers.ts";

// Receipts of a bulk arrive by the thousand, each in its own call, and each call is stored before it is answered. So
// calls that follow each other closely share one write. Their senders, the carriers, can wait for it.

/** Items that end a batch, so that applying them does not hold the object up for long. */
export const BATCH_ITEMS_MAX = 200;

/** The calls that wait for one write, and the result of applying their items. */
interface Batch<Item, Result> {
  readonly items: Item[];
  readonly wait: Wait;
  readonly applied: PromiseWithResolvers<Result>;
  timer: ReturnType<typeof setTimeout>;
}

/** Applies the items of several calls to one object together. */
export class Gatherer<Item, Result> {
  readonly #apply: (items: Item[]) => Result;
  readonly #callers = new Callers();
  #open: Batch<Item, Result> | null = null;

  constructor(apply: (items: Item[]) => Result) {
    this.#apply = apply;
  }

  /**
   * Applies items, after quiet at once, else with those of other calls within `HOLD_MS`; they are stored when this
   * resolves. The first call of a batch gets the result, the others get null. If a batch fails, each call's items are
   * applied alone: one call cannot fail another's.
   */
  async add(items: readonly Item[]): Promise<Result | null> {
    const nowMs = Date.now();
    if (!this.#open && this.#callers.isQuiet(nowMs)) {
      this.#callers.startAgain(nowMs);
      return this.#apply([...items]);
    }
    const joined = this.#open;
    const batch = joined ?? this.#begin(nowMs);
    batch.items.push(...items);
    const endsInMs = this.#callers.count(batch.wait, nowMs);
    if (batch.items.length >= BATCH_ITEMS_MAX) this.#end(batch);
    else if (endsInMs !== null) this.#endIn(batch, endsInMs);
    try {
      const result = await batch.applied.promise;
      return joined ? null : result;
    } catch {
      return this.#apply([...items]);
    }
  }

  #begin(nowMs: number): Batch<Item, Result> {
    const { wait, forMs } = this.#callers.begin(nowMs);
    const timer = setTimeout(() => this.#end(batch), forMs);
    const batch: Batch<Item, Result> = { items: [], wait, applied: Promise.withResolvers<Result>(), timer };
    this.#open = batch;
    return batch;
  }

  #endIn(batch: Batch<Item, Result>, ms: number): void {
    clearTimeout(batch.timer);
    batch.timer = setTimeout(() => this.#end(batch), ms);
  }

  #end(batch: Batch<Item, Result>): void {
    clearTimeout(batch.timer);
    this.#open = null;
    this.#callers.end(batch.wait, Date.now());
    try {
      batch.applied.resolve(this.#apply(batch.items));
    } catch (problem) {
      batch.applied.reject(problem);
    }
  }
}
