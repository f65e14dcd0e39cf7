// Wraps the bundle and counts everything that Cloudflare bills: requests to the Worker and to its objects, rows,
// alarms, queue operations, D1, R2 and log events. bench/cost/run.mjs reads the counters on a host of their own.
// Nothing here changes the service's replies; its log lines are counted instead of printed.
import dastak, { Account as AccountClass, Inbox as InboxClass } from "./dastak.js";

export * from "./dastak.js";

/** Requests to this host go to the counters. */
const HOST = "count.bench";

/** A queue operation is billed per chunk of this many bytes; each message has this much overhead. */
const CHUNK_BYTES = 64_000;
const MESSAGE_BYTES = 100;

let counters = {};
/** Open work: alarms that are set, queue messages not yet consumed, calls in progress. */
const alarms = new Map();
let queued = 0;
let running = 0;
/**
 * What the benchmark has set: how many messages a consumer gets at most, by queue (local queues pack more than deployed
 * ones), and queues whose messages are counted and dropped, so that only the producer is measured.
 */
let told = { batchSizes: {}, held: [] };

function count(name, by = 1) {
  counters[name] = (counters[name] ?? 0) + by;
}

async function during(work) {
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
  }
}

for (const level of ["debug", "log", "info", "warn", "error"]) {
  console[level] = (...args) => {
    count("log lines");
    count("log bytes", args.join(" ").length);
    if (level === "error") count(`problem: ${args.join(" ").slice(0, 200)}`);
  };
}

/** A proxy that replaces some members; functions among the others stay bound to the target. */
function replacing(target, members) {
  return new Proxy(target, {
    get(of, name) {
      if (Object.hasOwn(members, name)) return members[name];
      const value = of[name];
      return typeof value === "function" ? value.bind(of) : value;
    },
  });
}

/** A stub that counts its calls; each is billed as one request. */
function countedStub(stub, kind) {
  return new Proxy(stub, {
    get(of, name) {
      const value = of[name];
      if (typeof value !== "function" || name === "then") return value;
      return (...args) => {
        count("object requests");
        count(`${kind}.${String(name)}`);
        return during(() => of[name](...args));
      };
    },
  });
}

const countedNamespace = (namespace, kind) =>
  replacing(namespace, {
    get: (...args) => countedStub(namespace.get(...args), kind),
    getByName: (...args) => countedStub(namespace.getByName(...args), kind),
  });

const chunksOf = (body) => Math.ceil((MESSAGE_BYTES + JSON.stringify(body).length) / CHUNK_BYTES);

/** Counts writes to a queue; returns false if the queue is held. */
function countWrite(name, bodies) {
  count(`${name} messages`, bodies.length);
  for (const body of bodies) count("queue operations", chunksOf(body));
  if (told.held.includes(name)) return false;
  queued += bodies.length;
  return true;
}

const countedQueue = (queue, name) =>
  replacing(queue, {
    async send(body, options) {
      if (countWrite(name, [body])) await queue.send(body, options);
    },
    async sendBatch(messages, options) {
      const all = [...messages];
      const bodies = all.map(({ body }) => body);
      if (countWrite(name, bodies)) await queue.sendBatch(all, options);
    },
  });

function countMeta({ meta }) {
  count("D1 rows written", meta.rows_written);
  count("D1 rows read", meta.rows_read);
  count("D1 queries");
}

/** A statement that counts its rows; D1 reports them for every method except raw(). */
class Statement {
  constructor(inner) {
    this.inner = inner;
  }

  bind(...values) {
    return new Statement(this.inner.bind(...values));
  }

  async all() {
    const result = await this.inner.all();
    countMeta(result);
    return result;
  }

  run() {
    return this.all();
  }

  /** D1 reports no row counts for raw(), so the returned rows count as read. */
  async raw(options) {
    const rows = await this.inner.raw(options);
    countMeta({ meta: { rows_written: 0, rows_read: rows.length } });
    return rows;
  }
}

