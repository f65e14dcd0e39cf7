import type { Context } from "hono";
import { createHash } from "node:crypto";
import * as z from "zod";
import { randomId } from "../../crypto/ids.ts";
import { keyOf, settings, showWindow } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { authenticate } from "../../http/auth.ts";
import { jsonBody } from "../../http/body.ts";
import { fail } from "../../http/errors.ts";
import { textUpTo } from "../../http/fields.ts";
import type { Caller, UploadDoor } from "../../model/command.ts";
import type { Upload } from "../../model/message.ts";
import { UPLOAD_VOICE } from "../../model/operations.ts";
import { BASE64_LENGTH_MAX, DURATION_MS_MAX, decodeBase64, inspectRecording } from "../../recordings/inspect.ts";
import { quotaOf } from "../../recordings/quota.ts";
import { recordingKey } from "../../recordings/signed-address.ts";
import { accountOf, callerOf, doneReply, refuse } from "../../sending/send-order.ts";
import { NAME_LENGTH_MAX, isBareName } from "../../text/file-names.ts";

const fileName = textUpTo("fileName", NAME_LENGTH_MAX, (value, refuse) => {
  if (!isBareName(value)) refuse("fileName must be a bare name, without path or control characters.");
  else if (!/.\.(wav|mp3)$/iu.test(value)) refuse("fileName must end in .wav or .mp3.");
});

const base64Data = z
  .string({ error: ({ input }) => (input === undefined ? "base64Data is required." : "base64Data must be a string.") })
  .min(1, "base64Data must not be empty.")
  .max(BASE64_LENGTH_MAX, `base64Data must have at most ${BASE64_LENGTH_MAX} characters (5 MiB).`);

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
    return fail("invalid_request", `The file must be WAV (PCM, µ-law, A-law) or MP3; found ${found.found}.`, { param });
  }
  const actual = found.mime === "audio/wav" ? "wav" : "mp3";
  if (actual !== claimed) {
    return fail("invalid_request", `fileName says .${claimed}, the bytes are ${actual.toUpperCase()}.`, {
      param,
      hint: `Name it .${actual}.`,
    });
  }
  if (found.durationMs <= 0) return fail("invalid_request", "The recording has no sound in it: 0 s.", { param });
  if (found.durationMs > DURATION_MS_MAX) {
    return fail("invalid_request", `The recording lasts ${Math.ceil(found.durationMs / 1000)} s; 600 s is the most.`, {
      param,
    });
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

/** `POST /api/upload-voice`: a recording for calls (contract §5.6). */
export const uploadVoice = (app: Api) =>
  app.post(UPLOAD_VOICE.path, authenticate(...UPLOAD_VOICE.keyIn), jsonBody(schema), async (c) => {
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
    if (door.replayed) return doneReply(c, template, door, "voice");
    showWindow(c, door.window);
    await store(c, caller, { ...recording, objectKey: door.objectKey }, bytes);
    return c.json(template);
  });
