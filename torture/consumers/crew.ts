import { call } from "../../harness/http.ts";
import type { Reply } from "../../harness/http.ts";
import type { Log } from "../log.ts";
import { Follower } from "./follower.ts";
import { Receiver } from "./receiver.ts";

// All consumers of a run: for some accounts one that reads pages, one on the socket, and webhooks.

/** An account whose events are consumed. */
export interface Consumed {
  index: number;
  id: string;
  apiKey: string;
}

export interface CrewOptions {
  base: string;
  port: number;
  seed: string;
  log: Log;
  timesMs: () => number[];
}

/** What an account's webhooks ask for. */
const HOOKS = [
  { types: ["*"], batch: false },
  { types: ["message.*"], batch: true },
];

/** Until a request is done, it is repeated after this, in ms. */
const AGAIN_MS = 200;
/** How long an endpoint that answered 410 is left disabled, in ms. */
const DISABLED_MS = 1_000;
/** How long it goes on to answer 410 after the others recover, in ms. */
const GONE_MS_MAX = 3_000;

/** An event as the feed has it. */
export interface FeedEvent {
  seq: number;
  type: string;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const isFor = (types: string[], { type }: FeedEvent) =>
  types.includes("*") || types.some((one) => one === `${type.split(".")[0]}.*`);

interface Hooked {
  id: string;
  types: string[];
  owner: Consumed;
}

export class Crew {
  readonly #options: CrewOptions;
  readonly #receiver: Receiver;
  readonly #followers: Follower[] = [];
  readonly #hooks: Hooked[] = [];
  readonly #accounts: Consumed[] = [];
  /** The feeds as they were read at the end, by account. */
  readonly #feeds = new Map<string, FeedEvent[]>();
  readonly #lives: Promise<void>[] = [];
  #recoveredAt = Infinity;
  #isClosed = false;

  constructor(options: CrewOptions) {
    this.#options = options;
    this.#receiver = new Receiver(options);
  }

  /** Begins to consume the events of these accounts, of which there are none yet. */
  async begin(accounts: Consumed[]): Promise<void> {
    const { base, seed, log } = this.#options;
    await this.#receiver.listen();
    this.#accounts.push(...accounts);
    for (const account of accounts) {
      const { id, apiKey } = account;
      for (const [at, terms] of HOOKS.entries()) await this.#hook(account, `${account.index}-${at}`, terms);
      for (const by of ["api", "socket"] as const) {
        this.#followers.push(new Follower({ by, account: id, apiKey, base, seed, log }));
      }
    }
    this.#lives.push(this.#receiver.die(), ...this.#followers.map((one) => one.run()));
  }

  /**
   * The receiver of the last account's first webhook says 410; its owner enables it again once it is disabled. Resolves
   * then, or where nothing comes to it until receivers are to recover.
   */
  async retire(): Promise<void> {
    const hook = this.#hooks.at(-HOOKS.length);
    if (!hook) return;
    const { owner, id } = hook;
    const isDisabled = async () => {
      const { body } = await this.#own(owner, "GET", `/webhooks/${id}`);
      return (body as { webhook?: { state: string } }).webhook?.state === "disabled";
    };
    const undo = this.#receiver.put(id, "gone");
    while (!(await isDisabled()) && Date.now() < this.#recoveredAt + GONE_MS_MAX) await pause(AGAIN_MS);
    undo();
    await pause(DISABLED_MS);
    if (!(await isDisabled())) return;
    await this.#own(owner, "PATCH", `/webhooks/${id}`, { state: "active" });
    this.#options.log.append({ t: "enabled", account: owner.id, hook: id });
  }

  /** The next delivery fails, where none has failed yet: receivers that are always well show nothing. */
  failOnce(): void {
    this.#receiver.failOnce();
  }

  /** From now on receivers take everything; the one that is gone, soon. */
  recover(): Promise<void> {
    this.#recoveredAt = Date.now();
    return this.#receiver.recover();
  }

  /** How many events consumers have not got. */
  async behind(): Promise<{ unread: number; undelivered: number }> {
    let [unread, undelivered] = [0, 0];
    for (const account of this.#accounts) {
      const feed = await this.#read(account);
      const last = feed.at(-1)?.seq ?? 0;
      const own = this.#followers.filter(({ account: id }) => id === account.id);
      unread += own.reduce((sum, { stored }) => sum + Math.max(0, last - stored), 0);
      for (const { id, types } of this.#hooks.filter(({ owner }) => owner === account)) {
        const wanted = feed.filter((event) => isFor(types, event)).length;
        undelivered += Math.max(0, wanted - this.#receiver.storedOf(id));
      }
    }
    return { unread, undelivered };
  }

  /** The feeds of all consumed accounts, from their first event on. */
  async feeds(): Promise<{ account: string; events: FeedEvent[] }[]> {
    const feeds = [];
    for (const account of this.#accounts) feeds.push({ account: account.id, events: await this.#read(account) });
    return feeds;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const follower of this.#followers) follower.close();
    await this.#receiver.close();
    await Promise.all(this.#lives);
  }

  async #hook(owner: Consumed, name: string, terms: (typeof HOOKS)[number]): Promise<void> {
    const { body } = await this.#own(owner, "POST", "/webhooks", { url: this.#receiver.addressOf(name), ...terms });
    const { webhook, secret } = body as { webhook?: { webhook_id: string }; secret?: string };
    if (!webhook || secret === undefined) throw new Error(`a webhook was refused: ${JSON.stringify(body)}`);
    const [{ webhook_id: id }, { types, batch }] = [webhook, terms];
    this.#options.log.append({ t: "hook", account: owner.id, hook: id, ...terms });
    this.#receiver.add(name, { id, account: owner.id, secret, batch });
    this.#hooks.push({ id, types, owner });
  }

  /** What the feed has by now; what was read once is not read again. */
  async #read(account: Consumed): Promise<FeedEvent[]> {
    const known = this.#feeds.get(account.id) ?? [];
    this.#feeds.set(account.id, known);
    for (let more = true; more && !this.#isClosed;) {
      const { body } = await this.#own(account, "GET", `/events?limit=500&after=${known.at(-1)?.seq ?? 0}`);
      known.push(...((body.data ?? []) as FeedEvent[]));
      more = body.has_more === true;
    }
    return known;
  }

  /** A request to the account's own API, repeated until it is done. */
  async #own({ apiKey }: Consumed, method: string, at: string, body?: object): Promise<Reply> {
    const headers = { authorization: `Bearer ${apiKey}` };
    for (;;) {
      const reply = await call(`${this.#options.base}/v1${at}`, { method, headers, ...(body && { body }) }).catch(
        () => null,
      );
      if (reply && reply.status < 500 && reply.status !== 429) return reply;
      if (this.#isClosed) throw new Error("the run is over");
      await pause(AGAIN_MS);
    }
  }
}
