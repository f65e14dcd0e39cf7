import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { doneIn, otherMode, readLargeForm, refusalIn, refusedStatus } from "../../console/forms.ts";
import type { PostedForm } from "../../console/forms.ts";
import { at, page, refOf, show, signedIn, stubOf, viewOf, wantsJson } from "../../console/page.tsx";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { BODY_BYTES_MAX, bodyUpTo } from "../../http/body.ts";
import type { ErrorCode } from "../../http/errors.ts";
import type { RecordingPlace, RecordingView } from "../../model/message.ts";
import { UPLOAD_VOICE } from "../../model/operations.ts";
import { BASE64_LENGTH_MAX } from "../../recordings/inspect.ts";
import { mediaPath } from "../../recordings/signed-address.ts";
import { callApi } from "../../sending/own-api.ts";
import type { ApiReply } from "../../sending/own-api.ts";
import { oneLine } from "../../text/one-line.ts";
import { Notice, PageHead } from "../../ui/parts.tsx";
import { RecordingList, UploadForm } from "../../ui/recordings.tsx";
import { recordings } from "../../ui/words/recordings.ts";

type Ctx = Context<AppEnv>;

const PAGE_SIZE = 20;

/** How long the players on a page work; after that the page must be reloaded. */
const MEDIA_TTL_MS = 3_600_000;

/** Bytes of a file whose Base64 is as long as an upload may be. */
export const FILE_BYTES_MAX = (BASE64_LENGTH_MAX / 4) * 3;

/** Size of a form with the largest file: its names, boundaries and other fields take up to 16 KiB. */
const FORM_BYTES_MAX = FILE_BYTES_MAX + 16 * 1024;

/** Reads a place in the list from the address; null if it is absent or malformed. */
function placeOf(text: string | undefined): RecordingPlace | null {
  const [, createdAt, fileId] = /^(\d{1,15})\.(\w{1,100})$/u.exec(text ?? "") ?? [];
  return createdAt === undefined || fileId === undefined ? null : { createdAt: Number(createdAt), fileId };
}

interface Shown {
  refused?: { error: string; once?: string | undefined };
  status?: ContentfulStatusCode;
}

async function showList(c: Ctx, { refused, status }: Shown = {}): Promise<Response> {
  const t = recordings[viewOf(c).lang];
  const found = (await stubOf(c).recordings(placeOf(c.req.query("after")), PAGE_SIZE + 1)) ?? [];
  const shown = found.slice(0, PAGE_SIZE);
  const last = shown.at(-1);
  const older = found.length > PAGE_SIZE && last ? at(c, `/recordings?after=${last.createdAt}.${last.fileId}`) : null;
  const until = Date.now() + MEDIA_TTL_MS;
  const secret = settings(c).KEY_SECRET;
  const listed = (one: RecordingView) => ({
    ...one,
    media: at(c, mediaPath(secret, one, until)),
  });
  const added = shown.find(({ fileId }) => fileId === c.req.query("added"));
  return show(
    c,
    <>
      <PageHead title={t.title} lead={t.lead} />
      {refused && (
        <Notice tone="bad">
          <p>{refused.error}</p>
        </Notice>
      )}
      {added && (
        <Notice tone="ok">
          <p>
            {t.stored} <bdi>{added.name}</bdi>
          </p>
        </Notice>
      )}
      <div class="cols voices">
        <RecordingList list={shown.map(listed)} added={added?.fileId} older={older} />
        <UploadForm bytesMax={FILE_BYTES_MAX} once={refused?.once} error={refused?.error} />
      </div>
    </>,
    { title: t.title, active: "recordings", ...(status !== undefined && { status }) },
  );
}

/** Refuses the form itself, before the API is called. */
async function refuse(c: Ctx, code: ErrorCode, error: string, once?: string): Promise<Response> {
  const status = refusedStatus(c, { code, error, field: "file" });
  return showList(c, { refused: { error, once }, status });
}

type Checked = { ok: true; file: File } | { ok: false; code: ErrorCode; error: string };

/** The form's file, or why it cannot be uploaded. */
function fileOf(c: Ctx, { typed, files: { file } }: PostedForm): Checked {
  const t = recordings[viewOf(c).lang];
  const other = otherMode(c, typed);
  if (other) return { ok: false, ...other };
  if (!file) return { ok: false, code: "invalid_request", error: t.choose };
  return file.size > FILE_BYTES_MAX ? { ok: false, code: "invalid_request", error: t.tooLarge } : { ok: true, file };
}

/** Stores a file through the API's upload. */
async function upload(c: Ctx, file: File, once: string): Promise<ApiReply> {
  const base64Data = Buffer.from(await file.arrayBuffer()).toString("base64");
  return callApi(c, refOf(c), UPLOAD_VOICE.path, { fileName: oneLine(file.name), base64Data }, once);
}

/** `/recordings`: the recordings that calls can play, and a form that adds one through the API's upload. */
export const recordingsPages = (app: Api) => {
  app.get("/recordings", page, signedIn, (c) => showList(c));
  app.post("/recordings", bodyUpTo(FORM_BYTES_MAX), page, signedIn, async (c) => {
    const form = await readLargeForm(c);
    if (!form.ok) {
      const code = form.bytes > BODY_BYTES_MAX ? "payload_too_large" : "invalid_request";
      return refuse(c, code, recordings[viewOf(c).lang].tooLarge);
    }
    const checked = fileOf(c, form);
    if (!checked.ok) return refuse(c, checked.code, checked.error, form.once);
    const reply = await upload(c, checked.file, form.once);
    const { body, status, headers } = reply;
    const { lang } = viewOf(c);
    if (wantsJson(c)) {
      if (headers.has("idempotent-replayed")) c.header("Idempotent-Replayed", "true");
      const told = body.success ? { message: doneIn(reply, lang) } : { hint: undefined, ...refusalIn(reply, lang) };
      return c.json({ ...body, ...told }, status as ContentfulStatusCode);
    }
    if (body.success) return c.redirect(at(c, `/recordings?added=${String(body["fileId"])}`), 303);
    const reused = body["code"] === "idempotency_mismatch";
    const refusal = reused ? { error: recordings[lang].reused } : refusalIn(reply, lang);
    const error = [refusal.error, refusal.hint].filter(Boolean).join(" ");
    return showList(c, {
      refused: { error, once: reused ? undefined : form.once },
      status: status as ContentfulStatusCode,
    });
  });
};
