// The archive: an account that sent ten million messages before and after it, and a thousand accounts in one night. The
// rows are written directly, all of them too old to stay.
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pause } from "../../harness/accounts.mjs";
import { pricesOf } from "../cost/prices.mjs";
import { startMeasured } from "./load.mjs";
import { accountFile, copyAccounts, inDatabase } from "./state.mjs";

const LARGE = { singles: 1_000_000, bulks: 90_000, recipients: 100, months: 24 };
const SMALL = { singles: 1_000, bulks: 10, recipients: 100, months: 1 };
const ACCOUNTS = 1_000;

/** The rows span some months, and end before HISTORY_DAYS and a month ago. */
const AGE_MS = 440 * 86_400_000;
const MONTH_MS = 30.4 * 86_400_000;

/** Units that each message costs: so little that the account that is copied can pay ten million. */
const CHARGE = 1_000;

/** Dollars per GB and month: an object's storage, and R2's. */
const OBJECT_GB = 0.2;
const R2_GB = 0.015;

const WAIT_MS_MAX = 45 * 60_000;

const messagesIn = ({ singles, bulks, recipients }) => singles + bulks * recipients;

/** Writes the old messages of an account, spread evenly over the months, each with its debit and the balance after it. */
function fill(stateDir, { account_id: accountId }, size) {
  const rows = size.singles + size.bulks;
  inDatabase(accountFile(stateDir, accountId), (database) => {
    const { seq, balance_after: balance } = database.prepare("SELECT * FROM job ORDER BY seq DESC LIMIT 1").get();
    const names = database
      .prepare("PRAGMA table_info(job)")
      .all()
      .map(({ name }) => name);
    const numbers = JSON.stringify(
      Array.from({ length: size.recipients }, (_, at) => `+91${9_000_000_000 + at * 7_919}`),
    );
    const lives = `[[${Array.from({ length: size.recipients }, (_, at) => at % 3)}],[[3,1,"s40t95d2100"],[4,1,"s40t95d3900"],[5,1,"s40t95n9000"]]]`;
    // Every so many rows, one is a job of a bulk.
    const gap = Math.floor(rows / size.bulks);
    const isBulk = `n % ${gap} = 0 AND n / ${gap} <= ${size.bulks}`;
    const bulksBefore = `min(n / ${gap}, ${size.bulks})`;
    const spent = `(${CHARGE} * ((n - ${bulksBefore}) + ${size.recipients} * ${bulksBefore}))`;
    const replaced = {
      seq: `${seq} + n`,
      request_id: "'req_' || n",
      charge: CHARGE,
      debit: `iif(${isBulk}, ${CHARGE * size.recipients}, ${CHARGE})`,
      balance_after: `${balance} - ${spent}`,
      created_at: `${Date.now() - AGE_MS} - cast((${rows} - n) * ${(size.months * MONTH_MS) / rows} AS INTEGER)`,
      expires_at: `${Date.now() - AGE_MS}`,
      messages: `iif(${isBulk}, '${numbers}', messages)`,
      lives: `iif(${isBulk}, '${lives}', lives)`,
      lane: `iif(${isBulk}, 'bulk', 'single')`,
      due_at: "NULL",
      ready_at: "NULL",
      late: "NULL",
    };
    database.exec(`
      WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows})
      INSERT INTO job (${names.join(", ")}) SELECT ${names.map((name) => replaced[name] ?? name).join(", ")}
        FROM numbers JOIN (SELECT * FROM job WHERE seq = ${seq})`);
    // The copied message and the opening are as old as the rest.
    const first = Date.now() - AGE_MS - size.months * MONTH_MS;
    database.exec(
      `UPDATE job SET created_at = ${first} WHERE seq <= ${seq}; UPDATE ledger_entry SET created_at = ${first}`,
    );
    database.exec(`UPDATE account SET settled_seq = ${seq + rows}, archive_at = ${Date.now()}`);
  });
}

/** What an account's file holds: MB in use, of the whole file, and its rows. */
function sizeOf(stateDir, { account_id: accountId }) {
  const file = accountFile(stateDir, accountId);
  const database = new DatabaseSync(file);
  const one = (query) => Object.values(database.prepare(query).get())[0];
  const [pages, free, bytes] = ["page_count", "freelist_count", "page_size"].map((name) => one(`PRAGMA ${name}`));
  const files = one("SELECT count(*) FROM archive_file");
  const stored = one("SELECT coalesce(sum(json_extract(manifest, '$.file.bytes')), 0) FROM archive_file");
  const jobs = one("SELECT count(*) FROM job");
  database.close();
  return { mb: ((pages - free) * bytes) / 1e6, fileMb: statSync(file).size / 1e6, jobs, files, storedMb: stored / 1e6 };
}

