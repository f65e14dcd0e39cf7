// From the slices of all rounds to what is printed: medians, ratios within their round, and the aims.
import { FLOOR, FLOOR_ECHO, WHOLE, WHOLE_STARTED } from "./cases.mjs";
import { PEERS } from "../peers/index.mjs";

/** The quantile of the values at `share`. */
function quantile(values, share) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const median = (values) => quantile(values, 0.5);

/** The rate of one case as a multiple of another's, in each round. */
const ratios = (rounds, name, base) => rounds.map((round) => round[name].perSec / (round[base]?.perSec ?? Number.NaN));

const fixed = (value, digits) => Number(value.toFixed(digits));

/** One row per case: medians over the rounds. */
export function summaryOf(rounds) {
  return Object.keys(rounds[0] ?? {}).map((name) => {
    const of = (field) => median(rounds.map((round) => round[name][field]));
    return {
      case: name,
      perSec: Math.round(of("perSec")),
      floors: fixed(median(ratios(rounds, name, FLOOR)), 2),
      cpuUs: Math.round(of("cpuUs")),
      p50Ms: fixed(of("p50Ms"), 2),
      p99Ms: fixed(of("p99Ms"), 1),
      wrong: rounds.reduce((sum, round) => sum + round[name].wrong, 0),
      memoryMib: Math.round(Math.max(...rounds.map((round) => round[name].memoryMib))),
    };
  });
}

const TITLES = {
  perSec: "requests/s",
  floors: "× floor",
  cpuUs: "CPU µs",
  p50Ms: "p50 ms",
  p99Ms: "p99 ms",
  wrong: "unexpected",
  memoryMib: "peak MiB",
};

const titled = (row) => Object.fromEntries(Object.entries(TITLES).map(([field, title]) => [title, row[field]]));

/** Prints the rows; `× floor` is relative to the object call with one update and one insert. */
export function printTable(summary) {
  console.table(Object.fromEntries(summary.map((row) => [row.case, titled(row)])));
}

const oneAccount = (peer) => `${PEERS[peer].title}, one account`;

/** The aims, each a ratio within one run. */
const AIMS = [
  { of: "send-sms", base: FLOOR, atLeast: 0.75 },
  { of: "forged key", base: FLOOR_ECHO, atLeast: 0.8 },
  { of: WHOLE_STARTED, base: WHOLE, atLeast: 0.8 },
  { of: "send-sms, one account", base: oneAccount("node-sqlite"), atLeast: 0.9 },
  { of: "send-sms, one account", base: oneAccount("node-postgres-redis"), atLeast: 2.5 },
];

/** The longest allowed time until the reply to a bulk of 10,000. */
const BULK = { of: "send-bulk-sms of 10,000, one connection", belowMs: 150 };

/** Prints each aim with the measured median, and the range of the middle half of the rounds. */
export function printAims(rounds) {
  const [first = {}] = rounds;
  for (const { of, base, atLeast } of AIMS) {
    if (!first[of] || !first[base]) continue;
    const all = ratios(rounds, of, base);
    const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(all, share).toFixed(2));
    const verdict = median(all) >= atLeast ? "met" : "MISSED";
    console.log(`${of} / ${base}: ${middle} [${low} to ${high}], aim at least ${atLeast}: ${verdict}.`);
  }
  if (!first[BULK.of]) return;
  const p50Ms = median(rounds.map((round) => round[BULK.of].p50Ms));
  const verdict = p50Ms < BULK.belowMs ? "met" : "MISSED";
  console.log(`${BULK.of}: ${p50Ms.toFixed(0)} ms, aim below ${BULK.belowMs} ms: ${verdict}.`);
}
