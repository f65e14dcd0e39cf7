import { logProblem } from "../log.ts";

// What the requests of one isolate leave to be taken away together: while one of them waits for its call, the others
// only add to a list, and it takes that along next. Nothing waits for a timer: what comes alone goes at once. No request
// waits for another one's call, which the platform forbids.

/** A request carries for others no longer than this: the platform ends it 30 s after its reply. */
const CARRY_MS_MAX = 2_000;

/** One that has not come back by then was ended, and the next request carries. */
const LOST_MS = 10_000;

/** Items on their way to one place. `take` takes some away, and never throws. */
export class Outbox<Item> {
  readonly #take: (items: Item[]) => Promise<void>;
  readonly #itemsMax: number;
  #items: Item[] = [];
  /** The request that carries now, by the time at which it began. */
  #carrier: { sinceMs: number } | null = null;

  /** `take` gets so many items at most. */
  constructor(take: (items: Item[]) => Promise<void>, itemsMax: number) {
    this.#take = take;
    this.#itemsMax = itemsMax;
  }

  /** Leaves items; a request that has to carry does so until `ctx` has waited for it. Never throws. */
  leave(ctx: Pick<ExecutionContext, "waitUntil">, items: readonly Item[]): void {
    this.#items.push(...items);
    if (this.#items.length === 0) return;
    const nowMs = Date.now();
    if (this.#carrier && Math.abs(nowMs - this.#carrier.sinceMs) < LOST_MS) return;
    this.#carrier = { sinceMs: nowMs };
    ctx.waitUntil(this.#carry(this.#carrier));
  }

  async #carry(own: { sinceMs: number }): Promise<void> {
    let last = false;
    while (!last && this.#carrier === own && this.#items.length > 0) {
      last = Date.now() - own.sinceMs >= CARRY_MS_MAX;
      const items = this.#items.splice(0);
      // Whoever comes during the last round carries: nothing is left without somebody who comes for it.
      if (last) this.#carrier = null;
      while (items.length > 0) await this.#take(items.splice(0, this.#itemsMax));
    }
    if (this.#carrier === own) this.#carrier = null;
  }
}

/** One outbox for each binding, whose `take` gets the binding too. What `take` throws is told, and stops nothing. */
export function outboxPerBinding<Binding extends object, Item>(
  name: string,
  take: (binding: Binding, items: Item[]) => Promise<unknown>,
  itemsMax: number,
): (binding: Binding) => Outbox<Item> {
  const outboxes = new WeakMap<Binding, Outbox<Item>>();
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
      outbox = new Outbox(taking, itemsMax);
      outboxes.set(binding, outbox);
    }
    return outbox;
  };
}
