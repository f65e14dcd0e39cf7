import type { Context } from "hono";
import * as z from "zod";
import { audit } from "../../audit/audit.ts";
import { keyOf, settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { fail } from "../../http/errors.ts";
import { textUpTo } from "../../http/fields.ts";
import { afterField, limitField, page, query } from "../../http/query.ts";
import type { RecordingView } from "../../model/message.ts";
import { placeOf, placeText } from "../../recordings/place.ts";
import { recordingPath } from "../../recordings/signed-address.ts";
import { accountApi } from "../../sending/account-api.ts";
import { accountOf } from "../../sending/send-order.ts";
import { timeOf } from "../operator/operator.ts";
import { NAME_LENGTH_MAX, isBareName } from "../../text/file-names.ts";

const name = textUpTo("name", NAME_LENGTH_MAX, (value, refuse) => {
  if (!isBareName(value)) refuse({ id: "file_path", field: "name" });
}).meta({ description: "Its new name: a bare name, without a path.", examples: ["Diwali offer"] });

const change = z.object({ name });

function missing(): never {
  return fail("not_found", "There is no such recording.");
}

const asked = query(z.object({ limit: limitField, after: afterField(placeOf) }));

/** A recording as the API shows it. */
function shown(c: Context<AppEnv>, recording: RecordingView) {
  const config = settings(c);
  const { fileId, mime, sizeBytes, durationMs, createdAt } = recording;
  const path = recordingPath(config, { recording });
  return {
    id: fileId,
    name: recording.name,
    type: mime,
    size_bytes: sizeBytes,
    duration_ms: durationMs,
    audio_url: path && config.CONSOLE_URL + path,
    created_at: timeOf(createdAt),
  };
}

/** `/v1/recordings`: lists, shows, renames and deletes the recordings of the key's account and mode (contract §13). */
export const recordingsApi = (app: Api) =>
  app
    .get("/v1/recordings", accountApi, asked, async (c) => {
      const { limit, after = null } = c.req.valid("query");
      const found = (await accountOf(c).recordings(after, limit + 1)) ?? [];
      const { rows, ...more } = page(found, limit, placeText);
      return c.json({ success: true, data: rows.map((one) => shown(c, one)), ...more });
    })
    .get("/v1/recordings/:file", accountApi, async (c) => {
      const found = (await accountOf(c).recording(c.req.param("file"))) ?? missing();
      return c.json({ success: true, recording: shown(c, found) });
    })
    .patch("/v1/recordings/:file", accountApi, jsonBody(change), async (c) => {
      const subject = c.req.param("file");
      const { name: newName } = c.req.valid("json");
      const renamed = (await accountOf(c).renameRecording(subject, newName)) ?? missing();
      await audit(c, { action: "recording.renamed", subject, details: { mode: keyOf(c).mode, name: newName } });
      return c.json({ success: true, recording: shown(c, renamed) });
    })
    .delete("/v1/recordings/:file", accountApi, async (c) => {
      const subject = c.req.param("file");
      if (!(await accountOf(c).removeRecording(subject))) missing();
      await audit(c, { action: "recording.deleted", subject, details: { mode: keyOf(c).mode } });
      return c.json({ success: true, deleted: 1 });
    });

const path = { file: "The recording's id." };

export const docs = {
  "GET /v1/recordings": {
    id: "listRecordings",
    tag: "Recordings",
    summary: "List the recordings, newest first",
    reply: "RecordingList",
  },
  "GET /v1/recordings/:file": {
    id: "getRecording",
    tag: "Recordings",
    summary: "Show a recording",
    reply: "Recording",
    path,
  },
  "PATCH /v1/recordings/:file": {
    id: "renameRecording",
    tag: "Recordings",
    summary: "Rename a recording",
    reply: "Recording",
    path,
  },
  "DELETE /v1/recordings/:file": {
    id: "deleteRecording",
    tag: "Recordings",
    summary: "Delete a recording",
    description: "Calls that were made before still play it.",
    reply: "Deleted",
    path,
  },
} satisfies Docs;
