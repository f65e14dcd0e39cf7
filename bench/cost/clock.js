/* global CLOCK -- defined by around.mjs */
// The service's clock, which may run faster than the real one: so ten minutes of an account's life take one. Timers,
// alarms and delays of queues are shortened by the same factor. Waits for other parts (a query, a reply) are not: they
// seem longer to the service than they are.

const { speed, baseMs } = CLOCK;

const RealDate = Date;

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
  const { setTimeout: realTimeout, setInterval: realInterval } = globalThis;
  globalThis.setTimeout = (work, ms = 0, ...args) => realTimeout(work, ms / speed, ...args);
  globalThis.setInterval = (work, ms = 0, ...args) => realInterval(work, ms / speed, ...args);
  const realWait = scheduler.wait.bind(scheduler);
  Object.defineProperty(scheduler, "wait", { value: (ms, options) => realWait(ms / speed, options) });
}
