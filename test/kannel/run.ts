// A bulk through a real SMS gateway with a limit: npm run test:kannel. Kannel (GPL) is a program of its own, which is
// started beside the service; it passes so many messages in a second on to a carrier over SMPP, and refuses what its
// queue does not hold.
import { rmSync, mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { PEERS } from "../../bench/peers/index.mjs";
import { start as startKannel } from "../../bench/peers/kannel.mjs";
import { balanceOf, differencesOf, ledgerOf, messagesOf } from "../../harness/books.ts";
import type { MessageRow } from "../../harness/books.ts";
import { endPrograms, freePort, freshDirectory } from "../../harness/program.ts";
import { startService } from "../../harness/started.ts";
import type { Customer, Service } from "../../harness/started.ts";
import { KannelAdapter } from "./adapter.ts";
import type { Taken } from "./adapter.ts";
import { Smsc } from "./smsc.ts";

const { values } = parseArgs({
  options: {
    recipients: { type: "string", default: "2000" },
    /** What Kannel's carrier takes in a second. */
    "per-second": { type: "string", default: "10" },
    /** What the gateway's busy answer asks to wait, in whole seconds; without it the answer says nothing. */
    "retry-after": { type: "string" },
    /** A setting of the service, as in `npm start`; repeated for more. */
    set: { type: "string", multiple: true, default: [] },
  },
});

const say = (line: string) => process.stdout.write(`${line}\n`);

const recipients = Number(values.recipients);
const perSec = Number(values["per-second"]);
const retryAfterSec = values["retry-after"] === undefined ? null : Number(values["retry-after"]);
if (!(recipients >= 2 && recipients <= 10_000 && perSec >= 1 && (retryAfterSec ?? 1) >= 1)) {
  say("usage: npm run test:kannel -- [--recipients 2000] [--per-second 10] [--retry-after SECONDS] [--set KEY=VALUE]");
  process.exit(2);
}

const missing = PEERS.kannel.missing();
if (missing !== null) {
  say("npm run test:kannel: Kannel is not installed, and nothing was tested. Install it with: apt-get install kannel");
  process.exit(1);
}

const OPENING = 100_000;
const OTPS = 20;
/** The second account sends its one-time passwords this far apart. */
const OTP_GAP_MS = 500;
/** Generous: several times what the limit itself needs, and the start of a busy machine. */
const WITHIN_MS = 90_000 + (4_000 * recipients) / perSec;
const LOOK_MS = 1_000;
/** The pace is also printed for each of these spans. */
const COURSE_MS = 10_000;
const FINAL = new Set(["delivered", "undelivered", "unconfirmed", "failed"]);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const countBy = <Item>(items: Item[], key: (item: Item) => string) =>
  [...Map.groupBy(items, key)].map(([name, of]) => `${name} ${of.length}`).join(" · ") || "none";

/** Another account's one-time passwords, while the bulk is under way; returns when each was asked for, by number. */
async function sendOtps(service: Service, customer: Customer): Promise<Map<string, number>> {
  const asked = new Map<string, number>();
  for (let nth = 0; nth < OTPS; nth++) {
    const phone = String(9_300_000_000 + nth);
    const body = { apiKey: customer.apiKey, phone, otp: "048213", brandName: "Kannel" };
    asked.set(`+91${phone}`, Date.now());
    const reply = await service.post(customer.apiKey, "/send-otp", body);
    if (reply.status !== 200) throw new Error(`send-otp: ${reply.status} ${reply.body.error}`);
    await pause(OTP_GAP_MS);
  }
  return asked;
}

/** The account's messages once all are final, or at the end of the patience. */
async function settled(service: Service, customer: Customer, count: number): Promise<MessageRow[]> {
  const giveUpAt = Date.now() + WITHIN_MS;
  for (;;) {
    const messages = await messagesOf(service, customer.id);
    const over = messages.length === count && messages.every(({ state }) => FINAL.has(state));
    if (over || Date.now() >= giveUpAt) return messages;
    await pause(LOOK_MS);
  }
}

/** Submissions that were refused, for ten that were accepted. */
function uselessPerTen(of: Taken[]): string {
  const refused = of.filter(({ status }) => status !== 200).length;
  return ((refused * 10) / Math.max(1, of.length - refused)).toFixed(2);
}

/** Prints the figures of the run. */
function printFigures(log: Taken[], asked: Map<string, number>, arrived: Map<string, number>): void {
  const bulk = log.filter(({ to }) => !asked.has(to));
  const accepted = bulk.filter(({ status }) => status === 200);
  const spanSec = ((accepted.at(-1)?.atMs ?? 0) - (accepted[0]?.atMs ?? 0)) / 1_000;
  const rate = accepted.length / Math.max(spanSec, 1e-3);
  const course = Array.from({ length: Math.ceil((spanSec * 1_000) / COURSE_MS) }, (_, nth) => {
    const fromMs = (accepted[0]?.atMs ?? 0) + nth * COURSE_MS;
    const within = accepted.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + COURSE_MS);
    return ((within.length * 1_000) / COURSE_MS).toFixed(0);
  });
  const half = bulk.slice(bulk.findIndex((taken) => taken === accepted[Math.floor(accepted.length / 2)]));
  const of = (rate / perSec).toFixed(2);
  say(`limit      ${perSec} a second; ${arrived.size} numbers reached Kannel's carrier`);
  say(`submitted  ${bulk.length} for the bulk: ${countBy(bulk, ({ status }) => String(status))}`);
  say(`pace       ${rate.toFixed(1)} accepted a second over ${spanSec.toFixed(1)} s: ${of} of the limit`);
  say(`course     accepted a second in each ${COURSE_MS / 1_000} s: ${course.join(" ")}`);
  say(
    `useless    ${bulk.length - accepted.length}: ${uselessPerTen(bulk)} for ten; ${uselessPerTen(half)} in the second half`,
  );
  const waits = log
    .filter(({ to, status }) => asked.has(to) && status === 200)
    .map(({ to, atMs }) => atMs - (asked.get(to) ?? 0))
    .toSorted((one, other) => one - other);
  const middle = waits[Math.floor(waits.length / 2)];
  say(
    `otp        ${waits.length} of ${OTPS} accepted meanwhile, after ${middle} ms (median), ${waits.at(-1)} ms at most`,
  );
}