const countedDatabase = (database) =>
  replacing(database, {
    prepare: (query) => new Statement(database.prepare(query)),
    async batch(statements) {
      const results = await database.batch(statements.map(({ inner }) => inner));
      for (const result of results) countMeta(result);
      return results;
    },
  });

function countedBucket(bucket) {
  const counting =
    (method, name) =>
    (...args) => {
      count(name);
      return bucket[method](...args);
    };
  return replacing(bucket, {
    get: counting("get", "R2 class B"),
    head: counting("head", "R2 class B"),
    put: counting("put", "R2 class A"),
    list: counting("list", "R2 class A"),
    createMultipartUpload: counting("createMultipartUpload", "R2 class A"),
  });
}

const environments = new WeakMap();

/** The environment with counting bindings; one object per environment, because the service caches by it. */
function countedEnv(env) {
  let counted = environments.get(env);
  if (!counted) {
    counted = {
      ...env,
      ACCOUNT: countedNamespace(env.ACCOUNT, "account"),
      INBOX: countedNamespace(env.INBOX, "inbox"),
      DISPATCH: countedQueue(env.DISPATCH, "dispatch"),
      HISTORY: countedQueue(env.HISTORY, "history"),
      DB: countedDatabase(env.DB),
      RECORDINGS: countedBucket(env.RECORDINGS),
    };
    environments.set(env, counted);
  }
  return counted;
}

/** What has been counted of each cursor. */
const seen = new WeakMap();

/** Counts what a cursor has read and written since the last call. */
function countCursor(cursor) {
  const before = seen.get(cursor) ?? { read: 0, written: 0 };
  const now = { read: cursor.rowsRead, written: cursor.rowsWritten };
  seen.set(cursor, now);
  count("rows read", now.read - before.read);
  count("rows written", now.written - before.written);
}

let patched = false;

/** Counts every statement of every object, and again after each read: a cursor's numbers grow until its end. */
function countStatements(sql) {
  if (patched) return;
  patched = true;
  const ofStorage = Object.getPrototypeOf(sql);
  const { exec } = ofStorage;
  const ofCursor = Object.getPrototypeOf(sql.exec("SELECT 1"));
  for (const method of ["toArray", "one", "next"]) {
    const original = ofCursor[method];
    ofCursor[method] = function (...args) {
      const result = original.apply(this, args);
      countCursor(this);
      return result;
    };
  }
  for (const method of ["raw", Symbol.iterator]) {
    ofCursor[method] = () => {
      throw new Error(`bench/cost/counted.js does not count ${String(method)} of a cursor yet`);
    };
  }
  ofStorage.exec = function (...args) {
    const cursor = exec.apply(this, args);
    countCursor(cursor);
    return cursor;
  };
}

/** Counts what an object does with its storage; called before the object's own constructor. */
function countStorage({ id, storage }) {
  countStatements(storage.sql);
  const setAlarm = storage.setAlarm.bind(storage);
  const deleteAlarm = storage.deleteAlarm.bind(storage);
  Object.assign(storage, {
    setAlarm(time, options) {
      count("alarms set");
      alarms.set(String(id), Number(time));
      return setAlarm(time, options);
    },
    deleteAlarm(options) {
      alarms.delete(String(id));
      return deleteAlarm(options);
    },
  });
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
      alarms.delete(String(this.ctx.id));
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
    queued -= 1;
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
    told = { ...told, ...(await request.json()) };
    counters = {};
  }
  const { results } = await env.DB.prepare("SELECT state, count(*) AS messages FROM message GROUP BY state").all();
  const recorded = Object.fromEntries(results.map(({ state, messages }) => [state, messages]));
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
    const size = Object.entries(told.batchSizes).find(([name]) => batch.queue.endsWith(name))?.[1] ?? messages.length;
    const pieces = [];
    while (messages.length > 0) pieces.push(messages.splice(0, size));
    await during(() => Promise.all(pieces.map((piece) => consume(batch, piece, countedEnv(env), ctx))));
  },

  async scheduled(event, env, ctx) {
    count("worker requests");
    await dastak.scheduled(event, countedEnv(env), ctx);
  },
};
