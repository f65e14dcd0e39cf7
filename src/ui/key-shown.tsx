import type { FC } from "hono/jsx";
import { CopyButton, Notice, Time } from "./parts.tsx";
import { useView, useWords } from "./view.ts";
import { keyWords } from "./words/keys.ts";

/** A key in full, in reply to a request for it. `oldEndsAt` is when the key that it replaces expires, in ms. */
export const KeyShown: FC<{ apiKey: string; isNew: boolean; oldEndsAt?: number; now: number }> = ({
  apiKey,
  isNew,
  oldEndsAt,
  now,
}) => {
  const t = useWords(keyWords);
  const { at } = useView();
  return (
    <section class="card stack keyshown">
      <h1>{isNew ? t.newTitle : t.shownTitle}</h1>
      <p>
        {isNew && t.worksAlready} {t.shownLead}
      </p>
      <div class="field">
        <label for="f-key">{t.keyField}</label>
        <div class="keycopy">
          <input id="f-key" class="mono" readonly value={apiKey} autocomplete="off" spellcheck={false} />
          <CopyButton text={apiKey} />
        </div>
      </div>
      {oldEndsAt !== undefined && (
        <Notice tone="info">
          {oldEndsAt > now ? (
            <>
              {t.oldWorksUntil} <Time at={oldEndsAt} />
            </>
          ) : (
            t.oldStopped
          )}
        </Notice>
      )}
      <p>
        <a class="btn quiet" href={at("/keys")}>
          {t.back}
        </a>
      </p>
    </section>
  );
};
