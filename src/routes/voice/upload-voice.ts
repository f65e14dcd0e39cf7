import type { Context } from "hono";
import { createHash } from "node:crypto";
import * as z from "zod";
import { randomId } from "../../crypto/ids.ts";
import { keyOf, settings, showWindow } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { authenticate } from "../../http/auth.ts";
import { BODY_BYTES_MAX, bodyUpTo, jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { fail, failBy } from "../../http/errors.ts";
import { issueOf, textUpTo } from "../../http/fields.ts";
import { tell } from "../../http/told.ts";
import type { Caller, UploadDoor } from "../../model/command.ts";
import type { Upload } from "../../model/message.ts";
import { UPLOAD_VOICE } from "../../model/operations.ts";
import { BASE64_LENGTH_MAX, DURATION_MS_MAX, decodeBase64, inspectRecording } from "../../recordings/inspect.ts";
import { quotaOf } from "../../recordings/quota.ts";
import { recordingKey } from "../../recordings/signed-address.ts";
import { accountOf, callerOf, placed, refuse } from "../../sending/send-order.ts";
import { NAME_LENGTH_MAX, isBareName } from "../../text/file-names.ts";

const FILE_NAME = /.\.(wav|mp3)$/iu;

const fileName = textUpTo("fileName", NAME_LENGTH_MAX, (value, refuse) => {
  if (!isBareName(value)) refuse({ id: "file_path", field: "fileName" });
  else if (!FILE_NAME.test(value)) refuse({ id: "file_extension" });
}).meta({
  description: "A bare name that ends in .wav or .mp3, as the bytes are.",
  pattern: "\\.([Ww][Aa][Vv]|[Mm][Pp]3)$",
  examples: ["offer.wav"],
});

const base64Data = z
  .string({ error: ({ input }) => (input === undefined ? "base64Data is required." : "base64Data must be a string.") })
  .check(({ value, issues }) => {
    if (value === "") issues.push(issueOf({ id: "file_empty" }, value));
  })
  .max(BASE64_LENGTH_MAX, `base64Data must have at most ${BASE64_LENGTH_MAX} characters (5 MiB).`)
  .meta({
    description: "The file in standard Base64.",
    minLength: 1,
    examples: ["UklGRjQAAABXQVZFZm10IBAAAAAHAAEAQB8AAEAfAAABAAgAZGF0YRAAAAD/////////////////////"],
  });

const schema = z.object({ fileName, base64Data });

function bytesOf(text: string): Uint8Array {
  const bytes = decodeBase64(text);
  if (bytes) return bytes;
  const param = "base64Data";
  if (text.startsWith("data:")) {
    return fail("invalid_request", "base64Data must be Base64 alone, without a data: prefix.", {
      param,
      hint: "Send what follows the comma.",
    });
  }
  return fail("invalid_request", "base64Data is not standard Base64.", {
    param,
    ...(/[-_]/u.test(text) && { hint: "Use the standard alphabet with + and /, not the URL-safe one." }),
  });
}

/** The recording in these bytes; fails with what was found instead. */
async function recordingIn(c: Context<AppEnv>, name: string, bytes: Uint8Array): Promise<Upload> {
  const param = "base64Data";
  const found = await inspectRecording(bytes);
  const claimed = name.slice(-3).toLowerCase();
  if (!found.ok) {
    return failBy("invalid_request", { id: "file_kind", found: found.found }, { param });
  }
  const actual = found.mime === "audio/wav" ? "wav" : "mp3";
  if (actual !== claimed) {
    return failBy("invalid_request", { id: "file_mismatch", claimed, actual }, { param });
  }
  if (found.durationMs <= 0) return failBy("invalid_request", { id: "file_silent" }, { param });
  if (found.durationMs > DURATION_MS_MAX) {
    const seconds = Math.ceil(found.durationMs / 1000);
    return failBy("invalid_request", { id: "file_long", seconds, max: DURATION_MS_MAX / 1000 }, { param });
  }
  const fileId = randomId("file");
  const content = createHash("sha256").update(bytes).digest("hex");
  // A key of its own, not its content's: the bytes of a recording with the same content may be about to be deleted.
  const objectKey = recordingKey(
    keyOf(c),
    Uint8Array.from(
      createHash("sha256")
        .update(fileId + content)
        .digest(),
    ),
  );
  const { mime, durationMs } = found;
  return { fileId, name, objectKey, content, mime, sizeBytes: bytes.length, durationMs };
}

/** Puts the bytes into R2, then adds the recording to the account; if that fails, frees its place and Idempotency-Key. */
async function store(c: Context<AppEnv>, caller: Caller, upload: Upload, bytes: Uint8Array): Promise<void> {
  const account = accountOf(c);
  try {
    await c.env.RECORDINGS.put(upload.objectKey, bytes, { httpMetadata: { contentType: upload.mime } });
  } catch (problem) {
    await account.endUpload(caller, upload, false);
    throw problem;
  }
  if (await account.endUpload(caller, upload, true)) return;
  fail("unavailable", "The upload took too long and was given up; send it again.", { headers: { "Retry-After": "1" } });
}

/** 5 MiB of Base64 in JSON: twice as much where each slash is escaped, of which silence in µ-law consists. */
const ofRecording = bodyUpTo(BODY_BYTES_MAX);

/** `POST /api/upload-voice`: a recording for calls (contract §5.6). */
export const uploadVoice = (app: Api) =>
  app.post(UPLOAD_VOICE.path, ofRecording, authenticate(...UPLOAD_VOICE.keyIn), jsonBody(schema), async (c) => {
    const body = c.req.valid("json");
    const bytes = bytesOf(body.base64Data);
    const recording = await recordingIn(c, body.fileName, bytes);
    const template = {
      success: true,
      fileId: recording.fileId,
      message: `The recording is stored; it lasts ${(recording.durationMs / 1000).toFixed(1)} s.`,
    };
    // The fingerprint covers the bytes, however their Base64 is written.
    const fields = {
      fileName: body.fileName,
      objectKey: recordingKey(keyOf(c), Buffer.from(recording.content, "hex")),
    };
    const caller: Caller = await callerOf(c, fields, template);
    const door: UploadDoor | null = await accountOf(c).beginUpload(
      caller,
      recording,
      quotaOf(settings(c), keyOf(c).mode),
    );
    if (!door?.ok) return refuse(c, door);
    tell(c.req.raw, { said: { id: "recording", durationMs: recording.durationMs } });
    if (door.replayed) return c.json(placed(c, template, door, null).reply);
    showWindow(c, door.window);
    await store(c, caller, { ...recording, objectKey: door.objectKey }, bytes);
    return c.json(template);
  });

export const docs = {
  "POST /api/upload-voice": {
    id: "uploadVoice",
    tag: "Calls",
    summary: "Upload a recording",
    description: "WAV (PCM, µ-law, A-law) or MP3, up to 10 minutes. Nothing is billed, and the rate limit counts it.",
    reply: "Uploaded",
    codes: ["too_many"],
  },
} satisfies Docs;
