// The peers: other ways to do the work of one send durably. Each runs in the process that starts it and in child
// processes. `requestOf` is the load generator's request; keys are derived from numbers.
import { createRequire } from "node:module";
import path from "node:path";
import { PASSWORD, USER } from "./kannel.mjs";
import { lacksUser } from "./postgres.mjs";
import { programOf } from "./processes.mjs";
import { sqlite } from "./sqlite.mjs";

export { WINDOW_MS, keyOf } from "./accounts.mjs";

/** Installs exactly what the lock file says, and leaves it as it is. */
const INSTALL = "npm ci --prefix bench/peers";

/** The programs and packages among these that are not installed. */
function lacking(programs, packages) {
  const require = createRequire(import.meta.url);
  const absent = packages.filter((name) => {
    try {
      return !require.resolve(name);
    } catch {
      return true;
    }
  });
  return [...programs.filter((name) => programOf(name) === null), ...absent];
}

const skipped = (title, absent, command) =>
  absent.length === 0 ? null : `${title}: skipped without ${absent.join(", ")}; install with: ${command}`;

const jsonRequest = (sms) => ({ at: "/send-sms", body: JSON.stringify(sms), keys: "own" });

function sendsmsRequest({ phone, message, senderId }) {
  const query = new URLSearchParams({ username: USER, password: PASSWORD, to: phone, text: message, from: senderId });
  return { at: `/cgi-bin/sendsms?${query}`, body: null, keys: "none" };
}

/** Loads a peer only when it is started; its programs get their own working directories. */
const starter = (module) => async (options) => {
  const { start } = await import(module);
  return start({ ...options, stateDir: path.resolve(options.stateDir) });
};

/**
 * By name: `title`, what a reader must know (`note`), the number of ports from `port` on, `missing()`: null or a line
 * that says how to install it, `requestOf(sms)`: path, body (null: GET) and kind of key, and `start({ port, stateDir,
 * accounts })`, which resolves to `{ stop() }` once it serves keys 1 to `accounts`.
 */
export const PEERS = {
  "node-sqlite": {
    get title() {
      return `Node + Hono + ${sqlite().name}`;
    },
    get note() {
      const note = "WAL, synchronous=FULL, one transaction and one sync for each send; window in memory";
      return sqlite().name === "better-sqlite3" ? note : `${note}; for better-sqlite3: ${INSTALL}`;
    },
    ports: 1,
    missing: () => null,
    requestOf: jsonRequest,
    start: starter("./node-sqlite.mjs"),
  },
  "node-postgres-redis": {
    title: "Node + Hono + PostgreSQL + Redis",
    note: "fsync and synchronous_commit on, one transaction for each send, pool of 16; window in Redis without persistence",
    ports: 1,
    missing() {
      const absent = lacking(["initdb", "postgres", "redis-server"], ["pg", "@redis/client"]);
      if (lacksUser()) absent.push("the user postgres");
      return skipped(this.title, absent, `apt-get install postgresql redis-server && ${INSTALL}`);
    },
    requestOf: jsonRequest,
    start: starter("./node-postgres-redis.mjs"),
  },
  kannel: {
    title: "Kannel sendsms",
    note: "other work: no balance, no window for a key, a stored message is written without a sync (store-type=file)",
    ports: 4,
    missing() {
      return skipped(this.title, lacking(["bearerbox", "smsbox"], []), "apt-get install kannel");
    },
    requestOf: sendsmsRequest,
    start: starter("./kannel.mjs"),
  },
};
