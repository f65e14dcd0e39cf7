import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Route } from "../../src/model/carrier/carrier.ts";
import { OPERATION_NAMES } from "../../src/model/operations.ts";
import type { Operation } from "../../src/model/operations.ts";
import { choose } from "../../src/routing/choose.ts";
import type { Choices, Choosing } from "../../src/routing/choose.ts";

// The choice of carriers (contract §16.2), against its definition, and its shares.

const NAMES = ["acme", "best", "cell", "dial"];

/** Numbers with their countries, as ITU-T E.164 and the countries' plans have them. */
const COUNTRY: Record<string, string> = {
  "+919876543210": "IN",
  "+14155550132": "US",
  "+16135550132": "CA",
  "+447400123456": "GB",
  "+9779841234567": "NP",
};

const anyName = fc.constantFrom(...NAMES);

const anyRoute: fc.Arbitrary<Route> = fc.record(
  {
    operations: fc.uniqueArray(fc.constantFrom(...OPERATION_NAMES), { minLength: 1 }),
    to: fc.array(fc.constantFrom("*", "+9", "+9198", "+919", "+1", "+1415", "+447400123456", "IN", "US", "GB", "NP"), {
      minLength: 1,
      maxLength: 3,
    }),
    carriers: fc
      .array(fc.record({ name: anyName, weight: fc.integer({ min: 0, max: 1_000 }) }), { minLength: 1, maxLength: 4 })
      .filter((all) => all.some(({ weight }) => weight > 0)),
    fallback: fc.array(anyName, { maxLength: 4 }),
  },
  { requiredKeys: ["carriers"] },
);

const anyMessage: fc.Arbitrary<Choosing> = fc.record({
  operation: fc.constantFrom(...OPERATION_NAMES),
  to: fc.constantFrom(...Object.keys(COUNTRY)),
  mode: fc.constant("live" as const),
  ref: fc.string({ minLength: 1 }),
  attempt: fc.integer({ min: 1, max: 5 }),
});

/** What each carrier can do. */
const anyAbilities = fc.record(Object.fromEntries(NAMES.map((name) => [name, fc.subarray([...OPERATION_NAMES])])));

const choicesOf = (routes: readonly Route[], abilities?: Record<string, Operation[]>): Choices => ({
  routes,
  can: (name, operation) => abilities?.[name]?.includes(operation) ?? abilities === undefined,
  otherwise: "http",
  simulator: "sim",
});

/** Whether a route is for a message, by the words of the contract. */
function isFor({ operations, to }: Route, message: Choosing): boolean {
  const byOperation = operations === undefined || operations.includes(message.operation);
  const matches = (entry: string) =>
    entry === "*" || entry === COUNTRY[message.to] || (entry.startsWith("+") && message.to.indexOf(entry) === 0);
  return byOperation && (to === undefined || to.some(matches));
}

const weighted = (route: Route) => route.carriers.filter(({ weight }) => weight > 0).map(({ name }) => name);

describe("the choice", () => {
  it("is the first route that fits and can, its weighted carriers before its fallbacks, each able one once", () => {
    fc.assert(
      fc.property(fc.array(anyRoute, { maxLength: 5 }), anyMessage, anyAbilities, (routes, message, abilities) => {
        const chosen = choose(choicesOf(routes, abilities), message);
        const can = (name: string) => abilities[name]?.includes(message.operation) === true;
        const usable = (route: Route) => [...weighted(route), ...(route.fallback ?? [])].filter(can);
        const route = routes.find((one) => isFor(one, message) && usable(one).length > 0);
        if (!route) {
          expect(chosen).toEqual(["http"]);
          return;
        }
        const first = new Set(weighted(route).filter(can));
        expect(new Set(chosen.slice(0, first.size))).toEqual(first);
        const rest = (route.fallback ?? []).filter((name) => can(name) && !first.has(name));
        expect(chosen.slice(first.size)).toEqual([...new Set(rest)]);
      }),
    );
  });

  it("is always the same for one message and attempt", () => {
    fc.assert(
      fc.property(fc.array(anyRoute, { maxLength: 3 }), anyMessage, (routes, message) => {
        expect(choose(choicesOf(routes), message)).toEqual(choose(choicesOf(routes), { ...message }));
      }),
    );
  });

  it("is the simulator for a test key, whatever the routes say", () => {
    fc.assert(
      fc.property(fc.array(anyRoute), anyMessage, (routes, message) => {
        expect(choose(choicesOf(routes), { ...message, mode: "test" })).toEqual(["sim"]);
      }),
    );
  });

  it("takes a number by its country where countries share a calling code", () => {
    const routes: Route[] = [
      { to: ["CA"], carriers: [{ name: "acme", weight: 1 }] },
      { to: ["+1"], carriers: [{ name: "best", weight: 1 }] },
    ];
    const to = (number: string) =>
      choose(choicesOf(routes), { operation: "sms_international", to: number, mode: "live", ref: "msg_1", attempt: 1 });
    expect(to("+16135550132")).toEqual(["acme"]);
    expect(to("+14155550132")).toEqual(["best"]);
    expect(to("+447400123456")).toEqual(["http"]);
  });
});

/** How often each carrier is first, of so many references. */
function firsts(carriers: Route["carriers"], refs: readonly string[], attempt = 1): Map<string, number> {
  const counts = new Map<string, number>();
  for (const ref of refs) {
    const [name = ""] = choose(choicesOf([{ carriers }]), {
      operation: "sms",
      to: "+919876543210",
      mode: "live",
      ref,
      attempt,
    });
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** References as accounts make them: alike but for some characters. */
const REFS = Array.from({ length: 20_000 }, (_, at) => `msg_2Kd8${at.toString(36).padStart(6, "0")}xQ`);

/** Five standard deviations of a binomial count. */
const bound = (share: number) => 5 * Math.sqrt(REFS.length * share * (1 - share));

describe("the shares", () => {
  it.each([[[1, 1]], [[9, 1]], [[1, 2, 3, 4]], [[1_000, 1]], [[5, 0, 5]]])(
    "of weights %j are theirs, within what chance allows, at each attempt",
    (weights) => {
      const carriers = weights.map((weight, at) => ({ name: NAMES[at] ?? "", weight }));
      const sum = weights.reduce((all, one) => all + one, 0);
      for (const attempt of [1, 2]) {
        const counts = firsts(carriers, REFS, attempt);
        for (const { name, weight } of carriers) {
          const share = weight / sum;
          expect(Math.abs((counts.get(name) ?? 0) - share * REFS.length)).toBeLessThanOrEqual(bound(share));
        }
      }
    },
  );

  it("of an attempt do not depend on the attempt before", () => {
    const carriers = [
      { name: "acme", weight: 1 },
      { name: "best", weight: 1 },
    ];
    const ofAcme = REFS.filter((ref) => firsts(carriers, [ref]).has("acme"));
    const again = firsts(carriers, ofAcme, 2).get("acme") ?? 0;
    expect(Math.abs(again - ofAcme.length / 2)).toBeLessThanOrEqual(bound(0.5));
  });

  it("move only to the carrier whose weight rises", () => {
    const before = [
      { name: "acme", weight: 2 },
      { name: "best", weight: 1 },
      { name: "cell", weight: 1 },
    ];
    const after = before.map((one) => (one.name === "cell" ? { ...one, weight: 3 } : one));
    for (const ref of REFS.slice(0, 2_000)) {
      const [was, is] = [[...firsts(before, [ref]).keys()][0], [...firsts(after, [ref]).keys()][0]];
      if (was !== is) expect(is).toBe("cell");
    }
  });
});