/** Wakes the accounts and waits until each has archived all it has; what that took, and what was billed. */
async function archiveAll(setUp, accounts) {
  const service = await startMeasured({ ...setUp, sweepMs: 1_000 });
  try {
    const counters = async () => (await service.client.ask("count.bench", "/")).body.counters;
    const before = await counters();
    const began = performance.now();
    const isOver = async ({ account_id: id }) => {
      const {
        data,
        checkpoint,
        has_more: hasMore,
      } = await service.client.operate(`/operator/accounts/${id}/archives?limit=500`);
      const ledger = await service.client.operate(`/operator/accounts/${id}/ledger?limit=2`);
      return !hasMore && data.length > 0 && checkpoint.seq > 0 && ledger.data.length === 1;
    };
    let left = accounts;
    while (left.length > 0 && performance.now() - began < WAIT_MS_MAX) {
      const still = [];
      for (const account of left) if (!(await isOver(account))) still.push(account);
      left = still;
      if (left.length > 0) await pause(1_000);
    }
    if (left.length > 0) throw new Error(`${left.length} accounts were not archived`);
    const sec = (performance.now() - began) / 1_000;
    const after = await counters();
    const counted = Object.fromEntries(Object.keys(after).map((name) => [name, after[name] - (before[name] ?? 0)]));
    return { sec, counted };
  } finally {
    await service.stop();
  }
}

const totalOf = (prices) => Object.values(prices).reduce((sum, price) => sum + price, 0);

/** One measurement: accounts of a size, before and after. */
async function measure(setUp, original, size, count) {
  const accounts = copyAccounts(setUp.stateDir, original, count);
  for (const account of accounts) fill(setUp.stateDir, account, size);
  const before = sizeOf(setUp.stateDir, accounts[0]);
  const { sec, counted } = await archiveAll(setUp, accounts);
  const after = sizeOf(setUp.stateDir, accounts[0]);
  const messages = messagesIn(size) * count;
  // `pricesOf` gives dollars per million operations; the counts here are those of the whole run.
  const dollars = totalOf(pricesOf(counted)) / 1e6;
  return { accounts: count, messages, before, after, sec, counted, dollars };
}

/** Measures an account of ten million messages, and a thousand accounts. */
export async function growArchive(setUp, original) {
  return {
    large: await measure(setUp, original, LARGE, 1),
    night: await measure(setUp, original, SMALL, ACCOUNTS),
  };
}

const fixed = (value, digits = 1) => Number(value.toFixed(digits));

/** Dollars per million messages and month that storage costs before and after. */
const storageOf = ({ messages, accounts, before, after }) => ({
  before: ((before.mb * accounts) / 1_000 / (messages / 1e6)) * OBJECT_GB,
  after: ((after.mb * OBJECT_GB + after.storedMb * R2_GB) * accounts) / 1_000 / (messages / 1e6),
});

/** Prints the table and the sentences. */
export function printArchive(measured) {
  console.log("The archive of what is older than HISTORY_DAYS:");
  const line = (one) => ({
    accounts: one.accounts,
    messages: one.messages,
    "object MB before": fixed(one.before.mb),
    "object MB after": fixed(one.after.mb, 2),
    files: one.after.files * one.accounts,
    "archive MB": fixed(one.after.storedMb * one.accounts),
    seconds: fixed(one.sec),
    "rows written": one.counted["rows written"] ?? 0,
    "$ per million messages": fixed((one.dollars / one.messages) * 1e6, 4),
  });
  console.table({ "one account": line(measured.large), "a thousand accounts": line(measured.night) });
  const { before, after } = storageOf(measured.large);
  const sentences = [
    `Archive: an account of ${measured.large.messages} messages holds ${fixed(measured.large.before.mb)} MB before and ${fixed(measured.large.after.mb, 2)} MB after it.`,
    `Archive: storage of a million messages costs $${before.toFixed(4)} a month in the object and $${after.toFixed(4)} in the archive.`,
    `Archive: ${measured.night.accounts} accounts with ${measured.night.messages} messages took ${fixed(measured.night.sec)} s.`,
  ];
  for (const sentence of sentences) console.log(sentence);
  return sentences;
}
