import type { FC } from "hono/jsx";
import type { OwnKey } from "../accounts/keys.ts";
import { timeText } from "./format.ts";
import { Field, Notice, Time } from "./parts.tsx";
import { useView, useWords } from "./view.ts";
import { keyWords } from "./words/keys.ts";

// Ends all older keys of an account together: the list of them, and the confirmation.

const Listed: FC<{ keys: OwnKey[] }> = ({ keys }) => {
  const t = useWords(keyWords);
  return (
    <ul class="keyolder">
      {keys.map((key) => (
        <li>
          <b>{key.name}</b> <span class="pill">{t.mode[key.mode]}</span> <code>{key.id}</code>
          <br />
          <span class="dim small">
            {t.created} <Time at={key.createdAt} style="date" />
            {key.lastUsedAt !== null && (
              <>
                {" · "}
                {t.lastUsed} <Time at={key.lastUsedAt} style="date" />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
};

/** A day, as its form has it (2026-11-22), and when it begins in India, in ms. */
interface Day {
  text: string;
  beginsMs: number;
}

/** The keys that stop working, of both modes: made before a day or, where it is null, with an older secret. */
export const ExpireKeys: FC<{ keys: OwnKey[]; before: Day | null }> = ({ keys, before }) => {
  const t = useWords(keyWords);
  const { at, lang } = useView();
  return (
    <section class="card stack keyshown">
      <h1>{t.expireTitle}</h1>
      {keys.length === 0 && before !== null && <Notice tone="info">{t.expireNone}</Notice>}
      {keys.length > 0 && (
        <>
          <h2>
            {before === null
              ? t.expireWhich.secret
              : `${t.expireWhich.before} ${timeText(before.beginsMs, "date", lang)}`}
          </h2>
          <Listed keys={keys} />
          <p>{t.expireLead}</p>
          <form class="actions" method="post" action={at("/keys/expire")}>
            <input type="hidden" name="before" value={before?.text ?? ""} />
            <button class="btn danger">{t.expireNow}</button>
            <a class="btn quiet" href={at("/keys")}>
              {t.cancel}
            </a>
          </form>
        </>
      )}
      <form class="stack" method="get" action={at("/keys/expire")}>
        <Field label={t.expireBefore} name="before" type="date" value={before?.text ?? ""} required />
        <div class="actions">
          <button class="btn quiet">{t.expireShow}</button>
          {keys.length === 0 && (
            <a class="btn quiet" href={at("/keys")}>
              {t.back}
            </a>
          )}
        </div>
      </form>
    </section>
  );
};
