import type { FC } from "hono/jsx";
import type { OwnKey } from "../accounts/keys.ts";
import { Field, Notice, Time } from "./parts.tsx";
import { useView, useWords } from "./view.ts";
import { keyWords } from "./words/keys.ts";

// Ends all older keys of an account together: the list of them, and the confirmation.

const Listed: FC<{ keys: OwnKey[] }> = ({ keys }) => {
  const t = useWords(keyWords);
  return (
    <ul>
      {keys.map((key) => (
        <li>
          <b>{key.name}</b> <span class="pill">{t.mode[key.mode]}</span> <code>{key.id}</code>{" "}
          <span class="dim small">
            {t.created} <Time at={key.createdAt} style="date" />
            {key.lastUsedAt !== null && (
              <>
                {", "}
                {t.lastUsed} <Time at={key.lastUsedAt} style="date" />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
};

/** The keys that stop working, of both modes: made before a day or, where it is empty, with an older secret. */
export const ExpireKeys: FC<{ keys: OwnKey[]; before: string }> = ({ keys, before }) => {
  const t = useWords(keyWords);
  const { at } = useView();
  return (
    <section class="card stack keyshown">
      <h1>{t.expireTitle}</h1>
      {keys.length === 0 && before !== "" && <Notice tone="info">{t.expireNone}</Notice>}
      {keys.length > 0 && (
        <>
          <h2>
            {before === "" ? t.expireWhich.secret : t.expireWhich.before} {before}
          </h2>
          <Listed keys={keys} />
          <p>{t.expireLead}</p>
          <form class="actions" method="post" action={at("/keys/expire")}>
            <input type="hidden" name="before" value={before} />
            <button class="btn danger">{t.expireNow}</button>
            <a class="btn quiet" href={at("/keys")}>
              {t.cancel}
            </a>
          </form>
        </>
      )}
      <form class="stack" method="get" action={at("/keys/expire")}>
        <Field label={t.expireBefore} name="before" type="date" value={before} required />
        <div class="actions">
          <button class="btn quiet">{t.expireShow}</button>
          <a class="btn quiet" href={at("/keys")}>
            {t.back}
          </a>
        </div>
      </form>
    </section>
  );
};
