// Wraps the bundle and counts everything that Cloudflare bills: requests to the Worker and to its objects, rows,
// alarms, queue operations, D1, R2 and log events. bench/cost/run.mjs reads the counters on a host of their own.
// Nothing here changes the service's replies; its log lines are counted instead of printed.
import { countedEnv } from "./counted-bindings.js";
import { countStorage } from "./counted-storage.js";
import { chunksOf, count, during, replacing, state } from "./counters.js";
import dastak, { Account as AccountClass, Inbox as InboxClass } from "./dastak.js";

export * from "./dastak.js";

/** Requests to this host go to the counters. */
const HOST = "count.bench";

for (const level of ["debug", "log", "info", "warn", "error"]) {
  console[level] = (...args) => {
    count("log lines");
    count("log bytes", args.join(" ").length);
    if (level === "error") count(`problem: ${args.join(" ").slice(0, 200)}`);
  };
}

/** An object's class with storage, bindings and alarm counted. */
function countedClass(Original) {
  return class extends Original {
    constructor(ctx, env) {
      countStorage(ctx);
      super(ctx, countedEnv(env));
      count("objects started");
    }

    /** Ends the object as an eviction does; the next call starts it again. */
    evict() {
      this.ctx.abort("evicted by a benchmark");
    }

    alarm(info) {
      count("alarms run");
      state.alarms.delete(String(this.ctx.id));
      return during(() => super.alarm(info));
    }
  };
}

export const Account = countedClass(AccountClass);
export const Inbox = countedClass(InboxClass);

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
      message.retry(options);
    },
  });
}

async function consume(batch, messages, env, ctx) {
  count("consumer batches");
  const verdicts = new Map();
  const counted = messages.map((message) => countedMessage(message, verdicts));
  const ackAll = () => counted.forEach((message) => message.ack());
  const retryAll = (options) => counted.forEach((message) => message.retry(options));
  await dastak.queue(replacing(batch, { messages: counted, ackAll, retryAll }), env, ctx);
  for (const message of messages) {
    if (verdicts.get(message) === "retry") continue;
    count("queue operations", chunksOf(message.body));
    state.queued -= 1;
  }
}

/**
 * `GET /`: the counters, the open work, and the messages in history by state. `PUT /` merges new settings and resets
 * the counters. `DELETE /<name>` evicts the object of an account.
 */
async function answerCounters(request, env) {
  if (request.method === "DELETE") {
    await env.ACCOUNT.getByName(new URL(request.url).pathname.slice(1))
      .evict()
      .catch(() => undefined);
    return Response.json({});
  }
  if (request.method === "PUT") {
    state.told = { ...state.told, ...(await request.json()) };
    state.counters = {};
  }
  const { results } = await env.DB.prepare("SELECT state, count(*) AS messages FROM message GROUP BY state").all();
  const recorded = Object.fromEntries(results.map(({ state, messages }) => [state, messages]));
  const { counters, alarms, queued, running } = state;
  return Response.json({ counters, open: { alarms: alarms.size, queued, running }, recorded });
}

export default {
  async fetch(request, env, ctx) {
    if (new URL(request.url).hostname === HOST) return answerCounters(request, env);
    count("worker requests");
    return during(() => dastak.fetch(request, countedEnv(env), ctx));
  },

  async queue(batch, env, ctx) {
    const messages = [...batch.messages];
    const size =
      Object.entries(state.told.batchSizes).find(([name]) => batch.queue.endsWith(name))?.[1] ?? messages.length;
    const pieces = [];
    while (messages.length > 0) pieces.push(messages.splice(0, size));
    await during(() => Promise.all(pieces.map((piece) => consume(batch, piece, countedEnv(env), ctx))));
  },

  async scheduled(event, env, ctx) {
    count("worker requests");
    await dastak.scheduled(event, countedEnv(env), ctx);
  },
};
