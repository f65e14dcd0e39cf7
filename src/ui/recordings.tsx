import type { FC } from "hono/jsx";
import type { RecordingView } from "../model/message.ts";
import { FileField } from "./file-field.tsx";
import { lengthText } from "./format-audio.ts";
import { Icon } from "./icons.tsx";
import { Card, CopyButton, Empty, Older, Time } from "./parts.tsx";
import { SendFields } from "./send/frame.tsx";
import { useView, useWords } from "./view.ts";
import { recordings } from "./words/recordings.ts";

// The list of recordings, and the form that adds one.

/** A recording, with the URL from which the page plays it. */
interface Listed extends RecordingView {
  media: string;
}

/** Bytes as KiB or MiB. */
function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(2)} MiB`;
}

const KIND: Record<string, string> = { "audio/wav": "WAV", "audio/mpeg": "MP3" };

/** The form that adds a recording. */
export const UploadForm: FC<{ bytesMax: number; once?: string | undefined; error?: string | undefined }> = ({
  bytesMax,
  once,
  error,
}) => {
  const t = useWords(recordings);
  const { at } = useView();
  return (
    <Card title={t.upload}>
      <form
        method="post"
        action={at("/recordings")}
        enctype="multipart/form-data"
        class="stack"
        data-send=""
        data-lost={t.lost}
        data-reused={t.reused}
        data-next={at("/recordings?added=")}
      >
        <SendFields once={once} />
        <FileField
          name="file"
          label={t.file}
          hint={t.limit}
          accept=".wav,.mp3,audio/wav,audio/mpeg"
          required
          error={error}
          data={{ "data-bytes": String(bytesMax), "data-large": t.tooLarge, "data-param": "fileName base64Data" }}
        />
        <progress max="1" value="0" hidden aria-label={t.progress} />
        <button class="btn">
          <Icon name="upload" />
          {t.submit}
        </button>
      </form>
    </Card>
  );
};

const Row: FC<{ recording: Listed; fresh: boolean }> = ({ recording, fresh }) => {
  const t = useWords(recordings);
  const { at } = useView();
  const { fileId, name, mime, sizeBytes, durationMs, createdAt, media } = recording;
  return (
    <li class={fresh ? "voicefile fresh" : "voicefile"}>
      <div class="voicename">
        <h3>
          <bdi>{name}</bdi>
        </h3>
        <p class="dim small">
          <span class="num">{lengthText(durationMs)}</span> · {KIND[mime] ?? mime} ·{" "}
          <span class="num">{sizeText(sizeBytes)}</span> · <Time at={createdAt} />
        </p>
      </div>
      <audio controls preload="none" src={media} aria-label={`${t.listen}: ${name}`} />
      <div class="actions">
        <code>{fileId}</code>
        <CopyButton text={fileId} label={`${t.copyId}: ${name}`} />
        <a class="btn quiet small" href={at(`/send/voice?file=${fileId}`)} aria-label={`${t.use}: ${name}`}>
          <Icon name="call" />
          {t.use}
        </a>
      </div>
    </li>
  );
};

/** A page of recordings, newest first. */
export const RecordingList: FC<{ list: readonly Listed[]; added: string | undefined; older: string | null }> = ({
  list,
  added,
  older,
}) => {
  const t = useWords(recordings);
  return (
    <Card title={t.list}>
      {list.length === 0 ? (
        <Empty icon="recordings" title={t.empty}>
          <p>{t.emptyHint}</p>
        </Empty>
      ) : (
        <ul class="voicefiles">
          {list.map((recording) => (
            <Row recording={recording} fresh={recording.fileId === added} />
          ))}
        </ul>
      )}
      {older !== null && <Older href={older} />}
    </Card>
  );
};
