// The curve over recipients: how long a bulk takes until it is answered, and what a recipient of it takes.
import { phoneOf } from "./accounts.mjs";
import { median, shapeOf } from "./growth-curve.mjs";
import { oneByOne, startMeasured } from "./growth-load.mjs";
import { copyAccounts } from "./growth-state.mjs";
import { HOSTS } from "./service.mjs";

const SIZES = [1, 10, 100, 1_000, 10_000];
const ROUNDS = 5;
/** Bulks of each size in a round. */
const TIMES = { 1: 10, 10: 10, 100: 10, 1_000: 4, 10_000: 2 };

/** A bulk of 10,000 is to be answered within this. */
const AIM_MS = 150;

const MESSAGE = "Your order 4711 is on its way and will be with you today between four and six. Thank you!";

/** The body of a bulk, made once: its text is not what is measured. */
const bodyOf = (size) =>
  JSON.stringify({ recipients: Array.from({ length: size }, (_, at) => phoneOf(at)), message: MESSAGE });

async function counters(client) {
  const { body } = await client.ask("count.bench", "/");
  return body.counters;
}

/** Measures the curve, each size on a copy of `original` of its own. */
export async function growWithRecipients(setUp, original) {
  const accounts = copyAccounts(setUp.stateDir, original, SIZES.length);
  const service = await startMeasured(setUp);
  try {
    const results = SIZES.map(() => []);
    const bodies = SIZES.map(bodyOf);
    for (let round = 0; round <= ROUNDS; round++) {
      const turns = SIZES.map((size, at) => ({ size, at }));
      for (const { size, at } of round % 2 === 0 ? turns : turns.toReversed()) {
        const send = () =>
          service.client.askAs(accounts[at].api_key, HOSTS.sms, "/send-bulk-sms", { body: bodies[at] });
        const before = (await counters(service.client))["rows written"] ?? 0;
        const times = round === 0 ? 1 : TIMES[size];
        const result = await oneByOne(service, times, send);
        const rows = ((await counters(service.client))["rows written"] ?? 0) - before;
        // The round that does not count warms the caches.
        if (round > 0) results[at].push({ ...result, rows: rows / times });
      }
    }
    return SIZES.map((recipients, at) => {
      const of = (field) => median(results[at].map((result) => result[field]));
      return { recipients, ms: of("ms"), cpuUs: of("cpuUs") / recipients, rows: of("rows") / recipients };
    });
  } finally {
    await service.stop();
  }
}

/** The table and the sentences of the curve. */
export function printRecipients(rows) {
  console.log("send-bulk-sms until its reply, one request after the other:");
  const line = ({ ms, cpuUs, rows: written }) => ({
    "p50 ms": Number(ms.toFixed(2)),
    "CPU µs per recipient": Number(cpuUs.toFixed(2)),
    "rows written per recipient": Number(written.toFixed(4)),
  });
  console.table(Object.fromEntries(rows.map((row) => [row.recipients, line(row)])));
  const { ms } = rows.at(-1);
  const sentences = [
    `Time until the reply over recipients: ${shapeOf(
      SIZES,
      rows.map((row) => row.ms),
      "ms",
    )}.`,
    `A bulk of ${SIZES.at(-1)} is answered in ${ms.toFixed(0)} ms, aim under ${AIM_MS} ms: ${ms < AIM_MS ? "met" : "MISSED"}.`,
  ];
  for (const sentence of sentences) console.log(sentence);
  return sentences;
}
