// What is counted, and the two ways of counting that every part uses.

/** A queue operation is billed per chunk of this many bytes; each message has this much overhead. */
const CHUNK_BYTES = 64_000;
const MESSAGE_BYTES = 100;

/** An alarm later than this is no open work: it forgets what is kept for days. */
const SOON_MS = 3_600_000;

/** Calls that are no work of their own: a consumer that ends does not wait for what it listens to. */
const LISTENING = new Set(["pace.listen"]);

export const state = {
  /** What was counted, by name. */
  counters: {},
  /** Open work: alarms that are set (object → its kind, and when), queue messages not yet consumed, calls in progress. */
  alarms: new Map(),
  queued: {},
  running: {},
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

/** Adds to one kind of open work. */
export function open(kind, name, by) {
  state[kind][name] = (state[kind][name] ?? 0) + by;
}

/** Does work that the open work includes, by this name. */
export async function during(name, work) {
  if (LISTENING.has(name)) return work();
  open("running", name, 1);
  try {
    return await work();
  } finally {
    open("running", name, -1);
  }
}

const left = (counts) => Object.fromEntries(Object.entries(counts).filter(([, number]) => number !== 0));

/** The open work now: how many alarms (and when the next ones ring, in s from now), messages by queue, calls by name. */
export function openWork(nowMs) {
  const soon = [...state.alarms.values()].filter(({ timeMs }) => timeMs < nowMs + SOON_MS);
  const inSec = ({ kind, timeMs }) => `${kind} in ${((timeMs - nowMs) / 1_000).toFixed(1)} s`;
  const next = soon.toSorted((one, other) => one.timeMs - other.timeMs).slice(0, 5);
  const [queued, running] = [left(state.queued), left(state.running)];
  const isAtRest = soon.length === 0 && Object.keys(queued).length === 0 && Object.keys(running).length === 0;
  return { isAtRest, alarms: soon.length, nextAlarms: next.map(inSec), queued, running };
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
