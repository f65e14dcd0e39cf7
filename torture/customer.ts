import type http from "node:http";
import { callOnce } from "../harness/http.ts";
import type { Reply } from "../harness/http.ts";
import type { Log } from "./log.ts";
import { Numbers, newOrder, wrongOrder } from "./orders.ts";
import type { Meaning, Order } from "./orders.ts";
import { between, pauseMs, randomOf, weighted } from "./random.ts";
import type { Random } from "./random.ts";
import { Wishes } from "./wishes.ts";
import type { Placed } from "./wishes.ts";

// Customers: they log an order before they send it, retry with its key until there is a reply, and log every reply.

/** After this time a customer gives up waiting; the outcome is then unknown. */
const PATIENCE_MS = 15_000;
/** Some customers disconnect almost at once, before the reply arrives. */
const HASTY = { share: 0.04, waitMs: 8 };
/** An order without a usable reply is given up after this many attempts. */
const ATTEMPTS_MAX = 400;
/** Completed orders that a customer keeps, to repeat them. */
const REMEMBERED = 20;

export interface Account {
  index: number;
  id: string;
  apiKey: string;
  fileIds: string[];
}

interface Intention extends Order {
  id: string;
  key?: string;
  means: Meaning;
}

/** Shared by all customers. */
export interface World {
  seed: string;
  base: string;
  agent: http.Agent;
  log: Log;
  /** No new orders from then on. */
  isOver: () => boolean;
  /** No retries from then on. */
  isClosed: () => boolean;
  /** Called when a request was done. */
  onReply: () => void;
  /** The service's time, in ms. */
  nowMs: () => number;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function impatient(ms: number): { timeout: Promise<never>; clear: () => void } {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("no answer in time")), ms);
  return { timeout: promise, clear: () => clearTimeout(timer) };
}

/** A well-formed key with an invalid MAC. */
const forge = (key: string) => `${key.slice(0, -3)}${key.endsWith("AAA") ? "BBB" : "AAA"}`;

/** One sequence of a customer's orders. */
export class Lane {
  /** Each is used once. */
  readonly numbers: Numbers;
  readonly #world: World;
  readonly #account: Account;
  readonly #name: string;
  /** Decides what is ordered; nothing that depends on time draws from it. */
  readonly #random: Random;
  readonly #patience: Random;
  readonly #answered: Intention[] = [];
  readonly #wishes: Wishes;
  #count = 0;

