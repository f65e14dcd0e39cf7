import { realMs, serviceMs } from "./clock.js";
import { count, state } from "./counters.js";

// An object's storage, which counts rows and alarms.

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
  // What walks over a cursor walks by its own next(), which counts.
  ofCursor[Symbol.iterator] = function () {
    return this;
  };
  ofCursor.raw = () => {
    throw new Error("bench/cost/counted-storage.js does not count raw() of a cursor yet");
  };
  ofStorage.exec = function (...args) {
    const cursor = exec.apply(this, args);
    countCursor(cursor);
    return cursor;
  };
}

/** Counts what an object of this kind does with its storage; called before the object's own constructor. */
export function countStorage({ id, storage }, kind) {
  countStatements(storage.sql);
  const setAlarm = storage.setAlarm.bind(storage);
  const getAlarm = storage.getAlarm.bind(storage);
  const deleteAlarm = storage.deleteAlarm.bind(storage);
  Object.assign(storage, {
    setAlarm(time, options) {
      count("alarms set");
      state.alarms.set(String(id), { kind, timeMs: Number(time) });
      return setAlarm(realMs(Number(time)), options);
    },
    async getAlarm(options) {
      const timeMs = await getAlarm(options);
      return timeMs === null ? null : serviceMs(timeMs);
    },
    deleteAlarm(options) {
      state.alarms.delete(String(id));
      return deleteAlarm(options);
    },
  });
}
