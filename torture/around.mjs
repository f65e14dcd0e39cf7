import service, { Account as Plain } from "./dastak.js";

// Wraps the bundle under torture and lets the harness cause faults from within: a clock that jumps, a D1 that is
// unavailable, queues that deliver twice, late, out of order or never, and objects that break off during a call.

export * from "./dastak.js";

/** Path of the harness's requests to this module; the service itself has nothing there. */
const CONTROL = "/__torture";

const RealDate = Date;

/** The faults in effect now. The harness puts a definition of `START` before this text. */
const harm = { clockMs: 0, d1: null, dispatch: null, history: null, ...START };

globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [RealDate.now() + harm.clockMs] : args));
  }

  static now() {
    return RealDate.now() + harm.clockMs;
  }
};

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const away = () => new Error("D1_ERROR: Network connection lost.");

/** Runs a query on a faulty D1: refused, slow, or executed with its reply lost. */
async function query(run) {
  if (harm.d1 === "refuses") throw away();
  if (harm.d1 === "slow") await pause(1_500);
  const result = await run();
  if (harm.d1 === "forgets") throw away();
  return result;
}

const statements = new WeakMap();

function statement(real) {
  const wrapped = new Proxy(real, {
    get(target, name) {
      if (name === "bind") return (...values) => statement(target.bind(...values));
      const value = target[name];
      return typeof value === "function" ? (...args) => query(() => value.apply(target, args)) : value;
    },
  });
  statements.set(wrapped, real);
  return wrapped;
}

function database(real) {
  return new Proxy(real, {
    get(target, name) {
      if (name === "prepare") return (sql) => statement(target.prepare(sql));
      if (name === "batch") return (list) => query(() => target.batch(list.map((one) => statements.get(one))));
      const value = target[name];
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const environments = new WeakMap();

/** The environment with a faulty D1; one object per environment, because the service caches by it. */
function harmed(env) {
  if (!environments.has(env)) environments.set(env, { ...env, DB: database(env.DB) });
  return environments.get(env);
}

/** Alarms run by the real clock. */
function withAlarms(ctx) {
  const { storage } = ctx;
  const { setAlarm, getAlarm } = storage;
  Object.defineProperties(storage, {
    setAlarm: { value: (timeMs, ...rest) => setAlarm.call(storage, timeMs - harm.clockMs, ...rest) },
    getAlarm: {
      value: async () => {
        const timeMs = await getAlarm.call(storage);
        return timeMs === null ? null : timeMs + harm.clockMs;
      },
    },
  });
  return ctx;
}

export class Account extends Plain {
  constructor(ctx, env) {
    super(withAlarms(ctx), harmed(env));
  }

  /** Aborts this object wherever it is; all its callers lose their reply. */
  breakOff() {
    this.ctx.abort("broken off by the harness");
  }
}

/** A batch whose acknowledgements and retries have no effect. */
function unheard(batch) {
  const messages = batch.messages.map(({ id, timestamp, body, attempts }) => ({
    id,
    timestamp,
    body,
    attempts,
    ack() {},
    retry() {},
  }));
  return { queue: batch.queue, messages, ackAll() {}, retryAll() {} };
}

const reversed = (batch) => ({ ...batch, queue: batch.queue, messages: [...batch.messages].toReversed() });

/** Delivers a batch as a queue may: twice, late, out of order, again after its work was done, or not at all. */
async function deliver(how, batch, env, ctx) {
  switch (how) {
    case "lost":
      return batch.ackAll();
    case "again":
      await service.queue(unheard(batch), env, ctx);
      return batch.retryAll();
    case "twice":
      await Promise.all([service.queue(unheard(batch), env, ctx), service.queue(reversed(unheard(batch)), env, ctx)]);
      return batch.ackAll();
    case "late":
      await pause(2_000);
      return service.queue(batch, env, ctx);
    case "fails":
      await service.queue(unheard(batch), env, ctx);
      throw new Error("the consumer dies after its work");
    default:
      return service.queue(batch, env, ctx);
  }
}

async function control(request, env) {
  const { breakOff = [], ...wanted } = await request.json();
  Object.assign(harm, wanted);
  // An aborted object never replies, so these calls always fail.
  await Promise.allSettled(breakOff.map((name) => env.ACCOUNT.getByName(name).breakOff()));
  return Response.json({ success: true });
}

export default {
  ...service,
  fetch(request, env, ctx) {
    if (new URL(request.url).pathname === CONTROL) return control(request, env);
    return service.fetch(request, harmed(env), ctx);
  },
  queue(batch, env, ctx) {
    const which = batch.queue.endsWith("-dispatch") ? "dispatch" : "history";
    const how = batch.queue.endsWith("-dead") ? null : harm[which];
    return deliver(how, batch, harmed(env), ctx);
  },
};
