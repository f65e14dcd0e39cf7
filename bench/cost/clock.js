/* global CLOCK -- defined by around.mjs */
// The service's clock, which may run faster than the real one: so ten minutes of an account's life take one. Timers,
// alarms and delays of queues are shortened by the same factor. Waits for other parts (a query, a reply) are not: they
// seem longer to the service than they are.

import { AsyncLocalStorage } from "node:async_hooks";

const { speed, baseMs } = CLOCK;

const RealDate = Date;

/** The time in which an object has at least one call in flight, in ms of the service. */
export class Activity {
  #calls = 0;
  #timers = 0;
  #countedMs = 0;
  #count;

  /** `count` gets the time, piece by piece. */
  constructor(count) {
    this.#count = count;
  }

  /** While a timer of its own runs, an object's time is the service's; waits for others are as long as they really are. */
  change(calls, timers) {
    const nowMs = RealDate.now();
    if (this.#calls > 0) this.#count((nowMs - this.#countedMs) * (this.#timers > 0 ? speed : 1));
    this.#countedMs = nowMs;
    this.#calls += calls;
    this.#timers += timers;
  }
}

/** The activity of the object in whose call a timer is set. */
export const activities = new AsyncLocalStorage();

/** Notes in the activity that a timer runs; the result ends it, once. */
function timing() {
  const activity = activities.getStore();
  activity?.change(0, 1);
  let isRunning = activity !== undefined;
  return () => {
    if (isRunning) activity.change(0, -1);
    isRunning = false;
  };
}

/** A time of the service as a time of the machine. */
export const realMs = (timeMs) => (speed === 1 ? timeMs : baseMs + (timeMs - baseMs) / speed);

/** A time of the machine as a time of the service. */
export const serviceMs = (timeMs) => (speed === 1 ? timeMs : baseMs + (timeMs - baseMs) * speed);

/** The options of a queue with their delay shortened; a queue counts in whole seconds. */
export const delayed = (options) =>
  options?.delaySeconds ? { ...options, delaySeconds: Math.round(options.delaySeconds / speed) } : options;

if (speed !== 1) {
  globalThis.Date = class extends RealDate {
    constructor(...args) {
      super(...(args.length === 0 ? [serviceMs(RealDate.now())] : args));
    }

    static now() {
      return Math.floor(serviceMs(RealDate.now()));
    }
  };
  const { setTimeout: realTimeout, clearTimeout: realClear, setInterval: realInterval } = globalThis;
  const ends = new Map();
  globalThis.setTimeout = (work, ms = 0, ...args) => {
    const end = timing();
    const id = realTimeout(() => {
      ends.delete(id);
      end();
      work(...args);
    }, ms / speed);
    ends.set(id, end);
    return id;
  };
  globalThis.clearTimeout = (id) => {
    ends.get(id)?.();
    ends.delete(id);
    realClear(id);
  };
  globalThis.setInterval = (work, ms = 0, ...args) => realInterval(work, ms / speed, ...args);
  const realWait = scheduler.wait.bind(scheduler);
  const wait = (ms, options) => realWait(ms / speed, options).finally(timing());
  Object.defineProperty(scheduler, "wait", { value: wait });
}
