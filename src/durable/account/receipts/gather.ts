import { Callers } from "./callers.ts";
import type { Wait } from "./callers.ts";

// Receipts of a bulk arrive by the thousand, each in its own call, and each call is stored before it is answered. So
// calls that follow each other closely share one write. Their senders, the carriers, can wait for it.

/** Items that end a batch, so that applying them does not hold the object up for long. */
export const BATCH_ITEMS_MAX = 150;

/** The calls that wait for one write. */
interface Batch<Item> {
  readonly items: Item[];
  readonly wait: Wait;
  readonly applied: PromiseWithResolvers<void>;
  timer: ReturnType<typeof setTimeout>;
}

/** Applies the items of several calls to one object together. */
export class Gatherer<Item> {
  readonly #apply: (items: Item[]) => void;
  readonly #callers = new Callers();
  #open: Batch<Item> | null = null;

  constructor(apply: (items: Item[]) => void) {
    this.#apply = apply;
  }

  /**
   * Applies items, after quiet at once, else with those of other calls within `HOLD_MS`; they are stored when this
   * resolves. If a batch fails, each call's items are applied alone: one call cannot fail another's.
   */
  async add(items: readonly Item[]): Promise<void> {
    const nowMs = Date.now();
    if (!this.#open && this.#callers.isQuiet(nowMs)) {
      this.#callers.startAgain(nowMs);
      this.#apply([...items]);
      return;
    }
    const batch = this.#open ?? this.#begin(nowMs);
    batch.items.push(...items);
    const endsInMs = this.#callers.count(batch.wait, nowMs);
    if (batch.items.length >= BATCH_ITEMS_MAX) this.#end(batch);
    else if (endsInMs !== null) this.#endIn(batch, endsInMs);
    try {
      await batch.applied.promise;
    } catch {
      this.#apply([...items]);
    }
  }

  #begin(nowMs: number): Batch<Item> {
    const { wait, forMs } = this.#callers.begin(nowMs);
    const timer = setTimeout(() => this.#end(batch), forMs);
    const batch: Batch<Item> = { items: [], wait, applied: Promise.withResolvers<void>(), timer };
    this.#open = batch;
    return batch;
  }

  #endIn(batch: Batch<Item>, ms: number): void {
    clearTimeout(batch.timer);
    batch.timer = setTimeout(() => this.#end(batch), ms);
  }

  #end(batch: Batch<Item>): void {
    clearTimeout(batch.timer);
    this.#open = null;
    this.#callers.end(batch.wait, Date.now());
    try {
      this.#apply(batch.items);
      batch.applied.resolve();
    } catch (problem) {
      batch.applied.reject(problem);
    }
  }
}
