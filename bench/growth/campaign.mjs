// The curve over an account's open recipients: how long a send, a claim, a receipt and a piece of the alarm hold the
// account's object while a campaign of up to a million is under way.
import path from "node:path";
import { Client, openAccounts, pause } from "../../harness/accounts.mjs";
import { PacedGateway } from "../../harness/paced-gateway.ts";
import { freePorts } from "../../harness/program.ts";
import { tokenBucket } from "../../harness/rate-limits.ts";
import { HOSTS, startService } from "../../harness/service.mjs";
import { randomOf } from "../../torture/random.ts";
import { aroundOf } from "../cost/around.mjs";
import { markdownTable } from "../markdown.mjs";
import { holds as holdsOf, runtimesOf } from "./load.mjs";

const SIZES = [1_000, 10_000, 100_000, 1_000_000];

/** The most that one request may have. */
const BULK = 10_000;

/** The gateway's rate: so slow that the campaign stays open, so fast that many claims and receipts are measured. */
const PER_SEC = 200;
const RECEIPT_SPREAD_MS = 10_000;

/** How long each size is measured, and how often it sends meanwhile: below the plan's limit. */
const MEASURE_MS = 20_000;
const SENDS_PER_SEC = 2;
/** Alarms come often enough that each size sees some. */
const SWEEP_MS = 4_000;

const BALANCE = 1e8;
const AIM_MS = 50;

const MESSAGE = "Your order 4711 is on its way and will be with you today between four and six. Thank you!";

const quantile = (values, share) => {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
};

