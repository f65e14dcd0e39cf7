import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { storeObserved } from "../../src/db/health/observed.ts";
import { openAlerts } from "../../src/db/health/alerts.ts";
import { housekeeping } from "../../src/housekeeping.ts";
import type { PaceStanding } from "../../src/model/pace.ts";
import { noResults } from "../../src/model/carrier/health.ts";
import { judge } from "../../src/operator/health-checks.ts";
import { healthOf } from "../../src/operator/health.ts";
import type { Health } from "../../src/operator/health.ts";
import { metricsText } from "../../src/operator/metrics.ts";
import { forgetAlerts } from "../world/alerts.ts";
import { readExposition } from "../world/exposition.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const NOW = Date.parse("2026-11-22T10:00:00Z");

const STANDING: PaceStanding = {
  sinceMs: NOW - HOUR_MS,
  taken: 90,
  busy: 4,
  away: 0,
  refusedSinceMs: null,
  refusedLastMs: null,
  perSec: null,
  quietMs: 0,
  health: { state: "up", sinceMs: 0, lastError: null, minute: noResults(), medianMs: null },
  oldestMs: {},
};

/** A quiet service, with these parts in place of its own. */
const healthWith = (more: Partial<Health> = {}): Health => ({
  at: NOW,
  queues: [{ queue: "single", waiting: 0, oldestAt: null }],
  waits: [],
  lastHour: [],
  ever: [],
  pace: { carrier: "http", standing: STANDING },
  databases: [{ name: "DB", bytes: 1_000, max: 10_000 }],
  paymentEvents: { count: 0, oldestAt: null },
  deadLetters: { count: 0, oldestAt: null },
  alerts: [],
  notices: { waiting: 0, oldestAt: null },
  cronAt: NOW - 5 * MINUTE_MS,
  ...more,
});

const LIMITS = { ALERT_QUEUE_AGE_MS: 15 * MINUTE_MS, ALERT_DELIVERY_PERCENT: 70 };
const raised = (more: Partial<Health>) =>
  judge(healthWith(more), LIMITS).raise.map(({ kind, subject = "" }) => `${kind} ${subject}`.trim());

const tally = (delivered: number, failed: number) => ({
  carrier: "http",
  delivered,
  failed,
  undelivered: 0,
  unconfirmed: 0,
  sumMs: delivered * 4_000,
  within: [delivered, delivered, delivered, delivered, delivered],
});
const open = (kind: "queue_age" | "carrier_delivery" | "carrier_silent" | "dead_letters", subject: string) => ({
  kind,
  subject,
  firstAt: NOW - HOUR_MS,
  lastAt: NOW,
  count: 3,
  values: {},
  endedAt: null,
});

const minutesOld = (minutes: number) => NOW - minutes * MINUTE_MS;

/** A queue whose oldest message is so old. */
const queueOf = (queue: "otp" | "single" | "bulk" | "history", minutes: number) => [
  { queue, waiting: 3, oldestAt: minutesOld(minutes) },
];

const wait = (createdMinutes: number, seenMinutes: number) => [
  {
    lane: "single" as const,
    carrier: "http",
    accounts: 1,
    oldestAt: minutesOld(createdMinutes),
    seenAt: minutesOld(seenMinutes),
  },
];

const ended = (more: Partial<Health>) => judge(healthWith(more), LIMITS).end.map(({ subject }) => subject);

const deadLetter = (id: string) =>
  env.DB.prepare("INSERT INTO dead_letter (id, body, at) VALUES (?, 'null', ?)").bind(id, NOW).run();

const valueOf = (text: string, name: string, labels: Record<string, string> = {}) =>
  readExposition(text)
    .flatMap(({ samples }) => samples)
    .find((one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value))
    ?.value;

describe("a quiet service", () => {
  it("raises nothing", () => {
    expect(raised({})).toEqual([]);
    expect(raised({ lastHour: [tally(10, 39)], cronAt: "never", pace: "none" })).toEqual([]);
  });

  it("raises nothing and ends nothing by what is not known", () => {
    const nothing = { queues: null, waits: null, lastHour: null, pace: null, deadLetters: null, cronAt: null };
    const alerts = [open("queue_age", "queue otp"), open("carrier_delivery", "http"), open("dead_letters", "")];
    expect(judge(healthWith({ ...nothing, alerts }), LIMITS)).toEqual({ raise: [], end: [] });
  });
});

