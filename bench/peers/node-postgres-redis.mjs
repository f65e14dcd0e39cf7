// Node + Hono + PostgreSQL + Redis in the usual design: keys, balances and messages in PostgreSQL, one transaction per
// send; the sliding window in Redis, which any number of Node processes can share.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { BALANCE_START, COINS_PER_SEND, WINDOW_MS, WINDOW_REQUESTS_MAX, hashOf, keyOf } from "./accounts.mjs";
import { serveOver } from "./app.mjs";
import { startPostgres } from "./postgres.mjs";
import { startProgram, untilReady } from "./processes.mjs";

const POOL_CONNECTIONS = 16;

const SCHEMA = `
  create table account (
    id integer primary key generated always as identity,
    key_hash bytea not null unique,
    balance bigint not null check (balance >= 0)
  );
  create table message (
    id bigint primary key generated always as identity,
    account_id integer not null references account,
    phone text not null,
    text text not null,
    sender text,
    coins integer not null,
    created_at timestamptz not null default now()
  );`;

/** Named statements: PostgreSQL plans each of them once per connection. */
const FIND = { name: "find", text: "select id from account where key_hash = $1" };
const DEBIT = {
  name: "debit",
  text: "update account set balance = balance - $1 where id = $2 and balance >= $1 returning balance",
};
const INSERT = {
  name: "insert",
  text: "insert into message (account_id, phone, text, sender, coins) values ($1, $2, $3, $4, $5)",
};

/** The exact log of an account's requests as a sorted set, updated atomically in Redis. */
const WINDOW = `
  redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", ARGV[1] - ARGV[2])
  if redis.call("ZCARD", KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
  redis.call("ZADD", KEYS[1], ARGV[1], ARGV[4])
  redis.call("PEXPIRE", KEYS[1], ARGV[2])
  return 1`;

/** A separate Redis without persistence, because its data is worthless once the window has passed. */
async function startRedis(directory, { createClient }) {
  mkdirSync(directory, { recursive: true });
  const socket = path.join(directory, "redis.sock");
  const options = { port: "0", unixsocket: socket, dir: directory, save: "", appendonly: "no" };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const program = startProgram("redis-server", args);
  const client = await untilReady("redis-server", program, async () => {
    const connecting = createClient({ socket: { path: socket, reconnectStrategy: false } });
    // Without a listener an error would end the process; the failing call reports it anyway.
    connecting.on("error", () => undefined);
    return await connecting.connect();
  });
  return { client, stop: () => program.stop() };
}

async function windowInRedis(client) {
  const script = await client.scriptLoad(WINDOW);
  let member = 0;
  return async (account) => {
    const args = [Date.now(), WINDOW_MS, WINDOW_REQUESTS_MAX, ++member].map(String);
    return (await client.evalSha(script, { keys: [`window:${account}`], arguments: args })) === 1;
  };
}

function storeOver(pool, admits) {
  return {
    async accountOf(hash) {
      const { rows } = await pool.query({ ...FIND, values: [hash] });
      return rows[0]?.id;
    },
    admits,
    async send(account, { phone, message, senderId }) {
      const client = await pool.connect();
      try {
        await client.query("begin");
        const { rows } = await client.query({ ...DEBIT, values: [COINS_PER_SEND, account] });
        if (rows.length === 0) {
          await client.query("rollback");
          return null;
        }
        await client.query({ ...INSERT, values: [account, phone, message, senderId ?? null, COINS_PER_SEND] });
        await client.query("commit");
        return { used: COINS_PER_SEND, left: Number(rows[0].balance) };
      } catch (error) {
        await client.query("rollback");
        throw error;
      } finally {
        client.release();
      }
    },
  };
}

/** Starts the peer with a new cluster and a new Redis in `stateDir`. */
export async function start({ port, stateDir, accounts }) {
  const [{ default: pg }, redisClient] = await Promise.all([import("pg"), import("@redis/client")]);
  const redis = await startRedis(path.join(stateDir, "redis"), redisClient);
  const postgres = await startPostgres(path.join(stateDir, "postgres"), pg);
  const pool = new pg.Pool({ ...postgres.connection, max: POOL_CONNECTIONS });
  await pool.query(SCHEMA);
  const hashes = Array.from({ length: accounts }, (_, at) => hashOf(keyOf(at + 1)));
  await pool.query("insert into account (key_hash, balance) select unnest($1::bytea[]), $2", [hashes, BALANCE_START]);
  const server = await serveOver(storeOver(pool, await windowInRedis(redis.client)), port);
  return {
    async stop() {
      await server.stop();
      await pool.end();
      redis.client.destroy();
      await Promise.all([postgres.stop(), redis.stop()]);
    },
  };
}
