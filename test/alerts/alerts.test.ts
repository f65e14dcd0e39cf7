import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { endAlert, raiseAlert } from "../../src/alerts/alerts.ts";
import { endedAlerts, openAlerts } from "../../src/db/health/alerts.ts";
import { forgetAlerts, withChannel } from "../world/alerts.ts";

// An alert is one row for each kind and subject, whatever is raised and ended at the same time.

const values = { queue: "bulk", age_sec: 700 };
const NOW = Date.parse("2026-11-22T10:00:00Z");

const open = () => openAlerts(env.DB, 100);
const notices = async () => {
  const { results } = await env.DB.prepare("SELECT id, body FROM alert_notice ORDER BY seq").all<{
    id: string;
    body: string;
  }>();
  return results.map(({ id, body }) => ({ id, ...(JSON.parse(body) as { type: string; data: { count: number } }) }));
};

const raiseNth = (nth: number) => raiseAlert(withChannel, { kind: "dead_letters", values: { nth } }, NOW + nth);

const linesOf = (log: { mock: { calls: unknown[][] } }) =>
  log.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);

beforeEach(forgetAlerts);
afterEach(() => vi.restoreAllMocks());

describe("an alert", () => {
  it("is one row however often it is raised, and a line in the log each time", async () => {
    const log = vi.spyOn(console, "log");
    await raiseAlert(env, { kind: "queue_age", subject: "bulk", values }, NOW);
    await raiseAlert(env, { kind: "queue_age", subject: "bulk", values: { ...values, age_sec: 900 } }, NOW + 5);
    await raiseAlert(env, { kind: "queue_age", subject: "otp", values }, NOW + 6);
    expect(await open()).toMatchObject([
      { subject: "bulk", firstAt: NOW, lastAt: NOW + 5, count: 2, values: { queue: "bulk", age_sec: 900 } },
      { subject: "otp", firstAt: NOW + 6, count: 1 },
    ]);
    const lines = linesOf(log);
    expect(lines).toHaveLength(3);
    expect(lines[1]).toEqual({
      event: "alert",
      what: "queue age",
      kind: "queue_age",
      subject: "bulk",
      ...values,
      age_sec: 900,
    });
  });

  it("ends once, stays in the list of those that ended, and begins anew", async () => {
    await raiseAlert(withChannel, { kind: "database_fill", subject: "DB", values: {} }, NOW);
    await endAlert(withChannel, "database_fill", "DB", { nowMs: NOW + 1_000 });
    await endAlert(withChannel, "database_fill", "DB", { nowMs: NOW + 2_000 });
    expect(await open()).toEqual([]);
    expect(await endedAlerts(env.DB, 10)).toMatchObject([{ kind: "database_fill", endedAt: NOW + 1_000, count: 1 }]);
    await raiseAlert(withChannel, { kind: "database_fill", subject: "DB", values: {} }, NOW + 3_000);
    expect(await open()).toMatchObject([{ firstAt: NOW + 3_000, count: 1, endedAt: null }]);
    const written = await notices();
    expect(written.map(({ type }) => type)).toEqual(["alert.begin", "alert.end", "alert.begin"]);
    expect(new Set(written.map(({ id }) => id)).size).toBe(3);
  });

  it("has one beginning when many callers raise it at once, and one end when many end it", async () => {
    await Promise.all(Array.from({ length: 20 }, (_, nth) => raiseNth(nth)));
    expect(await open()).toMatchObject([{ count: 20 }]);
    await Promise.all(
      Array.from({ length: 20 }, () => endAlert(withChannel, "dead_letters", "", { nowMs: NOW + 100 })),
    );
    expect((await notices()).map(({ type }) => type)).toEqual(["alert.begin", "alert.end"]);
  });

  it("is not ended by one who looked before it was raised again", async () => {
    await raiseAlert(env, { kind: "alarm_healed", values: { healed: 1 } }, NOW);
    await endAlert(env, "alarm_healed", "", { nowMs: NOW + 10, before: NOW });
    expect(await open()).toHaveLength(1);
    await endAlert(env, "alarm_healed", "", { nowMs: NOW + 10, before: NOW + 1 });
    expect(await open()).toHaveLength(0);
  });

  it("that cannot be stored is still logged, and harms no caller", async () => {
    const log = vi.spyOn(console, "log");
    const away = { ...env, DB: null } as unknown as Env;
    await raiseAlert(away, { kind: "queue_age", values }, NOW);
    await endAlert(away, "queue_age");
    expect(linesOf(log)).toMatchObject([{ event: "alert", kind: "queue_age" }]);
    await raiseAlert({ ...env, KEY_SECRET: "short" } as Env, { kind: "queue_age", values }, NOW);
    expect(linesOf(log)).toHaveLength(2);
  });
});

it("begins and ends in turn, whatever the order in which it is raised and ended", async () => {
  const step = fc.record({ raises: fc.boolean(), subject: fc.constantFrom("a", "b"), atOnce: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      await forgetAlerts();
      let running: Promise<void>[] = [];
      for (const [nth, { raises, subject, atOnce }] of steps.entries()) {
        const nowMs = NOW + nth * 1_000;
        running.push(
          raises
            ? raiseAlert(withChannel, { kind: "queue_age", subject, values }, nowMs)
            : endAlert(withChannel, "queue_age", subject, { nowMs }),
        );
        if (atOnce) continue;
        await Promise.all(running);
        running = [];
      }
      await Promise.all(running);
      const { results } = await env.DB.prepare(
        "SELECT body ->> '$.data.subject' AS subject, group_concat(body ->> '$.type', ' ') AS types FROM (SELECT * FROM alert_notice ORDER BY seq) GROUP BY 1",
      ).all<{ subject: string; types: string }>();
      const stillOpen = new Set((await open()).map((alert) => alert.subject));
      for (const { subject, types } of results) {
        expect(types).toMatch(
          stillOpen.has(subject) ? /^(?:alert.begin alert.end ?)*alert.begin$/u : /^(?:alert.begin alert.end ?)*$/u,
        );
      }
    }),
    { numRuns: 15 },
  );
});

it("names no person, whatever its values say", async () => {
  const numbers = fc.constantFrom("+919876543210", "9876543210", "+91 98765 43210", "919876543210", "asha@example.com");
  const around = fc.constantFrom("", " ", "to ", "(", ": ", "\n", "'");
  const text = fc.tuple(around, numbers, around, numbers).map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(text, text, async (said, subject) => {
      await forgetAlerts();
      const log = vi.spyOn(console, "log").mockClear();
      await raiseAlert(
        withChannel,
        { kind: "payment_event_stuck", subject, values: { said, bytes: 7_500_000_000 } },
        NOW,
      );
      const { results } = await env.DB.prepare("SELECT * FROM alert, alert_notice").all();
      const all = `${JSON.stringify(results)} ${log.mock.calls.join(" ")}`;
      for (const part of ["98765", "asha", "76543"]) expect(all).not.toContain(part);
      expect(all).toContain("7500000000");
    }),
    { numRuns: 30 },
  );
});
