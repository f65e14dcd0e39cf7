import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LedgerView } from "../../../../src/model/account.ts";
import type { MessageView } from "../../../../src/model/message.ts";
import {
  DAY_MS,
  archive,
  deliverClear,
  linesOf,
  manifestsOf,
  restoreLines,
  ring,
  settle,
  stateOf,
  withBindings,
} from "../../../world/archive.ts";
import { historyOf } from "../../../world/history.ts";
import { later, stopClock } from "../../../world/pass.ts";
import { claim, ledgerOf, messagesOf, openWorld, sendBulk, sendSms } from "../../../world/world.ts";
import type { World } from "../../../world/world.ts";

// Any history, archived at any points: put together again from the files and from what is left, it is the same ledger to
// the byte, and the same messages.

beforeEach(stopClock);
afterEach(() => vi.useRealTimers());

const RECEIPTS = ["delivered", "undelivered", "failed", "submitted"] as const;

type Step =
  | { do: "send"; recipients: number }
  | { do: "carry"; receipts: number[] }
  | { do: "late"; at: number; receipt: number }
  | { do: "credit"; coins: number }
  | { do: "pay" }
  | { do: "refund"; share: number }
  | { do: "wait"; days: number; rings: number }
  | { do: "settle" }
  | { do: "evict" }
  | { do: "archive"; days: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("send"), recipients: fc.constantFrom(1, 1, 1, 2, 130) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("carry"),
      receipts: fc.array(fc.nat(RECEIPTS.length), { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("late"), at: fc.nat(50), receipt: fc.nat(RECEIPTS.length - 1) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("credit"), coins: fc.integer({ min: -3, max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pay") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("refund"), share: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("wait"), days: fc.integer({ min: 1, max: 40 }), rings: fc.nat(3) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("settle") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("evict") }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("archive"), days: fc.constantFrom(6, 20, 40) }) },
) as fc.Arbitrary<Step>;

/** All that the account ever had, as seen before it left. */
class Seen {
  readonly ledger = new Map<number, LedgerView>();
  readonly messages = new Map<string, MessageView>();
  paid = 0;

  async look(world: World): Promise<void> {
    for (const entry of await ledgerOf(world)) if (entry.type !== "checkpoint") this.ledger.set(entry.seq, entry);
    for (const message of await messagesOf(world)) this.messages.set(`${message.seq}.${message.index}`, message);
  }
}

/** Claims all that waits; the carrier takes it, and sends these receipts in turn (one beyond the list: none). */
async function carry(world: World, receipts: number[]): Promise<void> {
  for (const lane of ["single", "bulk"] as const) {
    const jobs = await claim(world, { lane, max: 500 });
    const places = jobs.flatMap(({ seq, messages }) => messages.map(({ index, attempt }) => ({ seq, index, attempt })));
    await world.stub.report(
      places.map((place) => ({ ...place, kind: "outcome", outcome: { kind: "submitted" } })),
      false,
    );
    const told = places.flatMap(({ seq, index }, at) => {
      const state = RECEIPTS[receipts[at % receipts.length] ?? 0];
      return state ? [{ kind: "receipt" as const, seq, index, state }] : [];
    });
    await world.stub.report(told, false);
  }
}

async function doStep(world: World, seen: Seen, one: Step): Promise<void> {
  switch (one.do) {
    case "send":
      if (one.recipients === 1) await sendSms(world);
      else await sendBulk(world, one.recipients).catch(() => undefined);
      return;
    case "carry":
      return carry(world, one.receipts);
    case "late": {
      const message = [...seen.messages.values()][one.at];
      const state = RECEIPTS[one.receipt] ?? "delivered";
      if (message) await world.stub.report([{ kind: "receipt", seq: message.seq, index: message.index, state }], false);
      return;
    }
    case "credit":
      if (one.coins === 0) return;
      await world.stub.credit({ amount: one.coins * 10_000, reference: `ref ${seen.ledger.size}`, requestId: "req_x" });
      return;
    case "pay":
      seen.paid += 1;
      await world.stub.settlePayment({ ...orderOf(seen.paid), creditUnits: 50_000, plan: "premium" });
      return;
    case "refund":
      await world.stub.refundPayment({
        ...orderOf(Math.max(1, seen.paid)),
        refundedPaise: one.share * 25,
        amountPaise: 100,
      });
      await world.stub.amend({ status: "active" });
      return;
    case "wait":
      later(one.days * DAY_MS);
      for (let rings = 0; rings < one.rings; rings += 1) await ring(world);
      return;
    case "settle":
      return settle(world);
    case "evict":
      return evictDurableObject(world.stub);
    case "archive":
      await withBindings(world, { HISTORY_DAYS: String(one.days), TEXT_DAYS: String(one.days) } as object);
      await archive(world);
      return deliverClear(world);
  }
}

const orderOf = (number: number) => ({ orderId: `ord_${number}`, paymentRef: `pay_${number}` });

/** What is left in the account, as lines. */
const leftIn = (world: World) =>
  runInDurableObject(world.stub, (_, { storage: { sql } }) =>
    (["job", "ledger_entry"] as const).flatMap((kind) =>
      sql
        .exec(`SELECT * FROM ${kind}`)
        .toArray()
        .map(({ text: _text, ...row }) => ({ kind, row: row as Record<string, string | number | null> })),
    ),
  );

/** The receipts that are not in their jobs' rows yet. */
const journalOf = (world: World) =>
  runInDurableObject(world.stub, (_, { storage }) =>
    storage.sql
      .exec<{ lines: string }>("SELECT lines FROM receipt_journal ORDER BY segment")
      .toArray()
      .map(({ lines }) => lines),
  );

/** An account that had nothing, with these rows, and the receipts that are not in rows yet. */
async function restored(lines: Parameters<typeof restoreLines>[1], receipts: string[]): Promise<World> {
  const world = await openWorld({ balance: 0 });
  await runInDurableObject(world.stub, (_, { storage }) => {
    storage.transactionSync(() => {
      restoreLines(storage.sql, lines);
      for (const one of receipts) storage.sql.exec("INSERT INTO receipt_journal (lines) VALUES (?)", one);
    });
  });
  await evictDurableObject(world.stub);
  return world;
}

it(
  "any history, archived at any points, is restored to the same ledger, to the byte",
  { timeout: 240_000 },
  async () => {
    let files = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 40, size: "max" }), async (steps) => {
        vi.setSystemTime(Date.UTC(2027, 0, 20));
        const world = await openWorld({ balance: 5_000 });
        const seen = new Seen();
        await seen.look(world);
        for (const one of [...steps, { do: "settle" as const }, { do: "archive" as const, days: 6 }]) {
          await doStep(world, seen, one);
          await seen.look(world);
          expect(await world.stub.reconcile()).toEqual([]);
        }
        const balance = (await world.stub.view())?.balance;
        const archived = await linesOf(world);
        const { checkpoint_seq: checkpoint } = await stateOf(world);
        expect(archived.map(({ row }) => row["seq"])).toEqual(archived.map((_, at) => at + 1));
        expect(archived).toHaveLength(Number(checkpoint));
        const twin = await restored([...archived, ...(await leftIn(world))], await journalOf(world));
        const ledger = [...seen.ledger.values()].toSorted((one, other) => one.seq - other.seq);
        expect(JSON.stringify(await ledgerOf(twin))).toBe(JSON.stringify(ledger));
        const messages = [...seen.messages.values()].toSorted(
          (one, other) => one.seq - other.seq || one.index - other.index,
        );
        expect(await messagesOf(twin)).toEqual(messages);
        expect(await twin.stub.reconcile()).toEqual([]);
        expect((await twin.stub.view())?.balance).toBe(balance);
        const young = await messagesOf(world);
        const shown = (await historyOf(world)).filter(({ seq }) => seq > Number(checkpoint));
        for (const message of shown) expect(young.some(({ seq }) => seq === message.seq)).toBe(true);
        files += (await manifestsOf(world)).length;
      }),
      { numRuns: 12 },
    );
    expect(files).toBeGreaterThan(0);
  },
);
