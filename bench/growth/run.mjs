// npm run bench:growth: how the service grows with accounts, with history and with recipients. All sizes of a curve
// take turns in one run, so only their ratios are meaningful; each curve ends in a sentence that is computed from it.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openAccounts, pause } from "../../harness/accounts.mjs";
import { growWithAccounts, printAccounts } from "./accounts.mjs";
import { growWithHistory, printHistory } from "./history.mjs";
import { startMeasured } from "./load.mjs";
import { growWithRecipients, printRecipients } from "./recipients.mjs";
import { withScratch } from "../scratch.mjs";
import { HOSTS, bundleService } from "../../harness/service.mjs";

const PORT = 19_350;
const RESULT = path.join(import.meta.dirname, "../..", ".wrangler", "growth.json");

/** Coins of the account that is copied: more than any copy spends. */
const BALANCE = 1e7;

const DELIVERED_MS_MAX = 30_000;

/** Opens the account that is copied, with one delivered and recorded message. */
async function openOriginal(setUp) {
  const service = await startMeasured({ ...setUp, held: [], sweepMs: 1_000 });
  try {
    const [account] = await openAccounts(service.client, 1, { balance: BALANCE });
    const body = { phone: "9876543210", message: "Your order 4711 is on its way." };
    const { status } = await service.client.askAs(account.api_key, HOSTS.sms, "/send-sms", { body });
    if (status !== 200) throw new Error(`the first send was answered with ${status}`);
    for (let waitedMs = 0; waitedMs < DELIVERED_MS_MAX; waitedMs += 500) {
      const { body: now } = await service.client.ask("count.bench", "/");
      if (now.recorded.delivered === 1 && now.open.alarms === 0) return account;
      await pause(500);
    }
    throw new Error("the first message was not delivered");
  } finally {
    await service.stop();
  }
}

/** A curve as plain numbers. */
const plain = (curve, fields) => ({
  sizes: curve.sizes,
  ...Object.fromEntries(fields.map((field) => [field, { median: curve.of(field), rounds: curve.roundsOf(field) }])),
});

/** Measures and prints every curve, on `port`; returns the curves, and `sentences` that describe them. */
export async function measureGrowth({ bundle, stateDir, port = PORT }) {
  const setUp = { bundle, stateDir, port };
  const original = await openOriginal(setUp);
  const recipients = await growWithRecipients(setUp, original);
  const saidOfRecipients = printRecipients(recipients);
  const { used, paced, ...memory } = await growWithAccounts(setUp, original);
  const saidOfAccounts = printAccounts({ used, paced, ...memory });
  const history = await growWithHistory(setUp, original);
  const sentences = [...saidOfAccounts, ...printHistory(history), ...saidOfRecipients];
  const load = ["perSec", "p50Ms", "cpuUs"];
  return {
    accounts: { inUse: plain(used, load), asleep: plain(paced, load), ...memory },
    history: Object.fromEntries(history.map(({ asked, curve }) => [asked, plain(curve, ["ms", "cpuUs"])])),
    recipients: plain(recipients, ["ms", "cpuUs", "rows"]),
    sentences,
  };
}

if (process.argv[1] === import.meta.filename) {
  await withScratch("growth", async (stateDir) => {
    const curves = await measureGrowth({ bundle: await bundleService(), stateDir });
    mkdirSync(path.dirname(RESULT), { recursive: true });
    writeFileSync(RESULT, JSON.stringify({ at: new Date().toISOString(), ...curves }, null, 2));
    console.log("All numbers: .wrangler/growth.json");
  });
}
