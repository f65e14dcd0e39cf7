import { afterAll, beforeAll, expect, it } from "vitest";
import { balanceOf, differencesOf, ledgerOf, messagesOf, sum, units } from "../../harness/books.ts";
import type { LedgerRow, MessageRow } from "../../harness/books.ts";
import { historyRows, storedMessages } from "../../harness/disk.ts";
import { BUSY, REJECT, startGateway } from "../../harness/gateway.ts";
import type { Answer, Gateway, Submission, Taken } from "../../harness/gateway.ts";
import { until } from "../../harness/http.ts";
import { newOrder, repeat, sendAll } from "./load.ts";
import type { Order } from "./load.ts";
import { startService } from "../../harness/started.ts";
import type { Customer, Service } from "../../harness/started.ts";

// Every send that was answered with 200 survives a kill of all processes at any moment.

const ROUNDS = 3;
const ACCOUNTS_PER_ROUND = 4;
/** Below the 200 requests per minute of the premium plan, so that nothing is refused. */
const ORDERS_PER_ACCOUNT = 80;
const AT_ONCE = 24;
const OPENING = 2_000;

/** Ranges for the random moment of a kill: after this many answers to customers and submissions to the gateway. */
const KILL_AFTER = { answers: [20, 200], submissions: [0, 60] } as const;

const SETTINGS = {
  SWEEP_MS: "1000",
  RETRY_BASE_MS: "300",
  // Far above the gateway's slowest answer: on a busy machine too, only a kill leaves an outcome unknown.
  CARRIER_TIMEOUT_MS: "5000",
  // A message that was being submitted at a kill becomes unknown, and is refunded after this window.
  UNKNOWN_WINDOW_MS: "4000",
};

let gateway: Gateway;
let service: Service;
/** While true, the gateway sends no receipts. */
let receiptsHeld = false;
const orders: Order[] = [];
const customers: Customer[] = [];
/** Numbers whose message was being submitted at a kill. */
const interrupted = new Set<string>();

beforeAll(async () => {
  gateway = await startGateway();
  gateway.decide = decide;
  gateway.onAccepted = (submission) => void confirm(submission);
  service = await startService({ set: { ...SETTINGS, ...gateway.settings } });
});

afterAll(async () => {
  await service?.kill9();
  await gateway?.close();
});

/** Decides by the last digit of the number: 7 is rejected, 3 is refused as busy once, 9 never gets a receipt. */
function decide({ to }: Submission, before: Taken[]): Answer {
  if (to.endsWith("7")) return REJECT;
  if (to.endsWith("3") && before.length === 0) return BUSY;
  // Slow answers, so that some submissions are unanswered at a kill.
  return { does: "answer", status: 200, afterMs: Number(to.slice(-2)) * 2 };
}

/** Sends the receipt until it is accepted, because the service may be down. */
async function confirm(submission: Submission): Promise<void> {
  if (submission.to.endsWith("9")) return;
  const sent = () =>
    !receiptsHeld &&
    gateway
      .receipt(submission, "delivered")
      .then((status) => status === 200)
      .catch(() => false);
  await until("the receipt is taken", sent, { everyMs: 200, withinMs: 60_000 }).catch(() => undefined);
}

const open = () => Promise.all(Array.from({ length: ACCOUNTS_PER_ROUND }, () => service.openAccount(OPENING)));

const random = ([from, to]: readonly [number, number]) => Math.floor(from + Math.random() * (to - from));

