import type { FC } from "hono/jsx";
import type { TriedOut } from "../../../operator/carrier-set/try-out.ts";
import { count } from "../../format.ts";
import { Card, Code, Field, Notice, PageHead, faultAt } from "../../parts.tsx";
import type { FormFault } from "../../parts.tsx";
import { useView, useWords } from "../../view.ts";
import { story } from "../../words/story.ts";
import { fill, useTexts } from "./texts.ts";

// A test message by a carrier, and the question before a carrier is deleted.

/** An answer as text. */
function answerText(answer: NonNullable<TriedOut["answer"]>): string {
  if ("command_status" in answer) {
    return `command_status: 0x${answer.command_status.toString(16).padStart(8, "0")}\nmessage_id: ${answer.message_id ?? ""}`;
  }
  const headers = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP ${answer.status}`, ...headers, "", answer.body ?? ""].join("\n");
}

const TONE = { submitted: "ok", rejected: "bad", not_accepted: "bad", unknown: "info" } as const;

const Tried: FC<{ of: TriedOut }> = ({ of: { outcome, carrierId, code, ms, answer } }) => {
  const { trial: t, list } = useTexts();
  const { lang } = useView();
  const { reasons } = useWords(story);
  const reason = code !== null && Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  return (
    <Card title={t.outcome}>
      <div class="stack">
        <Notice tone={TONE[outcome]}>{t[outcome]}</Notice>
        {reason !== undefined && <p>{reason}</p>}
        <dl class="glance">
          <div>
            <dt>{t.carrierId}</dt>
            <dd>{carrierId === null ? "–" : <code>{carrierId}</code>}</dd>
          </div>
          <div>
            <dt>{t.code}</dt>
            <dd>{code === null ? "–" : <code>{code}</code>}</dd>
          </div>
          <div>
            <dt>{t.took}</dt>
            <dd>{fill(list.seconds, { n: count(Math.round(ms / 10) / 100, lang) })}</dd>
          </div>
        </dl>
        {answer === null ? <p>{t.noAnswer}</p> : <Code label={t.answer} text={answerText(answer)} />}
      </div>
    </Card>
  );
};

/** Sends one real message, once the operator says that it may cost. */
export const TestCarrier: FC<{
  name: string;
  typed: Readonly<Record<string, string>>;
  fault: FormFault | undefined;
  tried: TriedOut | undefined;
}> = ({ name, typed, fault, tried }) => {
  const { trial: t } = useTexts();
  const { at } = useView();
  const own = at(`/desk/carriers/${name}`);
  const unsure = faultAt(fault, "sure");
  return (
    <>
      <PageHead title={fill(t.testTitle, { name })} lead={t.testLead}>
        <a class="btn quiet" href={own}>
          {name}
        </a>
      </PageHead>
      {fault !== undefined && fault.field === undefined && <Notice tone="bad">{fault.error}</Notice>}
      {tried && <Tried of={tried} />}
      <form class="card stack" method="post" action={`${own}/test`}>
        <Field
          label={t.to}
          name="to"
          inputmode="tel"
          required
          value={typed["to"]}
          hint={t.toHint}
          error={faultAt(fault, "to")}
          autocomplete="off"
        />
        <Field
          label={t.text}
          name="text"
          type="textarea"
          value={typed["text"]}
          hint={t.textHint}
          error={faultAt(fault, "text")}
        />
        <div class="field">
          <label class="check">
            <input
              type="checkbox"
              name="sure"
              value="1"
              required
              {...(unsure !== undefined && { "aria-invalid": "true", "aria-describedby": "f-sure-error" })}
            />{" "}
            {t.sure}
          </label>
          {unsure !== undefined && (
            <p class="fault" id="f-sure-error">
              {unsure}
            </p>
          )}
        </div>
        <div>
          <button class="btn">{t.send}</button>
        </div>
      </form>
    </>
  );
};

/** The question before a carrier is deleted; `routes` are the numbers of those that name it, from 1. */
export const DeleteCarrier: FC<{ name: string; routes: readonly number[] }> = ({ name, routes }) => {
  const { form: t, list } = useTexts();
  const { at } = useView();
  const own = at(`/desk/carriers/${name}`);
  return (
    <section class="card stack keyshown">
      <h1>{fill(t.deleteTitle, { name })}</h1>
      {routes.length > 0 ? (
        <>
          <Notice tone="bad">{fill(t.inUse, { routes: routes.join(", ") })}</Notice>
          <p>
            <a class="btn" href={at("/desk/routes")}>
              {list.routes}
            </a>
          </p>
        </>
      ) : (
        <>
          <p>{t.deleteLead}</p>
          <form class="actions" method="post" action={`${own}/delete`}>
            <button class="btn danger">{t.deleteNow}</button>
            <a class="btn quiet" href={own}>
              {t.cancel}
            </a>
          </form>
        </>
      )}
    </section>
  );
};
