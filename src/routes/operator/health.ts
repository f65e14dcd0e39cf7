import type { Api } from "../../http/app.ts";
import type { Docs } from "../../http/docs.ts";
import { WITHIN_SEC, deliveredShare } from "../../model/delivery.ts";
import type { Tally } from "../../model/delivery.ts";
import { EXPOSITION_TYPE } from "../../operator/exposition.ts";
import { healthOf } from "../../operator/health.ts";
import type { Health } from "../../operator/health.ts";
import { metricsText } from "../../operator/metrics.ts";
import { operator, timeOf } from "./operator.ts";

const tallyOf = (tally: Tally) => ({
  carrier: tally.carrier,
  delivered: tally.delivered,
  undelivered: tally.undelivered,
  failed: tally.failed,
  unconfirmed: tally.unconfirmed,
  delivered_ratio: deliveredShare(tally),
  mean_delivery_sec: tally.delivered === 0 ? null : tally.sumMs / tally.delivered / 1_000,
  delivered_within: WITHIN_SEC.map((sec, at) => ({ sec, messages: tally.within[at] ?? 0 })),
});

function paceOf(pace: Health["pace"]) {
  if (pace === null || pace === "none") return null;
  const { carrier, standing } = pace;
  return {
    carrier,
    counted_since: timeOf(standing.sinceMs),
    taken: standing.taken,
    busy: standing.busy,
    away: standing.away,
    refusing_since: timeOf(standing.refusedSinceMs),
    silence_sec: standing.quietMs / 1_000,
    limit_per_sec: standing.perSec,
    oldest_claimed: Object.entries(standing.oldestMs).map(([lane, ms]) => ({ lane, created_at: timeOf(ms) })),
  };
}

const waitingOf = (waiting: Health["deadLetters"]) =>
  waiting && { count: waiting.count, oldest_at: timeOf(waiting.oldestAt) };

/** Health as JSON: a part that could not be read is null. */
function wire(health: Health) {
  return {
    at: timeOf(health.at),
    queues:
      health.queues?.map(({ queue, waiting, oldestAt }) => ({
        queue,
        messages: waiting,
        oldest_at: timeOf(oldestAt),
      })) ?? null,
    long_waits:
      health.waits?.map(({ lane, carrier, accounts, oldestAt, seenAt }) => ({
        lane,
        carrier,
        accounts,
        oldest_created_at: timeOf(oldestAt),
        seen_at: timeOf(seenAt),
      })) ?? null,
    deliveries_last_hour: health.lastHour?.map(tallyOf) ?? null,
    carrier_pace: paceOf(health.pace),
    databases: health.databases?.map(({ name, bytes, max }) => ({ name, size_bytes: bytes, limit_bytes: max })) ?? null,
    payment_events: waitingOf(health.paymentEvents),
    dead_letters: waitingOf(health.deadLetters),
    alerts:
      health.alerts?.map(({ kind, subject, firstAt, lastAt, count, values }) => ({
        kind,
        subject,
        first_at: timeOf(firstAt),
        last_at: timeOf(lastAt),
        count,
        values,
      })) ?? null,
    notices: health.notices && { waiting: health.notices.waiting, oldest_at: timeOf(health.notices.oldestAt) },
    cron_last_at: typeof health.cronAt === "number" ? timeOf(health.cronAt) : null,
  };
}

/** `GET /operator/health` and `GET /operator/metrics`: how the service does, as JSON and for Prometheus. */
export const operatorHealth = (app: Api) => {
  app.get("/operator/health", operator("read"), async (c) =>
    c.json({ success: true, health: wire(await healthOf(c.env, Date.now())) }),
  );

  app.get("/operator/metrics", operator("read"), async (c) =>
    c.body(metricsText(await healthOf(c.env, Date.now())), 200, { "Content-Type": EXPOSITION_TYPE }),
  );
};

export const docs = {
  "GET /operator/health": {
    id: "operatorHealth",
    tag: "Operator: service",
    summary: "Show how the service does",
    description: "A part that could not be read is null.",
    reply: "Health",
  },
  "GET /operator/metrics": {
    id: "operatorMetrics",
    tag: "Operator: service",
    summary: "Get the same as figures for Prometheus",
    media: { "text/plain": "Prometheus' text format 0.0.4." },
  },
} satisfies Docs;
