import type { Child, FC } from "hono/jsx";
import type { Endpoint, EndpointTerms } from "../../model/webhook.ts";
import { Card, Field, PageHead, faultAt } from "../parts.tsx";
import type { Unsaved } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { webhookWords } from "../words/webhooks.ts";
import type { EditEffect } from "./effects.ts";

// Changing a webhook: the fields that a new one has too, and the page that says what the change means.

/** The fields of a webhook's form, as they were typed. */
export type TypedTerms = Readonly<Record<string, string>>;

/** How a form types the terms of a webhook. */
export const typedOf = ({ url, types, batch, description }: EndpointTerms): TypedTerms => ({
  url,
  types: types.join(" "),
  description,
  ...(batch && { batch: "on" }),
});

/** The fields of a webhook, with the sentence of a refusal at its field. */
export const TermFields: FC<{ typed: TypedTerms; unsaved: Unsaved | undefined }> = ({ typed, unsaved }) => {
  const t = useWords(webhookWords);
  return (
    <>
      <Field label={t.url} name="url" hint={t.urlHint} required value={typed["url"]} error={faultAt(unsaved, "url")} />
      <Field
        label={t.types}
        name="types"
        hint={t.typesHint}
        value={typed["types"] ?? "*"}
        error={faultAt(unsaved, "types")}
      />
      <Field
        label={t.description}
        name="description"
        value={typed["description"]}
        error={faultAt(unsaved, "description")}
      />
      <label class="check">
        <input type="checkbox" name="batch" value="on" checked={typed["batch"] === "on"} /> {t.batch}
      </label>
    </>
  );
};

/** The form that changes a webhook. */
export const EditWebhook: FC<{ of: Endpoint; unsaved: Unsaved | undefined }> = ({ of, unsaved }) => {
  const t = useWords(webhookWords);
  const { at } = useView();
  return (
    <>
      <PageHead title={t.editTitle} />
      <Card>
        <form class="stack" method="post" action={at(`/endpoints/${of.id}/edit`)}>
          <TermFields typed={unsaved?.typed ?? typedOf(of)} unsaved={unsaved} />
          <div class="actions">
            <button class="btn">{t.editDone}</button>
            <a class="btn quiet" href={at(`/endpoints/${of.id}`)}>
              {t.cancel}
            </a>
          </div>
        </form>
      </Card>
    </>
  );
};

/** A value before and after, where it changes. */
const Change: FC<{ name: string; was: Child; becomes: Child; changes: boolean }> = ({
  name,
  was,
  becomes,
  changes,
}) => {
  const t = useWords(webhookWords);
  if (!changes) return null;
  return (
    <>
      <h2>{name}</h2>
      <dl class="facts">
        <dt>{t.was}</dt>
        <dd>{was}</dd>
        <dt>{t.becomes}</dt>
        <dd>{becomes}</dd>
      </dl>
    </>
  );
};

/** Asks whether a webhook is to be changed, and says what that means for events that wait. */
export const ConfirmEdit: FC<{ of: Endpoint; terms: EndpointTerms; effects: readonly EditEffect[] }> = ({
  of,
  terms,
  effects,
}) => {
  const t = useWords(webhookWords);
  const { at } = useView();
  const types = [of.types.join(" "), terms.types.join(" ")] as const;
  const yesOrNo = (is: boolean) => (is ? t.yes : t.no);
  return (
    <section class="card stack keyshown">
      <h1>{t.confirmTitle}</h1>
      <Change
        name={t.url}
        was={<code>{of.url}</code>}
        becomes={<code>{terms.url}</code>}
        changes={of.url !== terms.url}
      />
      <Change
        name={t.types}
        was={<code>{types[0]}</code>}
        becomes={<code>{types[1]}</code>}
        changes={types[0] !== types[1]}
      />
      <Change
        name={t.batch}
        was={yesOrNo(of.batch)}
        becomes={yesOrNo(terms.batch)}
        changes={of.batch !== terms.batch}
      />
      <p>{t.waitLast(String(of.acked))}</p>
      <ul>
        {effects.map((effect) => (
          <li>{t.effects[effect]}</li>
        ))}
      </ul>
      <form class="actions" method="post" action={at(`/endpoints/${of.id}/edit`)}>
        {Object.entries({ ...typedOf(terms), confirmed: effects.join(" ") }).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button class="btn">{t.confirm}</button>
        <a class="btn quiet" href={at(`/endpoints/${of.id}`)}>
          {t.cancel}
        </a>
      </form>
    </section>
  );
};
