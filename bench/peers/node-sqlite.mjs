// Node + Hono + SQLite in the usual design: one process, one file, one transaction and one sync per send.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { BALANCE_START, COINS_PER_SEND, WINDOW_MS, WINDOW_REQUESTS_MAX, hashOf, keyOf } from "./accounts.mjs";
import { serveOver } from "./app.mjs";
import { sqlite } from "./sqlite.mjs";

const SCHEMA = `
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table account (
    id integer primary key,
    key_hash blob not null unique,
    balance integer not null check (balance >= 0)
  );
  create table message (
    id integer primary key,
    account_id integer not null references account,
    phone text not null,
    text text not null,
    sender text,
    coins integer not null,
    created_ms integer not null
  );`;

/** The sliding window: the exact log of each account's requests, in the memory of the only process. */
function windowInMemory() {
  const logs = new Map();
  return (account) => {
    const nowMs = Date.now();
    let log = logs.get(account);
    if (log === undefined) logs.set(account, (log = []));
    while (log.length > 0 && log[0] <= nowMs - WINDOW_MS) log.shift();
    if (log.length >= WINDOW_REQUESTS_MAX) return false;
    log.push(nowMs);
    return true;
  };
}

function storeOver(db) {
  const find = db.prepare("select id from account where key_hash = ?");
  const debit = db.prepare("update account set balance = balance - ? where id = ? and balance >= ? returning balance");
  const insert = db.prepare(
    "insert into message (account_id, phone, text, sender, coins, created_ms) values (?, ?, ?, ?, ?, ?)",
  );
  const send = db.transaction((account, { phone, message, senderId }) => {
    const paid = debit.get(COINS_PER_SEND, account, COINS_PER_SEND);
    if (paid === undefined) return null;
    insert.run(account, phone, message, senderId ?? null, COINS_PER_SEND, Date.now());
    return { used: COINS_PER_SEND, left: paid.balance };
  });
  return { accountOf: (hash) => find.get(hash)?.id, admits: windowInMemory(), send };
}

/** Starts the peer with a new file in `stateDir`. */
export async function start({ port, stateDir, accounts }) {
  mkdirSync(stateDir, { recursive: true });
  const db = sqlite().open(path.join(stateDir, "peer.sqlite"));
  db.exec(SCHEMA);
  const add = db.prepare("insert into account (key_hash, balance) values (?, ?)");
  db.transaction(() => {
    for (let n = 1; n <= accounts; n++) add.run(hashOf(keyOf(n)), BALANCE_START);
  })();
  const server = await serveOver(storeOver(db), port);
  return {
    async stop() {
      await server.stop();
      db.close();
    },
  };
}