/** Sends at full speed and kills the service at a random moment; returns the orders that were tried. */
async function loadAndKill(round: number): Promise<Order[]> {
  const opened = await open();
  customers.push(...opened);
  const total = ACCOUNTS_PER_ROUND * ORDERS_PER_ACCOUNT;
  const planned = Array.from({ length: total }, (_, at) =>
    newOrder(opened[at % ACCOUNTS_PER_ROUND]!, round * ORDERS_PER_ACCOUNT + Math.floor(at / ACCOUNTS_PER_ROUND)),
  );
  const [answers, submissions] = [random(KILL_AFTER.answers), random(KILL_AFTER.submissions) + gateway.log.length];
  let answered = 0;
  let killing = false;
  const kill = async () => {
    await until("the moment of the kill", () => answered >= answers && gateway.log.length >= submissions, {
      everyMs: 1,
      sight: () => ({
        answered: [answered, answers],
        submissions: [gateway.log.length, submissions],
        doubts: planned.flatMap(({ doubt }) => doubt ?? []).slice(0, 3),
        output: service.program.output.slice(-1_000),
      }),
    });
    killing = true;
    receiptsHeld = true;
    await service.kill9();
  };
  const load = sendAll(service, planned, { atOnce: AT_ONCE, isOver: (count) => ((answered = count), killing) });
  const [tried] = await Promise.all([load, kill()]);
  orders.push(...tried);
  return tried;
}

it("loses no acknowledged send, and sends and charges nothing twice, when it is killed under load", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const tried = await loadAndKill(round);
    const told = tried.filter((order) => order.told !== undefined);
    expect(told.length).toBeGreaterThan(0);

    // Reads the disk before the restart repairs anything: every acknowledged send must be there.
    const stored = new Map(storedMessages(service.state).map(({ to, state }) => [to, state]));
    expect(told.flatMap(({ recipients }) => recipients).filter((to) => !stored.has(to))).toEqual([]);

    for (const [to, state] of stored) if (state === "sending") interrupted.add(to);

    // Queued messages are submitted without any trigger: there are no requests or receipts until the gateway has them.
    const waiting = [...stored].filter(([, state]) => state === "queued").map(([to]) => to);
    service = await startService({
      state: service.state,
      port: service.port,
      set: { ...SETTINGS, ...gateway.settings },
    });
    const missing = () => waiting.filter((to) => gateway.for(to).length === 0);
    await until("what waited has left", () => missing().length === 0, { sight: missing });
    receiptsHeld = false;

    for (const order of tried) {
      const wasTold = order.told !== undefined;
      const { replayed, same } = await repeat(service, order);
      expect(same).toBe(true);
      if (wasTold) expect(replayed).toBe(true);
    }
  }
  const messages = await settledMessages();
  for (const { id } of customers) {
    await checkBooks(id, messages.get(id) ?? []);
  }
  checkGateway([...messages.values()].flat());
  await checkHistory(messages);
});

const isOver = ({ state, to }: MessageRow) =>
  ["delivered", "failed", "unknown"].includes(state) || (state === "submitted" && to.endsWith("9"));

/** Waits until all messages of all accounts are final. */
async function settledMessages(): Promise<Map<string, MessageRow[]>> {
  const settled = new Map<string, MessageRow[]>();
  for (const { id } of customers) {
    let open: MessageRow[] = [];
    const ask = async () => {
      const messages = await messagesOf(service, id);
      open = messages.filter((message) => !isOver(message));
      return open.length === 0 && messages;
    };
    settled.set(
      id,
      await until("messages come to their end", ask, { withinMs: 60_000, everyMs: 200, sight: () => open }),
    );
  }
  return settled;
}

const paidBack = (ledger: LedgerRow[]) =>
  new Set(ledger.filter(({ type }) => type === "refund").map((row) => row.message_id));

