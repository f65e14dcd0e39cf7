import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { choose } from "../../src/routing/choose.ts";
import { SHARE_MIN, meritOf, noEvidence, shareOf, withReceipts } from "../../src/routing/drift.ts";
import { seeded } from "../world/paced.ts";

// Shares that follow what carriers deliver (contract §16.2), with carriers that are simulated over hours.

describe("what a carrier is worth", () => {
  it("is all while few receipts came, whatever they say", () => {
    const few = withReceipts(noEvidence(0), { delivered: 0, final: 20, deliveryMs: [] }, 0);
    expect(meritOf(few, 0)).toBe(1);
    expect(meritOf(noEvidence(0), 5)).toBe(1);
  });

  it("is above 0, at most 1, more with more delivered, less where that takes longer, and comes back with time", () => {
    const receipts = fc.record({
      final: fc.nat(500),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
      ms: fc.nat(900_000),
    });
    fc.assert(
      fc.property(receipts, ({ final, part, ms }) => {
        const delivered = Math.floor(final * part);
        const merit = (count: number, deliveryMs: number, atMs = 0) =>
          meritOf(withReceipts(noEvidence(0), { delivered: count, final, deliveryMs: [deliveryMs] }, 0), atMs);
        const own = merit(delivered, ms);
        expect(own).toBeGreaterThan(0);
        expect(own).toBeLessThanOrEqual(1);
        expect(merit(Math.min(final, delivered + 1), ms)).toBeGreaterThanOrEqual(own);
        expect(merit(delivered, ms + 60_000)).toBeLessThanOrEqual(own);
        expect(merit(delivered, ms, 3_600_000)).toBeGreaterThanOrEqual(own);
        expect(merit(delivered, ms, 86_400_000)).toBe(1);
      }),
    );
  });

  it("becomes a share from 0.05 to 1, 1 for the best of a route", () => {
    expect(shareOf(0.4, 0.4)).toBe(1);
    expect(shareOf(0, 0.9)).toBe(SHARE_MIN);
    expect(shareOf(0.9, 0.95)).toBeGreaterThan(0.6);
    expect(shareOf(0.5, 0.95)).toBe(SHARE_MIN);
  });
});

/** Runs two carriers of equal weights for some hours; the share of the first in each ten minutes. */
function run(
  hours: number,
  perMinute: number,
  delivers: (name: string, minute: number) => number,
  ms = { a: 5_000, b: 5_000 },
) {
  const random = seeded(7);
  const evidence = new Map(["a", "b"].map((name) => [name, noEvidence(0)] as const));
  const routes = [
    {
      carriers: [
        { name: "a", weight: 1 },
        { name: "b", weight: 1 },
      ],
    },
  ];
  const shares: number[] = [];
  let [given, ofA, nth] = [0, 0, 0];
  for (let minute = 0; minute < hours * 60; minute++) {
    const nowMs = minute * 60_000;
    // What is known is as old as a receipt takes.
    const merits = (name: string) => meritOf(evidence.get(name) ?? noEvidence(0), nowMs);
    const got = new Map<string, { delivered: number; final: number; deliveryMs: number[] }>();
    for (let at = 0; at < perMinute; at++) {
      const message = {
        operation: "sms",
        to: "+919876543210",
        mode: "live",
        ref: `m${nth++}`,
        attempt: 1,
      } as const;
      const [name = ""] = choose({ routes, can: () => true, otherwise: "http", simulator: "sim", merits }, message);
      const own = got.get(name) ?? { delivered: 0, final: 0, deliveryMs: [] };
      const isDelivered = random() < delivers(name, minute);
      own.final += 1;
      own.delivered += isDelivered ? 1 : 0;
      if (isDelivered) own.deliveryMs.push(ms[name as "a" | "b"] * (0.5 + random()));
      got.set(name, own);
      given += 1;
      ofA += name === "a" ? 1 : 0;
    }
    for (const [name, own] of got) evidence.set(name, withReceipts(evidence.get(name) ?? noEvidence(0), own, nowMs));
    if (minute % 10 === 9) {
      shares.push(ofA / given);
      [given, ofA] = [0, 0];
    }
  }
  return shares;
}

/** The greatest change from one ten minutes to the next. */
const swing = (shares: readonly number[]) =>
  Math.max(...shares.slice(1).map((share, at) => Math.abs(share - (shares[at] ?? 0))));

describe("the shares of two carriers", () => {
  it("stay where both deliver the same", () => {
    for (const share of run(4, 100, () => 0.95)) expect(Math.abs(share - 0.5)).toBeLessThan(0.1);
  });

  it.each([20, 100, 500])(
    "of which one delivers a third, at %i a minute: it gets little, always some, and does not swing",
    (rate) => {
      const shares = run(12, rate, (name) => (name === "a" ? 0.33 : 0.95)).slice(6);
      expect(Math.max(...shares)).toBeLessThan(0.25);
      expect(Math.min(...shares)).toBeGreaterThan(0);
      expect(swing(shares)).toBeLessThan(0.15);
    },
  );

  it("come back once it delivers again, by and by", () => {
    const shares = run(12, 100, (name, minute) => (name === "a" && minute < 240 ? 0.2 : 0.95));
    expect(shares[20]).toBeLessThan(0.2);
    expect(shares[25]).toBeLessThan(shares[40] ?? 0);
    expect(shares.at(-1)).toBeGreaterThan(0.4);
  });

  it("drift to the faster one of two that deliver the same", () => {
    const shares = run(6, 100, () => 0.95, { a: 300_000, b: 5_000 });
    expect(shares.at(-1)).toBeLessThan(0.25);
    expect(swing(shares.slice(6))).toBeLessThan(0.1);
  });
});
