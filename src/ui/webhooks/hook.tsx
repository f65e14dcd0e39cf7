import type { FC } from "hono/jsx";
import type { OwnKey } from "../../accounts/keys.ts";
import { Card, Choice, CopyButton, Field, faultAt } from "../parts.tsx";
import type { Unsaved } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { hookWords } from "../words/hooks.ts";

// Hooks of other products, which send with a key of the account and end with it.

/** The form that makes one, with one of these keys. */
export const MakeHook: FC<{ keys: readonly OwnKey[]; unsaved: Unsaved | undefined }> = ({ keys, unsaved }) => {
  const t = useWords(hookWords);
  const { at } = useView();
  const options = keys.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Card title={t.title}>
      <p>
        {t.lead} <a href={at("/docs/supabase")}>{t.guide}</a>
      </p>
      <form class="stack" method="post" action={at("/keys/hook")}>
        <Choice label={t.key} name="key" value={unsaved?.typed["key"]} options={options} />
        <Field
          label={t.brand}
          name="brand"
          hint={t.brandHint}
          maxlength={40}
          autocomplete="off"
          value={unsaved?.typed["brand"]}
          error={faultAt(unsaved, "brand")}
          autofocus={unsaved?.field === "brand"}
        />
        <div>
          <button class="btn quiet">{t.make}</button>
        </div>
      </form>
    </Card>
  );
};

/** Where Supabase's dashboard has the hook, in its own words. */
const PLACE = "Authentication › Auth Hooks › Send SMS hook › HTTPS";

const Copied: FC<{ id: string; label: string; text: string }> = ({ id, label, text }) => (
  <div class="field">
    <label for={id}>{label}</label>
    <div class="keycopy">
      <input id={id} class="mono" readonly value={text} autocomplete="off" spellcheck={false} />
      <CopyButton text={text} label={label} />
    </div>
  </div>
);

/** A hook's address and secret, in reply to a request for them. */
export const HookShown: FC<{ url: string; secret: string }> = ({ url, secret }) => {
  const t = useWords(hookWords);
  const { at } = useView();
  return (
    <section class="card stack keyshown">
      <h1>{t.shownTitle}</h1>
      <p>{t.shownLead}</p>
      <p>
        {t.where}: <b lang="en">{PLACE}</b>
      </p>
      <Copied id="f-url" label={t.url} text={url} />
      <Copied id="f-secret" label={t.secret} text={secret} />
      <p>{t.shownAgain}</p>
      <p>
        <a class="btn quiet" href={at("/keys")}>
          {t.back}
        </a>
      </p>
    </section>
  );
};
