import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { audit } from "../../audit/audit.ts";
import { doneIn, formOf, otherMode, readLargeForm, refusalIn, refusedStatus } from "../../console/forms.ts";
import type { PostedForm } from "../../console/forms.ts";
import { at, page, refOf, show, showPart, signedIn, stubOf, viewOf, wantsJson } from "../../console/page.tsx";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { BODY_BYTES_MAX, bodyUpTo } from "../../http/body.ts";
import { fail } from "../../http/errors.ts";
import type { ErrorCode } from "../../http/errors.ts";
import type { RecordingView } from "../../model/message.ts";
import { UPLOAD_VOICE } from "../../model/operations.ts";
import { BASE64_LENGTH_MAX } from "../../recordings/inspect.ts";
import { placeOf, placeText } from "../../recordings/place.ts";
import { mediaPath } from "../../recordings/signed-address.ts";
import { callApi } from "../../sending/own-api.ts";
import type { ApiReply } from "../../sending/own-api.ts";
import { codePoints } from "../../text/code-points.ts";
import { NAME_LENGTH_MAX, isBareName } from "../../text/file-names.ts";
import { oneLine } from "../../text/one-line.ts";
import { Notice, PageHead } from "../../ui/parts.tsx";
import { RecordingList, RemoveRecording, UploadForm } from "../../ui/recordings.tsx";
import type { RefusedName } from "../../ui/recordings.tsx";
import { recordings } from "../../ui/words/recordings.ts";

type Ctx = Context<AppEnv>;

const PAGE_SIZE = 20;

/** How long the players on a page work; after that the page must be reloaded. */
const MEDIA_TTL_MS = 3_600_000;

/** Bytes of a file whose Base64 is as long as an upload may be. */
export const FILE_BYTES_MAX = (BASE64_LENGTH_MAX / 4) * 3;

/** Size of a form with the largest file: its names, boundaries and other fields take up to 16 KiB. */
const FORM_BYTES_MAX = FILE_BYTES_MAX + 16 * 1024;

interface Shown {
  /** An upload that was refused. */
  refused?: { error: string; once?: string | undefined };
  /** A new name that was refused. */
  named?: RefusedName;
  status?: ContentfulStatusCode;
}

/** The query of the page of the list that the request is about; empty for the first one. */
function afterOf(c: Ctx): string {
  const place = placeOf(c.req.query("after"));
  return place ? `?after=${placeText(place)}` : "";
}

/** What was done before this page was shown, by its address. */
function Done({ of, list }: { of: Ctx; list: readonly RecordingView[] }) {
  const t = recordings[viewOf(of).lang];
  if (of.req.query("done") === "removed") return <Notice tone="ok">{t.removed}</Notice>;
  const isRenamed = of.req.query("renamed") !== undefined;
  const found = list.find(({ fileId }) => fileId === freshIn(of));
  if (!found) return null;
  return (
    <Notice tone="ok">
      <p>
        {isRenamed ? t.renamed : t.stored} <bdi>{found.name}</bdi>
      </p>
    </Notice>
  );
}

/** The recording that was just added or renamed. */
const freshIn = (c: Ctx) => c.req.query("renamed") ?? c.req.query("added");

async function showList(c: Ctx, { refused, named, status }: Shown = {}): Promise<Response> {
  const t = recordings[viewOf(c).lang];
  const found = (await stubOf(c).recordings(placeOf(c.req.query("after")), PAGE_SIZE + 1)) ?? [];
  const shown = found.slice(0, PAGE_SIZE);
  const last = shown.at(-1);
  const older = found.length > PAGE_SIZE && last ? at(c, `/recordings?after=${placeText(last)}`) : null;
  const until = Date.now() + MEDIA_TTL_MS;
  const secret = settings(c).KEY_SECRET;
  const listed = (one: RecordingView) => ({
    ...one,
    media: at(c, mediaPath(secret, one, until)),
  });
  return show(
    c,
    <>
      <PageHead title={t.title} lead={t.lead} />
      {refused && (
        <Notice tone="bad">
          <p>{refused.error}</p>
        </Notice>
      )}
      {!refused && !named && <Done of={c} list={shown} />}
      <div class="cols voices">
        <RecordingList list={shown.map(listed)} fresh={freshIn(c)} older={older} refused={named} after={afterOf(c)} />
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

const missing = () => fail("not_found", "There is no such recording.");

/** Gives the recording in the path the name in the form. */
async function rename(c: Ctx): Promise<Response> {
  const typed = await formOf(c);
  const fileId = c.req.param("file") ?? "";
  const name = (typed["name"] ?? "").trim();
  const other = otherMode(c, typed);
  const fits = name !== "" && codePoints(name) <= NAME_LENGTH_MAX && isBareName(name) && name.isWellFormed();
  if (other || !fits) {
    const refused = other ?? { code: "invalid_request", error: recordings[viewOf(c).lang].nameWrong, field: "name" };
    const status = refusedStatus(c, refused);
    if (!(await stubOf(c).recording(fileId))) return missing();
    return showList(c, { named: { fileId, name, error: refused.error }, status });
  }
  if (!(await stubOf(c).renameRecording(fileId, name))) return missing();
  await audit(c, { action: "recording.renamed", subject: fileId, details: { mode: refOf(c).mode, name } });
  return c.redirect(at(c, `/recordings${afterOf(c)}${afterOf(c) === "" ? "?" : "&"}renamed=${fileId}`), 303);
}

/** The question before the recording in the path is deleted; the script shows it in the drawer. */
async function askRemoval(c: Ctx): Promise<Response> {
  const found: RecordingView = (await stubOf(c).recording(c.req.param("file") ?? "")) ?? missing();
  const title = recordings[viewOf(c).lang].removeTitle;
  if (c.req.header("x-part") !== undefined) return showPart(c, <RemoveRecording of={found} part />);
  return show(c, <RemoveRecording of={found} part={false} />, { title, active: "recordings" });
}

/** Deletes the recording in the path. */
async function remove(c: Ctx): Promise<Response> {
  const other = otherMode(c, await formOf(c));
  if (other) return fail(other.code, other.error, { forReader: true });
  const fileId = c.req.param("file") ?? "";
  if (!(await stubOf(c).removeRecording(fileId))) return missing();
  await audit(c, { action: "recording.deleted", subject: fileId, details: { mode: refOf(c).mode } });
  return c.redirect(at(c, "/recordings?done=removed"), 303);
}

/** `/recordings`: the recordings that calls can play: adds one through the API's upload, renames and deletes. */
export const recordingsPages = (app: Api) => {
  app.get("/recordings", page, signedIn, (c) => showList(c));
  app.post("/recordings/:file/rename", page, signedIn, (c) => rename(c));
  app.get("/recordings/:file/delete", page, signedIn, (c) => askRemoval(c));
  app.post("/recordings/:file/delete", page, signedIn, (c) => remove(c));
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
