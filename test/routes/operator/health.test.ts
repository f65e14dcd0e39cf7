import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { raiseAlert } from "../../../src/alerts/alerts.ts";
import { storeObserved } from "../../../src/db/observed.ts";
import { forgetAlerts } from "../../world/alerts.ts";
import { readExposition } from "../../world/exposition.ts";
import { operatorSuite } from "../../world/operating.ts";
import { operator } from "../../world/world.ts";

// `GET /operator/health` and `GET /operator/metrics`: the same figures, as JSON and for Prometheus.

beforeEach(forgetAlerts);

describe("/operator/health", () => operatorSuite("GET", "/operator/health"));
describe("/operator/metrics", () => operatorSuite("GET", "/operator/metrics"));

const WITHIN = [2, 3, 3, 3, 3];

async function makeFigures(): Promise<void> {
  await env.DB.batch(["delivery_tally", "long_wait"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)));
  await raiseAlert(env, { kind: "database_fill", subject: "HISTORY_1", values: { percent: 71 } });
  const tallies = [
    { carrier: "http", delivered: 3, undelivered: 0, failed: 1, unconfirmed: 0, sumMs: 9_000, within: WITHIN },
  ];
  const wait = { accountId: "acc_1", lane: "bulk" as const, carrier: "http", oldestAt: 1_000, seenAt: 2_000 };
  await storeObserved(env.DB, { tallies, accounts: ["acc_1"], waits: [wait] }, Date.now());
}

it("says what is known as JSON, in the names of the API, and names no account", async () => {
  await makeFigures();
  const { status, body, text } = await operator("GET", "/operator/health");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    success: true,
    health: {
      long_waits: [
        {
          lane: "bulk",
          carrier: "http",
          accounts: 1,
          oldest_created_at: "1970-01-01T00:00:01.000Z",
          seen_at: "1970-01-01T00:00:02.000Z",
        },
      ],
      deliveries_last_hour: [
        {
          carrier: "http",
          delivered: 3,
          failed: 1,
          delivered_ratio: 0.75,
          mean_delivery_sec: 3,
          delivered_within: [
            { sec: 5, messages: 2 },
            { sec: 15, messages: 3 },
            { sec: 60, messages: 3 },
            { sec: 300, messages: 3 },
            { sec: 1_800, messages: 3 },
          ],
        },
      ],
      databases: [{ name: "DB", size_bytes: expect.any(Number), limit_bytes: expect.any(Number) }],
      alerts: [{ kind: "database_fill", subject: "HISTORY_1", count: 1, values: { percent: 71 } }],
      notices: { waiting: 0, oldest_at: null },
    },
  });
  expect((body as { health: { queues: { queue: string }[] } }).health.queues.map(({ queue }) => queue)).toEqual([
    "otp",
    "single",
    "bulk",
    "history",
  ]);
  expect(text).not.toContain("acc_1");
});

it("says the same for Prometheus, in its text format", async () => {
  await makeFigures();
  const { status, headers, text } = await operator("GET", "/operator/metrics");
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(headers.get("cache-control")).toBe("no-store");
  const samples = readExposition(text).flatMap((metric) => metric.samples);
  const said = samples.map(({ name, labels, value }) => `${name} ${JSON.stringify(labels)} ${value}`);
  expect(said).toContain('dastak_messages_ended_total {"carrier":"http","result":"failed"} 1');
  expect(said).toContain('dastak_delivery_seconds_bucket {"carrier":"http","le":"5"} 2');
  expect(said).toContain('dastak_alerts_open {"kind":"database_fill"} 1');
  expect(said).toContain('dastak_health_part_known {"part":"lastHour"} 1');
  expect(text).not.toContain("acc_1");
});