describe("an alert is raised", () => {
  it("for an old queue message: of one-time passwords after a minute, of bulks after two hours", () => {
    expect(raised({ queues: queueOf("otp", 0.9) })).toEqual([]);
    expect(raised({ queues: queueOf("otp", 1) })).toEqual(["queue_age queue otp"]);
    expect(raised({ queues: queueOf("single", 14) })).toEqual([]);
    expect(raised({ queues: queueOf("single", 15) })).toEqual(["queue_age queue single"]);
    expect(raised({ queues: queueOf("bulk", 119) })).toEqual([]);
    expect(raised({ queues: queueOf("bulk", 120) })).toEqual(["queue_age queue bulk"]);
    expect(raised({ queues: queueOf("history", 20) })).toEqual(["queue_age queue history"]);
  });

  it("for a long wait, by what is certain of it", () => {
    expect(raised({ waits: wait(20, 6) })).toEqual([]);
    expect(raised({ waits: wait(21, 6) })).toEqual(["queue_age wait single http"]);
    // Not said again for so long that it cannot have left.
    expect(raised({ waits: wait(36, 34) })).toEqual(["queue_age wait single http"]);
  });

  it("for an old message that consumers hold", () => {
    const standing = { ...STANDING, oldestMs: { otp: minutesOld(2), bulk: minutesOld(2) } };
    expect(raised({ pace: { carrier: "http", standing } })).toEqual(["queue_age pace otp http"]);
  });

  it("for a carrier that delivers too little of enough messages", () => {
    expect(raised({ lastHour: [tally(35, 15)] })).toEqual([]);
    expect(raised({ lastHour: [tally(34, 16)] })).toEqual(["carrier_delivery http"]);
    expect(raised({ lastHour: [tally(10, 39)] })).toEqual([]);
  });

  it("for a carrier that takes nothing for minutes, and not by refusals of long ago", () => {
    const refusing = (since: number, last: number) => ({
      carrier: "http",
      standing: { ...STANDING, refusedSinceMs: minutesOld(since), refusedLastMs: minutesOld(last) },
    });
    expect(raised({ pace: refusing(4, 0) })).toEqual([]);
    expect(raised({ pace: refusing(5, 1) })).toEqual(["carrier_silent http"]);
    expect(raised({ pace: refusing(120, 15) })).toEqual([]);
    expect(raised({ pace: { carrier: "http", standing: { ...STANDING, quietMs: 300_000 } } })).toHaveLength(1);
  });

  it("for dead letters, and for a cron that did not run", () => {
    expect(raised({ deadLetters: { count: 1, oldestAt: NOW } })).toEqual(["dead_letters"]);
    expect(raised({ cronAt: minutesOld(14) })).toEqual([]);
    expect(raised({ cronAt: minutesOld(15) })).toEqual(["cron_late"]);
  });
});

describe("an open alert", () => {
  it("ends well below its bound, or when its subject is gone, and not in between", () => {
    const alerts = [open("queue_age", "queue single"), open("queue_age", "wait otp http")];
    expect(ended({ alerts, queues: queueOf("single", 8) })).toEqual(["wait otp http"]);
    expect(ended({ alerts, queues: queueOf("single", 7) })).toEqual(["queue single", "wait otp http"]);
    expect(ended({ alerts, queues: queueOf("single", 8), waits: null })).toEqual([]);
    const delivery = [open("carrier_delivery", "http")];
    expect(ended({ alerts: delivery, lastHour: [tally(37, 13)] })).toEqual([]);
    expect(ended({ alerts: delivery, lastHour: [tally(75, 25)] })).toEqual(["http"]);
    expect(ended({ alerts: delivery, lastHour: [] })).toEqual(["http"]);
    expect(ended({ alerts: [open("carrier_silent", "http")] })).toEqual(["http"]);
    expect(ended({ alerts: [open("dead_letters", "")] })).toEqual([""]);
  });
});

