import { logLine, logProblem } from "../log.ts";

// What the requests of one isolate leave to be taken away together: while one of them waits for its call, the others
// only add to a list, and it takes that along next. Without a delay nothing waits for a timer: what comes alone goes at
// once. No request waits for another one's call, which the platform forbids.

/** A request carries for others no longer than this: the platform ends it 30 s after its reply. */
const CARRY_MS_MAX = 2_000;

/** One that has not come back by then was ended, and the next request carries. */
const LOST_MS = 10_000;

/**
 * Messages that wait in one outbox; with their states each takes about 500 bytes, all together 10 MB of the 128 MB that
 * an isolate has, and so much again may be under way. What comes while it is full is dropped: the rows are in the
 * account, and its alarm finds them as it finds what an isolate lost.
 */
export const WAITING_MAX = 20_000;

/** How an outbox treats its items. */
export interface Rules<Item> {
  /** `take` gets so many at most. */
  itemsMax: number;
  /** Items are taken this long after they were left, and no sooner. */
  delayMs?: number;
  /** Messages that an item speaks of; 1 where absent. */
  messagesIn?: (item: Item) => number;
  /** Hears how many items were dropped since it was last called. */
  dropped?: (items: number) => void;
  /** Waits; `scheduler.wait` where absent. */
  wait?: (ms: number) => Promise<unknown>;
}

interface Left<Item> {
  item: Item;
  messages: number;
  dueMs: number;
}

/** Items on their way to one place. `take` takes some away, and never throws. */
export class Outbox<Item> {
  readonly #take: (items: Item[]) => Promise<void>;
  readonly #rules: Rules<Item>;
  #left: Left<Item>[] = [];
  /** Messages in `#left`. */
  #waiting = 0;
  #dropped = 0;
  /** The request that carries now, by the time at which it began. */
  #carrier: { sinceMs: number } | null = null;

  constructor(take: (items: Item[]) => Promise<void>, rules: Rules<Item>) {
    this.#take = take;
    this.#rules = rules;
  }

  /**
   * Leaves items, or drops those that are more than `WAITING_MAX` messages; a request that has to carry does so until
   * `ctx` has waited for it. Never throws.
   */
  leave(ctx: Pick<ExecutionContext, "waitUntil">, items: readonly Item[]): void {
    const { delayMs = 0, messagesIn = () => 1 } = this.#rules;
    const nowMs = Date.now();
    for (const item of items) {
      const messages = messagesIn(item);
      if (this.#waiting + messages > WAITING_MAX) {
        this.#dropped += 1;
      } else {
        this.#left.push({ item, messages, dueMs: nowMs + delayMs });
        this.#waiting += messages;
      }
    }
    if (this.#left.length === 0) return;
    if (this.#carrier && Math.abs(nowMs - this.#carrier.sinceMs) < LOST_MS) return;
    this.#carrier = { sinceMs: nowMs };
    ctx.waitUntil(this.#carry(this.#carrier));
  }

  async #carry(own: { sinceMs: number }): Promise<void> {
    let last = false;
    while (!last && this.#carrier === own && this.#left.length > 0) {
      // Only where there is a delay: what comes alone goes before anything is awaited.
      if (this.#rules.delayMs) await this.#untilDue(this.#left);
      if (this.#carrier !== own) return;
      this.#tellDropped();
      last = Date.now() - own.sinceMs >= CARRY_MS_MAX;
      const left = this.#cut(last ? this.#left.length : this.#dueIn(this.#left));
      // A request that comes during the last round carries: nothing is left without a request that comes for it.
      if (last) this.#carrier = null;
      while (left.length > 0) {
        if (this.#rules.delayMs) await this.#untilDue(left);
        const taken = left.splice(0, Math.min(this.#dueIn(left), this.#rules.itemsMax));
        await this.#take(taken.map(({ item }) => item));
      }
    }
    if (this.#carrier === own) this.#carrier = null;
  }

  #cut(count: number): Left<Item>[] {
    const cut = this.#left.splice(0, count);
    this.#waiting -= cut.reduce((sum, { messages }) => sum + messages, 0);
    return cut;
  }

  async #untilDue([first]: readonly Left<Item>[]): Promise<void> {
    const { delayMs = 0, wait = (ms: number) => scheduler.wait(ms) } = this.#rules;
    // Where the clock was set back nothing waits longer than it would have.
    const leftMs = Math.min(delayMs, (first?.dueMs ?? 0) - Date.now());
    if (leftMs > 0) await wait(leftMs);
  }

  /** How many of these are due. The first was waited for, whatever the clock says. */
  #dueIn(left: readonly Left<Item>[]): number {
    const nowMs = Date.now();
    const next = left.findIndex(({ dueMs }, at) => at > 0 && dueMs > nowMs);
    return next === -1 ? left.length : next;
  }

  #tellDropped(): void {
    if (this.#dropped === 0) return;
    this.#rules.dropped?.(this.#dropped);
    this.#dropped = 0;
  }
}

/** One outbox for each binding, whose `take` gets the binding too. What `take` throws is logged, and stops nothing. */
export function outboxPerBinding<Binding extends object, Item>(
  name: string,
  take: (binding: Binding, items: Item[]) => Promise<unknown>,
  rules: Rules<Item>,
): (binding: Binding) => Outbox<Item> {
  const outboxes = new WeakMap<Binding, Outbox<Item>>();
  const dropped = (items: number) => logLine("outbox_full", { outbox: name, dropped: items });
  return (binding) => {
    let outbox = outboxes.get(binding);
    if (!outbox) {
      const taking = async (items: Item[]) => {
        try {
          await take(binding, items);
        } catch (problem) {
          logProblem(name, problem);
        }
      };
      outbox = new Outbox(taking, { ...rules, dropped });
      outboxes.set(binding, outbox);
    }
    return outbox;
  };
}
