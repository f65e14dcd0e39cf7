import type { Lane } from "../../src/model/lane.ts";
import type { Permits, Seen } from "../../src/model/pace.ts";
import type { Learned } from "../../src/durable/pace/learned.ts";
import { Pacer } from "../../src/durable/pace/pacer.ts";

// A carrier with a limit, its pacing object and consumers, on a virtual clock: everything follows from the seed.

/** Random numbers from a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A clock that jumps from event to event. */
export class VirtualClock {
  nowMs = 1_000_000;
  readonly #events = new Map<number, (() => void)[]>();
  #times: number[] = [];

  /** Calls it at a time; events of one ms in the order in which they were set. */
  at(atMs: number, call: () => void): void {
    const time = Math.max(this.nowMs, Math.ceil(atMs));
    const there = this.#events.get(time);
    if (there) return void there.push(call);
    this.#events.set(time, [call]);
    let low = 0;
    let high = this.#times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#times[middle] ?? 0) > time) low = middle + 1;
      else high = middle;
    }
    this.#times.splice(low, 0, time);
  }

  after(ms: number, call: () => void): void {
    this.at(this.nowMs + ms, call);
  }

  /** Runs everything that is due until then. */
  run(untilMs: number): void {
    for (;;) {
      const time = this.#times.at(-1);
      if (time === undefined || time > untilMs) break;
      this.nowMs = time;
      const calls = this.#events.get(time) ?? [];
      for (let at = 0; at < calls.length; at++) calls[at]?.();
      this.#events.delete(time);
      this.#times = this.#times.filter((other) => other !== time);
    }
    this.nowMs = untilMs;
  }
}

/** Says whether it takes a submission that arrives now; "away": refused for a reason other than the rate. */
export type Takes = (nowMs: number) => boolean | "away";

/** At most so many in each second of the clock. */
export function fixedWindow(perSec: (nowMs: number) => number): (nowMs: number) => boolean {
  let second = 0;
  let taken = 0;
  return (nowMs) => {
    if (Math.floor(nowMs / 1_000) !== second) {
      second = Math.floor(nowMs / 1_000);
      taken = 0;
    }
    if (taken >= perSec(nowMs)) return false;
    taken += 1;
    return true;
  };
}

/** At most so many in any second. */
export function slidingWindow(perSec: (nowMs: number) => number): (nowMs: number) => boolean {
  let taken: number[] = [];
  return (nowMs) => {
    if (taken.length > 0 && (taken[0] ?? 0) <= nowMs - 1_000) taken = taken.filter((at) => at > nowMs - 1_000);
    if (taken.length >= perSec(nowMs)) return false;
    taken.push(nowMs);
    return true;
  };
}

