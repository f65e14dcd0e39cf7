import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { endAlert, raiseAlert } from "../../src/alerts/alerts.ts";
import { sendTestNotice } from "../../src/alerts/channel.ts";
import { tendAlerts } from "../../src/alerts/tend.ts";
import { openAlerts } from "../../src/db/health/alerts.ts";
import { forgetAlerts, receiveAlerts, withChannel } from "../world/alerts.ts";

// The channel: every notice arrives, in its order, with one id and one body, however long its receiver is away.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.parse("2026-11-22T10:00:00Z");

const raise = (subject: string, nowMs: number) =>
  raiseAlert(withChannel, { kind: "queue_age", subject, values: { age_sec: 700 } }, nowMs);

const waiting = async () =>
  (await env.DB.prepare("SELECT count(*) AS n FROM alert_notice").first<{ n: number }>())?.n ?? -1;

beforeEach(forgetAlerts);
afterEach(() => vi.restoreAllMocks());

it("delivers the beginning, a reminder each day and the end of an alert, signed", async () => {
  const { received, forged } = receiveAlerts();
  await raise("bulk", NOW);
  await tendAlerts(withChannel, NOW);
  await tendAlerts(withChannel, NOW + DAY_MS - 1);
  expect(received).toHaveLength(1);
  await raise("bulk", NOW + DAY_MS);
  for (const atMs of [DAY_MS + 1, DAY_MS + 2, 2 * DAY_MS, 2 * DAY_MS + 2]) await tendAlerts(withChannel, NOW + atMs);
  await endAlert(withChannel, "queue_age", "bulk", { nowMs: NOW + 3 * DAY_MS });
  await tendAlerts(withChannel, NOW + 3 * DAY_MS);
  expect(received.map(({ body }) => body.type)).toEqual([
    "alert.begin",
    "alert.reminder",
    "alert.reminder",
    "alert.end",
  ]);
  expect(received[1]?.body).toEqual({
    type: "alert.reminder",
    timestamp: new Date(NOW + DAY_MS + 1).toISOString(),
    data: {
      kind: "queue_age",
      subject: "bulk",
      meaning: expect.stringContaining("wait too long"),
      runbook: "docs/runbook.md#queue_age",
      first_at: new Date(NOW).toISOString(),
      last_at: new Date(NOW + DAY_MS).toISOString(),
      count: 2,
      values: { age_sec: 700 },
    },
  });
  expect(new Set(received.map(({ id }) => id)).size).toBe(4);
  expect(forged).toEqual([]);
  expect(await waiting()).toBe(0);
});

it("keeps what its receiver does not take, for hours, and then delivers all of it in order", async () => {
  let isAway = true;
  const { received } = receiveAlerts((nth) => {
    if (!isAway) return new Response("thanks");
    if (nth % 3 === 0) throw new Error("connection refused");
    return new Response("away", { status: nth % 3 === 1 ? 503 : 302 });
  });
  const subjects = ["a", "b", "c"];
  const tries: number[] = [];
  for (let minute = 0; minute < 8 * 60; minute += 5) {
    const nowMs = NOW + minute * MINUTE_MS;
    const subject = subjects[minute / 60];
    if (subject !== undefined) await raise(subject, nowMs);
    if (minute === 60) await endAlert(withChannel, "queue_age", "a", { nowMs });
    const before = received.length;
    await tendAlerts(withChannel, nowMs);
    if (received.length > before) tries.push(minute);
  }
  // Each try is of the oldest one alone; the gaps grow to an hour and stay there.
  expect(new Set(received.map(({ id }) => id)).size).toBe(1);
  const gaps = tries.slice(1).map((at, nth) => at - (tries[nth] ?? 0));
  expect(gaps).toEqual([5, 10, 20, 35, 60, 60, 60, 60, 60, 60].slice(0, gaps.length));
  expect(gaps.length).toBeGreaterThanOrEqual(8);
  isAway = false;
  await tendAlerts(withChannel, NOW + 10 * HOUR_MS);
  const taken = received.slice(tries.length);
  expect(taken.map(({ body: { type, data } }) => `${type} ${data.subject}`)).toEqual([
    "alert.begin a",
    "alert.begin b",
    "alert.end a",
    "alert.begin c",
  ]);
  const bodies = Map.groupBy(received, ({ id }) => id);
  for (const same of bodies.values()) expect(new Set(same.map(({ text }) => text)).size).toBe(1);
  expect(await waiting()).toBe(0);
});

