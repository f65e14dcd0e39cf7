// Cloudflare's prices, and the cost of a counted operation: Workers Paid, beyond the included amounts.

/** When these prices were looked up. */
export const PRICES_DATE = "2026-11";

/** Dollars per million of each unit. */
const PER_MILLION = {
  workerRequest: 0.3,
  cpuMs: 0.02,
  objectRequest: 0.15,
  gbSecond: 12.5,
  rowWritten: 1,
  rowRead: 0.001,
  queueOperation: 0.4,
  r2ClassA: 4.5,
  r2ClassB: 0.36,
  logEvent: 0.6,
};

/** From this date on logs are billed by size; each event has about this much overhead besides our own line. */
export const LOGS_BY_SIZE = { from: "2026-12-01", perGb: 0.25, bytesPerEvent: 1_000 };

const OBJECT_GB = 0.128;

/**
 * An object is active while calls are in flight, which is measured, and assumed to be active for this long besides, per
 * call and per alarm: locally most of them take no time that a clock shows.
 */
export const ACTIVE_SEC = 0.005;

const PER_ACTIVE_SEC = PER_MILLION.gbSecond * OBJECT_GB;

/** The counters of each component, with the price of one unit. */
const COMPONENTS = {
  "Worker requests": { "worker requests": PER_MILLION.workerRequest },
  // An assumption: the price list counts a scheduled run as a request, so a consumer's batch is counted as one, too.
  consumers: { "consumer batches": PER_MILLION.workerRequest },
  CPU: { "CPU ms": PER_MILLION.cpuMs },
  "object requests": { "object requests": PER_MILLION.objectRequest, "alarms run": PER_MILLION.objectRequest },
  "object time": {
    "object requests": PER_ACTIVE_SEC * ACTIVE_SEC,
    "alarms run": PER_ACTIVE_SEC * ACTIVE_SEC,
    "object active ms": PER_ACTIVE_SEC / 1_000,
  },
  "rows written": { "rows written": PER_MILLION.rowWritten },
  "alarms set": { "alarms set": PER_MILLION.rowWritten },
  "rows read": { "rows read": PER_MILLION.rowRead },
  queues: { "queue operations": PER_MILLION.queueOperation },
  D1: { "D1 rows written": PER_MILLION.rowWritten, "D1 rows read": PER_MILLION.rowRead },
  R2: { "R2 class A": PER_MILLION.r2ClassA, "R2 class B": PER_MILLION.r2ClassB },
  "log lines": { "log lines": PER_MILLION.logEvent },
  "invocation logs": { invocations: PER_MILLION.logEvent },
};

/** Invocations with a log entry of their own: everything that starts a Worker or calls an object. */
export const INVOCATIONS = ["worker requests", "consumer batches", "object requests", "alarms run"];

/** Dollars per million operations, by component, from the counts of one operation. */
export function pricesOf(counted) {
  const of = (parts) => Object.entries(parts).reduce((sum, [name, price]) => sum + (counted[name] ?? 0) * price, 0);
  return Object.fromEntries(Object.entries(COMPONENTS).map(([name, parts]) => [name, of(parts)]));
}

/** Dollars per million operations for logs as billed from `LOGS_BY_SIZE.from` on. */
export function logsBySize(counted) {
  const events = (counted["log lines"] ?? 0) + (counted.invocations ?? 0);
  const bytes = (counted["log bytes"] ?? 0) + events * LOGS_BY_SIZE.bytesPerEvent;
  return (bytes / 1e9) * 1e6 * LOGS_BY_SIZE.perGb;
}
