// A database of history at its limit: sends and sign-ins go on, and so do histories in other databases; what it does not
// take waits in its accounts, which try with growing gaps, and is recorded once there is room again.
import path from "node:path";
import { Client, openAccounts, pause, phoneOf } from "../../harness/accounts.mjs";
import { HOSTS, OPERATOR_TOKEN, startService } from "../../harness/service.mjs";
import { aroundOf } from "../cost/around.mjs";
import { markdownTable } from "../markdown.mjs";
import { median } from "./curve.mjs";

/** A pass of the account's alarm comes every twenty sweeps: in five seconds here, in ten minutes in a deployment. */
const SWEEP_MS = 250;

/** How long each phase is measured, and how often both accounts send meanwhile: below the plan's limit. */
const PHASES = [
  ["with room", null, 20_000],
  ["HISTORY_1 full", "HISTORY_1", 90_000],
];
const SENDS_PER_SEC = 2;
const SIGN_IN_GAP_MS = 4_000;

/** Tries of an account have gaps that grow with the time for which its history has been missing. */
const RECORDED_MS_MAX = 300_000;

const TEXT = "Your order 4711 is on its way and will be with you today between four and six. Thank you!";

const timed = async (ask) => {
  const beganMs = performance.now();
  const { status } = await ask();
  return { status, ms: performance.now() - beganMs };
};

/** Signs in at the desk, from an address of its own: a session and an act, two rows of DB. */
const signIn = (client, nth) =>
  client.ask(HOSTS.console, "/desk/sign-in", {
    body: `token=${OPERATOR_TOKEN}`,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      origin: `https://${HOSTS.console}`,
      "cf-connecting-ip": `198.51.${nth % 250}.7`,
    },
  });

const answered = (tries, status) => `${tries.filter((one) => one.status === status).length} of ${tries.length}`;
const p50 = (tries) => Number(median(tries.map(({ ms }) => ms)).toFixed(1));

class Measured {
  #service;
  #client;
  #signIns = 0;
  #sent = 0;

  constructor(service, client) {
    this.#service = service;
    this.#client = client;
  }

  /** Messages that a database of history has of an account. */
  async recorded(number, { account_id: id }) {
    const database = await this.#service.miniflare.getD1Database(`HISTORY_${number}`);
    const query = "SELECT coalesce(sum(json_array_length(messages)), 0) AS n FROM message_group WHERE account_id = ?";
    return database.prepare(query).bind(id).first("n");
  }

  /** Says which database is full; returns how many batches were refused before. */
  async refuse(full) {
    const before = await this.#client.ask("count.bench", "/");
    await this.#client.ask("count.bench", "/", { method: "PUT", body: { full } });
    return before.body.refused;
  }

  /** Sends on all accounts and signs in, for a while. */
  async phase(accounts, lastsMs) {
    const sends = accounts.map(() => []);
    const signIns = [];
    const untilMs = Date.now() + lastsMs;
    for (let nextMs = 0; Date.now() < untilMs; await pause(1_000 / SENDS_PER_SEC)) {
      for (const [at, { api_key: key }] of accounts.entries()) {
        const body = { phone: phoneOf(this.#sent++), message: TEXT };
        sends[at].push(await timed(() => this.#client.askAs(key, HOSTS.sms, "/send-sms", { body })));
      }
      if (Date.now() < nextMs) continue;
      nextMs = Date.now() + SIGN_IN_GAP_MS;
      signIns.push(await timed(() => signIn(this.#client, this.#signIns++)));
    }
    return { sends, signIns };
  }
}

/** Waits until history has so many messages; returns after how many ms. */
async function untilRecorded(count, wanted) {
  const beganMs = Date.now();
  while ((await count()) < wanted) {
    if (Date.now() - beganMs > RECORDED_MS_MAX) throw new Error(`history has ${await count()} of ${wanted} messages`);
    await pause(500);
  }
  return Date.now() - beganMs;
}

/** Opens an account, of which the newest of so many databases is the history. */
async function openWith(setUp, histories) {
  const service = await startService({ ...setUp, histories });
  const client = new Client(setUp.port);
  const [account] = await openAccounts(client, 1);
  return { service, client, account };
}

/** Measures a service with one account in each of two databases, of which the first gets full. */
export async function fillHistoryDatabase({ bundle, port, stateDir }) {
  const around = aroundOf({ wrapper: "../growth/full.js" });
  const variables = { SWEEP_MS: String(SWEEP_MS) };
  const setUp = { bundle, port, stateDir: path.join(stateDir, "full"), around, variables };
  const old = await openWith(setUp, 1);
  old.client.close();
  await old.service.stop();
  const { service, client, account } = await openWith(setUp, 2);
  try {
    const measured = new Measured(service, client);
    const accounts = [old.account, account];
    const sent = [0, 0];
    const phases = [];
    for (const [name, full, lastsMs] of PHASES) {
      await measured.refuse(full);
      const { sends, signIns } = await measured.phase(accounts, lastsMs);
      for (const at of sent.keys()) sent[at] += sends[at].filter(({ status }) => status === 200).length;
      // Each database that has room gets all that was sent.
      const waited = await Promise.all(
        accounts.map((one, at) =>
          full === `HISTORY_${at + 1}` ? null : untilRecorded(() => measured.recorded(at + 1, one), sent[at]),
        ),
      );
      const recorded = await Promise.all(accounts.map((one, at) => measured.recorded(at + 1, one)));
      phases.push({ name, sends, signIns, sent: [...sent], recorded, waited });
    }
    const refused = await measured.refuse(null);
    const waitedMs = await untilRecorded(() => measured.recorded(1, old.account), sent[0]);
    return { phases, refused, waitedMs };
  } finally {
    client.close();
    await service.stop();
  }
}

/** How long sends of the first account take, of those of the one beside it: the machine has other work, too. */
const beside = ({ sends }) => p50(sends[0]) / p50(sends[1]);

/** Prints the table and the sentences. */
export function printFull({ phases, refused, waitedMs }) {
  const rows = phases.flatMap((phase) => [0, 1].map((at) => ({ ...phase, at })));
  const columns = {
    phase: ({ name }) => name,
    "history in": ({ at }) => `HISTORY_${at + 1}`,
    "sends answered": ({ sends, at }) => answered(sends[at], 200),
    "send, p50 ms": ({ sends, at }) => p50(sends[at]),
    "sign-ins": ({ signIns }) => answered(signIns, 303),
    "sign-in, p50 ms": ({ signIns }) => p50(signIns),
    "in history, of those sent": ({ recorded, sent, at }) => `${recorded[at]} of ${sent[at]}`,
  };
  console.log("A database of history at its limit, with an account in it and one in the next:\n");
  console.log(`${markdownTable(rows, columns)}\n`);
  const [room, full] = phases;
  const sentences = [
    `Beside the other account, sends of the one whose history is full take ${(beside(full) / beside(room)).toFixed(2)} times as long as before; all of them were answered: ${full.sends[0].every(({ status }) => status === 200) ? "yes" : "NO"}.`,
    `The full database refused ${refused} batches, of passes that come a hundred times as often as deployed; with room again, all of its history was there after ${(waitedMs / 1_000).toFixed(0)} s.`,
  ];
  for (const sentence of sentences) console.log(sentence);
  return sentences;
}
