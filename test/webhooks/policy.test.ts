import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Endpoint, Parked, Posted } from "../../src/model/webhook.ts";
import { goesOn, settleRun, verdictOn, waitMs } from "../../src/webhooks/policy.ts";
import type { Rules } from "../../src/webhooks/policy.ts";

const LADDER = [5_000, 300_000, 1_800_000, 7_200_000];
const rules: Rules = { ladderMs: LADDER, deadMs: 432_000_000, random: () => 0.5 };

const endpointOf = (more: Partial<Endpoint> = {}): Endpoint => ({
  id: "wh_1",
  url: "https://example.com/",
  types: ["*"],
  batch: false,
  description: "",
  createdAt: 0,
  acked: 0,
  nextAt: null,
  failures: 0,
  failingSince: null,
  head: null,
  lastError: null,
  disabled: null,
  generation: 1,
  secretId: 1,
  old: null,
  replay: null,
  ...more,
});

const posted = (seq: number, status: number | null, more: Partial<Posted> = {}): Posted => ({
  kind: "live",
  first: seq,
  last: seq,
  through: seq,
  attempt: { seq, at: 1_000, status, ms: 1, error: status === 200 ? null : `http_${status}`, answer: "" },
  retryAfterMs: null,
  ...more,
});

const parkedOf = (failures: number) => [{ seq: 1, failures, nextAt: 0 }];

describe("what an answer means", () => {
  it.each([
    [200, "taken"],
    [204, "taken"],
    [301, "wait"],
    [400, "park"],
    [404, "park"],
    [408, "wait"],
    [410, "gone"],
    [425, "wait"],
    [429, "wait"],
    [500, "wait"],
    [503, "wait"],
    [null, "wait"],
  ] as const)("%s: %s", (status, verdict) => expect(verdictOn(status)).toBe(verdict));
});

describe("a run", () => {
  it("moves on with each success, and forgets the failures before", () => {
    const before = endpointOf({
      failures: 3,
      failingSince: 1,
      lastError: "http_500",
      head: { seq: 1, last: 1, refused: 2 },
    });
    const { endpoint } = settleRun(before, [], [posted(1, 200), posted(2, 204, { through: 5 })], 2_000, rules);
    expect(endpoint).toMatchObject({
      acked: 5,
      failures: 0,
      failingSince: null,
      nextAt: null,
      lastError: null,
      head: null,
    });
  });

  it.each([500, 429, 301, null])("waits after %s, and has what came before", (status) => {
    const { endpoint, parked } = settleRun(endpointOf(), [], [posted(1, 200), posted(2, status)], 2_000, rules);
    expect(endpoint).toMatchObject({ acked: 1, failures: 1, failingSince: 1_000, nextAt: 7_000, disabled: null });
    expect(parked.size).toBe(0);
    expect(goesOn(endpointOf(), [posted(2, status)])).toBe(false);
  });

  it("climbs the ladder and stays on its last step", () => {
    let endpoint = endpointOf();
    const waits = Array.from({ length: 6 }, () => {
      endpoint = settleRun(endpoint, [], [posted(1, null)], 0, rules).endpoint;
      return endpoint.nextAt;
    });
    expect(waits).toEqual([...LADDER, LADDER[3], LADDER[3]]);
  });

  it("keeps a Retry-After of up to an hour", () => {
    expect(waitMs(rules, 1, 120_000)).toBe(120_000);
    expect(waitMs(rules, 1, 7_200_000)).toBe(3_600_000);
    expect(waitMs(rules, 1, 1_000)).toBe(5_000);
    expect(waitMs(rules, 4, 10_000)).toBe(60_000);
  });

  it("differs from the ladder by a tenth at most", () => {
    expect([0, 1].map((random) => waitMs({ ...rules, random: () => random }, 2, null))).toEqual([270_000, 330_000]);
  });

  it("parks what is refused with another 4xx, and goes on", () => {
    const results = [posted(1, 404), posted(2, 200)];
    expect(goesOn(endpointOf(), results.slice(0, 1))).toBe(true);
    const { endpoint, parked } = settleRun(endpointOf(), [], results, 2_000, rules);
    expect(endpoint).toMatchObject({ acked: 2, failures: 0, failingSince: null });
    expect([...parked]).toEqual([[1, { seq: 1, failures: 1, nextAt: 7_000 }]]);
  });

  it("tries the events of a refused batch one by one, at once", () => {
    const { parked } = settleRun(endpointOf(), [], [posted(1, 400, { last: 3, through: 3 })], 2_000, rules);
    expect([...parked.values()]).toEqual([1, 2, 3].map((seq) => ({ seq, failures: 0, nextAt: 2_000 })));
  });

  it("parks an event with three 5xx only where the next one is taken", () => {
    const head = { seq: 1, last: 1, refused: 2 };
    const before = endpointOf({ failures: 2, failingSince: 1, head });
    expect(goesOn(endpointOf({ head: { ...head, refused: 1 } }), [posted(1, 500)])).toBe(false);
    expect(goesOn(before, [posted(1, 500)])).toBe(true);
    expect(goesOn(before, [posted(1, 500), posted(2, 200)])).toBe(true);
    expect(goesOn(before, [posted(1, 500), posted(2, 500)])).toBe(false);
    const alone = settleRun(before, [], [posted(1, 500), posted(2, 200)], 2_000, rules);
    expect(alone.endpoint).toMatchObject({ acked: 2, failures: 0, head: null });
    expect([...alone.parked.keys()]).toEqual([1]);
    const down = settleRun(before, [], [posted(1, 500), posted(2, 500)], 2_000, rules);
    expect(down.endpoint).toMatchObject({ acked: 0, failures: 3, head: { seq: 1, refused: 3 } });
    expect(down.parked.size).toBe(0);
  });

  it("holds up the endpoint where too many are parked", () => {
    const full: Parked[] = Array.from({ length: 200 }, (_, at) => ({ seq: at + 1, failures: 1, nextAt: 9e15 }));
    const { endpoint, parked } = settleRun(endpointOf({ acked: 200 }), full, [posted(201, 404)], 2_000, rules);
    expect(endpoint).toMatchObject({ acked: 200, failures: 1, nextAt: 7_000 });
    expect(parked.size).toBe(0);
  });

  it("gives a parked event up at the end of its ladder", () => {
    const results = [posted(1, 404, { kind: "parked" })];
    expect(settleRun(endpointOf(), parkedOf(1), results, 0, rules).parked.get(1)).toEqual({
      seq: 1,
      failures: 2,
      nextAt: 300_000,
    });
    expect(settleRun(endpointOf(), parkedOf(4), results, 0, rules).parked.get(1)).toBeNull();
  });

  it("disables after a 410, and after nothing but failures for long", () => {
    expect(settleRun(endpointOf(), [], [posted(1, 410)], 0, rules).endpoint).toMatchObject({
      disabled: "gone",
      nextAt: null,
    });
    const failing = endpointOf({ failures: 9, failingSince: 1_000 });
    const at = (nowMs: number) => settleRun(failing, [], [posted(1, 500)], nowMs, rules).endpoint.disabled;
    expect([at(432_000_999), at(432_001_000)]).toEqual([null, "failures"]);
  });
});

