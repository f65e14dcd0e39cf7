import { describe, expect, it, vi } from "vitest";
import { OncePerHour, RefusalsLog, StrangersLog, logLine, logProblem } from "../src/log.ts";

it("logs ten requests without a valid key per second, and reports with the next line how many were left out", () => {
  const log = new StrangersLog();
  const admitted = Array.from({ length: 1_000 }, () => log.admit(5_000));
  expect(admitted.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 0));
  expect(new Set(admitted.slice(10))).toEqual(new Set([null]));
  expect(log.admit(6_000)).toBe(990);
  expect(log.admit(6_999)).toBe(0);
});

it("starts a new second when the clock was set back", () => {
  const log = new StrangersLog();
  for (let knocked = 0; knocked < 11; knocked++) log.admit(5_000);
  expect(log.admit(4_000)).toBe(1);
});

it("logs a line that every request could cause once an hour, also when the clock was set back", () => {
  const hour = new OncePerHour();
  const [nowMs, hourMs] = [1_700_000_000_000, 3_600_000];
  expect([0, 1, hourMs - 1, hourMs, hourMs + 1].map((ms) => hour.admit(nowMs + ms))).toEqual([
    true,
    false,
    false,
    true,
    false,
  ]);
  expect(hour.admit(nowMs - hourMs)).toBe(true);
});

describe("security lines of refusals", () => {
  it("are written for the first of each address in a minute, and the next line counts the others", () => {
    const log = new RefusalsLog();
    expect(Array.from({ length: 1_000 }, () => log.admit("203.0.113.9", 60_000)).filter((one) => one !== null)).toEqual(
      [0],
    );
    expect(log.admit("203.0.113.10", 61_000)).toBe(0);
    expect(log.admit("203.0.113.10", 119_999)).toBeNull();
    expect(log.admit("203.0.113.9", 120_000)).toBe(1_000);
    expect(log.admit("203.0.113.10", 120_000)).toBe(0);
  });

  it("stay bounded when every request has another address", () => {
    const log = new RefusalsLog();
    const flood = Array.from({ length: 5_000 }, (_, at) => log.admit(`2001:db8::${at}`, 60_000));
    expect(flood.filter((one) => one !== null)).toHaveLength(1_000);
    expect(log.admit("203.0.113.9", 120_000)).toBe(4_000);
  });
});

/** The lines that something writes. */
const written = (write: () => void, name: "log" | "error"): string => {
  const lines: string[] = [];
  const spy = vi.spyOn(console, name).mockImplementation((line: string) => {
    lines.push(line);
  });
  write();
  spy.mockRestore();
  return lines.join("\n");
};

describe("numbers of phones in log lines", () => {
  it("are cut to their last four digits, however they are written, and ids, times and amounts stay", () => {
    const numbers = [
      "+919876543210",
      "+91 98765 43210",
      "+91 98765-43210",
      "9876543210",
      "+1 415 555 0132",
      "919876543210",
    ];
    for (const number of numbers) {
      const said = `the gateway refused ${number}.`;
      const last = number.replaceAll(/\D/gu, "").slice(-4);
      expect(written(() => logProblem("carrier", new Error(said)), "error")).toContain(`refused …${last}.`);
      expect(written(() => logLine("security", { details: JSON.stringify({ note: said }) }), "log")).toContain(
        `…${last}`,
      );
    }
    const kept = {
      id: "req_12345678901234",
      account: "acc_98765432109",
      at: "2026-11-22T12:00:00.000Z",
      sum: 9_876_543_210,
    };
    expect(JSON.parse(written(() => logLine("request", kept), "log"))).toEqual({ event: "request", ...kept });
  });
});
