/* global BINDINGS -- defined by around.mjs */
import { delayed } from "./clock.js";
import { chunksOf, count, during, open, replacing, state } from "./counters.js";

// The bindings, each of which counts what it is asked for.

/** A stub that counts its calls; each is billed as one request. */
function countedStub(stub, kind) {
  return new Proxy(stub, {
    get(of, name) {
      const value = of[name];
      if (typeof value !== "function" || name === "then") return value;
      return (...args) => {
        count("object requests");
        count(`${kind}.${String(name)}`);
        return during(`${kind}.${String(name)}`, () => of[name](...args));
      };
    },
  });
}

const countedNamespace = (namespace, kind) =>
  replacing(namespace, {
    get: (...args) => countedStub(namespace.get(...args), kind),
    getByName: (...args) => countedStub(namespace.getByName(...args), kind),
  });

/** Counts writes to a queue; returns false if the queue is held. */
function countWrite(name, bodies) {
  count(`${name} messages`, bodies.length);
  for (const body of bodies) count("queue operations", chunksOf(body));
  if (state.told.held.includes(name)) return false;
  open("queued", name, bodies.length);
  return true;
}

const countedQueue = (queue, name) =>
  replacing(queue, {
    async send(body, options) {
      if (countWrite(name, [body])) await queue.send(body, delayed(options));
    },
    async sendBatch(messages, options) {
      const all = [...messages].map(delayed);
      const bodies = all.map(({ body }) => body);
      if (countWrite(name, bodies)) await queue.sendBatch(all, delayed(options));
    },
  });

/** Counts rows in all, and by database: what `DB` has is shared by all accounts, what history has is not. */
function countMeta({ meta }, name) {
  const [written, read] = [meta.rows_written, meta.rows_read];
  count("D1 rows written", written);
  count("D1 rows read", read);
  count(`D1 rows written, ${name}`, written);
  count(`D1 rows read, ${name}`, read);
  count("D1 queries");
}

/** A statement that counts its rows; D1 reports them for every method except raw(). */
class Statement {
  constructor(inner, name) {
    this.inner = inner;
    this.name = name;
  }

  bind(...values) {
    return new Statement(this.inner.bind(...values), this.name);
  }

  async all() {
    const result = await this.inner.all();
    countMeta(result, this.name);
    return result;
  }

  run() {
    return this.all();
  }

  /** D1 reports no row counts for raw(), so the returned rows count as read. */
  async raw(options) {
    const rows = await this.inner.raw(options);
    countMeta({ meta: { rows_written: 0, rows_read: rows.length } }, this.name);
    return rows;
  }
}

const countedDatabase = (database, name) =>
  replacing(database, {
    prepare: (query) => new Statement(database.prepare(query), name),
    async batch(statements) {
      const results = await database.batch(statements.map(({ inner }) => inner));
      for (const result of results) countMeta(result, name);
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

/** The bindings of `env` that are counted, each in its counting form. */
function countedBindings(env) {
  const { objects, queues, databases, buckets } = BINDINGS;
  return Object.fromEntries([
    ...objects.map(({ name, className }) => [name, countedNamespace(env[name], className.toLowerCase())]),
    ...queues.map(({ binding, queue }) => [binding, countedQueue(env[binding], queue.split("-").at(-1))]),
    ...databases.map((name) => [name, countedDatabase(env[name], name)]),
    ...buckets.map((name) => [name, countedBucket(env[name])]),
  ]);
}

/** The environment with counting bindings; one object per environment, because the service caches by it. */
export function countedEnv(env) {
  let counted = environments.get(env);
  if (!counted) {
    counted = { ...env, ...countedBindings(env) };
    environments.set(env, counted);
  }
  return counted;
}
