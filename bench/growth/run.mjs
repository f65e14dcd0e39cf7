// npm run bench:growth: how the service grows with accounts, with history and with recipients. All sizes of a curve
// take turns in one run, so only their ratios are meaningful; each curve ends in a sentence that is computed from it.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openAccounts, pause } from "../../harness/accounts.mjs";
import { freePorts } from "../../harness/program.ts";
import { part, printFailures } from "../failures.mjs";
import { growWithAccounts, printAccounts } from "./accounts.mjs";
import { growArchive, printArchive } from "./archive.mjs";
import { growCampaign, printCampaign } from "./campaign.mjs";
import { fillHistoryDatabase, printFull } from "./full.mjs";
import { growWithHistory, printHistory } from "./history.mjs";
import { startMeasured } from "./load.mjs";
import { growWithRecipients, printRecipients } from "./recipients.mjs";
import { withScratch } from "../scratch.mjs";
import { HOSTS, bundleService } from "../../harness/service.mjs";

const RESULT = path.join(import.meta.dirname, "../..", ".wrangler", "growth.json");

/** Coins of the account that is copied: more than any copy spends. */
const BALANCE = 1e7;

const DELIVERED_MS_MAX = 90_000;

/** Opens the account that is copied, with one delivered and recorded message. */
export async function openOriginal(setUp) {
  const service = await startMeasured({ ...setUp, held: [], sweepMs: 1_000 });
  try {
    const [account] = await openAccounts(service.client, 1, { balance: BALANCE });
    const body = { phone: "9876543210", message: "Your order 4711 is on its way." };
    const { status } = await service.client.askAs(account.api_key, HOSTS.sms, "/send-sms", { body });
    if (status !== 200) throw new Error(`the first send was answered with ${status}`);
    for (let waitedMs = 0; waitedMs < DELIVERED_MS_MAX; waitedMs += 500) {
      const { data } = await service.client.operate(`/operator/accounts/${account.account_id}/messages`);
      const { body: now } = await service.client.ask("count.bench", "/");
      if (data[0]?.state === "delivered" && now.open.isAtRest) return account;
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

const LOAD = ["perSec", "p50Ms", "cpuUs"];

/** Measures and prints the curves one after the other; one that fails is added to `failures`, and does not stop the others. */
export async function measureGrowth({ bundle, stateDir, port, failures }) {
  const setUp = { bundle, stateDir, port };
  const sentences = [];
  const curves = {};
  const campaign = await part("growth of a campaign", failures, () => growCampaign(setUp));
  if (campaign) {
    sentences.push(...printCampaign(campaign));
    curves.campaign = campaign;
  }
  const full = await part("a full database of history", failures, () => fillHistoryDatabase(setUp));
  if (full) {
    sentences.push(...printFull(full));
    curves.full = full;
  }
  const original = await part("the account that is copied", failures, () => openOriginal(setUp));
  if (original === null) return { ...curves, sentences };
  await part("growth with recipients", failures, async () => {
    const recipients = await growWithRecipients(setUp, original);
    sentences.push(...printRecipients(recipients));
    curves.recipients = plain(recipients, ["ms", "cpuUs", "rows"]);
  });
  await part("growth with accounts", failures, async () => {
    const { used, paced, ...memory } = await growWithAccounts(setUp, original);
    sentences.push(...printAccounts({ used, paced, ...memory }));
    curves.accounts = { inUse: plain(used, LOAD), asleep: plain(paced, LOAD), ...memory };
  });
  await part("growth with history", failures, async () => {
    const history = await growWithHistory(setUp, original);
    sentences.push(...printHistory(history));
    curves.history = Object.fromEntries(history.map(({ asked, curve }) => [asked, plain(curve, ["ms", "cpuUs"])]));
  });
  await part("the archive", failures, async () => {
    curves.archive = await growArchive(setUp, original);
    sentences.push(...printArchive(curves.archive));
  });
  return { ...curves, sentences };
}

if (process.argv[1] === import.meta.filename) {
  await withScratch("growth", async (stateDir) => {
    const failures = [];
    const [port] = await freePorts(1);
    const curves = await measureGrowth({ bundle: await bundleService(), stateDir, port, failures });
    mkdirSync(path.dirname(RESULT), { recursive: true });
    writeFileSync(RESULT, JSON.stringify({ at: new Date().toISOString(), ...curves }, null, 2));
    console.log("All numbers: .wrangler/growth.json");
    printFailures(failures);
  });
}
