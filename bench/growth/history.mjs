// The curve over history: response times of an account that has sent up to a million messages.
import { shapeOf, takeTurns } from "./curve.mjs";
import { oneByOne, startMeasured } from "./load.mjs";
import { copyAccounts, fillHistory, signIn } from "./state.mjs";
import { HOSTS } from "../../harness/service.mjs";

const SIZES = [0, 10_000, 100_000, 1_000_000];
const ROUNDS = 3;

const SMS = { phone: "9876543210", message: "Your order 4711 is on its way and will be with you today." };

/** The requests, and how many of them per round: all rounds together stay below the plan's limit. */
const ASKED = {
  "send-sms": { times: 20, ask: (client, { key }) => client.askAs(key, HOSTS.sms, "/send-sms", { body: SMS }) },
  "account-balance": { times: 20, ask: (client, { key }) => client.askAs(key, HOSTS.sms, "/account-balance") },
  "first request after eviction": {
    times: 5,
    before: (client, { account }) => client.ask("count.bench", `/${account}`, { method: "DELETE" }),
    ask: (client, { key }) => client.askAs(key, HOSTS.sms, "/account-balance"),
  },
  "/ (overview)": { times: 8, ask: (client, { cookie }) => client.ask(HOSTS.console, "/", { headers: { cookie } }) },
  "/activity": {
    times: 8,
    ask: (client, { cookie }) => client.ask(HOSTS.console, "/activity", { headers: { cookie } }),
  },
  "/activity, nothing found": {
    times: 2,
    ask: (client, { cookie }) => client.ask(HOSTS.console, "/activity?q=to:1111111111", { headers: { cookie } }),
  },
};

/** Measures the curves; each size is a copy of `original` with a history of that size. */
export async function growWithHistory(setUp, original) {
  const pasts = copyAccounts(setUp.stateDir, original, SIZES.length).map((account, at) => {
    fillHistory(setUp.stateDir, account, SIZES[at], original);
    const cookie = signIn(setUp.stateDir, account);
    return { account: account.account_id, key: account.api_key, cookie };
  });
  const service = await startMeasured(setUp);
  try {
    const curves = [];
    for (const [asked, { times, before, ask }] of Object.entries(ASKED)) {
      const measure = (count) => (_, at) => {
        const wake = before && (() => before(service.client, pasts[at]));
        return oneByOne(service, count, () => ask(service.client, pasts[at]), wake);
      };
      // One round that is not counted, to fill caches.
      await takeTurns(SIZES, 1, measure(1));
      curves.push({ asked, curve: await takeTurns(SIZES, ROUNDS, measure(times)) });
    }
    return curves;
  } finally {
    await service.stop();
  }
}

const line = ({ curve }) => Object.fromEntries(curve.of("ms").map((ms, at) => [SIZES[at], Number(ms.toFixed(2))]));

/** Prints the table and the sentences of the curves. */
export function printHistory(curves) {
  console.log("Response times by number of messages sent, one request at a time, p50 in ms:");
  console.table(Object.fromEntries(curves.map((one) => [one.asked, line(one)])));
  const sentences = curves.map(
    ({ asked, curve }) => `${asked} over history: ${shapeOf(SIZES, curve.roundsOf("ms"), "ms")}.`,
  );
  for (const sentence of sentences) console.log(sentence);
  return sentences;
}
