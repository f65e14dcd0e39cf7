import * as z from "zod";
import { STATUS_OF_CODE } from "../../http/errors.ts";
import { amount, listOf, messageId, messageState, operation, requestId, success, time } from "./fields.ts";

// What became of messages and requests, what was refused, and how the account stands (contract §13).

const keyId = z.string().meta({ pattern: "^key_[0-9a-f]+$", description: "The key of the request, by its id." });

const fields = {
  id: messageId,
  request_id: requestId,
  operation,
  to: z.string().meta({ description: "E.164.", examples: ["+919876543210"] }),
  state: messageState,
  segments: z.int().min(1).nullable().meta({
    description: "Segments of the SMS; null for a call, and for messages from before this was stored.",
  }),
  cost: amount,
  refunded: z.boolean().meta({ description: "Whether the cost was given back." }),
  error_code: z
    .string()
    .nullable()
    .meta({
      description: "Why it is in its state, where there is a reason: a code of the service or of the carrier.",
      examples: ["validity_ended"],
    }),
  key_id: keyId.nullable(),
  created_at: time,
  updated_at: time,
  send_at: time.nullable().meta({ description: "When it was ordered for; null: for at once." }),
};

const message = z.object(fields).meta({ id: "Message" });

const timelineEntry = z.object({
  state: messageState,
  at: time,
  attempt: z.int().min(1).optional().meta({ description: "The number of the attempt that begins or ends here." }),
  carrier: z.string().optional().meta({ description: "The carrier of the attempt or receipt." }),
  carrier_code: z.string().optional().meta({ description: "The carrier's word for the state." }),
});

const messageDetail = z
  .object({
    ...fields,
    sender: z.string().nullable(),
    dlt: z
      .object({
        entity_id: z.string(),
        template_id: z
          .string()
          .nullable()
          .meta({ description: "Null where it fitted none and was sent all the same." }),
        header: z.string().nullable(),
        category: z.string().nullable(),
      })
      .nullable()
      .meta({ description: "Of an Indian message that was matched with the account's DLT registry." }),
    text: z.string().nullable().meta({
      description: "Null for a recording, and once it was deleted; the code of a live one-time password is masked.",
    }),
    timeline: z.array(timelineEntry),
    explanation: z.string().meta({ description: "What became of it, in one sentence for people." }),
  })
  .meta({ id: "MessageDetail" });

const request = z
  .object({
    request_id: requestId,
    operation,
    at: time,
    recipients: z.int().min(1),
    by_state: z.partialRecord(messageState, z.int().min(1)).meta({
      description: "How many of its messages are in each state; a state that none is in is left out.",
      examples: [{ delivered: 2, failed: 1 }],
    }),
    cost: amount,
    refunded: amount.meta({ description: "Coins that were given back." }),
  })
  .meta({ id: "SentRequest" });

const refusal = z
  .object({
    request_id: requestId.meta({ description: "The `X-Request-Id` of its reply." }),
    at: time,
    method: z.string().meta({ examples: ["POST"] }),
    path: z.string().meta({ description: "The path of its route.", examples: ["/send-sms"] }),
    status: z.int().min(400).max(599),
    code: z.enum(Object.keys(STATUS_OF_CODE) as [string, ...string[]]),
    param: z
      .string()
      .nullable()
      .meta({ examples: ["phone"] }),
    error: z.string(),
    key_id: keyId,
    fields: z.record(z.string(), z.string()).meta({
      description: "The names of the fields with their types and sizes; never a value.",
      examples: [{ phone: "string(5)", message: "string(11)" }],
    }),
  })
  .meta({ id: "RefusedRequest" });

export const MESSAGES = {
  MessageList: listOf(message).meta({ id: "MessageList" }),
  Message: z.object({ success, message: messageDetail }).meta({ id: "MessageReply" }),
  Request: listOf(message).extend({ request }).meta({ id: "RequestReply" }),
  Cancelled: z
    .object({
      success,
      cancelled: z.int().min(1).meta({ description: "How many messages are cancelled, by this call or before." }),
      refunded: amount.meta({ description: "What they cost, which was given back, in coins." }),
    })
    .meta({ id: "CancelledReply" }),
  RefusalList: listOf(refusal).meta({ id: "RefusalList" }),
};

export const ACCOUNT = {
  OwnAccount: z
    .object({
      success,
      name: z.string(),
      status: z.enum(["active", "suspended", "closing"]),
      plan: z.enum(["starter", "business", "premium"]),
      balance: amount,
      currency: z.literal("coins"),
      otp_rate: amount.meta({ description: "What one one-time password costs, in coins." }),
      otps_left: z.int().min(0).nullable().meta({ description: "How many of them the balance pays." }),
      requests_per_minute: z.int(),
      mode: z.enum(["live", "test"]),
      balance_low_at: amount.nullable().meta({
        description: "The balance below which `balance.low` is told; null for never.",
      }),
    })
    .meta({ id: "OwnAccount" }),
};
