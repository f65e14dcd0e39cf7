import type { FC } from "hono/jsx";
import type { Attempt, Endpoint } from "../../model/webhook.ts";
import { Card, Choice, Code, CopyButton, Field, Notice, PageHead, Time } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { State } from "./list.tsx";
import { webhookWords } from "../words/webhooks.ts";

// The page of one webhook: how it stands, its attempts with request and answer, and what can be done.

/** What a failure is called; a status is a number in every language. */
const Problem: FC<{ error: string | null }> = ({ error }) => {
  const t = useWords(webhookWords);
  if (error === null) return <>{t.never}</>;
  const known = Object.entries(t.errors).find(([name]) => name === error)?.[1];
  return <>{known ?? t.httpError(error.replace(/^http_/u, ""))}</>;
};

/** A form of one button. */
const Act: FC<{ to: string; label: string; fields?: Record<string, string>; tone?: string }> = ({
  to,
  label,
  fields = {},
  tone = "quiet",
}) => (
  <form method="post" action={useView().at(to)}>
    {Object.entries(fields).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <button class={`btn ${tone}`}>{label}</button>
  </form>
);

/** An attempt, with what was posted; null where that is not known any more. */
export interface ShownAttempt extends Attempt {
  request: string | null;
}

const AttemptRow: FC<{ of: ShownAttempt; to: string; canReplay: boolean }> = ({ of, to, canReplay }) => {
  const t = useWords(webhookWords);
  const seqs = of.seq === null ? t.testEvent : `${of.seq}${of.last === undefined ? "" : `–${of.last}`}`;
  const gone = of.seq === null ? t.requestTest : t.requestGone;
  return (
    <li>
      <details>
        <summary>
          <span class={`pill ${of.error === null ? "ok" : "bad"}`}>{of.status ?? t.noAnswer}</span> {t.event} {seqs}{" "}
          <Time at={of.at} /> <span class="dim small">{of.ms} ms</span>
        </summary>
        <div class="stack">
          {of.error !== null && (
            <p>
              <Problem error={of.error} />
            </p>
          )}
          {of.request === null ? <p class="dim">{gone}</p> : <Code label={t.request} text={of.request} />}
          <Code label={t.answer} text={of.answer === "" ? t.emptyAnswer : of.answer} />
          {canReplay && of.seq !== null && (
            <Act
              to={`${to}/replay`}
              label={`${t.again}: ${seqs}`}
              fields={{ from: String(of.seq), to: String(of.last ?? of.seq) }}
            />
          )}
        </div>
      </details>
    </li>
  );
};

const Facts: FC<{ of: Endpoint; now: number }> = ({ of, now }) => {
  const t = useWords(webhookWords);
  return (
    <dl class="facts">
      <dt>{t.url}</dt>
      <dd>
        <code>{of.url}</code>
      </dd>
      <dt>{t.status}</dt>
      <dd>
        <State of={of} now={now} />
      </dd>
      <dt>{t.types}</dt>
      <dd>
        <code>{of.types.join(" ")}</code>
      </dd>
      <dt>{t.acked}</dt>
      <dd>{of.acked}</dd>
      <dt>{t.lastError}</dt>
      <dd>{of.disabled === null ? <Problem error={of.lastError} /> : t.disabled[of.disabled]}</dd>
      {of.disabled === null && of.nextAt !== null && (
        <>
          <dt>{t.nextAt}</dt>
          <dd>
            <Time at={of.nextAt} />
          </dd>
        </>
      )}
      <dt>{t.created}</dt>
      <dd>
        <Time at={of.createdAt} style="date" />
      </dd>
      <dt>ID</dt>
      <dd>
        <code>{of.id}</code>
      </dd>
    </dl>
  );
};

const ReplayForm: FC<{ to: string; fault: string | undefined }> = ({ to, fault }) => {
  const t = useWords(webhookWords);
  const { at } = useView();
  return (
    <Card title={t.replay}>
      <form class="stack" method="post" action={at(`${to}/replay`)}>
        <p class="dim small">{t.replayLead}</p>
        <Field label={t.from} name="from" required error={fault} />
        <Field label={t.to} name="to" hint={t.toHint} />
        <div>
          <button class="btn">{t.replayNow}</button>
        </div>
      </form>
    </Card>
  );
};

/** Another secret, and the end. */
const Rest: FC<{ to: string }> = ({ to }) => {
  const t = useWords(webhookWords);
  const { at } = useView();
  return (
    <>
      <Card title={t.rotate}>
        <form class="stack" method="post" action={at(`${to}/rotate`)}>
          <p class="dim small">{t.rotateLead}</p>
          <Choice
            label={t.overlap}
            name="overlap"
            value="86400"
            options={Object.entries(t.overlaps).map(([value, label]) => ({ value, label }))}
          />
          <div>
            <button class="btn">{t.rotate}</button>
          </div>
        </form>
      </Card>
      <Card title={t.remove}>
        <div class="stack">
          <p class="dim small">{t.removeLead}</p>
          <Act to={`${to}/delete`} label={t.remove} tone="danger" />
        </div>
      </Card>
    </>
  );
};

/** The page of one webhook. */
export const WebhookPage: FC<{
  of: Endpoint;
  attempts: readonly ShownAttempt[];
  now: number;
  said: { tone: "ok" | "bad"; text: string } | undefined;
  rangeFault: string | undefined;
}> = ({ of, attempts, now, said, rangeFault }) => {
  const t = useWords(webhookWords);
  const { at } = useView();
  const to = `/endpoints/${of.id}`;
  const isOn = of.disabled === null;
  return (
    <>
      <PageHead title={of.description === "" ? new URL(of.url).host : of.description}>
        {isOn && <Act to={`${to}/test`} label={t.test} tone="" />}
      </PageHead>
      {said && (
        <Notice tone={said.tone} focused>
          {said.text}
        </Notice>
      )}
      <div class="cols">
        <div class="stack">
          <Card title={t.title}>
            <div class="stack">
              <Facts of={of} now={now} />
              <div class="actions">
                <a class="btn quiet" href={at(`${to}/edit`)}>
                  {t.edit}
                </a>
                <Act to={`${to}/show`} label={t.show} />
                {isOn ? (
                  <Act to={`${to}/state`} label={t.disable} fields={{ state: "disabled" }} />
                ) : (
                  <>
                    <Act to={`${to}/state`} label={t.enable} fields={{ state: "active" }} />
                    <Act to={`${to}/state`} label={t.enableSkip} fields={{ state: "active", skip: "on" }} />
                  </>
                )}
              </div>
            </div>
          </Card>
          <Card title={t.attempts}>
            {attempts.length === 0 ? (
              <p class="dim">{t.noAttempts}</p>
            ) : (
              <ul class="attempts">
                {attempts.map((one) => (
                  <AttemptRow of={one} to={to} canReplay={isOn} />
                ))}
              </ul>
            )}
          </Card>
        </div>
        <div class="stack">
          {isOn && <ReplayForm to={to} fault={rangeFault} />}
          <Rest to={to} />
          <p>
            <a href={at("/endpoints")}>{t.back}</a>
          </p>
        </div>
      </div>
    </>
  );
};

/** A secret in full, in reply to a request for it. */
export const SecretShown: FC<{ secret: string; of: Endpoint }> = ({ secret, of }) => {
  const t = useWords(webhookWords);
  const { at } = useView();
  return (
    <section class="card stack keyshown">
      <h1>{t.secretTitle}</h1>
      <p>{t.secretLead}</p>
      <div class="field">
        <label for="f-secret">{t.secret}</label>
        <div class="keycopy">
          <input id="f-secret" class="mono" readonly value={secret} autocomplete="off" spellcheck={false} />
          <CopyButton text={secret} />
        </div>
      </div>
      <p>
        <a class="btn quiet" href={at(`/endpoints/${of.id}`)}>
          {t.back}
        </a>
      </p>
    </section>
  );
};
