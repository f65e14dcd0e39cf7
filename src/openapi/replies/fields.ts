import * as z from "zod";

// Fields that several replies share.

/** A time in UTC. */
export const time = z.iso.datetime().meta({ examples: ["2026-11-22T06:30:00.000Z"] });

/** Amounts as the ledger has them: up to four decimals. */
export const amount = z.number().meta({ description: "Coins; up to four decimals." });

export const messageId = z.string().meta({
  description: "Names one message or call.",
  pattern: "^(msg|call)_[0-9A-Za-z]+$",
});

export const requestId = z.string().meta({
  description: "The `X-Request-Id` of the request that made it.",
  pattern: "^req_[0-9A-Za-z]+$",
});

/** What was sent, as messages have it. */
export const operation = z.enum(["sms", "sms_international", "otp", "tts", "voice"]);

/** The states of a message (contract §9). */
export const messageState = z.enum([
  "scheduled",
  "queued",
  "sending",
  "submitted",
  "delivered",
  "undelivered",
  "unconfirmed",
  "failed",
  "unknown",
  "cancelled",
]);

export const success = z.literal(true);

/** The reply of a list: a page of rows, and how to get the next one. */
export function listOf<Row extends z.ZodType>(row: Row) {
  return z.object({
    success,
    data: z.array(row),
    has_more: z.boolean().meta({ description: "Whether another page follows." }),
    next: z.string().nullable().meta({ description: "The `after` of the next page; null on the last one." }),
  });
}
