import { env } from "cloudflare:workers";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ACTIVITY_OPERATORS, withKeys } from "../../src/activity/list.ts";
import { historyQuery, searchHistory } from "../../src/db/activity.ts";
import type { HistoryLook } from "../../src/db/activity.ts";
import { recordHistory as record } from "../../src/db/history.ts";
import { isBeyond } from "../../src/search/look.ts";
import type { Direction } from "../../src/search/look.ts";
import type { MessageState, MessageView, Operation } from "../../src/model/message.ts";
import { newAccountId } from "../../src/crypto/ids.ts";
import type { AccountRef } from "../../src/model/ref.ts";
import { matches } from "../../src/search/match.ts";
import { parseSearch } from "../../src/search/parse.ts";
import type { Term } from "../../src/search/terms.ts";

const NOW_MS = Date.parse("2026-11-21T09:00:00Z");

/** A query as text and values, for EXPLAIN. */
const statementOf = (of: AccountRef, look: HistoryLook) => new SQLiteSyncDialect().sqlToQuery(historyQuery(of, look));

function termsOf(q: string): Term[] {
  const { terms, faults } = parseSearch(q, { nowMs: NOW_MS, operators: ACTIVITY_OPERATORS });
  expect(faults).toEqual([]);
  return withKeys({ terms, faults }, []).terms;
}

const OPERATIONS: Operation[] = ["sms", "sms_international", "otp", "tts", "voice"];
const STATES: MessageState[] = ["queued", "submitted", "delivered", "undelivered", "failed", "unknown"];

/** A message that history could contain; `n` determines every field. */
function messageOf(n: number, seq: number, index: number): MessageView {
  const pick = <T>(list: readonly T[], step: number): T => list[Math.floor(n / step) % list.length] as T;
  const createdAt = NOW_MS - 40 * 86_400_000 + seq * 3_600_000;
  return {
    seq,
    index,
    rev: 1,
    requestId: `req_${seq % 7}Ab%_${n % 13}`,
    keyId: pick([null, 1, 2, 0x8000_0001], 3),
    operation: pick(OPERATIONS, 1),
    to: `+9198${String(n).padStart(8, "0")}`,
    state: pick(STATES, 2),
    charge: pick([0, 2_500, 10_000, 20_000, 50_000], 5),
    refunded: n % 11 === 0,
    carrier: n % 2 === 0 ? "sim" : null,
    attempts: n % 3,
    errorCode: null,
    createdAt,
    updatedAt: createdAt,
    timeline: [{ state: "queued", at: createdAt }],
  };
}

describe("history's query", () => {
  const ref: AccountRef = { accountId: newAccountId(env.KEY_SECRET, null), mode: "live" };
  const seqs = Array.from({ length: 160 }, (_, at) => 2 + at * 2);
  const all = seqs.flatMap((seq) =>
    Array.from({ length: (seq % 3) + 1 }, (_, index) => messageOf((seq * 7_919 + index * 104_729) % 9_973, seq, index)),
  );
  const whole: HistoryLook = {
    terms: [],
    direction: "older",
    from: null,
    limit: 1_000,
    low: 0,
    high: Number.MAX_SAFE_INTEGER,
    except: [],
  };
  let recorded: Promise<void> | null = null;
  const ready = () => {
    const others = [
      { accountId: newAccountId(env.KEY_SECRET, null), mode: "live" as const, messages: all, profile: null },
      { accountId: ref.accountId, mode: "test" as const, messages: all, profile: null },
    ];
    recorded ??= record(env.DB, [{ ...ref, messages: all, profile: null }, ...others]);
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
      low: fc.integer({ min: 0, max: 100 }),
      high: fc.integer({ min: 100, max: 400 }),
      except: fc.subarray(seqs, { maxLength: 10 }),
    });
    await fc.assert(
      fc.asyncProperty(look, async (one) => {
        const found = await searchHistory(env.DB, ref, one);
        const wanted = all
          .filter((row) => isBeyond(row, one.from, one.direction) && matches(one.terms, row))
          .filter((row) => row.seq >= one.low && row.seq < one.high && !one.except.includes(row.seq))
          .toSorted((a, b) => (isBeyond(a, b, one.direction) ? 1 : -1))
          .slice(0, one.limit);
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
    const { sql, params } = statementOf(ref, { ...whole, ...more });
    const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...params)
      .all<{ detail: string }>();
    const [first = "", ...rest] = plan.results.map(({ detail }) => detail);
    expect(first).toMatch(/^SEARCH message USING PRIMARY KEY \(account_id=\? AND mode=\? AND \(?seq/u);
    expect(rest.join("\n")).not.toMatch(/TEMP B-TREE|SCAN message/u);
  });

  it("reads no more rows than its limit when no filter applies", async () => {
    await ready();
    const { sql, params } = statementOf(ref, { ...whole, from: { seq: 200, index: 0 }, limit: 20 });
    const { meta, results } = await env.DB.prepare(sql)
      .bind(...params)
      .all();
    expect(results).toHaveLength(20);
    expect(meta.rows_read).toBeLessThanOrEqual(21);
  });
});
