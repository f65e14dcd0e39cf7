import { logLine, logProblem } from "../log.ts";

// Batches the calls of one isolate: while one request waits for its call, the others append to a list, which that
// request sends next. Without a delay no timer is involved: a single item is sent at once. No request awaits another
// request's call, which the platform forbids.

/** A request works for others no longer than this: the platform ends it 30 s after its reply. */
const CARRY_MS_MAX = 2_000;

/** A carrying request that has not finished by then, after its delay, is taken for dead, and the next request carries. */
const LOST_MS = 10_000;

/**
 * Messages that wait in one batcher. With its states each takes about 500 bytes: 10 MB of an isolate's 128 MB, and as
 * much again may be in calls. Items that arrive while it is full are dropped: their rows are in the account, and its
 * alarm finds them, as it does when an isolate is lost.
 */
export const WAITING_MAX = 20_000;

/** How a batcher treats its items. */
export interface Rules<Item> {
  /** The most that one call of `take` gets. */
  itemsMax: number;
  /** Items are taken this long after they were added, never sooner, unless `soonerAtEnd` is set. */
  delayMs?: number;
  /** A request that ends carrying takes what is left at once. Without this it waits up to a delay more. */
  soonerAtEnd?: boolean;
  /** Messages that an item counts as; 1 where absent. */
  messagesIn?: (item: Item) => number;
  /** Called with the number of items dropped since the call before. */
  dropped?: (items: number) => void;
  /** Waits; `scheduler.wait` where absent. */
  wait?: (ms: number) => Promise<unknown>;
}

interface Waiting<Item> {
  item: Item;
  messages: number;
  dueMs: number;
}

/** Items that wait to be sent to one place. `take` sends a batch of them, and never throws. */
export class Batcher<Item> {
  readonly #take: (items: Item[]) => Promise<void>;
  readonly #rules: Rules<Item>;
  #waitingItems: Waiting<Item>[] = [];
  /** Messages in `#waitingItems`. */
  #waiting = 0;
  #dropped = 0;
  /** When the carrying request began; null while no request carries. */
  #carrier: { sinceMs: number } | null = null;

  constructor(take: (items: Item[]) => Promise<void>, rules: Rules<Item>) {
    this.#take = take;
    this.#rules = rules;
  }

  /**
   * Adds items, and drops those beyond `WAITING_MAX` messages, which it returns. A request that has to carry does so
   * within `ctx.waitUntil`. Never throws.
   */
  add(ctx: Pick<ExecutionContext, "waitUntil">, items: readonly Item[]): Item[] {
    const { delayMs = 0, messagesIn = () => 1 } = this.#rules;
    const nowMs = Date.now();
    const dropped: Item[] = [];
    for (const item of items) {
      const messages = messagesIn(item);
      if (this.#waiting + messages > WAITING_MAX) {
        dropped.push(item);
      } else {
        this.#waitingItems.push({ item, messages, dueMs: nowMs + delayMs });
        this.#waiting += messages;
      }
    }
    this.#dropped += dropped.length;
    if (this.#waitingItems.length === 0) return dropped;
    if (this.#carrier && Math.abs(nowMs - this.#carrier.sinceMs) < LOST_MS + delayMs) return dropped;
    this.#carrier = { sinceMs: nowMs };
    ctx.waitUntil(this.#carry(this.#carrier));
    return dropped;
  }

  async #carry(own: { sinceMs: number }): Promise<void> {
    let last = false;
    while (!last && this.#carrier === own && this.#waitingItems.length > 0) {
      // Without a delay nothing is awaited before the first call, so that a single item is sent at once.
      if (this.#rules.delayMs) await this.#untilDue(this.#waitingItems);
      if (this.#carrier !== own) return;
      this.#reportDropped();
      last = Date.now() - own.sinceMs >= CARRY_MS_MAX;
      const left = this.#cut(last ? this.#waitingItems.length : this.#dueIn(this.#waitingItems));
      // A request that arrives during the last round carries next, so that no item is left behind.
      if (last) this.#carrier = null;
      while (left.length > 0) {
        const isSooner = last && this.#rules.soonerAtEnd === true;
        if (this.#rules.delayMs && !isSooner) await this.#untilDue(left);
        const taken = left.splice(0, Math.min(isSooner ? left.length : this.#dueIn(left), this.#rules.itemsMax));
        await this.#take(taken.map(({ item }) => item));
      }
    }
    if (this.#carrier === own) this.#carrier = null;
  }

  #cut(count: number): Waiting<Item>[] {
    const cut = this.#waitingItems.splice(0, count);
    this.#waiting -= cut.reduce((sum, { messages }) => sum + messages, 0);
    return cut;
  }

  async #untilDue([first]: readonly Waiting<Item>[]): Promise<void> {
    const { delayMs = 0, wait = (ms: number) => scheduler.wait(ms) } = this.#rules;
    // If the clock is set back, an item still waits no longer than the delay.
    const leftMs = Math.min(delayMs, (first?.dueMs ?? 0) - Date.now());
    if (leftMs > 0) await wait(leftMs);
  }

  /** How many of these are due. The first always is, since its delay was waited for, whatever the clock says. */
  #dueIn(left: readonly Waiting<Item>[]): number {
    const nowMs = Date.now();
    const next = left.findIndex(({ dueMs }, at) => at > 0 && dueMs > nowMs);
    return next === -1 ? left.length : next;
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    this.#rules.dropped?.(this.#dropped);
    this.#dropped = 0;
  }
}

/** One batcher for each binding, whose `take` gets the binding too. Its errors are logged, and stop nothing. */
export function batcherPerBinding<Binding extends object, Item>(
  name: string,
  take: (binding: Binding, items: Item[]) => Promise<unknown>,
  rules: Rules<Item>,
): (binding: Binding) => Batcher<Item> {
  const batchers = new WeakMap<Binding, Batcher<Item>>();
  const dropped = (items: number) => logLine("batch_full", { batcher: name, dropped: items });
  return (binding) => {
    let batcher = batchers.get(binding);
    if (!batcher) {
      const taking = async (items: Item[]) => {
        try {
          await take(binding, items);
        } catch (problem) {
          logProblem(name, problem);
        }
      };
      batcher = new Batcher(taking, { ...rules, dropped });
      batchers.set(binding, batcher);
    }
    return batcher;
  };
}