/** Runs the policy against a receiver until all is settled, as the object and the Worker do together. */
function deliverTo(statusOf: (seq: number, attempt: number) => number | null, count: number, killed: () => boolean) {
  let endpoint = endpointOf();
  const parked = new Map<number, Parked>();
  const attempts = new Map<number, number>();
  const parkedOnce = new Set<number>();
  const taken: number[] = [];
  for (let nowMs = 0, round = 0; round < 5_000; round += 1) {
    const due = [...parked.values()].filter(({ nextAt }) => nextAt <= nowMs).map(({ seq }) => seq);
    const fresh = Array.from({ length: Math.min(10, count - endpoint.acked) }, (_, at) => endpoint.acked + 1 + at);
    if (fresh.length + parked.size === 0 || endpoint.disabled !== null) break;
    const results: Posted[] = [];
    if ((endpoint.nextAt ?? 0) <= nowMs) {
      for (const [seq, kind] of [
        ...fresh.map((one) => [one, "live"] as const),
        ...due.map((one) => [one, "parked"] as const),
      ]) {
        const attempt = (attempts.get(seq) ?? 0) + 1;
        attempts.set(seq, attempt);
        const status = statusOf(seq, attempt);
        if (status === 200) taken.push(seq);
        results.push(posted(seq, status, { kind }));
        if (!goesOn(endpoint, results)) break;
      }
    }
    const settled = settleRun(endpoint, [...parked.values()], results, nowMs, rules);
    for (const seq of settled.parked.keys()) parkedOnce.add(seq);
    // A run that is killed reports nothing.
    if (results.length > 0 && !killed()) {
      endpoint = settled.endpoint;
      for (const [seq, one] of settled.parked) {
        if (one) parked.set(seq, one);
        else parked.delete(seq);
      }
    }
    nowMs += 4_000_000;
  }
  return { endpoint, taken, parkedOnce };
}

it("delivers every event at least once, those that are not parked in their order, whatever is answered", () => {
  const answer = fc.constantFrom(200, 200, 200, 500, 503, 429, 302, 404, null);
  const byEvent = fc.array(fc.array(answer, { maxLength: 3 }), { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(byEvent, fc.infiniteStream(fc.nat(4)), (answers, luck) => {
      // After its answers, an event is taken: nothing of this gets to the end of a ladder.
      const status = (seq: number, attempt: number) => {
        const given = answers[seq - 1]?.[attempt - 1];
        return given === undefined ? 200 : given;
      };
      const { endpoint, taken, parkedOnce } = deliverTo(status, 20, () => luck.next().value === 0);
      expect(endpoint).toMatchObject({ disabled: null, acked: 20 });
      expect(new Set(taken).size).toBe(20);
      const firsts = [...new Set(taken)].filter((seq) => !parkedOnce.has(seq));
      expect(firsts).toEqual(firsts.toSorted((one, other) => one - other));
    }),
  );
});
