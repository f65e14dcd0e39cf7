// The curve over recipients: how long the reply to a bulk takes, and what each recipient costs.
import { phoneOf } from "../../harness/accounts.mjs";
import { shapeOf, takeTurns } from "./curve.mjs";
import { oneByOne, startMeasured } from "./load.mjs";
import { copyAccounts } from "./state.mjs";
import { HOSTS } from "../../harness/service.mjs";

const SIZES = [1, 10, 100, 1_000, 10_000];
const ROUNDS = 5;
/** Bulks of each size per round. */
const TIMES = { 1: 10, 10: 10, 100: 10, 1_000: 4, 10_000: 2 };

/** The reply to a bulk of 10,000 is to take less than this. */
const AIM_MS = 150;

const MESSAGE = "Your order 4711 is on its way and will be with you today between four and six. Thank you!";

/** The body of a bulk, serialised once, because that is not measured. */
const bodyOf = (size) =>
  JSON.stringify({ recipients: Array.from({ length: size }, (_, at) => phoneOf(at)), message: MESSAGE });

/** Measures the curve; each size has its own copy of `original`. */
export async function growWithRecipients(setUp, original) {
  const accounts = copyAccounts(setUp.stateDir, original, SIZES.length);
  const service = await startMeasured(setUp);
  try {
    const bodies = SIZES.map(bodyOf);
    const written = async () => (await service.client.ask("count.bench", "/")).body.counters["rows written"] ?? 0;
    const measure = (timesOf) => async (size, at) => {
      const before = await written();
      const times = timesOf(size);
      const key = accounts[at].api_key;
      const result = await oneByOne(service, times, () =>
        service.client.askAs(key, HOSTS.sms, "/send-bulk-sms", { body: bodies[at] }),
      );
      const rows = ((await written()) - before) / times;
      return { ms: result.ms, cpuUs: result.cpuUs / size, rows: rows / size };
    };
    // One round that is not counted, to fill caches.
    await takeTurns(
      SIZES,
      1,
      measure(() => 1),
    );
    return await takeTurns(
      SIZES,
      ROUNDS,
      measure((size) => TIMES[size]),
    );
  } finally {
    await service.stop();
  }
}

/** Prints the table and the sentences of the curve. */
export function printRecipients(curve) {
  console.log("send-bulk-sms until its reply, one request after the other:");
  const [ms, cpuUs, rows] = ["ms", "cpuUs", "rows"].map((field) => curve.of(field));
  const line = (at) => ({
    "p50 ms": Number(ms[at].toFixed(2)),
    "CPU µs per recipient": Number(cpuUs[at].toFixed(2)),
    "rows written per recipient": Number(rows[at].toFixed(4)),
  });
  console.table(Object.fromEntries(SIZES.map((recipients, at) => [recipients, line(at)])));
  const last = ms.at(-1);
  const sentences = [
    `Time until the reply over recipients: ${shapeOf(SIZES, curve.roundsOf("ms"), "ms")}.`,
    `A bulk of ${SIZES.at(-1)} is answered in ${last.toFixed(0)} ms, aim under ${AIM_MS} ms: ${last < AIM_MS ? "met" : "MISSED"}.`,
  ];
  for (const sentence of sentences) console.log(sentence);
  return sentences;
}