let failures = 0;
function check(what: string, found: unknown, wanted: unknown): void {
  const right = JSON.stringify(found) === JSON.stringify(wanted);
  if (!right) failures += 1;
  say(right ? `✓ ${what}` : `✗ ${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}

const directory = mkdtempSync(path.join(os.tmpdir(), "dastak-kannel-"));
const stops: (() => Promise<unknown>)[] = [];

async function run(): Promise<void> {
  const smsc = new Smsc();
  const smscPort = await smsc.listen();
  stops.push(() => smsc.close());
  // Kannel listens on this port and the three that follow.
  const kannelPort = await freePort();
  const kannel = await startKannel({
    port: kannelPort,
    stateDir: directory,
    smsc: {
      smsc: "smpp",
      "smsc-id": "smsc",
      host: "127.0.0.1",
      port: smscPort,
      "smsc-username": "test",
      "smsc-password": "test",
      "system-type": "",
      "transceiver-mode": true,
      throughput: perSec,
    },
    queueMax: perSec,
  });
  stops.push(() => kannel.stop());
  const adapter = new KannelAdapter({ port: await freePort(), kannelPort, retryAfterSec });
  await adapter.listen();
  stops.push(() => adapter.close());
  const more = Object.fromEntries(values.set.map((pair) => [pair.split("=")[0], pair.split("=").slice(1).join("=")]));
  const service = await startService({
    state: freshDirectory(),
    set: { ...adapter.settings, LOG_REQUESTS: "failures", ...more },
  });
  stops.push(() => service.stop());

  const [campaign, other] = [await service.openAccount(OPENING), await service.openAccount(OPENING)];
  const phones = Array.from({ length: recipients }, (_, nth) => String(9_200_000_000 + nth));
  const startedAt = Date.now();
  const sent = await service.post(campaign.apiKey, "/send-bulk-sms", { recipients: phones, message: "Kannel" });
  check("the bulk is accepted, and charged once", [sent.status, sent.body.coins_used], [200, recipients]);
  const asked = await sendOtps(service, other);
  const messages = await settled(service, campaign, recipients);
  const otps = await settled(service, other, OTPS);
  say(
    `done       after ${((Date.now() - startedAt) / 1_000).toFixed(1)} s; bulk: ${countBy(messages, ({ state }) => state)}`,
  );
  const { arrived } = smsc;
  printFigures(adapter.log, asked, arrived);

  const numbers = phones.map((phone) => `+91${phone}`);
  const notOnce = [...numbers, ...asked.keys()].filter((to) => arrived.get(to.slice(1)) !== 1);
  check("every number reached Kannel's carrier exactly once", notOnce.length, 0);
  check("and no other number", arrived.size, recipients + OTPS);
  check(
    "every message is delivered, by its receipt",
    countBy(messages, ({ state }) => state),
    `delivered ${recipients}`,
  );
  check(
    "every one-time password is delivered",
    countBy(otps, ({ state }) => state),
    `delivered ${OTPS}`,
  );
  check("every receipt was taken", [adapter.receipts, adapter.receiptsLost], [recipients + OTPS, 0]);
  check("every submission was signed", adapter.log.filter(({ signed }) => !signed).length, 0);
  const ledger = await ledgerOf(service, campaign.id);
  check(
    "the ledger has the opening and one debit, and no refund",
    countBy(ledger, ({ type }) => type),
    "credit 1 · debit 1",
  );
  check("the balance is exact", await balanceOf(service, campaign.id), OPENING - recipients);
  check("the service's own recount agrees", await differencesOf(service, campaign.id), []);
}

// On a signal, exit normally, so that the exit handlers stop what was started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
let code = 1;
try {
  await run();
  code = failures === 0 ? 0 : 1;
  say(code === 0 ? "PROVED: the bulk arrived whole." : `FAILED: ${failures} of the above.`);
} finally {
  for (const stop of stops.toReversed()) await stop().catch(() => undefined);
  await endPrograms();
  rmSync(directory, { recursive: true, force: true });
}
process.exit(code);
