// The curve over accounts: sends over 1 to 10,000 accounts that are all in use, and over 10,000 that sleep.
import { pause } from "./accounts.mjs";
import { median, shapeOf } from "./growth-curve.mjs";
import { filesMax, holds, sends, startMeasured } from "./growth-load.mjs";
import { copyAccounts } from "./growth-state.mjs";

const SIZES = [1, 10, 100, 1_000, 10_000];
const MANY = 10_000;
const ROUNDS = 3;
const SLICE_SEC = 2;

/** Accounts that a pool needs, so that none comes again before its minute is over. */
const POOL = { 1: 300, 10: 300, 100: 600 };

/** Files that the runtime holds for an open object, and all that it may need beside. */
const FILES_PER_ACCOUNT = 3;
const FILES_SPARE = 2_000;

/** An object that nobody asks is closed after this. */
const SLEEP_MS = 11_000;

/** With sixteen connections that wait so long, an account in ten thousand sleeps again before its next turn. */
const GAP_MS = 30;

/** Slices of sends on one service, each going on in its pool of accounts where the one before stopped. */
class Pools {
  #pools = new Map();

  constructor(stateDir, original, sizes) {
    for (const hot of sizes) {
      const keys = copyAccounts(stateDir, original, POOL[hot] ?? hot).map((account) => account.api_key);
      this.#pools.set(hot, { keys, from: 0 });
    }
  }

  async slice(service, hot, seconds = SLICE_SEC, gapMs = 0) {
    const pool = this.#pools.get(hot);
    const result = await sends(service, { ...pool, hot, seconds, gapMs });
    pool.from += result.accounts;
    return result;
  }
}

/** Takes each size in turn, forwards and backwards, and gives the medians of each. */
async function takeTurns(sizes, measure) {
  const results = new Map(sizes.map((size) => [size, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const size of round % 2 === 0 ? sizes : sizes.toReversed()) results.get(size).push(await measure(size));
  }
  return sizes.map((size) => {
    const of = (field) => median(results.get(size).map((result) => result[field]));
    return { accounts: size, perSec: of("perSec"), p50Ms: of("p50Ms"), cpuUs: of("cpuUs") };
  });
}

/** Measures the curve; `original` is an account whose copies are used. Returns its rows and what they show. */
export async function growWithAccounts(setUp, original) {
  const fits = Math.floor((filesMax() - FILES_SPARE) / FILES_PER_ACCOUNT);
  const sizes = [...new Set(SIZES.map((size) => Math.min(size, fits)))];
  const most = sizes.at(-1);
  const pools = new Pools(setUp.stateDir, original, new Set([...sizes, MANY]));
  const service = await startMeasured(setUp);
  try {
    const few = sizes.slice(0, -1);
    for (const hot of few) await pools.slice(service, hot);
    const rows = await takeTurns(few, (hot) => pools.slice(service, hot));
    await pause(SLEEP_MS);
    const closed = holds(service);
    // Enough for each account to be opened; what opens an account is not what is measured.
    await pools.slice(service, most, Math.ceil(most / 400));
    const [, ...largest] = await takeTurns([10, most], (hot) => pools.slice(service, hot));
    const open = holds(service);
    await pause(SLEEP_MS);
    const paced = await takeTurns([10, MANY], (hot) => pools.slice(service, hot, SLICE_SEC, GAP_MS));
    const each = { kib: ((open.mib - closed.mib) * 1_024) / most, files: (open.files - closed.files) / most };
    return { rows: [...rows, ...largest], paced, each, open, fits };
  } finally {
    await service.stop();
  }
}

/** The table and the sentences of the curve. */
export function printAccounts({ rows, paced, each, open, fits }) {
  console.log("send-sms over accounts in use (16 connections, requests alone, nothing delivered):");
  const line = ({ perSec, p50Ms, cpuUs }) => ({
    "requests/s": Math.round(perSec),
    "p50 ms": Number(p50Ms.toFixed(1)),
    "CPU µs": Math.round(cpuUs),
  });
  console.table(Object.fromEntries(rows.map((row) => [row.accounts, line(row)])));
  const sizes = rows.map(({ accounts }) => accounts);
  const of = (field) => rows.map((row) => row[field]);
  const sentences = [
    `Requests per second over accounts: ${shapeOf(sizes, of("perSec"), "/s")}.`,
    `Processor time per request over accounts: ${shapeOf(sizes, of("cpuUs"), "µs")}.`,
    `An account in use takes ${Math.round(each.kib)} KiB of memory and ${each.files.toFixed(1)} open files: memory grows in proportion, to ${Math.round(open.mib)} MiB at ${rows.at(-1).accounts}; one that nobody asks for ten seconds takes none.`,
  ];
  if (fits < MANY) {
    sentences.push(
      `The run over accounts in use stops at ${fits}: a process may open ${filesMax()} files here, and no more can be allowed.`,
    );
  }
  const [few, many] = paced;
  sentences.push(
    `Of ${MANY} accounts that sleep until they are asked, at ${Math.round(many.perSec)} requests/s: ${Math.round(many.cpuUs)} µs of processor time and ${many.p50Ms.toFixed(1)} ms each, against ${Math.round(few.cpuUs)} µs and ${few.p50Ms.toFixed(1)} ms of 10 that are awake.`,
  );
  for (const sentence of sentences) console.log(sentence);
  return sentences;
}