/** Checks for one debit per order, refunds only of messages that did not arrive, and exact sums. */
async function checkBooks(id: string, messages: MessageRow[]): Promise<void> {
  const own = orders.filter(({ customer }) => customer.id === id);
  const unsettled = messages.filter(({ state }) => state === "unknown");
  const ledger = await until("unknown outcomes are refunded", async () => {
    const rows = await ledgerOf(service, id);
    return unsettled.every((message) => paidBack(rows).has(message.message_id)) && rows;
  });

  const byNumber = Map.groupBy(messages, ({ to }) => to);
  expect(byNumber.size).toBe(messages.length);
  expect(new Set(byNumber.keys())).toEqual(new Set(own.flatMap(({ recipients }) => recipients)));
  const debits = Map.groupBy(
    ledger.filter(({ type }) => type === "debit"),
    (row) => row.request_id,
  );
  expect(debits.size).toBe(own.length);
  for (const { recipients } of own) {
    const sent = recipients.map((to) => byNumber.get(to)![0]!);
    const [requestId] = sent.map((message) => message.request_id);
    expect(sent.every((message) => message.request_id === requestId)).toBe(true);
    expect(debits.get(requestId!)!.map(({ amount }) => units(amount))).toEqual([
      -sum(sent.map(({ charge }) => charge)),
    ]);
  }

  const refunded = messages.filter(({ state }) => state === "failed" || state === "unknown");
  const refunds = ledger.filter(({ type }) => type === "refund");
  expect(refunds).toHaveLength(refunded.length);
  expect(paidBack(ledger)).toEqual(new Set(refunded.map((message) => message.message_id)));
  expect(sum(refunds.map(({ amount }) => amount))).toBe(sum(refunded.map(({ charge }) => charge)));

  let running = 0;
  for (const { amount, balance_after: after } of ledger) {
    running += units(amount);
    expect(units(after)).toBe(running);
  }
  const charged = sum(messages.map(({ charge }) => charge));
  expect(running).toBe(units(OPENING) - charged + sum(refunds.map(({ amount }) => amount)));
  expect(units(await balanceOf(service, id))).toBe(running);
  expect(await differencesOf(service, id)).toEqual([]);
}

/** Checks that the gateway accepted each message at most once, and exactly once if its state implies that. */
function checkGateway(messages: MessageRow[]): void {
  const calls = Map.groupBy(gateway.log, ({ ref }) => ref);
  const unfit: unknown[] = [];
  for (const { message_id: ref, state, to } of messages) {
    const answers = (calls.get(ref) ?? []).map(({ answer }) => (answer.does === "answer" ? answer.status : 0));
    const taken = answers.filter((status) => status === 200).length;
    const final = answers.findIndex((status) => status !== 503);
    // Only a busy gateway's answer (503) may be followed by another submission.
    const once = final === -1 || final === answers.length - 1;
    const fits =
      once &&
      (state === "unknown" || taken === (state === "failed" ? 0 : 1)) &&
      (state === "failed") === (state !== "unknown" && to.endsWith("7"));
    if (!fits) unfit.push({ ref, state, to, answers });
  }
  expect(unfit).toEqual([]);
  expect([...calls.keys()].filter((ref) => !messages.some((message) => message.message_id === ref))).toEqual([]);
  expect(gateway.log.every(({ signed }) => signed)).toBe(true);
  // Only messages that a kill interrupted may be unknown.
  const unknown = messages.filter(({ state }) => state === "unknown").map(({ to }) => to);
  expect(unknown.filter((to) => !interrupted.has(to))).toEqual([]);
}

const recorded = () => historyRows(service.state).filter(({ mode }) => mode === "live");

/** Waits until history in D1 equals the accounts' messages. */
async function checkHistory(messages: Map<string, MessageRow[]>): Promise<void> {
  const wanted = [...messages].flatMap(([id, rows]) =>
    rows.map(({ request_id, to, state, charge, attempts }) => {
      const refunded = state === "failed" || state === "unknown" ? 1 : 0;
      return JSON.stringify([id, request_id, to, state, units(charge), refunded, attempts]);
    }),
  );
  const lacking = () => {
    const there = new Set(
      recorded().map((row) =>
        JSON.stringify([
          row.account_id,
          row.request_id,
          row.recipient,
          row.state,
          row.charge,
          row.refunded,
          row.attempts,
        ]),
      ),
    );
    return wanted.filter((row) => !there.has(row));
  };
  // A pass comes up to 30 sweeps after a change (message/deadlines.ts), and then the queue.
  await until("history is complete", () => lacking().length === 0, {
    everyMs: 500,
    withinMs: 75_000,
    sight: () => lacking().slice(0, 5),
  });
  expect(recorded()).toHaveLength(wanted.length);
}
