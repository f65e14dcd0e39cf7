import type { FC } from "hono/jsx";
import { stateOf } from "../../model/webhook.ts";
import type { Endpoint } from "../../model/webhook.ts";
import type { VerifyReason } from "../../webhooks/verify.ts";
import { Card, Empty, Field, Notice, OnceField, PageHead } from "../parts.tsx";
import type { Unsaved } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { webhookWords } from "../words/webhooks.ts";
import { TermFields } from "./edit.tsx";

// The page of webhooks: the list, a form that adds one, and the box that explains signatures.

const TONE = { active: "ok", waiting: "warn", disabled: "bad" } as const;

/** How it stands, as a badge. */
export const State: FC<{ of: Endpoint; now: number }> = ({ of, now }) => {
  const state = stateOf(of, now);
  return <span class={`pill ${TONE[state]}`}>{useWords(webhookWords).states[state]}</span>;
};

const Row: FC<{ of: Endpoint; now: number }> = ({ of, now }) => {
  const t = useWords(webhookWords);
  const { at } = useView();
  return (
    <li class="keyrow">
      <div class="keyname">
        <h3>{of.description === "" ? new URL(of.url).host : of.description}</h3>
        <State of={of} now={now} />
      </div>
      <code class="keytext">{of.url}</code>
      <dl class="keyfacts">
        <dt>{t.types}</dt>
        <dd>
          <code>{of.types.join(" ")}</code>
        </dd>
        <dt>{t.acked}</dt>
        <dd>{of.acked}</dd>
      </dl>
      <div class="keyactions">
        <a class="ghost" href={at(`/endpoints/${of.id}`)}>
          {t.open}
          <span class="sr">{of.url}</span>
        </a>
      </div>
    </li>
  );
};

const Make: FC<{ unsaved: Unsaved | undefined }> = ({ unsaved }) => {
  const t = useWords(webhookWords);
  const { at } = useView();
  return (
    <Card title={t.makeTitle}>
      <form class="stack" method="post" action={at("/endpoints")}>
        <OnceField />
        <TermFields typed={unsaved?.typed ?? {}} unsaved={unsaved} />
        <div>
          <button class="btn">{t.make}</button>
        </div>
      </form>
    </Card>
  );
};

/** What was pasted into the box, and what is wrong with it; null: nothing is. */
export interface Verified {
  reason: VerifyReason | null;
  typed: Readonly<Record<string, string>>;
}

const VerifyBox: FC<{ verified: Verified | undefined }> = ({ verified }) => {
  const t = useWords(webhookWords);
  const { at } = useView();
  const typed = verified?.typed ?? {};
  return (
    <Card title={t.verify} id="verify">
      <form class="stack" method="post" action={at("/endpoints/verify")}>
        <p class="dim small">{t.verifyLead}</p>
        {verified && (
          <Notice tone={verified.reason === null ? "ok" : "bad"} focused>
            {verified.reason === null ? t.holds : t.reasons[verified.reason]}
          </Notice>
        )}
        <Field
          label={t.headers}
          name="headers"
          type="textarea"
          hint={t.headersHint}
          required
          value={typed["headers"]}
        />
        <Field label={t.body} name="body" type="textarea" required value={typed["body"]} />
        <Field label={t.secret} name="secret" autocomplete="off" required />
        <div>
          <button class="btn">{t.verifyNow}</button>
        </div>
      </form>
    </Card>
  );
};

/** Says on other pages that a webhook gets nothing any more. */
export const DisabledNotice: FC<{ endpoints: readonly Endpoint[] }> = ({ endpoints }) => {
  const t = useWords(webhookWords);
  const { at } = useView();
  const [one] = endpoints.filter(({ disabled }) => disabled !== null && disabled !== "owner");
  if (!one) return null;
  return (
    <Notice tone="bad">
      {t.disabledNotice} <a href={at(`/endpoints/${one.id}`)}>{new URL(one.url).host}</a>
    </Notice>
  );
};

/** The page of all webhooks. */
export const WebhooksPage: FC<{
  endpoints: readonly Endpoint[];
  now: number;
  done: string | undefined;
  unsaved: Unsaved | undefined;
  verified: Verified | undefined;
}> = ({ endpoints, now, done, unsaved, verified }) => {
  const t = useWords(webhookWords);
  const { mode } = useView();
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      {done === "deleted" && <Notice tone="ok">{t.deleted}</Notice>}
      {unsaved && unsaved.field === undefined && <Notice tone="bad">{unsaved.error}</Notice>}
      <DisabledNotice endpoints={endpoints} />
      <div class="cols">
        <Card title={t.list[mode]}>
          {endpoints.length === 0 ? (
            <Empty icon="webhooks" title={t.none}>
              <p>{t.noneHint}</p>
            </Empty>
          ) : (
            <ul class="keylist">
              {endpoints.map((one) => (
                <Row of={one} now={now} />
              ))}
            </ul>
          )}
        </Card>
        <div class="stack">
          <Make unsaved={unsaved} />
          <VerifyBox verified={verified} />
        </div>
      </div>
    </>
  );
};
