// Writes data that would take hours to send: directly into the storage files of a service that is not running.
import { createHash, createHmac, randomBytes } from "node:crypto";
import { constants, copyFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { accountIdOf } from "../../src/crypto/ids.ts";
import { showKey, verifyKey } from "../../src/crypto/api-key.ts";

/** The secret for the keys of the accounts that are written here. */
export const KEY_SECRET = "key-secret-of-the-growth-benchmark-0123456789";

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;

/** Single messages of so many job numbers are one group of history (src/model/history.ts). */
const BUCKET_JOBS = 64;

/** The file of an account's object; its name is a MAC of the object's name under the name of its class. */
export function accountFile(stateDir, accountId) {
  const folder = path.join(stateDir, "v3/do");
  const name = readdirSync(folder).find((one) => one.endsWith("-Account"));
  const key = createHash("sha256").update(name).digest();
  const half = (of) => createHmac("sha256", key).update(of).digest().subarray(0, 16);
  const first = half(accountId);
  return path.join(folder, name, `${Buffer.concat([first, half(first)]).toString("hex")}.sqlite`);
}

/** Runs `work` on a database in one transaction, and leaves everything in the main file. */
export function inDatabase(file, work) {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA synchronous = OFF; BEGIN");
  work(database);
  database.exec("COMMIT");
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

/** The tables by which the files of D1 are told apart; DB has one of history's name, too. */
const TABLES = "SELECT group_concat(name) AS names FROM sqlite_master WHERE name IN ('message_group', 'person')";

/** Runs `work` on the file of one of the service's databases: DB, or the first one of history. */
function inD1(stateDir, which, work) {
  const folder = path.join(stateDir, "v3/d1/miniflare-D1DatabaseObject");
  const files = readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.sqlite$/u.test(name));
  const file = files.find((name) => {
    const database = new DatabaseSync(path.join(folder, name), { readOnly: true });
    const { names } = database.prepare(TABLES).get();
    database.close();
    return names !== null && names.includes("person") === (which === "DB");
  });
  inDatabase(path.join(folder, file), work);
}

/** Copies of this account, with ids and keys of their own. */
export function copyAccounts(stateDir, { account_id: accountId, api_key: apiKey }, count) {
  const { keyId } = verifyKey(KEY_SECRET, apiKey);
  const original = accountFile(stateDir, accountId);
  // Texts are sealed per account, so a copy could not open them.
  inDatabase(original, (database) => database.exec("UPDATE job SET text = NULL"));
  return Array.from({ length: count }, () => {
    const copy = accountIdOf(randomBytes(8));
    copyFileSync(original, accountFile(stateDir, copy), constants.COPYFILE_FICLONE);
    return { account_id: copy, api_key: showKey(KEY_SECRET, { accountId: copy, mode: "live", keyId }) };
  });
}

/** Multiplies an account's newest row of a table, with new numbers and with times one minute apart. */
function multiply(database, table, rows) {
  const columns = database.prepare(`PRAGMA table_info(${table})`).all();
  const names = columns.map(({ name }) => name);
  const values = names.map((name) => {
    if (name === "seq") return "seq + n";
    if (name.endsWith("_at") && name !== "due_at" && name !== "ready_at") {
      return `${name} - ${DAY_MS} - (${rows} - n) * 60000`;
    }
    return name;
  });
  const newest = `SELECT * FROM ${table} ORDER BY seq DESC LIMIT 1`;
  database.exec(`
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows})
    INSERT INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")} FROM numbers JOIN (${newest})`);
}

/** Times of messages that are multiplied: one minute apart, the newest of them a day ago. */
const agoMs = (n, rows) => DAY_MS + (rows - n) * 60_000;

/**
 * Writes the recorded messages of a copy: the single message of `original` again and again, in the groups in which history
 * keeps them (src/db/message-groups.ts), as jobs `first + 1` to `first + rows`.
 */
function fillGroups(database, { account_id: accountId }, { first, rows, original }) {
  const found =
    "SELECT * FROM message_group WHERE account_id = ? AND mode = 'live' AND kind = 0 ORDER BY seq DESC LIMIT 1";
  const group = database.prepare(found).get(original.account_id);
  const [[, index, kind, state, rev, , ...steps]] = JSON.parse(group.messages);
  const [[, operation]] = JSON.parse(group.counts);
  const [number] = group.recipients.split(" ");
  const names = Object.keys(group);
  const insert = `INSERT INTO message_group (${names.join(", ")}) VALUES (${names.map((name) => `:${name}`).join(", ")})`;
  const statement = database.prepare(insert);
  for (let seq = first + 1 - ((first + 1) % BUCKET_JOBS); seq <= first + rows; seq += BUCKET_JOBS) {
    const jobs = Array.from({ length: BUCKET_JOBS }, (_, at) => seq + at).filter(
      (job) => job > first && job <= first + rows,
    );
    const createdAt = jobs.map((job) => group.first_at - agoMs(job - first, rows));
    const counts = new Map();
    for (const at of createdAt) {
      const quarter = Math.floor(at / QUARTER_MS);
      counts.set(quarter, (counts.get(quarter) ?? 0) + 1);
    }
    statement.run({
      ...group,
      account_id: accountId,
      seq,
      rev: rev * jobs.length,
      first_at: createdAt[0],
      last_at: createdAt.at(-1),
      counts: JSON.stringify([...counts].map(([quarter, count]) => [quarter, operation, count])),
      recipients: jobs.map(() => number).join(" "),
      messages: JSON.stringify(
        jobs.map((job, at) => [job - seq, index, kind, state, rev, createdAt[at] - createdAt[0], ...steps]),
      ),
    });
  }
}

/** Gives a copy of an account a history of `rows` delivered messages, all of them recorded. */
export function fillHistory(stateDir, account, rows, original) {
  if (rows === 0) return;
  let first = 0;
  inDatabase(accountFile(stateDir, account.account_id), (database) => {
    first = database.prepare("SELECT max(seq) AS seq FROM job").get().seq;
    multiply(database, "job", rows);
    database.exec("UPDATE account SET settled_seq = (SELECT max(seq) FROM job)");
  });
  inD1(stateDir, "HISTORY_1", (database) => fillGroups(database, account, { first, rows, original }));
}

/** Signs in a new person with this account; returns the session cookie. */
export function signIn(stateDir, { account_id: accountId }) {
  const token = randomBytes(32).toString("base64url");
  // D1 stores only the token's hash (src/sign-in/sessions.ts).
  const hash = createHash("sha256").update(token).digest("base64url");
  const nowMs = Date.now();
  inD1(stateDir, "DB", (database) => {
    const person = database.prepare("INSERT INTO person (id, account_id, name, created_at) VALUES (?, ?, ?, ?)");
    person.run(`psn_${accountId}`, accountId, "Bench", nowMs);
    const session = `INSERT INTO session (hash, holder, device, created_at, authenticated_at, seen_at, expires_at)
      VALUES (?, ?, '', ?, ?, ?, ?)`;
    database.prepare(session).run(hash, `psn_${accountId}`, nowMs, nowMs, nowMs, nowMs + DAY_MS);
  });
  // The name of a console that is reached over https (src/sign-in/sessions.ts).
  return `__Host-session=${token}`;
}
