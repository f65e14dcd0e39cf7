import { ALERT_KINDS } from "../model/alert.ts";
import { WITHIN_SEC, deliveredShare } from "../model/delivery.ts";
import { exposition, histogram } from "./exposition.ts";
import type { Metric } from "./exposition.ts";
import type { Health } from "./health.ts";

// The figures of health.ts as metrics. What is not known has no sample, and dastak_health_part_known says so: a missing
// figure is never a zero.

type Samples = Metric["samples"];

const secondsSince = (health: Health, ms: number) => Math.max(0, (health.at - ms) / 1_000);

const gauge = (name: string, help: string, samples: Samples): Metric => ({ name, type: "gauge", help, samples });
const counter = (name: string, help: string, samples: Samples): Metric => ({ name, type: "counter", help, samples });

/** A sample without a label; none where the value is not known. */
const lone = (value: number | null | undefined): Samples =>
  value === null || value === undefined ? [] : [{ labels: {}, value }];

function ofQueues(health: Health): Metric[] {
  const queues = health.queues ?? [];
  const waits = health.waits ?? [];
  return [
    gauge(
      "dastak_queue_messages",
      "Queue messages that wait, by queue: tokens of accounts, not messages of customers.",
      queues.flatMap(({ queue, waiting }) => (waiting === null ? [] : [{ labels: { queue }, value: waiting }])),
    ),
    gauge(
      "dastak_queue_oldest_message_age_seconds",
      "Age of the oldest waiting queue message; 0 where none waits.",
      queues.flatMap(({ queue, waiting, oldestAt }) =>
        waiting === null ? [] : [{ labels: { queue }, value: oldestAt === null ? 0 : secondsSince(health, oldestAt) }],
      ),
    ),
    gauge(
      "dastak_long_wait_accounts",
      "Accounts with messages that have waited for more than a minute, as known from history, 10 to 15 minutes behind.",
      waits.map(({ lane, carrier, accounts }) => ({ labels: { lane, carrier }, value: accounts })),
    ),
    gauge(
      "dastak_long_wait_oldest_created_timestamp_seconds",
      "When the oldest of these messages was created; it may have left in the last 10 to 15 minutes.",
      waits.map(({ lane, carrier, oldestAt }) => ({ labels: { lane, carrier }, value: oldestAt / 1_000 })),
    ),
  ];
}

function ofDeliveries({ lastHour, ever }: Health): Metric[] {
  const ended = (ever ?? []).flatMap(({ carrier, delivered, undelivered, failed, unconfirmed }) =>
    Object.entries({ delivered, undelivered, failed, unconfirmed }).map(([result, value]) => ({
      labels: { carrier, result },
      value,
    })),
  );
  return [
    counter(
      "dastak_messages_ended_total",
      "Messages of live accounts by how they ended, counted when history records them, 10 to 15 minutes later. Kept in D1: falls only when D1 is restored. An interrupted batch may count twice, and what history records later than 12 minutes after its end does not count.",
      ended,
    ),
    {
      name: "dastak_delivery_seconds",
      type: "histogram",
      help: "Time from a message's acceptance to its delivery, counted as dastak_messages_ended_total.",
      samples: (ever ?? []).flatMap(({ carrier, delivered, sumMs, within }) =>
        histogram({ carrier }, { bounds: WITHIN_SEC, within, count: delivered, sum: sumMs / 1_000 }),
      ),
    },
    gauge(
      "dastak_delivered_last_hour_ratio",
      "Share of delivered messages among those whose end was recorded in the last hour.",
      (lastHour ?? []).flatMap((tally) => {
        const share = deliveredShare(tally);
        return share === null ? [] : [{ labels: { carrier: tally.carrier }, value: share }];
      }),
    ),
  ];
}

