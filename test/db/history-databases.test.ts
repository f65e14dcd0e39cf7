import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { HistoryNotBound, historyDatabase, historyDatabases, newestHistory } from "../../src/db/history-databases.ts";

const withBindings = (...numbers: number[]) => ({
  ...env,
  ...Object.fromEntries(numbers.map((number) => [`HISTORY_${number}`, env.SPARE_HISTORY])),
});

it("finds the databases of history by their numbers, in their order, and nothing else", () => {
  const more = { ...withBindings(10, 2), HISTORY_BYTES_MAX: "9", HISTORY_X: "no", HISTORY_0: "no" } as unknown as Env;
  expect(historyDatabases(more).map(({ number, name }) => [number, name])).toEqual([
    [1, "HISTORY_1"],
    [2, "HISTORY_2"],
    [10, "HISTORY_10"],
  ]);
  expect(newestHistory(more)).toBe(10);
  expect(newestHistory(env)).toBe(1);
  expect(historyDatabase(more, 10)).toBe(env.SPARE_HISTORY);
});

it("says which binding is missing", () => {
  expect(() => historyDatabase(withBindings(3), 2)).toThrow(HistoryNotBound);
  expect(() => historyDatabase(withBindings(3), 2)).toThrow("HISTORY_2 is not bound");
});