  constructor(world: World, account: Account, lane: number) {
    this.#world = world;
    this.#account = account;
    this.#name = `${account.index}.${lane}`;
    this.#random = randomOf(world.seed, "lane", this.#name);
    this.#patience = randomOf(world.seed, "patience", this.#name);
    this.numbers = new Numbers(account.index * 8 + lane);
    this.#wishes = new Wishes({
      random: this.#random,
      numbers: this.numbers,
      fileIds: account.fileIds,
      place: (order, means = "good", twice = false) => this.#place(order, means, twice),
      newOrder: () => this.#newOrder(),
      nowMs: world.nowMs,
      isOver: world.isOver,
    });
  }

  /** Places one order after another until the time is up. */
  async run(meanMs: number): Promise<void> {
    for (;;) {
      await pause(pauseMs(this.#random, meanMs));
      if (this.#world.isOver()) return this.#wishes.over();
      await this.#step();
    }
  }

  /** Places an order with a key, and retries until there is a reply. */
  insist(order: Order): Promise<Placed> {
    return this.#place(order, "good", false);
  }

  async #step(): Promise<void> {
    const random = this.#random;
    const wish = weighted(random, { none: 74, later: 12, regret: 5, quoted: 9 });
    if (wish !== "none") return this.#wishes[wish]();
    const does = weighted(random, { order: 72, again: 9, twice: 5, unkeyed: 8, wrong: 3, forged: 1.5, other: 1.5 });
    const order = does === "wrong" ? wrongOrder(random, this.numbers) : this.#newOrder();
    const known = this.#answered[Math.floor(random() * this.#answered.length)];
    switch (does) {
      case "order":
        await this.#untilAnswered(this.#intend(order, "good", true));
        return;
      case "twice":
        await this.#place(order, "good", true);
        return;
      case "unkeyed":
        await this.#attempt(this.#intend(order, "good", false));
        return;
      case "wrong":
      case "forged":
        await this.#attempt(this.#intend(order, does, true));
        return;
      case "again":
        if (known) await this.#untilAnswered(known);
        return;
      case "other":
        if (known?.key !== undefined && order.method === "POST") {
          await this.#attempt(this.#intend(order, "other", known.key));
        }
    }
  }

  /** Places an order with a key, from one connection or two at once. */
  async #place(order: Order, means: Meaning, twice: boolean): Promise<Placed> {
    const intention = this.#intend(order, means, true);
    const also = twice ? this.#untilAnswered(intention) : null;
    const reply = await this.#untilAnswered(intention);
    await also;
    return { id: intention.id, reply };
  }

  #newOrder(): Order {
    return newOrder(this.#random, this.numbers, this.#account.fileIds);
  }

  /** Logs an order before anything is sent. `key`: its own (true), none (false), or the key of an earlier order. */
  #intend(order: Order, means: Meaning, key: boolean | string): Intention {
    this.#count += 1;
    const id = `${this.#name}.${this.#count}`;
    const own = typeof key === "string" ? key : `key-${id}`;
    // What sends nothing needs no key.
    const keyed = key !== false && order.method === "POST" && !order.path.startsWith("/v1/");
    const intention: Intention = { ...order, id, means, ...(keyed && { key: own }) };
    // The recording itself would only make the log long; its name contains its duration.
    const { base64Data: _, ...body } = order.body ?? {};
    this.#world.log.append({ t: "intend", account: this.#account.id, ...intention, body });
    return intention;
  }

  /** Sends until there is a reply. */
  async #untilAnswered(intention: Intention): Promise<Reply | null> {
    for (let tries = 0; tries < ATTEMPTS_MAX && !this.#world.isClosed(); tries++) {
      const reply = await this.#attempt(intention);
      const waitMs = this.#waitMs(intention, reply, tries);
      if (waitMs === null) return reply && this.#remember(intention, reply);
      await pause(waitMs);
    }
    return null;
  }

  /** How long to wait before the next attempt, or null after a final reply. */
  #waitMs({ method }: Intention, reply: Reply | null, tries: number): number | null {
    if (!reply) return between(this.#patience, 100, 600);
    if (reply.status >= 500) return between(this.#patience, 200, 1_000);
    // A send whose key is busy; what is too late to be taken back stays so.
    if (reply.status === 409 && method === "POST") return 1_000;
    const limited = reply.status === 429 && tries < 2 && !this.#world.isOver();
    return limited ? Math.min(10, Number(reply.headers["retry-after"])) * 1_000 : null;
  }

  #remember(intention: Intention, reply: Reply): Reply {
    if (reply.status === 200 && intention.key !== undefined && !this.#answered.includes(intention)) {
      this.#answered.push(intention);
      if (this.#answered.length > REMEMBERED) this.#answered.shift();
    }
    return reply;
  }

  /** One attempt, logged before and after. */
  async #attempt(intention: Intention): Promise<Reply | null> {
    const { id, means, method, path, body, key, quote } = intention;
    const { base, agent, log, onReply } = this.#world;
    const apiKey = means === "forged" ? forge(this.#account.apiKey) : this.#account.apiKey;
    const headers: Record<string, string> = { authorization: `Bearer ${apiKey}`, "x-api-key": apiKey };
    if (key !== undefined) headers["idempotency-key"] = key;
    if (quote !== undefined) headers["price-quote"] = quote;
    const attempt = { id, try: crypto.randomUUID() };
    log.append({ t: "attempt", ...attempt });
    const { timeout, clear } = impatient(this.#patience() < HASTY.share ? HASTY.waitMs : PATIENCE_MS);
    try {
      const reply = await Promise.race([
        callOnce(base + path, { method, headers, ...(body && { body }), agent }),
        timeout,
      ]);
      const replayed = reply.headers["idempotent-replayed"] === "true";
      const told = { status: reply.status, replayed, requestId: reply.headers["x-request-id"] };
      log.append({ t: "reply", ...attempt, ...told, body: reply.bytes.toString() });
      if (reply.status === 200) onReply();
      return reply;
    } catch (problem) {
      log.append({ t: "broken", ...attempt, why: String(problem) });
      return null;
    } finally {
      clear();
    }
  }
}
