// What is counted, and the two ways of counting that every part uses.

/** A queue operation is billed per chunk of this many bytes; each message has this much overhead. */
const CHUNK_BYTES = 64_000;
const MESSAGE_BYTES = 100;

export const state = {
  /** What was counted, by name. */
  counters: {},
  /** Open work: alarms that are set, queue messages not yet consumed, calls in progress. */
  alarms: new Map(),
  queued: 0,
  running: 0,
  /**
   * What the benchmark has set: how many messages a consumer gets at most, by queue (local queues pack more than deployed
   * ones), and queues whose messages are counted and dropped, so that only the producer is measured.
   */
  told: { batchSizes: {}, held: [] },
};

/** Adds to a counter. */
export function count(name, by = 1) {
  state.counters[name] = (state.counters[name] ?? 0) + by;
}

/** Does work that the open work includes. */
export async function during(work) {
  state.running += 1;
  try {
    return await work();
  } finally {
    state.running -= 1;
  }
}

/** A proxy that replaces some members; functions among the others stay bound to the target. */
export function replacing(target, members) {
  return new Proxy(target, {
    get(of, name) {
      if (Object.hasOwn(members, name)) return members[name];
      const value = of[name];
      return typeof value === "function" ? value.bind(of) : value;
    },
  });
}

/** The operations that a queue bills for a message. */
export const chunksOf = (body) => Math.ceil((MESSAGE_BYTES + JSON.stringify(body).length) / CHUNK_BYTES);
