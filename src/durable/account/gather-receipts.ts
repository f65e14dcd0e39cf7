// Receipts of a bulk come by the hundred, each in a call of its own, and a job's row holds a hundred messages: written
// for each receipt, that row would be most of what a bulk costs. So receipts that follow each other closely are gathered
// for a moment and applied in one transaction. Their senders wait for it, and a carrier has time.

/** Calls that follow each other this closely are gathered, for so long. */
const GATHER_MS = 50;

interface Batch<Item, Result> {
  items: Item[];
  applied: Promise<Result>;
}

/** What the calls of one object bring to be applied together. */
export class ReceiptBatcher<Item, Result> {
  readonly #apply: (items: Item[]) => Result;
  #open: Batch<Item, Result> | null = null;
  #lastMs = 0;

  constructor(apply: (items: Item[]) => Result) {
    this.#apply = apply;
  }

  /**
   * Applies items, at once or with those of other calls; stored when this resolves. The result goes to one of the calls,
   * the others get null. Where applying them together fails, each call's own are applied alone: one cannot spoil another's.
   */
  async add(items: readonly Item[]): Promise<Result | null> {
    const nowMs = Date.now();
    const follows = Math.abs(nowMs - this.#lastMs) < GATHER_MS;
    this.#lastMs = nowMs;
    if (!follows && !this.#open) return this.#apply([...items]);
    const joined = this.#open;
    joined?.items.push(...items);
    const { applied } = joined ?? this.#begin(items);
    try {
      const result = await applied;
      return joined ? null : result;
    } catch {
      return this.#apply([...items]);
    }
  }

  #begin(items: readonly Item[]): Batch<Item, Result> {
    const gathered = [...items];
    const applied = scheduler.wait(GATHER_MS).then(() => {
      this.#open = null;
      return this.#apply(gathered);
    });
    this.#open = { items: gathered, applied };
    return this.#open;
  }
}
