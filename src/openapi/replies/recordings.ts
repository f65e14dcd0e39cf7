import * as z from "zod";
import { listOf, messageId, operation, requestId, success, time } from "./fields.ts";

// The account's recordings, and its test inbox (contract §13).

const recording = z
  .object({
    id: z.string().meta({ pattern: "^file_[0-9A-Za-z]+$" }),
    name: z.string().meta({ examples: ["offer.wav"] }),
    type: z.string().meta({ description: "Its media type.", examples: ["audio/wav"] }),
    size_bytes: z.int().min(0),
    duration_ms: z.int().min(0),
    audio_url: z.string().nullable().meta({ description: "Where it plays, for a day." }),
    created_at: time,
  })
  .meta({ id: "Recording" });

const caught = z
  .object({
    id: messageId,
    request_id: requestId,
    to: z.string().meta({ description: "E.164.", examples: ["+919876543210"] }),
    operation,
    sender: z.string().nullable(),
    text: z.string().nullable().meta({ description: "The text of a message or call; null for a recording." }),
    code: z.string().nullable().meta({ description: "The one-time password in the text, if it has one." }),
    flash: z.boolean(),
    audio_url: z.string().nullable().meta({ description: "Where the recording of a call plays." }),
    at: time,
  })
  .meta({ id: "CaughtMessage" });

export const RECORDINGS = {
  Recording: z.object({ success, recording }).meta({ id: "RecordingReply" }),
  RecordingList: listOf(recording).meta({ id: "RecordingList" }),
  Deleted: z
    .object({ success, deleted: z.int().min(0).meta({ description: "How many were deleted." }) })
    .meta({ id: "Deleted" }),
};

export const TEST_INBOX = {
  CaughtMessage: z.object({ success, message: caught }).meta({ id: "CaughtMessageReply" }),
  CaughtMessageOrNone: z
    .object({ success, message: caught.nullable().meta({ description: "Null: none came in time." }) })
    .meta({ id: "CaughtMessageOrNone" }),
  CaughtMessageList: listOf(caught).meta({ id: "CaughtMessageList" }),
};
