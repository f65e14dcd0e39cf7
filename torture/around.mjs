import service, {
  Account as Plain,
  CarrierIds as PlainIds,
  Pace as PlainPace,
  SmppBind as PlainBind,
} from "./dastak.js";

// Wraps the bundle under torture and lets the harness cause faults from within: a clock that jumps, a D1 that is
// unavailable, a bucket that forgets what it said, queues that deliver twice, late, out of order or never, and objects that break off during or after a call.

export * from "./dastak.js";

/** Path of the harness's requests to this module; the service itself has nothing there. */
const CONTROL = "/__torture";

const RealDate = Date;

/** The faults in effect now. The harness puts a definition of `START` before this text. */
const harm = { ...START };

globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [RealDate.now() + harm.clockMs] : args));
  }

  static now() {
    return RealDate.now() + harm.clockMs;
  }
};

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs a call of a faulty storage: refused, slow, or executed with its reply lost. */
async function call(storage, why, run) {
  if (harm[storage] === "refuses") throw new Error(why);
  if (harm[storage] === "slow") await pause(1_500);
  const result = await run();
  if (harm[storage] === "forgets") throw new Error(why);
  return result;
}

const query = (run) => call("d1", "D1_ERROR: Network connection lost.", run);

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

function bucket(real) {
  return new Proxy(real, {
    get(target, name) {
      const value = target[name];
      const why = `${String(name)}: We encountered an internal error. Please try again. (10001)`;
      return typeof value === "function" ? (...args) => call("r2", why, () => value.apply(target, args)) : value;
    },
  });
}

const environments = new WeakMap();

const DATABASE = /^(?:DB|HISTORY_\d+)$/u;

function binding(name, value) {
  if (name === "ARCHIVE") return bucket(value);
  return DATABASE.test(name) ? database(value) : value;
}

/** The environment with faulty storages; one object per environment, because the service caches by it. */
function harmed(env) {
  if (!environments.has(env)) {
    const faulty = Object.entries(env).map(([name, value]) => [name, binding(name, value)]);
    environments.set(env, Object.fromEntries(faulty));
  }
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

const BROKEN_OFF = "broken off by the harness";

export class Account extends Plain {
  constructor(ctx, env) {
    super(withAlarms(ctx), harmed(env));
  }

  /** Aborts this object wherever it is; all its callers lose their reply. */
  breakOff() {
    this.ctx.abort(BROKEN_OFF);
  }
}

/** While calls of a name are interrupted, every third one is: its work is done, and its caller does not hear of it. */
const INTERRUPTED = 3;
const calls = new Map();

const INTERRUPTIBLE = [
  "send",
  "sendLater",
  "sendQuoted",
  "takeBack",
  "work",
  "report",
  "records",
  "recorded",
  "events",
  "claimEvents",
  "ackEvents",
  "alarm",
  "clearNext",
];
for (const name of INTERRUPTIBLE) {
  const plain = Plain.prototype[name];
  if (plain === undefined) continue;
  Account.prototype[name] = async function (...args) {
    const result = await plain.apply(this, args);
    if (harm.interrupt === name) {
      calls.set(name, (calls.get(name) ?? 0) + 1);
      if (calls.get(name) % INTERRUPTED === 0) this.ctx.abort(BROKEN_OFF);
    }
    return result;
  };
}

export class Pace extends PlainPace {
  constructor(ctx, env) {
    super(withAlarms(ctx), harmed(env));
  }

  breakOff() {
    this.ctx.abort(BROKEN_OFF);
  }
}

export class SmppBind extends PlainBind {
  constructor(ctx, env) {
    super(withAlarms(ctx), harmed(env));
  }

  breakOff() {
    this.ctx.abort(BROKEN_OFF);
  }
}

export class CarrierIds extends PlainIds {
  constructor(ctx, env) {
    super(withAlarms(ctx), harmed(env));
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

/** The last parts of the names of the lanes' queues (wrangler.toml). */
const LANES = new Set(["otp", "single", "bulk"]);

async function control(request, env) {
  const { breakOff = [], breakOffPace, breakOffBind, archive = [], ...wanted } = await request.json();
  Object.assign(harm, wanted);
  // As the housekeeping does; an account that is broken off meanwhile does not answer.
  const plans = archive.map((name) => env.ACCOUNT.getByName(name).archive());
  const planned = await Promise.allSettled(plans);
  // An aborted object never replies, so these calls always fail.
  const broken = breakOff.map((name) => env.ACCOUNT.getByName(name).breakOff());
  if (breakOffPace !== undefined) broken.push(env.PACE.getByName(breakOffPace).breakOff());
  if (breakOffBind !== undefined) broken.push(env.SMPP.getByName(breakOffBind).breakOff());
  await Promise.allSettled(broken);
  return Response.json({ success: true, archives: planned.map(({ value }) => value ?? null) });
}

export default {
  ...service,
  fetch(request, env, ctx) {
    if (new URL(request.url).pathname === CONTROL) return control(request, env);
    return service.fetch(request, harmed(env), ctx);
  },
  queue(batch, env, ctx) {
    const which = batch.queue.split("-").at(-1);
    const how = harm[which] ?? (LANES.has(which) ? harm.lanes : null);
    return deliver(how, batch, harmed(env), ctx);
  },
};
