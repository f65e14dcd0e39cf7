import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { olderPage, stretches } from "../../src/activity/list.ts";
import type { Source } from "../../src/activity/list.ts";
import { recordGroups as record } from "../../src/db/history.ts";
import { join } from "../../src/search/join.ts";
import type { Direction, Fresh } from "../../src/search/look.ts";
import type { MessageView } from "../../src/model/message.ts";
import { newAccountId } from "../../src/crypto/ids.ts";
import type { MessagePlace } from "../../src/model/ref.ts";
import { matches } from "../../src/search/match.ts";
import type { Term } from "../../src/search/terms.ts";
import { groupsOf } from "../world/history.ts";
import { messagesOf, openWorld, sendSms } from "../world/world.ts";

// Where a single look() at the account, or a single query of history, does not cover everything.

const places = (rows: readonly MessagePlace[]) => rows.map(({ seq, index }) => `${seq}.${index}`);

async function allOf(source: Source, terms: Term[], direction: Direction, from: MessagePlace | null, limit: number) {
  const found: string[] = [];
  for await (const { rows } of stretches(source, { terms, direction, from, limit })) found.push(...places(rows));
  return found;
}

const to = (digits: string): Term => ({ on: "to", digits, not: false });

it("reads on when the account has more open jobs than one look returns", async () => {
  const world = await openWorld();
  await sendSms(world);
  await runInDurableObject(world.stub, (_, { storage }) => {
    for (let seq = 3; seq < 700; seq += 1) {
      storage.sql.exec(
        `INSERT INTO job (seq, request_id, operation, debit, balance_after, charge, created_at, expires_at, content, messages, rev)
         SELECT ?, 'req_' || ?, operation, 0, balance_after, 0, created_at + ?, expires_at, content, ?, rev FROM job WHERE seq = 2`,
        seq,
        seq,
        seq * 1_000,
        JSON.stringify([0, 1].map((index) => ({ to: `+91${seq}00${index}`, state: "queued", attempts: 0 }))),
      );
    }
  });
  const source: Source = { env, ref: world.ref, stub: world.stub };
  const all = await messagesOf(world);
  // The first sixty jobs are in history, except three that are late.
  const late = [10, 30, 31];
  const settled = all.filter(({ seq }) => seq <= 60 && !late.includes(seq));
  await record(env.HISTORY_1, [{ ...world.ref, groups: groupsOf(settled) }]);
  await runInDurableObject(world.stub, (_, { storage }) => {
    storage.sql.exec("UPDATE account SET settled_seq = 60");
    storage.sql.exec("UPDATE job SET late = 1 WHERE seq IN (10, 30, 31)");
  });
  const since = all.find(({ seq }) => seq === 100)?.createdAt ?? 0;
  const searches: Term[][] = [
    [],
    [to("77001")],
    [to("nothing")],
    [{ on: "after", atMs: since, not: false }],
    [{ on: "before", atMs: since, not: false }, to("500")],
    [{ on: "after", atMs: since, not: true }],
  ];
  for (const terms of searches) {
    const wanted = places(all.filter((row) => matches(terms, row)));
    for (const limit of [7, 500]) {
      expect(await allOf(source, terms, "newer", null, limit)).toEqual(wanted);
      expect(await allOf(source, terms, "older", null, limit)).toEqual(wanted.toReversed());
    }
    const from = { seq: 350, index: 0 };
    const below = all.filter((row) => matches(terms, row) && row.seq < 350);
    expect(await allOf(source, terms, "older", from, 9)).toEqual(places(below).toReversed());
  }
});

const message = (seq: number, more: Partial<MessageView> = {}): MessageView => ({
  seq,
  index: 0,
  rev: 1,
  requestId: `req_${seq}`,
  keyId: null,
  operation: "sms",
  to: `+91${seq}`,
  state: "delivered",
  charge: 10_000,
  refunded: false,
  carrier: "sim",
  attempts: 1,
  errorCode: null,
  createdAt: seq,
  updatedAt: seq,
  timeline: [{ state: "queued", at: seq }],
  ...more,
});

const SPARSE = [3, 9, 5_003, 5_004, 60_000, 61_000, 400_000, 1_500_000];

/** A source whose account adds nothing to history. */
async function recordedOnly(): Promise<Source> {
  const ref = { accountId: newAccountId(env.KEY_SECRET, null), mode: "live" as const };
  await record(env.HISTORY_1, [{ ...ref, groups: groupsOf(SPARSE.map((seq) => message(seq))) }]);
  const nothing: Fresh = {
    rows: [],
    end: null,
    settledSeq: 1_500_000,
    historyDb: 1,
    late: [],
    low: 0,
    high: Number.MAX_SAFE_INTEGER,
  };
  // A stub with the object's answer, without an object.
  return { env, ref, stub: { look: async () => nothing } as unknown as Source["stub"] };
}

it("reads on when the matches in history are far apart", async () => {
  const source = await recordedOnly();
  const all = SPARSE.map((seq) => `${seq}.0`);
  for (const limit of [1, 2, 100]) {
    expect(await allOf(source, [], "older", null, limit)).toEqual(all.toReversed());
    expect(await allOf(source, [], "newer", null, limit)).toEqual(all);
    expect(await allOf(source, [to("9150")], "newer", { seq: 9, index: 0 }, limit)).toEqual(["5003.0", "5004.0"]);
  }
});

it("ends a page that has searched for too long, and continues from there on the next page", async () => {
  const source = await recordedOnly();
  const first = await olderPage(source, [to("5003")], null);
  expect(first).toMatchObject({ rows: [], cut: true, newer: null });
  const second = await olderPage(source, [to("5003")], first.older);
  expect(places(second.rows)).toEqual(["5003.0"]);
  expect(second).toMatchObject({ cut: false, older: null });
});

it("takes the newer revision of a message that both parts contain, and nothing beyond the end of either", () => {
  const old = { rows: [message(9), message(7), message(5)], end: { seq: 5, index: 0 } };
  const told = { rows: [message(9, { rev: 3, state: "failed" }), message(8)], end: { seq: 7, index: 0 } };
  for (const [one, other] of [
    [old, told],
    [told, old],
  ] as const) {
    const { rows, end } = join(one, other, "older", 10);
    expect(places(rows)).toEqual(["9.0", "8.0", "7.0"]);
    expect(rows[0]).toMatchObject({ rev: 3, state: "failed" });
    expect(end).toEqual({ seq: 7, index: 0 });
  }
  expect(join(old, told, "older", 2)).toMatchObject({ end: { seq: 8, index: 0 } });
});