function ofPace(health: Health): Metric[] {
  if (health.pace === null || health.pace === "none") return [];
  const { carrier, standing } = health.pace;
  const { taken, busy, away, sinceMs, refusedSinceMs, perSec, quietMs, oldestMs } = standing;
  const of = (value: number | null): Samples => (value === null ? [] : [{ labels: { carrier }, value }]);
  return [
    counter(
      "dastak_carrier_submissions_total",
      "Submissions that the carrier's pacing object heard of. Counted in memory: begins anew with the object; those far from the carrier's limit are told late, or not at all.",
      Object.entries({ taken, busy, away }).map(([result, value]) => ({ labels: { carrier, result }, value })),
    ),
    gauge(
      "dastak_carrier_submissions_since_timestamp_seconds",
      "Since when dastak_carrier_submissions_total counts.",
      of(sinceMs / 1_000),
    ),
    gauge(
      "dastak_carrier_refusing_seconds",
      "For how long the carrier has refused every submission; 0 where the last one was taken.",
      of(refusedSinceMs === null ? 0 : secondsSince(health, refusedSinceMs)),
    ),
    gauge("dastak_carrier_silence_seconds", "How long the carrier still asks for silence.", of(quietMs / 1_000)),
    gauge(
      "dastak_carrier_learned_limit_per_second",
      "The carrier's learned limit in submissions per second; without a sample while none is known.",
      of(perSec),
    ),
    gauge(
      "dastak_carrier_oldest_claimed_age_seconds",
      "Age of the oldest message that consumers took from an account in the last minute.",
      Object.entries(oldestMs).map(([lane, ms]) => ({
        labels: { carrier, lane },
        value: secondsSince(health, ms),
      })),
    ),
  ];
}

function ofDatabases({ databases }: Health): Metric[] {
  const all = databases ?? [];
  return [
    gauge(
      "dastak_database_size_bytes",
      "Size of a database of D1.",
      all.flatMap(({ name, bytes }) => (bytes === null ? [] : [{ labels: { database: name }, value: bytes }])),
    ),
    gauge(
      "dastak_database_limit_bytes",
      "What a database of D1 may hold.",
      all.map(({ name, max }) => ({ labels: { database: name }, value: max })),
    ),
  ];
}

function ofOperator(health: Health): Metric[] {
  const { alerts, notices, paymentEvents, deadLetters, cronAt } = health;
  const oldestNotice = notices && (notices.oldestAt === null ? 0 : secondsSince(health, notices.oldestAt));
  const open = (kind: string) => (alerts ?? []).filter((alert) => alert.kind === kind).length;
  return [
    gauge(
      "dastak_alerts_open",
      "Open alerts by kind; docs/runbook.md has a section for each.",
      alerts === null ? [] : Object.keys(ALERT_KINDS).map((kind) => ({ labels: { kind }, value: open(kind) })),
    ),
    gauge("dastak_alert_notices_waiting", "Notices that ALERT_URL has not taken yet.", lone(notices?.waiting)),
    gauge(
      "dastak_alert_notice_oldest_age_seconds",
      "Age of the oldest of them; 0 where none waits.",
      lone(oldestNotice),
    ),
    gauge(
      "dastak_payment_events_quarantined",
      "Payment events that were put aside and not resolved.",
      lone(paymentEvents?.count),
    ),
    gauge("dastak_dead_letters", "Dead letters that are kept, 1,000 at most.", lone(deadLetters?.count)),
    gauge(
      "dastak_cron_last_run_timestamp_seconds",
      "When the periodic work ran last; it runs every 5 minutes.",
      lone(typeof cronAt === "number" ? cronAt / 1_000 : null),
    ),
  ];
}

/** Whether each part of health answered. */
function ofParts(health: Health): Metric {
  const { at: _at, ...parts } = health;
  return gauge(
    "dastak_health_part_known",
    "1 where this part of the figures could be read, else 0.",
    Object.entries(parts).map(([part, value]) => ({ labels: { part }, value: value === null ? 0 : 1 })),
  );
}

/** The service's metrics in Prometheus' text format (0.0.4). */
export function metricsText(health: Health): string {
  return exposition([
    ...ofQueues(health),
    ...ofDeliveries(health),
    ...ofPace(health),
    ...ofDatabases(health),
    ...ofOperator(health),
    ofParts(health),
  ]);
}