/** A bucket that fills at a rate, and holds what comes in so many ms, two at least. */
export function tokenBucket(perSec: (nowMs: number) => number, holdsMs: number): (nowMs: number) => boolean {
  let tokens = Infinity;
  let lastMs = 0;
  return (nowMs) => {
    const rate = perSec(nowMs);
    tokens = Math.min(Math.max(2, (rate * holdsMs) / 1_000), tokens + ((nowMs - lastMs) * rate) / 1_000);
    lastMs = nowMs;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

/** A submission, as it reached the carrier. */
export interface Arrival {
  sentMs: number;
  atMs: number;
  lane: Lane;
  account: string;
  isTaken: boolean;
  /** Whether it was sent while the carrier wanted silence, by a consumer that could know. */
  isLoud: boolean;
}

export interface Setting {
  seed: number;
  takes: Takes;
  /** What a refusal asks for. */
  retryAfterMs?: number;
  setPerSec?: number;
  consumers: { lane: Lane; account: string; backlog?: number; startsMs?: number; dies?: number }[];
}

const CONNECTIONS = 6;
const HOP_MS = 5;
const WORK_MS = 15;
const LATE_MS = 1_000;
const SWEEP_MS = 30_000;

/** How long after a refusal with a `Retry-After` every consumer knows of it. */
const KNOWN_MS = 300 / 2 + 4 * HOP_MS;

/** Runs consumers against a carrier; `arrivals` is what the carrier saw. */
export class PacedWorld {
  readonly clock = new VirtualClock();
  readonly arrivals: Arrival[] = [];
  readonly datedMs: { atMs: number; lane: Lane }[] = [];
  readonly random: () => number;
  readonly setting: Setting;
  pacer: Pacer;
  readonly startMs = this.clock.nowMs;
  #quietUntilMs = 0;
  #quietSinceMs = 0;
  #wake = Infinity;

  constructor(setting: Setting) {
    this.setting = setting;
    this.random = seeded(setting.seed);
    this.pacer = new Pacer(setting.setPerSec ?? Infinity, null, this.random, this.clock.nowMs);
    for (const consumer of setting.consumers) {
      this.clock.after((consumer.startsMs ?? 0) + this.random() * 50, () => this.#consume(consumer));
    }
  }

  /** Starts the pacing object anew, with what it kept. */
  restart(learned: Learned): void {
    this.pacer = new Pacer(this.setting.setPerSec ?? Infinity, learned, this.random, this.clock.nowMs);
  }

  run(ms: number): void {
    this.clock.run(this.startMs + ms);
  }

  /** Arrivals within a span from the start. */
  between(fromMs: number, toMs: number): Arrival[] {
    return this.arrivals.filter(({ atMs }) => atMs >= this.startMs + fromMs && atMs < this.startMs + toMs);
  }

  latency(): number {
    return 5 + this.random() * 295;
  }

  /** Wakes the pacing object when it has something to do, as its timer does. */
  arm(): void {
    const wakeMs = this.pacer.wakeMs(this.clock.nowMs);
    if (wakeMs === null || wakeMs >= this.#wake) return;
    this.#wake = wakeMs;
    this.clock.at(wakeMs, () => {
      if (this.#wake !== wakeMs) return;
      this.#wake = Infinity;
      this.pacer.turn(this.clock.nowMs);
      this.arm();
    });
  }

  arrive(sentMs: number, lane: Lane, account: string): { isTaken: boolean; isAway: boolean; quietMs: number } {
    const nowMs = this.clock.nowMs;
    const isLoud = sentMs > this.#quietSinceMs + KNOWN_MS && sentMs < this.#quietUntilMs;
    const answer = this.setting.takes(nowMs);
    const isTaken = answer === true;
    this.arrivals.push({ sentMs, atMs: nowMs, lane, account, isTaken, isLoud });
    const quietMs = isTaken ? 0 : (this.setting.retryAfterMs ?? 0);
    if (quietMs > 0 && nowMs >= this.#quietUntilMs) {
      this.#quietSinceMs = nowMs;
      this.#quietUntilMs = nowMs + quietMs;
    }
    return { isTaken, isAway: answer === "away", quietMs };
  }

  #consume(consumer: Setting["consumers"][number]): void {
    const { clock } = this;
    const { lane, account } = consumer;
    const done = clock.nowMs + (consumer.dies ?? Infinity);
    let left = consumer.backlog ?? Infinity;
    let taken = 0;
    let meanLatency = 150;
    let quietUntilMs = 0;

    const tell = (seen: Seen) =>
      clock.after(HOP_MS, () => {
        this.pacer.saw(seen, clock.nowMs);
        this.pacer.turn(clock.nowMs);
        this.arm();
      });

    const take = () => {
      if (left <= 0 || clock.nowMs >= done) return;
      const max = Math.min(60, left);
      const seen = { taken, busy: 0 };
      taken = 0;
      clock.after(HOP_MS, () => {
        this.pacer.ask({ lane, account, max, gapMs: meanLatency / CONNECTIONS, seen }, clock.nowMs, (permits) =>
          clock.after(HOP_MS, () => use(permits)),
        );
        this.arm();
      });
    };

    const use = (permits: Permits) => {
      if (permits.quietMs > 0) quietUntilMs = clock.nowMs + permits.quietMs;
      const again = permits.againMs <= 3_000 ? permits.againMs : Math.ceil(permits.againMs / 1_000) * 1_000;
      // A consumer too many ends; the account's alarm sends another one some time later.
      if (permits.atMs.length === 0) return clock.after(permits.isSurplus === true ? SWEEP_MS : again, take);
      for (const atMs of permits.atMs) this.datedMs.push({ atMs, lane });
      if ((permits.atMs.at(-1) ?? 0) > clock.nowMs + 150) {
        clock.after(HOP_MS, () => {
          this.pacer.listen((permits.atMs.at(-1) ?? 0) + LATE_MS - clock.nowMs, clock.nowMs, (quietMs) => {
            clock.after(HOP_MS, () => (quietUntilMs = Math.max(quietUntilMs, clock.nowMs + quietMs)));
          });
          this.arm();
        });
      }
      clock.after(WORK_MS, () => round([...permits.atMs]));
    };

    const round = (times: number[]) => {
      let open = 0;
      let isOver = false;
      const next = () => {
        if (clock.nowMs >= done) return;
        if (clock.nowMs < quietUntilMs) times.length = 0;
        while (times.length > 0 && (times[0] ?? 0) < clock.nowMs - LATE_MS) times.shift();
        const [atMs] = times;
        if (atMs === undefined) {
          if (open > 0 || isOver) return;
          isOver = true;
          return clock.at(
            Math.max(clock.nowMs, quietUntilMs) + (quietUntilMs > clock.nowMs ? this.random() * 200 : 0),
            take,
          );
        }
        if (open >= CONNECTIONS) return;
        if (atMs > clock.nowMs) return clock.at(atMs, next);
        times.shift();
        submit();
        next();
      };
      const submit = () => {
        const latency = this.latency();
        const sentMs = clock.nowMs;
        open += 1;
        clock.after(latency / 2, () => {
          const { isTaken, isAway, quietMs } = this.arrive(sentMs, lane, account);
          clock.after(latency / 2, () => {
            open -= 1;
            meanLatency += (latency - meanLatency) / 16;
            if (isTaken) {
              taken += 1;
              left -= 1;
            } else {
              tell({ taken, busy: isAway ? 0 : 1, ...(isAway && { away: 1 }), ...(quietMs > 0 ? { quietMs } : {}) });
              taken = 0;
              quietUntilMs = Math.max(quietUntilMs, clock.nowMs + quietMs);
            }
            next();
          });
        });
      };
      next();
    };
    take();
  }
}
