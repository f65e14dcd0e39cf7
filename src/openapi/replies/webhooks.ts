import * as z from "zod";
import { listOf, success, time } from "./fields.ts";

// The account's webhooks (contract §14).

const webhook = z
  .object({
    webhook_id: z.string().meta({ pattern: "^wh_[0-9A-Za-z]+$" }),
    url: z.string().meta({ examples: ["https://example.com/webhooks/dastak"] }),
    types: z.array(z.string()).meta({ examples: [["message.*"]] }),
    batch: z.boolean(),
    description: z.string(),
    state: z.enum(["active", "waiting", "disabled"]),
    acked: z
      .int()
      .min(0)
      .meta({ description: "The number up to which every event was taken, parked or not asked for." }),
    last_error: z.string().nullable().meta({ description: "Why it was refused last; null since the last success." }),
    next_at: time.nullable().meta({ description: "When it is tried again, where it waits." }),
    created_at: time,
  })
  .meta({ id: "Webhook" });

const secret = z.string().meta({ description: "Verifies what is posted.", pattern: "^whsec_[A-Za-z0-9+/]+=*$" });

const attempt = z
  .object({
    seq: z.int().nullable().meta({ description: "The number of the event, or of a batch's first; null for a test." }),
    last: z.int().optional().meta({ description: "The number of a batch's last event." }),
    at: time,
    status: z.int().nullable().meta({ description: "Null: no answer came." }),
    ms: z.int().min(0),
    error: z.string().nullable().meta({ description: "Null: it was taken." }),
    answer: z.string().meta({ description: "The beginning of the answer." }),
  })
  .meta({ id: "WebhookAttempt" });

const hook = z
  .object({
    kind: z.enum(["supabase"]),
    url: z.string().meta({ description: "Where Supabase Auth posts." }),
    key_id: z.string().meta({ description: "The key with which it sends, and with which it ends." }),
    brand_name: z.string().nullable().meta({ description: "The name in the text; null: that of the service." }),
  })
  .meta({ id: "Hook" });

export const WEBHOOKS = {
  Webhook: z.object({ success, webhook }).meta({ id: "WebhookReply" }),
  WebhookList: listOf(webhook).meta({ id: "WebhookList" }),
  WebhookWithSecret: z.object({ success, webhook, secret }).meta({ id: "WebhookWithSecret" }),
  WebhookTested: z.object({ success, attempt }).meta({ id: "WebhookTested" }),
  WebhookAttemptList: listOf(attempt).meta({ id: "WebhookAttemptList" }),
  WebhookReplayed: z.object({ success, replayed: z.int().min(0) }).meta({ id: "WebhookReplayed" }),
  WebhookVerified: z
    .object({
      success,
      valid: z.boolean(),
      reason: z.string().nullable().meta({ description: "Why it does not hold; null where it does." }),
    })
    .meta({ id: "WebhookVerified" }),
  HookWithSecret: z
    .object({
      success,
      hook,
      secret: z.string().meta({ description: "Signs what is posted.", pattern: "^v1,whsec_[A-Za-z0-9+/]+=*$" }),
    })
    .meta({ id: "HookWithSecret" }),
};
