import type { Reply } from "../harness/http.ts";
import type { Meaning, Numbers, Order } from "./orders.ts";
import { between, weighted } from "./random.ts";
import type { Random } from "./random.ts";
import { altered, laterOrder, quotable, renumbered, sendOf } from "./wish-orders.ts";

// What customers do besides sending at once: they send later, take back, and ask for a price first.

/** An order that was placed, and its last reply. */
export interface Placed {
  id: string;
  reply: Reply | null;
}

/** What a lane of a customer's orders offers. */
export interface Placing {
  random: Random;
  numbers: Numbers;
  fileIds: string[];
  /** Places an order until there is a reply; `twice`: from two connections at once. */
  place: (order: Order, means?: Meaning, twice?: boolean) => Promise<Placed>;
  newOrder: () => Order;
  /** The service's time, in ms. */
  nowMs: () => number;
  isOver: () => boolean;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** How often somebody who waits for a time looks at the clock, in ms. */
const LOOK_MS = 50;

/** Around the time of an order, in ms: when a cancel races with its claim, and when it is too late. */
const RACING_MS = [-300, 300] as const;
const TARDY_MS = [1_000, 3_000] as const;

/** Quotes end 5 s after they were made; customers use them within that, or too late, in ms. */
const SLOW_MS = [500, 4_000] as const;
const PAST_END_MS = 5_700;

/** The share of quoted orders that are for later. */
const QUOTED_LATER = 0.2;

export class Wishes {
  readonly #lane: Placing;
  readonly #aside: Promise<void>[] = [];

  constructor(lane: Placing) {
    this.#lane = lane;
  }

  /** Waits until nothing goes on beside the lane. */
  async over(): Promise<void> {
    await Promise.all(this.#aside);
  }

  /** Orders something for later, and perhaps takes it back: early, at its time, or after it. */
  async later(): Promise<void> {
    const { random, numbers, fileIds, nowMs, place } = this.#lane;
    const when = weighted(random, { never: 40, early: 25, racing: 25, late: 10 });
    const order = laterOrder(random, numbers, fileIds, nowMs());
    const waitMs = between(random, 0, 1_000);
    const [from, to] = when === "late" ? TARDY_MS : RACING_MS;
    const aroundMs = between(random, from, to);
    const cancel = this.#plan();
    const placed = await place(order);
    if (when === "never") return;
    const atMs = Date.parse(String(order.body?.["sendAt"])) + aroundMs;
    const wait = when === "early" ? pause(waitMs) : this.#until(atMs);
    this.#aside.push(wait.then(() => cancel(placed)));
  }

  /** Orders something for now, and takes back what is not claimed yet. */
  async regret(): Promise<void> {
    const { random, place, newOrder } = this.#lane;
    const waitMs = random() < 0.5 ? 0 : between(random, 0, 300);
    const cancel = this.#plan();
    const placed = await place(newOrder());
    if (waitMs > 0) await pause(waitMs);
    await cancel(placed);
  }

  /** A cancel whose form is decided now: of one message or of the request, once, again, or twice at once. */
  #plan(): (placed: Placed) => Promise<void> {
    const { random, place } = this.#lane;
    const isWhole = random() < 0.5;
    const times = weighted(random, { once: 70, again: 15, at_once: 15 });
    return async ({ id, reply }) => {
      if (reply?.status !== 200) return;
      const isFirst = reply.headers["idempotent-replayed"] === undefined;
      const { "x-message-id": message, "x-request-id": request } = reply.headers;
      if (typeof message !== "string") return;
      // The id of a request is that of its first reply.
      const path = isWhole && isFirst ? `/v1/requests/${String(request)}` : `/v1/messages/${message}`;
      const order: Order = { method: "DELETE", path, of: id };
      await place(order, "good", times === "at_once");
      if (times === "again") await place(order);
    };
  }

  /** Asks for a price and sends with its quote: in time, twice, for something else, or too late. */
  async quoted(): Promise<void> {
    const { random, numbers, fileIds, nowMs, place } = this.#lane;
    const { kind, body, count } = quotable(random, numbers, fileIds);
    if (kind !== "otp" && random() < QUOTED_LATER) {
      body["sendAt"] = new Date(nowMs() + between(random, 3_000, 9_000)).toISOString();
    }
    const use = weighted(random, { once: 40, slowly: 24, again: 14, at_once: 8, other: 8, late: 6 });
    const slowMs = between(random, ...SLOW_MS);
    const second = renumbered(kind, body, numbers, count);
    const asked = await place({ method: "POST", path: "/v1/preflight", body: { operation: kind, ...body } });
    const { quote } = JSON.parse(asked.reply?.bytes.toString() || "{}") as { quote?: string | null };
    if (typeof quote !== "string") return;
    const own = sendOf(kind, body, quote);
    switch (use) {
      case "slowly":
        await pause(slowMs);
        break;
      case "late":
        await pause(PAST_END_MS);
        break;
      case "other":
        await place(sendOf(kind, altered(kind, body, numbers, fileIds), quote), "wrong");
        break;
      case "at_once":
        await Promise.all([place(own), place(sendOf(kind, second, quote))]);
        return;
      default:
    }
    await place(own);
    if (use === "again") await place(sendOf(kind, second, quote));
  }

  /** Waits for a time of the service's clock, at the longest until the run is over. */
  async #until(atMs: number): Promise<void> {
    while (this.#lane.nowMs() < atMs && !this.#lane.isOver()) await pause(LOOK_MS);
  }
}