it("delivers each notice once when two crons run at the same time", async () => {
  const { promise: slow, resolve } = Promise.withResolvers<Response>();
  const { received } = receiveAlerts((nth) => (nth === 0 ? slow : new Response("thanks")));
  for (const subject of ["a", "b", "c", "d"]) await raise(subject, NOW);
  const first = tendAlerts(withChannel, NOW);
  await vi.waitFor(() => expect(received).toHaveLength(1));
  await Promise.all([tendAlerts(withChannel, NOW), tendAlerts(withChannel, NOW + MINUTE_MS)]);
  expect(received).toHaveLength(1);
  resolve(new Response("thanks"));
  await first;
  expect(received.map(({ body }) => body.data.subject)).toEqual(["a", "b", "c", "d"]);
  const reminders = NOW + DAY_MS + 1;
  await Promise.all([tendAlerts(withChannel, reminders), tendAlerts(withChannel, reminders + 1)]);
  await tendAlerts(withChannel, reminders + HOUR_MS);
  expect(received.filter(({ body }) => body.type === "alert.reminder")).toHaveLength(4);
  expect(new Set(received.map(({ id }) => id)).size).toBe(8);
});

it("says again what was taken before a crash, with the same id and body", async () => {
  const { received } = receiveAlerts();
  await raise("a", NOW);
  const deaf = {
    ...withChannel,
    DB: new Proxy(env.DB, {
      get: (db, name) => {
        const value: unknown = Reflect.get(db, name);
        if (name !== "prepare") return typeof value === "function" ? value.bind(db) : value;
        return (query: string) => {
          if (query.startsWith('delete from "alert_notice"')) throw new Error("the isolate ends here");
          return db.prepare(query);
        };
      },
    }),
  };
  await expect(tendAlerts(deaf, NOW)).rejects.toThrow("the isolate ends here");
  await tendAlerts(withChannel, NOW + 5 * MINUTE_MS);
  expect(received).toHaveLength(2);
  expect(received[1]?.text).toBe(received[0]?.text);
  expect(received[1]?.id).toBe(received[0]?.id);
});

it("gives a notice up after a week, and goes on with the next one", async () => {
  let refuses = true;
  const { received } = receiveAlerts(() => new Response("no", { status: refuses ? 400 : 200 }));
  await raise("a", NOW);
  await raise("b", NOW + 6 * DAY_MS);
  for (let hour = 0; hour < 7 * 24; hour += 2) await tendAlerts(withChannel, NOW + hour * HOUR_MS);
  expect(new Set(received.map(({ body }) => body.data.subject))).toEqual(new Set(["a"]));
  await tendAlerts(withChannel, NOW + 7 * DAY_MS + HOUR_MS);
  refuses = false;
  await tendAlerts(withChannel, NOW + 7 * DAY_MS + 4 * HOUR_MS);
  expect(received.some(({ body }) => body.data.subject === "b")).toBe(true);
});

it("ends what has been quiet, and does not end a state that its watcher ends", async () => {
  await raiseAlert(env, { kind: "alarm_healed", values: { healed: 3 } }, NOW);
  await raiseAlert(env, { kind: "queue_age", values: {} }, NOW);
  await tendAlerts(env, NOW + HOUR_MS);
  expect(await openAlerts(env.DB, 10)).toHaveLength(2);
  await tendAlerts(env, NOW + HOUR_MS + 1);
  expect(await openAlerts(env.DB, 10)).toMatchObject([{ kind: "queue_age" }]);
});

it("without a channel asks no one, and reminds at once of what is open when there is one", async () => {
  const { received } = receiveAlerts();
  await raiseAlert(env, { kind: "queue_age", values: {} }, NOW);
  await tendAlerts(env, NOW + 2 * DAY_MS);
  expect(received).toEqual([]);
  expect(await waiting()).toBe(0);
  await tendAlerts(withChannel, NOW + 2 * DAY_MS);
  expect(received.map(({ body }) => body.type)).toEqual(["alert.reminder"]);
});

it("sends a test notice and says what came back", async () => {
  const answers = [new Response("noted", { status: 202 }), new Response("x".repeat(10_000), { status: 500 })];
  const { received } = receiveAlerts((nth) => answers[nth] ?? Promise.reject(new Error("refused")));
  expect(await sendTestNotice(withChannel, NOW)).toMatchObject({ ok: true, status: 202, answer: "noted" });
  expect(await sendTestNotice(withChannel, NOW)).toMatchObject({ ok: false, status: 500, answer: "x".repeat(200) });
  expect(await sendTestNotice(withChannel, NOW)).toMatchObject({
    ok: false,
    status: null,
    answer: "connection failed",
  });
  expect(received.map(({ body }) => body.type)).toEqual(["alert.test", "alert.test", "alert.test"]);
  expect(await sendTestNotice(env, NOW)).toBeNull();
});
