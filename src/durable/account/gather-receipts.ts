// Receipts of a bulk arrive by the hundred, each in its own call, and a job's row holds a hundred messages: writing the
// row for each receipt would be most of what a bulk costs. So receipts that follow each other closely are applied in
// one transaction. Their senders, the carriers, can wait for it.

/** A call within this time of the one before, in ms, is batched; a batch is applied this long after it began. */
const GATHER_MS = 50;

/** Items of several calls, and the result of applying them. */
interface Batch<Item, Result> {
  items: Item[];
  applied: Promise<Result>;
}

/** Applies the receipts of several calls to one object together. */
export class ReceiptBatcher<Item, Result> {
  readonly #apply: (items: Item[]) => Result;
  #open: Batch<Item, Result> | null = null;
  #lastMs = 0;

  constructor(apply: (items: Item[]) => Result) {
    this.#apply = apply;
  }

  /**
   * Applies items, at once or with those of other calls; stored when this resolves. The first call of a batch gets the
   * result, the others get null. If a batch fails, each call's items are applied alone: one cannot fail another's.
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
