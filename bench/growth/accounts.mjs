// The curve over accounts: sends over 1 to 10,000 accounts that are all in use, and over 10,000 that sleep.
import { pause } from "../../harness/accounts.mjs";
import { shapeOf, takeTurns } from "./curve.mjs";
import { filesMax, holds, sends, startMeasured } from "./load.mjs";
import { copyAccounts } from "./state.mjs";

/** Accounts that are all in use. */
const SIZES = [1, 10, 100, 1_000];

/**
 * Accounts most of which sleep: an object without requests is closed after `SLEEP_MS`, and the next request opens it.
 */
const MANY = 10_000;
const SLEEP_MS = 11_000;

/**
 * Pause of each of sixteen connections between two requests: long enough that accounts sleep before their next turn.
 */
const GAP_MS = 60;

const ROUNDS = 3;
const SLICE_SEC = 2;

/** Accounts per pool: enough that none is used again within its minute. */
const POOL = { 1: 500, 10: 500, 100: 600 };

/** Files that the runtime keeps open per object. */
const FILES_PER_ACCOUNT = 3;

/** Requests per second at which even a busy machine opens accounts. */
const OPENED_PER_SEC = 300;

/** Sends on one service; each slice continues in its pool of accounts where the previous one stopped. */
class Pools {
  #pools = new Map();

  constructor(stateDir, original, sizes) {
    for (const hot of sizes) {
      const keys = copyAccounts(stateDir, original, POOL[hot] ?? hot).map((account) => account.api_key);
      this.#pools.set(hot, { keys, from: 0 });
    }
  }

  async slice(service, hot, gapMs = 0) {
    const pool = this.#pools.get(hot);
    const result = await sends(service, { ...pool, hot, seconds: SLICE_SEC, gapMs });
    pool.from += result.accounts;
    return result;
  }

  /** Sends to each account of the next slice once, so that opening the objects is not measured. */
  async open(service, hot) {
    await sends(service, { ...this.#pools.get(hot), hot, seconds: Math.ceil(hot / OPENED_PER_SEC), gapMs: 0 });
  }
}

/** Measures the curve on copies of `original`; returns the rounds, and what open accounts use. */
export async function growWithAccounts(setUp, original) {
  const pools = new Pools(setUp.stateDir, original, [...SIZES, MANY]);
  const service = await startMeasured(setUp);
  try {
    const awake = async (hot) => {
      // With few accounts each one sends so often that its first send does not matter.
      if (!(hot in POOL)) await pools.open(service, hot);
      return pools.slice(service, hot);
    };
    for (const hot of Object.keys(POOL)) await awake(Number(hot));
    const closed = holds(service);
    await pools.open(service, SIZES.at(-1));
    const open = holds(service);
    const openAtOnce = (open.files - closed.files) / FILES_PER_ACCOUNT;
    const kibEach = ((open.mib - closed.mib) * 1_024) / openAtOnce;
    const used = await takeTurns(SIZES, ROUNDS, awake);
    await pause(SLEEP_MS);
    const paced = await takeTurns([10, MANY], ROUNDS, (hot) => pools.slice(service, hot, GAP_MS));
    return { used, paced, openAtOnce, kibEach, mib: open.mib };
  } finally {
    await service.stop();
  }
}

/** Prints the table and the sentences of the curve. */
export function printAccounts({ used, paced, openAtOnce, kibEach, mib }) {
  console.log("send-sms over accounts in use (16 connections, requests alone, nothing delivered):");
  const [perSec, p50Ms, cpuUs] = ["perSec", "p50Ms", "cpuUs"].map((field) => used.of(field));
  const line = (at) => ({
    "requests/s": Math.round(perSec[at]),
    "p50 ms": Number(p50Ms[at].toFixed(1)),
    "CPU µs": Math.round(cpuUs[at]),
  });
  console.table(Object.fromEntries(SIZES.map((accounts, at) => [accounts, line(at)])));
  // One account is a special case: all connections use one object, which commits simultaneous sends together.
  const shape = (field, unit) => shapeOf(SIZES.slice(1), used.roundsOf(field).slice(1), unit);
  const pacedText = (at) => `${Math.round(paced.of("cpuUs")[at])} µs and ${paced.of("p50Ms")[at].toFixed(1)} ms`;
  const sentences = [
    `Requests per second from ${SIZES[1]} accounts on: ${shape("perSec", "/s")}; ${Math.round(perSec[0])}/s on one, whose sends share commits.`,
    `Processor time per request from ${SIZES[1]} accounts on: ${shape("cpuUs", "µs")}; ${Math.round(cpuUs[0])} µs on one.`,
    `Memory grows in proportion to open accounts, by ${Math.round(kibEach)} KiB each: ${Math.round(mib)} MiB with ${Math.round(openAtOnce)} more open. An object without requests for ten seconds is closed.`,
    `A send by one of ${MANY} sleeping accounts takes ${pacedText(1)} of processor time and latency, at ${Math.round(paced.of("perSec")[1])} requests/s; by one of 10 that are awake ${pacedText(0)}.`,
    `${MANY} open at once would need ${MANY * FILES_PER_ACCOUNT} files in one process, which may open ${filesMax()} here, and a request to each within ten seconds.`,
  ];
  for (const sentence of sentences) console.log(sentence);
  return sentences;
}
