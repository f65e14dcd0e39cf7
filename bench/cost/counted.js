// Wraps the bundle and counts everything that Cloudflare bills: requests to the Worker and to its objects, rows,
// alarms, queue operations, D1, R2, log events, and the time in which objects are active. bench/cost/measure.mjs reads
// the counters on a host of their own. Nothing here changes the service's replies; its log lines are counted instead of
// printed.
import { Activity, activities, delayed } from "./clock.js";
import { countedEnv } from "./counted-bindings.js";
import { countStorage } from "./counted-storage.js";
import { chunksOf, count, during, open, openWork, replacing, state } from "./counters.js";

/** Requests to this host go to the counters. */
const HOST = "count.bench";

/** The binding whose objects `DELETE` evicts. */
const EVICTED = "ACCOUNT";

for (const level of ["debug", "log", "info", "warn", "error"]) {
  console[level] = (...args) => {
    count("log lines");
    count("log bytes", args.join(" ").length);
    if (level === "error") count(`problem: ${args.join(" ").slice(0, 300)}`);
  };
}

/** Methods that are no call from outside, or are counted in their own way. */
const NOT_CALLED = new Set(["constructor", "alarm"]);

/** Runs a method of an object, which is active until it ends; the method stays synchronous where it is. */
function active(activity, run) {
  activity.change(1, 0);
  const end = () => activity.change(-1, 0);
  let result;
  try {
    result = activities.run(activity, run);
  } catch (problem) {
    end();
    throw problem;
  }
  if (typeof result?.then === "function") result.then(end, end);
  else end();
  return result;
}

/** An object's class with storage, bindings, alarm and active time counted. */
export function wrapClass(Original, kind) {
  const counted = class extends Original {
    activity = new Activity((ms) => count("object active ms", ms));

    constructor(ctx, env) {
      countStorage(ctx, kind);
      super(ctx, countedEnv(env));
      count("objects started");
    }

    /** Ends the object as an eviction does; the next call starts it again. */
    evict() {
      this.ctx.abort("evicted by a benchmark");
    }

    alarm(info) {
      count("alarms run");
      count(`${kind} alarms run`);
      state.alarms.delete(String(this.ctx.id));
      return during(`${kind}.alarm`, () => active(this.activity, () => super.alarm(info)));
    }
  };
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(Original.prototype))) {
    if (NOT_CALLED.has(name) || typeof value !== "function") continue;
    counted.prototype[name] = function (...args) {
      return active(this.activity, () => value.apply(this, args));
    };
  }
  return counted;
}

/** A message that records whether its consumer acknowledged or retried it. */
function countedMessage(message, verdicts) {
  count("queue operations", chunksOf(message.body));
  if (message.attempts > 1) count("queue retries");
  return replacing(message, {
    ack() {
      verdicts.set(message, "ack");
      message.ack();
    },
    retry(options) {
      verdicts.set(message, "retry");
      message.retry(delayed(options));
    },
  });
}

async function consume(service, batch, messages, env, ctx) {
  count("consumer batches");
  const verdicts = new Map();
  const counted = messages.map((message) => countedMessage(message, verdicts));
  const ackAll = () => counted.forEach((message) => message.ack());
  const retryAll = (options) => counted.forEach((message) => message.retry(options));
  await service.queue(replacing(batch, { messages: counted, ackAll, retryAll }), env, ctx);
  for (const message of messages) {
    if (verdicts.get(message) === "retry") continue;
    count("queue operations", chunksOf(message.body));
    open("queued", batch.queue.split("-").at(-1), -1);
  }
}

/**
 * `GET /`: the counters and the open work. `PUT /` merges new settings and resets the counters. `DELETE /<name>` evicts
 * the object of an account.
 */
async function answerCounters(request, env) {
  if (request.method === "DELETE") {
    await env[EVICTED].getByName(new URL(request.url).pathname.slice(1))
      .evict()
      .catch(() => undefined);
    return Response.json({});
  }
  if (request.method === "PUT") {
    state.told = { ...state.told, ...(await request.json()) };
    state.counters = {};
  }
  return Response.json({ counters: state.counters, open: openWork(Date.now()) });
}

/** The Worker with everything counted. */
export const wrapWorker = (service) => ({
  async fetch(request, env, ctx) {
    if (new URL(request.url).hostname === HOST) return answerCounters(request, env);
    count("worker requests");
    return during("request", () => service.fetch(request, countedEnv(env), ctx));
  },

  async queue(batch, env, ctx) {
    const messages = [...batch.messages];
    const name = batch.queue.split("-").at(-1);
    const size = state.told.batchSizes[name] ?? messages.length;
    const pieces = [];
    while (messages.length > 0) pieces.push(messages.splice(0, size));
    const work = (piece) => consume(service, batch, piece, countedEnv(env), ctx);
    await during(`${name} batch`, () => Promise.all(pieces.map(work)));
  },

  async scheduled(event, env, ctx) {
    count("worker requests");
    await service.scheduled(event, countedEnv(env), ctx);
  },
});
