import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RESULTS } from "../../src/model/carrier/health.ts";
import type { Lately } from "../../src/model/carrier/health.ts";
import type { Outcome } from "../../src/model/message.ts";
import type { Seen } from "../../src/model/pace.ts";
import { madeOf } from "../../src/queues/pace/attempt-seen.ts";
import { Untold, merged } from "../../src/queues/pace/untold.ts";

// What an isolate saw at a carrier, on its way to the pacing object: nothing is lost or counted twice.

const result = fc.constantFrom(...RESULTS);

const lately: fc.Arbitrary<Lately> = fc.record({
  agoMs: fc.nat(59_999),
  results: fc.dictionary(result, fc.nat(100)),
  submitMs: fc.array(fc.nat(60_000), { maxLength: 20 }),
  deliveryMs: fc.array(fc.nat(60_000), { maxLength: 20 }),
});

const row = fc.record(
  { failures: fc.nat(9), takenAgoMs: fc.nat(60_000), trouble: fc.constantFrom("http_401", "20003") },
  { requiredKeys: ["failures"] },
);

const seen: fc.Arbitrary<Seen> = fc.record(
  {
    taken: fc.nat(50),
    busy: fc.nat(50),
    away: fc.nat(50),
    quietMs: fc.nat(100_000),
    returned: fc.array(fc.nat(1_000_000), { maxLength: 5 }),
    row,
    tried: fc.constant(true),
    lately: fc.array(lately, { maxLength: 5 }),
    error: fc.record({ code: fc.constantFrom("a", "b"), agoMs: fc.nat(1_000) }),
  },
  { requiredKeys: ["taken", "busy"] },
);

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

/** How many there were of each result. */
const countsIn = (all: readonly Pick<Lately, "results">[]) =>
  RESULTS.map((name) => sum(all.map(({ results }) => results[name] ?? 0)));

describe("several tellings as one", () => {
  it("say what all of them say", () => {
    fc.assert(
      fc.property(fc.array(seen, { maxLength: 8 }), (all) => {
        const kept = structuredClone(all);
        const one = merged(all);
        expect(all).toEqual(kept);
        expect(one.taken).toBe(sum(all.map(({ taken }) => taken)));
        expect(one.busy).toBe(sum(all.map(({ busy }) => busy)));
        expect(one.away ?? 0).toBe(sum(all.map(({ away = 0 }) => away)));
        expect(one.quietMs ?? 0).toBe(Math.max(0, ...all.map(({ quietMs = 0 }) => quietMs)));
        expect(one.returned ?? []).toEqual(all.flatMap(({ returned = [] }) => returned));
        expect(one.tried ?? false).toBe(all.some(({ tried }) => tried === true));
        expect(one.error).toEqual(all.findLast(({ error }) => error)?.error);
        expect(countsIn(one.lately ?? [])).toEqual(countsIn(all.flatMap(({ lately: told = [] }) => told)));
        for (const { submitMs, deliveryMs } of one.lately ?? []) {
          expect(Math.max(submitMs.length, deliveryMs.length)).toBeLessThanOrEqual(20);
        }
      }),
    );
  });

  it("of one are that one", () => {
    const told: Seen = { taken: 3, busy: 1, row: { failures: 2 }, returned: [7], tried: true };
    expect(merged([told])).toEqual(told);
    expect(merged([])).toEqual({ taken: 0, busy: 0 });
  });

  it("have the failures since the last acceptance, and the last trouble, in a row", () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), (rows) => {
        const one = merged(rows.map((each) => ({ taken: 0, busy: 0, row: each }))).row;
        const from = Math.max(
          0,
          rows.findLastIndex(({ takenAgoMs }) => takenAgoMs !== undefined),
        );
        const since = rows.slice(from);
        expect(one?.failures).toBe(sum(since.map(({ failures }) => failures)));
        expect(one?.takenAgoMs).toBe(rows[from]?.takenAgoMs);
        expect(one?.trouble).toBe(since.findLast(({ trouble }) => trouble !== undefined)?.trouble);
      }),
    );
  });
});

const NOW_MS = 1_000_000;

const made = fc.record({
  passMs: fc.constantFrom(0, 1, 4_999, 5_000, 20_000, 61_000),
  result,
  ms: fc.nat(9_999),
  isFailure: fc.boolean(),
  trouble: fc.constantFrom(null, "http_401", "http_402"),
});

