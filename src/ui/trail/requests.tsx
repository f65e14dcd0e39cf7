import type { FC } from "hono/jsx";
import type { RefusedRequest } from "../../model/requests/refused.ts";
import { OTHER_FIELDS } from "../../model/requests/refused.ts";
import { Card, CopyButton, Empty, Notice, Older, PageHead, Time } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { requestWords } from "../words/requests.ts";

// The log of an account's refused API requests, for people who write programs.

interface RequestsProps {
  /** Null while the log is unavailable. */
  rows: readonly RefusedRequest[] | null;
  nameOf: (keyId: number) => string;
  /** Whether the page begins at the newest request. */
  isFirst: boolean;
  older: string | null;
}

const Fields: FC<{ fields: RefusedRequest["fields"] }> = ({ fields }) => {
  const t = useWords(requestWords);
  const all = Object.entries(fields);
  if (all.length === 0) return <>{t.noFields}</>;
  return (
    <span class="hints">
      {all.map(([name, type]) =>
        name === OTHER_FIELDS ? <span>{t.others(type)}</span> : <code>{`${name}: ${type}`}</code>,
      )}
    </span>
  );
};

const Row: FC<{ of: RefusedRequest; keyName: string }> = ({ of, keyName }) => {
  const t = useWords(requestWords);
  return (
    <li>
      <p class="refusedhead">
        <span class={`pill ${of.status >= 500 ? "bad" : "warn"}`}>{of.status}</span>{" "}
        <code>{`${of.method} ${of.path}`}</code>{" "}
        <span class="dim small">
          <Time at={of.at} />
        </span>
      </p>
      <p lang="en">{of.error}</p>
      <dl class="facts small">
        <dt>{t.code}</dt>
        <dd>
          <code>{of.code}</code>
        </dd>
        {of.param !== null && (
          <>
            <dt>{t.param}</dt>
            <dd>
              <code>{of.param}</code>
            </dd>
          </>
        )}
        <dt>{t.fields}</dt>
        <dd>
          <Fields fields={of.fields} />
        </dd>
        <dt>{t.key}</dt>
        <dd>
          <bdi>{keyName}</bdi>
        </dd>
        <dt>{t.requestId}</dt>
        <dd class="copied">
          <code>{of.requestId}</code> <CopyButton text={of.requestId} label={t.copyRequest} />
        </dd>
      </dl>
    </li>
  );
};

const Nothing: FC<{ isFirst: boolean }> = ({ isFirst }) => {
  const t = useWords(requestWords);
  return (
    <Empty icon="activity" title={t.none}>
      <p>{isFirst ? t.noneHint : t.noneLater}</p>
      {isFirst && <p>{t.noKey}</p>}
    </Empty>
  );
};

/** The page: newest first. */
export const Requests: FC<RequestsProps> = ({ rows, nameOf, isFirst, older }) => {
  const t = useWords(requestWords);
  const { at } = useView();
  return (
    <>
      <PageHead title={t.title} lead={t.lead}>
        <a class="btn quiet" href={at("/activity")}>
          {t.sent}
        </a>
      </PageHead>
      <Card>
        {rows === null && <Notice tone="bad">{t.away}</Notice>}
        {rows?.length === 0 && <Nothing isFirst={isFirst} />}
        {rows !== null && rows.length > 0 && (
          <>
            <ol class="actlist refused" aria-label={t.list}>
              {rows.map((row) => (
                <Row of={row} keyName={nameOf(row.keyId)} />
              ))}
            </ol>
            <p class="hint">{t.kept}</p>
          </>
        )}
        {older !== null && <Older href={at(`/requests?older=${encodeURIComponent(older)}`)} />}
      </Card>
    </>
  );
};
