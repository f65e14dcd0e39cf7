import * as z from "zod";
import { listOf, success, time } from "./fields.ts";

// The operator API (contract §10): prices, health and upkeep of the service.

const when = time.nullable();
const count = z.int().min(0);

const act = z
  .object({
    id: z.string(),
    at: time,
    actor_kind: z.string(),
    actor: z.string(),
    account_id: z.string().nullable(),
    action: z.string().meta({ examples: ["key.made"] }),
    subject: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
    address: z.string().nullable().meta({ description: "A code of the client's address, which itself is not stored." }),
    request_id: z.string().nullable(),
    session: z.string().nullable(),
  })
  .meta({ id: "Act" });

const difference = z.object({
  account_id: z.string(),
  mode: z.enum(["live", "test"]),
  kind: z.string(),
  detail: z.string(),
});

const card = z.object({
  success,
  smsIndia: count.meta({ description: "Coins for a segment to an Indian mobile." }),
  smsAbroad: count.meta({ description: "Coins for a segment to any other country." }),
  smsByCountry: z
    .record(z.string(), count.nullable())
    .meta({ description: "The same by country: ISO 3166, or + and a calling code; null is not offered." }),
  ttsCall: count.meta({ description: "Coins for a call that speaks a text." }),
  voiceCallPer30s: count.meta({ description: "Coins for each started 30 s of a recording." }),
});

const secrets = z.object({
  name: z.string(),
  making: z.int(),
  needed_until: when,
  listed: z.array(z.object({ id: z.int(), listed_since: when, makes_since: when, changed: z.boolean() })),
});

const keysBySecret = z.object({
  account_id: z.string(),
  secrets: z.array(z.object({ secret_id: z.int(), keys: count, webhooks: count.optional(), last_used_at: when })),
});

const waiting = z.object({ count, oldest_at: when }).nullable();

const health = z
  .object({
    at: time,
    queues: z.array(z.object({ queue: z.string(), messages: count, oldest_at: when })).nullable(),
    long_waits: z
      .array(
        z.object({
          lane: z.string(),
          carrier: z.string(),
          accounts: count,
          oldest_created_at: when,
          seen_at: when,
        }),
      )
      .nullable(),
    deliveries_last_hour: z
      .array(
        z.object({
          carrier: z.string(),
          delivered: count,
          undelivered: count,
          failed: count,
          unconfirmed: count,
          delivered_ratio: z.number().nullable(),
          mean_delivery_sec: z.number().nullable(),
          delivered_within: z.array(z.object({ sec: z.number(), messages: count })),
        }),
      )
      .nullable(),
    carrier_pace: z
      .object({
        carrier: z.string(),
        counted_since: when,
        taken: count,
        busy: count,
        away: count,
        refusing_since: when,
        silence_sec: z.number(),
        limit_per_sec: z.number().nullable(),
        oldest_claimed: z.array(z.object({ lane: z.string(), created_at: when })),
      })
      .nullable(),
    databases: z.array(z.object({ name: z.string(), size_bytes: count, limit_bytes: count })).nullable(),
    payment_events: waiting,
    dead_letters: waiting,
    alerts: z
      .array(
        z.object({
          kind: z.string(),
          subject: z.string().nullable(),
          first_at: time,
          last_at: time,
          count,
          values: z.record(z.string(), z.unknown()).nullable(),
        }),
      )
      .nullable(),
    notices: z.object({ waiting: count, oldest_at: when }).nullable(),
    cron_last_at: when,
  })
  .meta({ id: "HealthOfService" });

export const OPERATOR_SERVICE = {
  ActList: listOf(act).meta({ id: "ActList" }),
  Reconciled: z
    .object({
      success,
      differences: z.array(difference),
      has_more: z.boolean(),
      next: z.string().nullable(),
      accounts: count.optional().meta({ description: "Accounts that were recounted to their end, without `account`." }),
    })
    .meta({ id: "Reconciled" }),
  RateCard: card.meta({ id: "RateCard" }),
  NumberRules: z
    .object({
      success,
      premium_rate: z.enum(["refuse", "allow"]),
      prefixes: z.array(z.object({ prefix: z.string().meta({ examples: ["+8821"] }), note: z.string() })),
    })
    .meta({ id: "NumberRules" }),
  SecretsInUse: z.object({ success, secrets: z.array(secrets) }).meta({ id: "SecretsInUse" }),
  KeysBySecretList: listOf(keysBySecret).meta({ id: "KeysBySecretList" }),
  HistoryRebuilt: z
    .object({ success, database: z.int().nullable().meta({ description: "Null: all of them." }) })
    .meta({ id: "HistoryRebuilt" }),
  AlertTested: z
    .object({
      success,
      delivered: z.boolean(),
      status: z.int().nullable(),
      took_ms: count,
      answer: z.string(),
    })
    .meta({ id: "AlertTested" }),
  Health: z.object({ success, health }).meta({ id: "HealthReply" }),
};