/** Sends until it is admitted: a campaign of a million takes half of a minute's requests. */
async function send(client, key, at, body) {
  for (;;) {
    const reply = await client.askAs(key, HOSTS.sms, at, { body });
    if (reply.status === 200) return;
    if (reply.status !== 429) throw new Error(`${at} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    await pause(Number(reply.headers["retry-after"] ?? 1) * 1_000);
  }
}

/** One name's pieces of work: how many, how long they held the object, and their rows. */
function summaryOf(pieces) {
  const column = (at) => pieces.map((piece) => piece[at]);
  const [ms, read, written] = [0, 1, 2].map(column);
  return {
    count: pieces.length,
    p50Ms: quantile(ms, 0.5),
    p99Ms: quantile(ms, 0.99),
    rowsReadMax: Math.max(0, ...read),
    rowsWrittenMax: Math.max(0, ...written),
  };
}

/** Measures one size for a while, with single sends beside the campaign. */
async function measureSize({ client, key, service, gateway }, size) {
  await client.ask("count.bench", "/");
  const before = gateway.record.refs.size;
  const untilMs = Date.now() + MEASURE_MS;
  const replies = [];
  for (let at = 0; Date.now() < untilMs; at++) {
    const sentMs = performance.now();
    await send(client, key, "/send-sms", { phone: `8${String(at).padStart(9, "0")}`, message: MESSAGE });
    replies.push([performance.now() - sentMs, 0, 0]);
    await pause(1_000 / SENDS_PER_SEC);
  }
  const { holds, alarms } = (await client.ask("count.bench", "/")).body;
  const named = Object.entries(holds).map(([name, pieces]) => [name, summaryOf(pieces)]);
  const rows = (at) =>
    Object.values(holds).reduce((sum, pieces) => sum + pieces.reduce((all, one) => all + one[at], 0), 0);
  const messages = gateway.record.refs.size - before;
  return {
    size,
    messages,
    mib: holdsOf(service).mib,
    alarmMs: summaryOf(alarms.map((ms) => [ms, 0, 0])),
    rowsRead: rows(1) / messages,
    rowsWritten: rows(2) / messages,
    holds: { ...Object.fromEntries(named), "a send, as its client sees it": summaryOf(replies) },
  };
}

/** Measures the curve on a service of its own. */
export async function growCampaign({ bundle, stateDir, seed = process.env.TEST_SEED ?? "1" }) {
  const [port, gatewayPort] = await freePorts(2);
  const gateway = new PacedGateway(gatewayPort, {
    limit: tokenBucket(PER_SEC, PER_SEC / 4),
    latencyMs: [20, 150],
    receiptAfterMs: (_, random) => random() * RECEIPT_SPREAD_MS,
    random: randomOf(seed, "campaign"),
  });
  await gateway.listen();
  const before = runtimesOf(process.pid);
  const running = await startService({
    port,
    stateDir: path.join(stateDir, "campaign"),
    bundle,
    around: aroundOf({ wrapper: "../growth/held.js" }),
    variables: { ...gateway.settingsFor(port), CARRIER_TPS: String(PER_SEC), SWEEP_MS: String(SWEEP_MS) },
  });
  const service = { pid: runtimesOf(process.pid).find((pid) => !before.includes(pid)) };
  const client = new Client(port);
  try {
    const [{ api_key: key }] = await openAccounts(client, 1, { balance: BALANCE });
    const curve = [];
    let sent = 0;
    for (const size of SIZES) {
      while (sent < size) {
        const count = Math.min(BULK, size - sent);
        const recipients = Array.from({ length: count }, (_, at) => `9${String(sent + at).padStart(9, "0")}`);
        await send(client, key, "/send-bulk-sms", { recipients, message: MESSAGE });
        sent += count;
      }
      curve.push(await measureSize({ client, key, service, gateway }, size));
    }
    return curve;
  } finally {
    client.close();
    await running.stop();
    await gateway.close();
  }
}

const rounded = (value) => Number(value.toFixed(1));

const cell = (of) => (of ? `${rounded(of.p50Ms)} / ${rounded(of.p99Ms)} (${of.count})` : "–");

/** Columns for the sizes of the curve. */
const bySize = (curve, of) =>
  Object.fromEntries(curve.map((one) => [one.size.toLocaleString("en"), (row) => of(one, row)]));

/** What is shown of each size besides the pieces of work. */
const FACTS = {
  "messages submitted meanwhile": ({ messages }) => messages,
  "rows read per message": ({ rowsRead }) => rounded(rowsRead),
  "rows written per message": ({ rowsWritten }) => rounded(rowsWritten),
  "rows read by one piece of the alarm, at most": ({ holds }) => holds["account.alarm"]?.rowsReadMax ?? 0,
  "rows written by one piece of the alarm, at most": ({ holds }) => holds["account.alarm"]?.rowsWrittenMax ?? 0,
  "a whole alarm, ms p50 / p99 (alarms)": ({ alarmMs }) => cell(alarmMs),
  "memory of the runtime, MiB": ({ mib }) => Math.round(mib),
};

/** Prints the table and the sentences of the curve. */
export function printCampaign(curve) {
  const names = [...new Set(curve.flatMap(({ holds }) => Object.keys(holds)))];
  names.sort((one, other) => (one < other ? -1 : 1));
  const pieces = {
    "held by, ms p50 / p99 (pieces)": (name) => name,
    ...bySize(curve, ({ holds }, name) => cell(holds[name])),
  };
  console.log(
    "How long one piece of work holds its object, by recipients of an open campaign; then rows and memory:\n",
  );
  console.log(markdownTable(names, pieces));
  const facts = { "by recipients": (name) => name, ...bySize(curve, (one, name) => FACTS[name](one)) };
  console.log(`\n${markdownTable(Object.keys(FACTS), facts)}\n`);
  const last = curve.at(-1);
  const verdict = (name, what) => {
    const { p99Ms = 0 } = last.holds[name] ?? {};
    return `With ${last.size} recipients open, ${what} takes ${p99Ms.toFixed(1)} ms of the account at p99, aim under ${AIM_MS}: ${p99Ms < AIM_MS ? "met" : "MISSED"}.`;
  };
  const sentences = [
    verdict("account.send, until its reply", "a send"),
    verdict("account.alarm", "a piece of its alarm"),
  ];
  for (const sentence of sentences) console.log(sentence);
  return sentences;
}