describe("the cron", () => {
  beforeEach(async () => {
    await forgetAlerts();
    await env.DB.batch(
      ["dead_letter", "cursor", "delivery_tally"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
    );
  });
  afterEach(() => vi.restoreAllMocks());

  it("raises by health, once when it runs twice at once, and ends when the cause is gone", async () => {
    await deadLetter("a");
    await Promise.all([housekeeping(env, NOW), housekeeping(env, NOW)]);
    expect(await openAlerts(env.DB, 10)).toMatchObject([{ kind: "dead_letters", values: { kept: 1 }, count: 2 }]);
    expect((await healthOf(env, NOW + 1)).cronAt).toBe(NOW);
    await env.DB.prepare("DELETE FROM dead_letter").run();
    await housekeeping(env, NOW + 5 * MINUTE_MS);
    expect(await openAlerts(env.DB, 10)).toEqual([]);
    await housekeeping(env, NOW + 25 * MINUTE_MS);
    expect(await openAlerts(env.DB, 10)).toMatchObject([{ kind: "cron_late", values: { gap_sec: 1_200 } }]);
  });

  it("keeps the sums of deliveries when it folds old ones, so that counters never fall", async () => {
    const store = (nowMs: number) =>
      storeObserved(env.DB, { tallies: [tally(30, 10)], accounts: [], waits: [] }, nowMs);
    await store(NOW);
    await store(NOW + 1_000);
    await store(NOW + HOUR_MS);
    expect((await healthOf(env, NOW + HOUR_MS)).lastHour).toEqual([tally(90, 30)]);
    for (const atMs of [2, 3, 4, 4, 5].map((hours) => NOW + hours * HOUR_MS)) {
      await Promise.all([housekeeping(env, atMs), housekeeping(env, atMs)]);
      expect((await healthOf(env, atMs)).ever).toEqual([tally(90, 30)]);
    }
    const rows = await env.DB.prepare("SELECT slot FROM delivery_tally").all();
    expect(rows.results).toEqual([{ slot: 0 }]);
    expect((await healthOf(env, NOW + 5 * HOUR_MS)).lastHour).toEqual([]);
  });
});

describe("metrics", () => {
  it("are valid, in base units, and the same figures as health", () => {
    const health = healthWith({
      queues: [{ queue: "otp", waiting: 7, oldestAt: NOW - 90_000 }],
      waits: [{ lane: "bulk", carrier: 'a"b\\c', accounts: 2, oldestAt: NOW - HOUR_MS, seenAt: NOW }],
      lastHour: [tally(3, 1)],
      ever: [tally(60, 4)],
      alerts: [open("queue_age", "queue otp"), open("queue_age", "queue bulk")],
      pace: { carrier: "http", standing: { ...STANDING, perSec: 12.5, oldestMs: { otp: NOW - 1_500 } } },
    });
    const text = metricsText(health);
    expect(valueOf(text, "dastak_queue_messages", { queue: "otp" })).toBe(7);
    expect(valueOf(text, "dastak_queue_oldest_message_age_seconds")).toBe(90);
    expect(valueOf(text, "dastak_long_wait_accounts", { carrier: 'a"b\\c', lane: "bulk" })).toBe(2);
    expect(valueOf(text, "dastak_delivered_last_hour_ratio")).toBe(0.75);
    expect(valueOf(text, "dastak_messages_ended_total", { result: "failed", carrier: "http" })).toBe(4);
    expect(valueOf(text, "dastak_delivery_seconds_sum")).toBe(240);
    expect(valueOf(text, "dastak_delivery_seconds_bucket", { le: "5" })).toBe(60);
    expect(valueOf(text, "dastak_alerts_open", { kind: "queue_age" })).toBe(2);
    expect(valueOf(text, "dastak_alerts_open", { kind: "database_fill" })).toBe(0);
    expect(valueOf(text, "dastak_carrier_oldest_claimed_age_seconds", { lane: "otp" })).toBe(1.5);
    expect(valueOf(text, "dastak_cron_last_run_timestamp_seconds")).toBe((NOW - 5 * MINUTE_MS) / 1_000);
  });

  it("say of what is not known that it is not, instead of zero", () => {
    const unknown = Object.fromEntries(Object.keys(healthWith()).map((part) => [part, null]));
    const text = metricsText({ ...healthWith(), ...unknown, at: NOW });
    const metrics = readExposition(text);
    expect(metrics.map(({ name }) => name)).toEqual(["dastak_health_part_known"]);
    expect(metrics[0]?.samples.every(({ value }) => value === 0)).toBe(true);
    expect(valueOf(metricsText(healthWith()), "dastak_health_part_known", { part: "queues" })).toBe(1);
  });

  it("and health answer while D1 is away", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const health = await healthOf({ ...env, DB: null } as unknown as Env, NOW);
    expect(health).toMatchObject({ waits: null, lastHour: null, alerts: null, deadLetters: null, cronAt: null });
    expect(health.queues).toHaveLength(4);
    expect(readExposition(metricsText(health)).length).toBeGreaterThan(0);
    vi.restoreAllMocks();
  });
});