describe("what was not told", () => {
  it("is all of the last minute, with the failures and the trouble since the last acceptance, once", () => {
    fc.assert(
      fc.property(fc.array(made, { maxLength: 60 }), (all) => {
        const untold = new Untold();
        let nowMs = NOW_MS;
        const model = { failures: 0, takenMs: null as number | null, trouble: null as string | null };
        const counted: { atMs: number; results: Lately["results"] }[] = [];
        for (const { passMs, result: name, ms, isFailure, trouble } of all) {
          nowMs += passMs;
          const isTaken = name === "submitted";
          const code = isTaken ? {} : { code: trouble ?? "x" };
          const more = isTaken ? {} : { isFailure, isTrouble: trouble !== null };
          untold.saw({ results: { [name]: 1 }, submitMs: ms, ...code, ...more }, nowMs);
          counted.push({ atMs: nowMs, results: { [name]: 1 } });
          if (isTaken) Object.assign(model, { failures: 0, takenMs: nowMs, trouble: null });
          else if (isFailure) model.failures += 1;
          if (!isTaken && trouble !== null) model.trouble = trouble;
        }
        const told = untold.take(nowMs);
        const isRow = model.failures > 0 || model.takenMs !== null || model.trouble !== null;
        expect(told.row).toEqual(
          isRow
            ? {
                failures: model.failures,
                ...(model.takenMs !== null && { takenAgoMs: nowMs - model.takenMs }),
                ...(model.trouble !== null && { trouble: model.trouble }),
              }
            : undefined,
        );
        // Counts are together for five seconds, by the first of them.
        const said = countsIn(told.lately ?? []);
        const least = countsIn(counted.filter(({ atMs }) => nowMs - atMs < 55_000));
        const most = countsIn(counted.filter(({ atMs }) => nowMs - atMs < 60_000));
        for (const [at, count] of said.entries()) {
          expect(count).toBeGreaterThanOrEqual(least[at] ?? 0);
          expect(count).toBeLessThanOrEqual(most[at] ?? 0);
        }
        expect((told.lately ?? []).length).toBeLessThanOrEqual(13);
        expect(untold.take(nowMs)).toEqual({});
      }),
    );
  });

  it("is the last answer that was no acceptance, with its age", () => {
    const untold = new Untold();
    untold.saw({ results: { rejected: 1 }, code: "http_400" }, NOW_MS);
    untold.saw({ results: { unknown: 1 }, code: "timeout" }, NOW_MS + 10);
    untold.saw({ results: { submitted: 1 } }, NOW_MS + 20);
    expect(untold.take(NOW_MS + 30).error).toEqual({ code: "timeout", agoMs: 20 });
  });

  it("has no negative age where the clock was set back", () => {
    const untold = new Untold();
    untold.saw({ results: { submitted: 1 }, submitMs: 5 }, NOW_MS);
    expect(untold.take(NOW_MS - 30_000)).toEqual({
      row: { failures: 0, takenAgoMs: 0 },
      lately: [{ agoMs: 0, results: { submitted: 1 }, submitMs: [5], deliveryMs: [] }],
    });
  });
});

describe("what an outcome says of its carrier", () => {
  const FAILURE = { isFailure: true, isTrouble: false };
  const TROUBLE = { isFailure: false, isTrouble: true };
  const NEITHER = { isFailure: false, isTrouble: false };

  it.each<[string, Outcome, typeof NEITHER]>([
    ["no connection", { kind: "not_accepted", code: "connection_refused" }, FAILURE],
    ["no time", { kind: "not_accepted", code: "connect_timeout" }, FAILURE],
    ["no answer", { kind: "unknown", code: "timeout" }, FAILURE],
    ["a broken one", { kind: "unknown", code: "connection_broken" }, FAILURE],
    ["a 500", { kind: "unknown", code: "http_500" }, FAILURE],
    ["a 503", { kind: "not_accepted", code: "http_503" }, FAILURE],
    ["a 503 with Retry-After", { kind: "not_accepted", code: "http_503", retryAfterMs: 1 }, NEITHER],
    ["a 500 with Retry-After", { kind: "unknown", code: "http_500", retryAfterMs: 1 }, NEITHER],
    ["a 429", { kind: "not_accepted", code: "http_429" }, NEITHER],
    ["throttling", { kind: "not_accepted", code: "smpp_0x58" }, NEITHER],
    ["no bind", { kind: "not_accepted", code: "no_bind" }, FAILURE],
    ["a centre out of order", { kind: "not_accepted", code: "smpp_0x08" }, FAILURE],
    ["wrong credentials", { kind: "not_accepted", code: "http_401" }, TROUBLE],
    ["no credit", { kind: "not_accepted", code: "http_402" }, TROUBLE],
    ["a refused bind", { kind: "not_accepted", code: "bind_refused" }, TROUBLE],
    ["no such status", { kind: "unknown", code: "http_5000" }, NEITHER],
    ["a 401 that may have taken it", { kind: "unknown", code: "http_401" }, NEITHER],
  ])("%s", (_, outcome, says) => {
    const code = "code" in outcome ? outcome.code : "";
    expect(madeOf(outcome, 40)).toEqual({ results: { [outcome.kind]: 1 }, submitMs: 40, code, ...says });
  });

  it("is neither where it took or rejected the message, and nothing where it was not asked", () => {
    expect(madeOf({ kind: "submitted" }, 40)).toEqual({ results: { submitted: 1 }, submitMs: 40 });
    const rejected = { results: { rejected: 1 }, submitMs: 40, code: "http_503" };
    expect(madeOf({ kind: "rejected", code: "http_503" }, 40)).toEqual(rejected);
    const before: Outcome[] = [
      { kind: "not_sent", code: "internal_error" },
      { kind: "released" },
      { kind: "not_accepted", code: "no_voice" },
      { kind: "not_accepted", code: "speech_unavailable" },
      { kind: "unknown", code: "speech_being_made" },
    ];
    expect(before.map((outcome) => madeOf(outcome, 40))).toEqual(before.map(() => null));
  });
});
