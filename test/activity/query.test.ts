import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ACTIVITY_OPERATORS, withKeys } from "../../src/activity/list.ts";
import { historyQuery, searchHistory } from "../../src/db/activity.ts";
import type { GroupKind, HistoryLook } from "../../src/db/activity.ts";
import { recordGroups as record } from "../../src/db/history.ts";
import { isBeyond } from "../../src/search/look.ts";
import type { Direction } from "../../src/search/look.ts";
import type { MessageView } from "../../src/model/message.ts";
import { newAccountId } from "../../src/crypto/ids.ts";
import type { AccountRef } from "../../src/model/ref.ts";
import { matches } from "../../src/search/match.ts";
import { parseSearch } from "../../src/search/parse.ts";
import type { Term } from "../../src/search/terms.ts";
import { NOW_MS, groupsOf, messageOf } from "../world/history.ts";

/** A query as text and values, for EXPLAIN. */
const statementOf = (of: AccountRef, kind: GroupKind, look: HistoryLook) =>
  historyQuery(env.HISTORY_1, of, kind, look).toSQL();

function termsOf(q: string): Term[] {
  const { terms, faults } = parseSearch(q, { nowMs: NOW_MS, operators: ACTIVITY_OPERATORS });
  expect(faults).toEqual([]);
  return withKeys({ terms, faults }, []).terms;
}

const whole: HistoryLook = {
  terms: [],
  direction: "older",
  from: null,
  limit: 1_000,
  groups: 1_000,
  low: 0,
  high: Number.MAX_SAFE_INTEGER,
  except: [],
};

/** How many groups of single messages the query for a search returns. */
const rowsFor = async (of: AccountRef, q: string) => {
  const { sql, params } = statementOf(of, "singles", { ...whole, terms: termsOf(q) });
  return (
    await env.HISTORY_1.prepare(sql)
      .bind(...params)
      .all()
  ).results.length;
};
describe("history's query", () => {
  const ref: AccountRef = { accountId: newAccountId(env.KEY_SECRET, null), mode: "live" };
  const seqs = Array.from({ length: 160 }, (_, at) => 2 + at * 2);
  const all = seqs.flatMap((seq) =>
    Array.from({ length: (seq % 3) + 1 }, (_, index) => messageOf((seq * 7_919 + index * 104_729) % 9_973, seq, index)),
  );
  let recorded: Promise<void> | null = null;
  const ready = () => {
    const others = [
      { accountId: newAccountId(env.KEY_SECRET, null), mode: "live" as const, groups: groupsOf(all) },
      { accountId: ref.accountId, mode: "test" as const, groups: groupsOf(all) },
    ];
    recorded ??= record(env.HISTORY_1, [{ ...ref, groups: groupsOf(all) }, ...others]);
    return recorded;
  };

  const asked = fc.constantFrom(
    "98000",
    "+919800",
    "b%_1",
    "B%_1",
    "%",
    "r_q",
    "q%b",
    "to:0",
    "kind:sms",
    "kind:call",
    "state:failed",
    "state:refunded",
    "state:unknown,refunded",
    "key:key_00000001",
    "key:key_80000001",
    "request:req_3Ab%_4",
    "request:req_%",
    "cost:1",
    "cost:>=2",
    "cost:<1",
    "cost:0..2",
    "after:30d",
    "before:2026-10-20",
    "'; DROP TABLE message; --",
  );
  const place = fc.record({ seq: fc.integer({ min: 0, max: 330 }), index: fc.integer({ min: 0, max: 3 }) });

  it("finds what a plain filter finds, in the same order, from any place and in both directions", async () => {
    await ready();
    const terms = fc
      .array(fc.tuple(fc.boolean(), asked), { maxLength: 3 })
      .map((parts) => termsOf(parts.map(([not, q]) => `${not ? "-" : ""}${/[ ']/u.test(q) ? `"${q}"` : q}`).join(" ")));
    const look = fc.record({
      terms,
      direction: fc.constantFrom<Direction>("older", "newer"),
      from: fc.option(place),
      limit: fc.integer({ min: 1, max: 400 }),
      groups: fc.integer({ min: 1, max: 12 }),
      low: fc.integer({ min: 0, max: 100 }),
      high: fc.integer({ min: 100, max: 400 }),
      except: fc.subarray(seqs, { maxLength: 10 }),
    });
    await fc.assert(
      fc.asyncProperty(look, async (one) => {
        const wanted = all
          .filter((row) => isBeyond(row, one.from, one.direction) && matches(one.terms, row))
          .filter((row) => row.seq >= one.low && row.seq < one.high && !one.except.includes(row.seq))
          .toSorted((a, b) => (isBeyond(a, b, one.direction) ? 1 : -1));
        // A query ends early where its groups or its messages are enough; the next one continues there.
        const found: MessageView[] = [];
        let from = one.from;
        do {
          const { rows, end } = await searchHistory(env.HISTORY_1, ref, { ...one, from });
          expect(rows.length).toBeLessThanOrEqual(one.limit);
          found.push(...rows);
          if (end) {
            expect(isBeyond(end, from, one.direction)).toBe(true);
            expect(end.seq).toBeGreaterThanOrEqual(one.low);
            expect(end.seq).toBeLessThan(one.high);
          }
          from = end;
        } while (from);
        expect(found).toEqual(wanted);
      }),
      { numRuns: 200 },
    );
  });

  it.each<[string, Partial<HistoryLook>]>([
    ["the newest", {}],
    ["older ones", { from: { seq: 99, index: 1 } }],
    ["newer ones", { direction: "newer", from: { seq: 99, index: 1 }, low: 99 }],
    [
      "a search",
      { terms: termsOf("98 -kind:sms state:failed,refunded cost:>1 after:7d"), low: 10, high: 300, except: [4] },
    ],
  ])("walks the primary key for %s, and sorts nothing", async (_, more) => {
    for (const kind of ["singles", "bulk"] as const) {
      const { sql, params } = statementOf(ref, kind, { ...whole, ...more });
      const plan = await env.HISTORY_1.prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .bind(...params)
        .all<{ detail: string }>();
      const [first = "", ...rest] = plan.results.map(({ detail }) => detail);
      expect(first).toBe(
        "SEARCH message_group USING PRIMARY KEY (account_id=? AND mode=? AND kind=? AND seq>? AND seq<?)",
      );
      expect(rest.join("\n")).not.toMatch(/TEMP B-TREE|SCAN message_group/u);
    }
  });

  it("reads no more rows than its groups when no filter applies", async () => {
    await ready();
    const { sql, params } = statementOf(ref, "bulk", { ...whole, from: { seq: 200, index: 0 }, groups: 20 });
    const { meta, results } = await env.HISTORY_1.prepare(sql)
      .bind(...params)
      .all();
    expect(results).toHaveLength(20);
    expect(meta.rows_read).toBeLessThanOrEqual(21);
  });

  it("passes over the groups that contain no match for any term, or for its opposite", async () => {
    await ready();
    for (const q of [
      "nowhere",
      "to:12121212",
      "-to:9198",
      "-req",
      "request:req_none",
      "kind:sms -kind:sms",
      "kind:otp cost:>100",
      "key:key_0badbad0",
      "state:sending",
      "-state:queued,submitted,delivered,undelivered,failed,unknown",
      "after:2026-12-01",
      "before:2020-01-01",
      "-after:2020-01-01",
      "-before:2026-12-01",
    ]) {
      expect([q, await rowsFor(ref, q)]).toEqual([q, 0]);
    }
  });
});
