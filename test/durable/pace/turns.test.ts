import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GRACE_MS, Turns } from "../../../src/durable/pace/turns.ts";

/** Serves `rounds` requests of one permit each; which account each was of. */
function served(turns: Turns<string>, rounds: number): string[] {
  return Array.from({ length: rounds }, () => {
    const [account = ""] = (turns.first() ?? "").split(" ");
    turns.serve(0, 1);
    return account;
  });
}

describe("the turns of a lane", () => {
  it("alternate between accounts, however many requests each has", () => {
    const turns = new Turns<string>();
    for (let at = 0; at < 20; at++) turns.add("many", `many ${at}`);
    turns.add("few", "few 0");
    turns.add("few", "few 1");
    expect(served(turns, 6)).toEqual(["many", "few", "many", "few", "many", "many"]);
  });

  it("count permits, not requests", () => {
    const turns = new Turns<string>();
    for (const account of ["large", "small"]) for (let at = 0; at < 5; at++) turns.add(account, `${account} ${at}`);
    const order = Array.from({ length: 6 }, () => {
      const [account = ""] = (turns.first() ?? "").split(" ");
      turns.serve(0, account === "large" ? 40 : 10);
      return account;
    });
    expect(order).toEqual(["large", "small", "small", "small", "small", "large"]);
  });

  it("are kept for an account that was told to come back, and for no longer", () => {
    const turns = new Turns<string>();
    turns.add("away", "away 0");
    turns.drop("away", "away 0");
    turns.expect("away", 0, 5_000);
    for (let at = 0; at < 9; at++) turns.add("here", `here ${at}`);
    served(turns, 3);
    expect(turns.isOneDue(1_000)).toBe(false);
    expect(turns.isOneDue(4_500)).toBe(true);
    expect(turns.isOneDue(5_000 + GRACE_MS + 1)).toBe(false);
    turns.add("away", "away 1");
    expect(turns.first()).toBe("away 1");
    expect(turns.ahead("away")).toBe(0);
  });

  it("forget an account that did not come back", () => {
    const turns = new Turns<string>();
    for (let at = 0; at < 100; at++) turns.expect(`gone ${at}`, 0, 1_000);
    for (let at = 0; at < 50; at++) {
      turns.add("here", `here ${at}`);
      turns.serve(60_000, 1);
    }
    expect(turns.accounts).toBeLessThanOrEqual(1);
  });

  it("hold ten thousand accounts and serve each once before any twice", () => {
    const turns = new Turns<string>();
    for (let round = 0; round < 2; round++) for (let at = 0; at < 10_000; at++) turns.add(`${at}`, `${at} ${round}`);
    expect(new Set(served(turns, 10_000)).size).toBe(10_000);
    expect(turns.waiting).toBe(10_000);
    for (let at = 0; at < 50_000; at++) turns.expect(`away ${at}`, 0, 60_000);
    expect(turns.accounts).toBeLessThanOrEqual(20_000);
  });

  it("lose no request and serve none twice, whatever happens", () => {
    const anyStep = fc.record({
      kind: fc.constantFrom("add", "add", "serve", "drop", "expect"),
      account: fc.constantFrom("a", "b", "c", "d"),
      permits: fc.integer({ min: 1, max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 100 }), (steps) => {
        const turns = new Turns<string>();
        const waiting = new Set<string>();
        steps.forEach(({ kind, account, permits }, at) => {
          const first = turns.first();
          if (kind === "add") {
            waiting.add(`${account} ${at}`);
            turns.add(account, `${account} ${at}`);
          } else if (kind === "serve" && first !== undefined) {
            expect(waiting.delete(first)).toBe(true);
            turns.serve(at * 100, permits);
          } else if (kind === "drop") {
            const own = [...waiting].find((item) => item.startsWith(account));
            if (own !== undefined) waiting.delete(own);
            turns.drop(account, own ?? "");
          } else if (kind === "expect") turns.expect(account, at * 100, permits * 10);
          expect(turns.waiting).toBe(waiting.size);
        });
        while (waiting.size > 0) {
          expect(waiting.delete(turns.first() ?? "")).toBe(true);
          turns.serve(0, 1);
        }
        expect(turns.first()).toBe(undefined);
      }),
    );
  });
});
