import * as z from "zod";
import { amount, success, time } from "./fields.ts";

// The eight operations (contract §5).

const queued = z.object({
  success,
  message: z.string().meta({ description: "What was done, for people.", examples: ["The SMS is queued."] }),
  coins_used: z
    .int()
    .min(0)
    .meta({ description: "Whole coins that this cost.", examples: [1] }),
  coins_remaining: z
    .int()
    .min(0)
    .meta({ description: "Whole coins that are left, rounded down.", examples: [999] }),
});

const gateway = z.object({
  ...queued.shape,
  id: z.string().meta({ description: "Names the message.", pattern: "^msg_[0-9A-Za-z]+$" }),
  date: time.meta({ description: "When it was accepted.", examples: ["2026-11-22T06:30:00Z"] }),
});

const call = z.object({
  success,
  callId: z.string().meta({ description: "Names the call.", pattern: "^call_[0-9A-Za-z]+$" }),
  ...queued.omit({ success: true }).shape,
});

const uploaded = z.object({
  success,
  fileId: z.string().meta({ description: "Names the recording, for calls.", pattern: "^file_[0-9A-Za-z]+$" }),
  message: z.string().meta({ examples: ["The recording is stored; it lasts 1.0 s."] }),
});

const otp = z.object({
  success,
  message: z.string().meta({ examples: ["The OTP is queued."] }),
  details: z.object({
    phone: z.string().meta({ description: "The number, as it was given.", examples: ["9876543210"] }),
    brand: z.string().meta({ examples: ["Dastak"] }),
    otp_sent: z.string().meta({ examples: ["048213"] }),
    cost: amount.min(0).meta({ description: "Coins that this cost.", examples: [0.25] }),
    new_balance: amount.min(0).meta({ description: "Coins that are left.", examples: [999.75] }),
  }),
});

const balance = z.object({
  success,
  balance: amount.min(0).meta({ description: "Coins that are left.", examples: [999.75] }),
  currency: z.literal("coins"),
});

export const SENDING = {
  Queued: queued.meta({ id: "Queued" }),
  Gateway: gateway.meta({ id: "Gateway" }),
  QueuedCall: call.meta({ id: "QueuedCall" }),
  Uploaded: uploaded.meta({ id: "Uploaded" }),
  OtpQueued: otp.meta({ id: "OtpQueued" }),
  Balance: balance.meta({ id: "Balance" }),
};
