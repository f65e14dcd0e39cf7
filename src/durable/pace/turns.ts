// Whose turn it is within a lane: accounts take turns by what each was given (start-time fair queueing), so that an
// account with twenty consumers gets no more than an account with one. An account that was told to come back later
// keeps its place until then.

/** An account that does not come back when it was told to keeps its place for so long. */
export const GRACE_MS = 1_500;

/** What an account was given is remembered for so long, unless all others were given as much before. */
const SERVED_MS = 10_000;

/** Accounts of which something is remembered; beyond that, an account without a waiting request is forgotten. */
const ACCOUNTS_MAX = 20_000;

/** How many accounts that may come back are looked at. */
const LOOKED_MAX = 200;

/** How many accounts an estimate is made from. */
const SAMPLE = 100;

interface Account<Item> {
  /** Its place: the least comes first, and of equal ones the longest there. */
  tag: number;
  order: number;
  waiting: Item[];
  isInHeap: boolean;
  /** When it was told to come back; null where it was served. */
  backMs: number | null;
  /** Until when it is remembered while none of its requests waits. */
  keptMs: number;
}

const isBefore = <Item>(one: Account<Item>, other: Account<Item>) =>
  one.tag < other.tag || (one.tag === other.tag && one.order < other.order);

/** The accounts of one lane, with their waiting requests. */
export class Turns<Item> {
  readonly #accounts = new Map<string, Account<Item>>();
  /** Accounts as a heap, each at most once; those without a waiting request are dropped when they come up. */
  readonly #heap: Account<Item>[] = [];
  /** The tag of the account that was served last. */
  #virtual = 0;
  #orders = 0;
  /** The accounts that were last told to come back. */
  readonly #expected: Account<Item>[] = [];
  #expectations = 0;
  #waiting = 0;

  /** Requests that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Accounts of which something is remembered: about those that share the lane. */
  get accounts(): number {
    return this.#accounts.size;
  }

  /** Requests of an account that wait. */
  waitingOf(name: string): number {
    return this.#accounts.get(name)?.waiting.length ?? 0;
  }

  /** Whether an account was told to come back, and keeps its place. */
  isExpected(name: string): boolean {
    return (this.#accounts.get(name)?.backMs ?? null) !== null;
  }

  /** Adds a request, behind those of its account. */
  add(name: string, item: Item): void {
    const account = this.#account(name);
    if (account.waiting.length === 0 && account.backMs === null) {
      account.tag = Math.max(account.tag, this.#virtual);
      account.order = ++this.#orders;
    }
    account.waiting.push(item);
    this.#waiting += 1;
    this.#enter(account);
  }

  /** The request whose turn it is. */
  first(): Item | undefined {
    let account = this.#heap[0];
    while (account && account.waiting.length === 0) {
      this.#leave();
      account = this.#heap[0];
    }
    return account?.waiting[0];
  }

  /** Takes the request whose turn it is away, with this many permits. */
  serve(nowMs: number, permits: number): void {
    if (this.first() === undefined) return;
    const account = this.#leave();
    if (!account) return;
    account.waiting.shift();
    this.#waiting -= 1;
    this.#virtual = Math.max(this.#virtual, account.tag);
    account.tag = this.#virtual + permits;
    account.order = ++this.#orders;
    account.backMs = null;
    account.keptMs = nowMs + SERVED_MS;
    if (account.waiting.length > 0) this.#enter(account);
    this.#forget(nowMs);
  }

  /** Takes a request away that waited too long. */
  drop(name: string, item: Item): void {
    const waiting = this.#accounts.get(name)?.waiting;
    const at = waiting?.indexOf(item) ?? -1;
    if (at === -1) return;
    waiting?.splice(at, 1);
    this.#waiting -= 1;
  }

  /** Keeps the place of an account that is told to come back. */
  expect(name: string, nowMs: number, againMs: number): void {
    const account = this.#account(name);
    const backMs = nowMs + againMs;
    account.backMs = Math.min(account.backMs ?? backMs, backMs);
    account.keptMs = backMs + GRACE_MS;
    this.#expected[this.#expectations++ % SAMPLE] = account;
    this.#forget(nowMs);
  }

  /** Whether an account is about to come back whose turn is before that of the first one that waits. */
  isOneDue(nowMs: number): boolean {
    this.first();
    const first = this.#heap[0];
    let looked = 0;
    for (const account of this.#accounts.values()) {
      if (++looked > LOOKED_MAX) return false;
      if (account.waiting.length > 0 || account.backMs === null || (first && !isBefore(account, first))) continue;
      if (Math.abs(account.backMs - nowMs) <= GRACE_MS) return true;
    }
    return false;
  }

  /** About how many accounts are before this one, by a sample of those that wait and those that will come back. */
  ahead(name: string): number {
    const own = this.#accounts.get(name);
    if (!own) return this.#accounts.size;
    const share = (sample: (Account<Item> | undefined)[]) =>
      sample.filter((account) => account && account !== own && isBefore(account, own)).length /
      Math.max(1, sample.length);
    const every = this.#heap.length / Math.min(SAMPLE, this.#heap.length);
    const sampled = Array.from(
      { length: Math.min(SAMPLE, this.#heap.length) },
      (_, at) => this.#heap[Math.floor(at * every)],
    );
    const waiting = sampled.filter((account) => account !== undefined && account.waiting.length > 0);
    const expected = this.#expected.filter((account) => account.backMs !== null && account.waiting.length === 0);
    const away = Math.max(expected.length, this.#accounts.size - this.#heap.length);
    return share(waiting) * this.#heap.length + share(expected) * away;
  }

  #account(name: string): Account<Item> {
    const known = this.#accounts.get(name);
    if (known) return known;
    const account: Account<Item> = {
      tag: this.#virtual,
      order: ++this.#orders,
      waiting: [],
      isInHeap: false,
      backMs: null,
      keptMs: 0,
    };
    this.#accounts.set(name, account);
    return account;
  }

  /** Forgets the accounts at the head of the map that need no place any more; others move behind. */
  #forget(nowMs: number): void {
    for (let looked = 0; looked < 4; looked++) {
      const [oldest] = this.#accounts;
      if (!oldest) return;
      const [name, account] = oldest;
      const isIdle = account.waiting.length === 0;
      const isOver = account.keptMs <= nowMs || (account.backMs === null && account.tag <= this.#virtual);
      this.#accounts.delete(name);
      if (!isIdle || (!isOver && this.#accounts.size < ACCOUNTS_MAX)) this.#accounts.set(name, account);
    }
  }

  #enter(account: Account<Item>): void {
    if (account.isInHeap) return;
    account.isInHeap = true;
    const heap = this.#heap;
    let at = heap.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (!parent || isBefore(parent, account)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = account;
  }

  /** Takes the first account out of the heap. */
  #leave(): Account<Item> | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last) return undefined;
    first.isInHeap = false;
    if (heap.length === 0) return first;
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      const isRight = left !== undefined && right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (!child || !isBefore(child, last)) break;
      heap[at] = child;
      at = 2 * at + (isRight ? 2 : 1);
    }
    heap[at] = last;
    return first;
  }
}
