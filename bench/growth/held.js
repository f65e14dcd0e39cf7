// Wraps the bundle and measures how long each piece of work holds an object, and how many rows it reads and writes. An
// object does one thing at a time, so whatever it does without a pause makes every other request wait.
import { countStorage } from "../cost/counted-storage.js";
import { state } from "../cost/counters.js";

/** Requests to this host get the measurements since the last request, and begin new ones. */
const HOST = "count.bench";

const NOT_CALLED = new Set(["constructor", "alarm"]);

/** Name → pieces of work, each as [ms, rows read, rows written]. */
let holds = {};
/** When the latest alarm began, and how long whole alarms took. */
let alarms = [];

const rows = () => [state.counters["rows read"] ?? 0, state.counters["rows written"] ?? 0];

function note(name, fromMs, [read, written], toMs = performance.now()) {
  const [readNow, writtenNow] = rows();
  (holds[name] ??= []).push([toMs - fromMs, readNow - read, writtenNow - written]);
}

/** The result of a call; the time until its reply is noted where it is a promise. */
function answering(name, fromMs, result) {
  if (typeof result?.then !== "function") return result;
  const end = () => (holds[`${name}, until its reply`] ??= []).push([performance.now() - fromMs, 0, 0]);
  result.then(end, end);
  return result;
}

/** What an object does outside its calls' synchronous parts: from its first statement to its last before a pause. */
class Span {
  #open = null;

  /** A statement ran. */
  statement(name, beganMs) {
    if (this.#open === null) {
      this.#open = { name, fromMs: beganMs, before: rows(), toMs: beganMs };
      setTimeout(() => this.close(), 0);
    }
    this.#open.toMs = performance.now();
  }

  close() {
    if (this.#open === null) return;
    const { name, fromMs, before, toMs } = this.#open;
    this.#open = null;
    note(name, fromMs, before, toMs);
  }
}

/** An object's class with the work of each call, of each piece of its alarm and of what it does later measured. */
export function wrapClass(Original, kind) {
  const measured = class extends Original {
    span;
    inCall;
    alarming;

    constructor(ctx, env) {
      countStorage(ctx, kind);
      super(ctx, env);
      this.span = new Span();
      this.inCall = 0;
      this.alarming = 0;
      const { sql } = ctx.storage;
      const exec = sql.exec.bind(sql);
      sql.exec = (...args) => {
        const beganMs = performance.now();
        const cursor = exec(...args);
        if (this.inCall === 0) this.span.statement(`${kind}.${this.alarming > 0 ? "alarm" : "later"}`, beganMs);
        return cursor;
      };
    }

    async alarm(info) {
      const fromMs = performance.now();
      this.alarming += 1;
      try {
        return await super.alarm(info);
      } finally {
        this.alarming -= 1;
        alarms.push(performance.now() - fromMs);
      }
    }
  };
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(Original.prototype))) {
    if (NOT_CALLED.has(name) || typeof value !== "function") continue;
    measured.prototype[name] = function (...args) {
      if (this.inCall > 0) return value.apply(this, args);
      this.span.close();
      const [fromMs, before] = [performance.now(), rows()];
      this.inCall += 1;
      try {
        return answering(`${kind}.${name}`, fromMs, value.apply(this, args));
      } finally {
        this.inCall -= 1;
        note(`${kind}.${name}`, fromMs, before);
      }
    };
  }
  return measured;
}

/** The Worker, which also answers with the measurements. */
export const wrapWorker = (service) => ({
  ...service,
  fetch(request, env, ctx) {
    if (new URL(request.url).hostname !== HOST) return service.fetch(request, env, ctx);
    const reply = Response.json({ holds, alarms });
    [holds, alarms] = [{}, []];
    return reply;
  },
});
