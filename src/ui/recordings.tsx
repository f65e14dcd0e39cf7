import type { FC } from "hono/jsx";
import type { RecordingView } from "../model/message.ts";
import { FileField } from "./file-field.tsx";
import { sizeText } from "./format.ts";
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

/** The mode in which a form was shown: sent in the other one, it is refused. */
const ModeField: FC = () => <input type="hidden" name="mode" value={useView().mode} />;

/** Length, kind, size and time of a recording. */
const Facts: FC<{ of: RecordingView }> = ({ of: { mime, sizeBytes, durationMs, createdAt } }) => (
  <p class="dim small">
    <span class="num">{lengthText(durationMs)}</span> · {KIND[mime] ?? mime} ·{" "}
    <span class="num">{sizeText(sizeBytes)}</span> · <Time at={createdAt} />
  </p>
);

/** A name that was refused, and for which recording it was typed. */
export interface RefusedName {
  fileId: string;
  name: string;
  error: string;
}

interface ListProps {
  list: readonly Listed[];
  /** The recording that was just added or renamed. */
  fresh: string | undefined;
  older: string | null;
  refused: RefusedName | undefined;
  /** The query of this page of the list; empty on the first one. */
  after: string;
}

/** The form that gives a recording another name, in its place; open where a name was refused. */
const Rename: FC<{ of: RecordingView } & Pick<ListProps, "refused" | "after">> = ({ of, refused, after }) => {
  const { fileId, name } = of;
  const t = useWords(recordings);
  const { at } = useView();
  const id = `name-${fileId}`;
  return (
    <details class="rename" open={refused !== undefined}>
      <summary class="ghost">
        {t.rename}
        <span class="sr">: {name}</span>
      </summary>
      <form method="post" action={at(`/recordings/${fileId}/rename${after}`)}>
        <ModeField />
        <label class="sr" for={id}>
          {t.name}
        </label>
        <input
          id={id}
          name="name"
          required
          autocomplete="off"
          value={refused?.name ?? name}
          {...(refused && { "aria-invalid": "true", "aria-describedby": `${id}-error` })}
        />
        <button class="btn quiet small">{t.saveName}</button>
        {refused && (
          <p class="fault" id={`${id}-error`}>
            {refused.error}
          </p>
        )}
      </form>
    </details>
  );
};

const Row: FC<{ recording: Listed } & Omit<ListProps, "list" | "older">> = ({ recording, fresh, refused, after }) => {
  const t = useWords(recordings);
  const { at } = useView();
  const { fileId, name, media } = recording;
  return (
    <li class={fresh === fileId ? "voicefile fresh" : "voicefile"}>
      <div class="voicename">
        <h3>
          <bdi>{name}</bdi>
        </h3>
        <Facts of={recording} />
      </div>
      <audio controls preload="none" src={media} aria-label={`${t.listen}: ${name}`} />
      <div class="actions">
        <code>{fileId}</code>
        <CopyButton text={fileId} label={`${t.copyId}: ${name}`} />
        <Rename of={recording} refused={refused?.fileId === fileId ? refused : undefined} after={after} />
        <a class="ghost bad" href={at(`/recordings/${fileId}/delete`)} data-drawer="">
          <Icon name="trash" />
          {t.remove}
          <span class="sr">: {name}</span>
        </a>
        <a class="btn quiet small" href={at(`/send/voice?file=${fileId}`)} aria-label={`${t.use}: ${name}`}>
          <Icon name="call" />
          {t.use}
        </a>
      </div>
    </li>
  );
};

/** A page of recordings, newest first. */
export const RecordingList: FC<ListProps> = ({ list, older, ...row }) => {
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
            <Row recording={recording} {...row} />
          ))}
        </ul>
      )}
      {older !== null && <Older href={older} />}
    </Card>
  );
};

/** Asks before a recording is deleted. */
export const RemoveRecording: FC<{ of: RecordingView; part: boolean }> = ({ of, part }) => {
  const t = useWords(recordings);
  const { at } = useView();
  return (
    <section class={part ? "stack" : "card stack keyshown"}>
      {part ? <h2>{t.removeTitle}</h2> : <h1>{t.removeTitle}</h1>}
      <div>
        <p>
          <b>
            <bdi>{of.name}</bdi>
          </b>
        </p>
        <Facts of={of} />
      </div>
      <p>{t.removeLead}</p>
      <form class="actions" method="post" action={at(`/recordings/${of.fileId}/delete`)}>
        <ModeField />
        <button class="btn danger">{t.removeNow}</button>
        <a class="btn quiet" href={at("/recordings")}>
          {t.cancel}
        </a>
      </form>
    </section>
  );
};
