import type { FC } from "hono/jsx";
import type { Depth } from "../../operator/queue-depths.ts";
import type { DeadLetter } from "../../queues/dead.ts";
import { count } from "../format.ts";
import { Card, Empty, PageHead, Time } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { deskWords } from "./words.ts";
import { DeskDone, Wide, useMay } from "./frame.tsx";

// The operator's page of the queues: their depths and their dead letters.

const Depths: FC<{ depths: Depth[] }> = ({ depths }) => {
  const t = useWords(deskWords);
  const { lang } = useView();
  return (
    <div class="two">
      {depths.map(({ queue, waiting, oldestAt }) => (
        <Card title={t.queueNames[queue]}>
          <dl class="facts">
            <dt>{t.depth}</dt>
            <dd>{waiting === null ? t.noDepth : <b class="num">{count(waiting, lang)}</b>}</dd>
            {oldestAt !== null && (
              <>
                <dt>{t.oldest}</dt>
                <dd>
                  <Time at={oldestAt} />
                </dd>
              </>
            )}
          </dl>
        </Card>
      ))}
    </div>
  );
};

/** How many jobs a dead letter names; null for a token, which names none. */
function jobsNamed(letter: DeadLetter["letter"]): number | null {
  if (letter === null) return null;
  if ("seqs" in letter.job) return letter.job.seqs.length;
  return "news" in letter.job ? new Set(letter.job.news.map(({ seq }) => seq)).size : null;
}

const LetterRow: FC<{ of: DeadLetter }> = ({ of: { id, at: diedAt, letter } }) => {
  const t = useWords(deskWords);
  const { at, lang } = useView();
  const named = jobsNamed(letter);
  return (
    <tr>
      <td>
        <Time at={diedAt} />
      </td>
      <td>{letter ? t.queueNames[letter.queue] : "–"}</td>
      <td>{letter ? <code>{letter.job.account}</code> : t.noJob}</td>
      <td class="num">{named === null ? "–" : count(named, lang)}</td>
      <td>
        {useMay("queues") && (
          <form method="post" action={at("/desk/queues/dead-letters")} class="actions">
            <input type="hidden" name="id" value={id} />
            {letter && (
              <button class="btn quiet small" name="do" value="retry">
                {t.retry}
              </button>
            )}
            <button class="btn danger small" name="do" value="forget">
              {t.forget}
            </button>
          </form>
        )}
      </td>
    </tr>
  );
};

/** The depths of the queues, and their dead letters. */
export const DeskQueues: FC<{ depths: Depth[]; letters: DeadLetter[]; total: number; done: string | undefined }> = ({
  depths,
  letters,
  total,
  done,
}) => {
  const t = useWords(deskWords);
  const { lang } = useView();
  return (
    <>
      <PageHead title={t.tabs.queues} lead={t.queuesLead} />
      <DeskDone done={done} />
      <Depths depths={depths} />
      <Card title={t.dead} extra={<span class={`pill ${total > 0 ? "warn" : "ok"}`}>{count(total, lang)}</span>}>
        <p class="dim small">
          {t.deadLead} {total > letters.length && t.deadTotal(count(total, lang))}
        </p>
        {letters.length === 0 ? (
          <Empty icon="check" title={t.noDead}>
            <p>{t.noDeadHint}</p>
          </Empty>
        ) : (
          <Wide label={t.dead} heads={[t.time, t.queue, t.account, { num: t.jobs }, t.change]}>
            {letters.map((letter) => (
              <LetterRow of={letter} />
            ))}
          </Wide>
        )}
      </Card>
    </>
  );
};
