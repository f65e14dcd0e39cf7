import type { FC } from "hono/jsx";
import { isUsable } from "../accounts/keys.ts";
import type { KeyRing, OwnKey } from "../accounts/keys.ts";
import { count } from "./format.ts";
import { Icon } from "./icons.tsx";
import { Card, Choice, Empty, Field, Notice, OnceField, PageHead, Time, faultAt } from "./parts.tsx";
import type { Unsaved } from "./parts.tsx";
import { useView, useWords } from "./view.ts";
import { MakeHook } from "./webhooks/hook.tsx";
import { hookWords } from "./words/hooks.ts";
import { keyWords } from "./words/keys.ts";

// The parts of the page of API keys.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** From this age on, in days, a date is shown instead. */
const DAYS_MAX = 30;

const TONE = { active: "ok", ending: "warn", ended: "", revoked: "bad", void: "bad" } as const;

/** When a key was last used. It is recorded to the hour, so no minutes are shown. */
const LastUsed: FC<{ at: number | null; now: number }> = ({ at, now }) => {
  const t = useWords(keyWords);
  const { lang } = useView();
  if (at === null) return <span>{t.never}</span>;
  const agoMs = now - at;
  if (agoMs < HOUR_MS) return <span>{t.withinHour}</span>;
  if (agoMs >= DAYS_MAX * DAY_MS) return <Time at={at} style="date" />;
  const ago = new Intl.RelativeTimeFormat(lang, { numeric: "auto" });
  const text =
    agoMs < DAY_MS ? ago.format(-Math.floor(agoMs / HOUR_MS), "hour") : ago.format(-Math.floor(agoMs / DAY_MS), "day");
  return <time datetime={new Date(at).toISOString()}>{text}</time>;
};

const StatePill: FC<{ of: OwnKey }> = ({ of }) => (
  <span class={`pill ${TONE[of.state]}`}>{useWords(keyWords).states[of.state]}</span>
);

const Row: FC<{ of: OwnKey; now: number }> = ({ of, now }) => {
  const t = useWords(keyWords);
  const { at } = useView();
  const showUrl = at(`/keys/${of.id}/show`);
  const named = t.of(of.name);
  return (
    <li class="keyrow" data-key-box="" data-masked={of.masked} data-show-url={showUrl}>
      <div class="keyname">
        <h3>{of.name}</h3>
        <StatePill of={of} />
      </div>
      <code class="keytext" data-key-text="">
        {of.masked}
      </code>
      {of.isOlder && <p class="hint">{t.older}</p>}
      <dl class="keyfacts">
        <dt>{t.created}</dt>
        <dd>
          <Time at={of.createdAt} style="date" />
        </dd>
        <dt>{t.lastUsed}</dt>
        <dd>
          <LastUsed at={of.lastUsedAt} now={now} />
        </dd>
        {of.expiresAt !== null && (
          <>
            <dt>{t.endsAt}</dt>
            <dd>
              <Time at={of.expiresAt} />
            </dd>
          </>
        )}
        <dt class="sr">ID</dt>
        <dd>
          <code>{of.id}</code>
        </dd>
      </dl>
      <div class="keyactions">
        <form method="post" action={showUrl}>
          <button class="ghost" data-show-key="">
            <span class="when-hidden">{t.show}</span>
            <span class="when-shown">{t.hide}</span>
            <span class="sr">{named}</span>
          </button>
          <button class="ghost" data-copy-key="">
            <Icon name="copy" />
            {t.copy}
            <span class="sr">{named}</span>
          </button>
        </form>
        <a class="ghost" href={at(`/keys/${of.id}/rotate`)} data-drawer="">
          <Icon name="rotate" />
          {t.rotate}
          <span class="sr">{named}</span>
        </a>
        <a class="ghost bad" href={at(`/keys/${of.id}/revoke`)} data-drawer="">
          <Icon name="trash" />
          {t.revoke}
          <span class="sr">{named}</span>
        </a>
      </div>
    </li>
  );
};

const EndedKeys: FC<{ keys: OwnKey[] }> = ({ keys }) => {
  const t = useWords(keyWords);
  const { lang } = useView();
  return (
    <details class="keysended">
      <summary>
        {t.ended} ({count(keys.length, lang)})
      </summary>
      <ul>
        {keys.map((key) => (
          <li>
            <b>{key.name}</b>
            <StatePill of={key} />
            <code>{key.id}</code>
            <span class="dim small">
              {key.state === "revoked" ? t.revokedAt : t.endedAt}{" "}
              <Time at={key.revokedAt ?? key.expiresAt ?? key.createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
};

const MakeKey: FC<{ unsaved: Unsaved | undefined }> = ({ unsaved }) => {
  const t = useWords(keyWords);
  const { at, mode } = useView();
  return (
    <Card title={t.makeTitle[mode]}>
      <form class="stack" method="post" action={at("/keys")}>
        <OnceField />
        <Field
          label={t.name}
          name="name"
          hint={t.nameHint}
          required
          maxlength={100}
          autocomplete="off"
          value={unsaved?.typed["name"]}
          error={faultAt(unsaved, "name")}
          autofocus={unsaved !== undefined}
        />
        <div>
          <button class="btn">
            <Icon name="plus" />
            {t.make}
          </button>
        </div>
      </form>
    </Card>
  );
};

/** The page: the keys of the current mode, and a form that creates another. */
export const KeysPage: FC<{ ring: KeyRing; now: number; done: string | undefined; unsaved: Unsaved | undefined }> = ({
  ring,
  now,
  done,
  unsaved,
}) => {
  const t = useWords(keyWords);
  const { at, mode } = useView();
  const open = ring.keys.filter(isUsable);
  const ended = ring.keys.filter((key) => !isUsable(key));
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      {done === "revoked" && <Notice tone="ok">{t.revoked}</Notice>}
      {done === "expired" && <Notice tone="ok">{t.expired}</Notice>}
      {open.some(({ isOlder }) => isOlder) && (
        <Notice tone="info">
          <p>
            <b>{t.olderSome}</b>
          </p>
          <p>{t.olderLead}</p>
        </Notice>
      )}
      <div class="cols">
        <Card title={mode === "live" ? t.listLive : t.listTest}>
          {open.length === 0 ? (
            <Empty icon="keys" title={t.noKeys}>
              <p>{t.noKeysHint}</p>
            </Empty>
          ) : (
            <ul class="keylist">
              {open.map((key) => (
                <Row of={key} now={now} />
              ))}
            </ul>
          )}
          {open.length > 0 && (
            <p>
              <a href={at("/keys/expire")}>{t.expire}</a>
            </p>
          )}
          {ended.length > 0 && <EndedKeys keys={ended} />}
        </Card>
        <div class="stack">
          <MakeKey unsaved={unsaved} />
          <p class="hint">{t.otherMode[mode]}</p>
          <p class="hint">
            <a href={at("/docs")}>{t.howToUse}</a>
          </p>
          {ring.consoleKey && <p class="hint">{t.consoleKey}</p>}
          {open.length > 0 && <MakeHook keys={open} unsaved={unsaved} />}
        </div>
      </div>
    </>
  );
};

const Named: FC<{ of: OwnKey; now: number }> = ({ of, now }) => {
  const t = useWords(keyWords);
  return (
    <dl class="facts">
      <dt>{t.name}</dt>
      <dd>{of.name}</dd>
      <dt>{t.keyField}</dt>
      <dd>
        <code>{of.masked}</code>
      </dd>
      <dt>{t.lastUsed}</dt>
      <dd>
        <LastUsed at={of.lastUsedAt} now={now} />
      </dd>
    </dl>
  );
};

/** Asks how long the old key stays valid. */
export const RotateKey: FC<{ of: OwnKey; now: number; part: boolean }> = ({ of, now, part }) => {
  const t = useWords(keyWords);
  const { at } = useView();
  const options = Object.entries(t.overlaps).map(([value, label]) => ({ value, label }));
  return (
    <section class={part ? "stack" : "card stack keyshown"}>
      {part ? <h2>{t.rotateTitle}</h2> : <h1>{t.rotateTitle}</h1>}
      <Named of={of} now={now} />
      <p>{t.rotateLead}</p>
      <p>{useWords(hookWords).stops}</p>
      <form class="stack" method="post" action={at(`/keys/${of.id}/rotate`)}>
        <OnceField />
        <Choice label={t.overlap} name="overlap" value="86400" options={options} />
        <div class="actions">
          <button class="btn">{t.rotateNow}</button>
          <a class="btn quiet" href={at("/keys")}>
            {t.cancel}
          </a>
        </div>
      </form>
    </section>
  );
};

/** Asks for confirmation before a key is revoked, and explains the effect. */
export const RevokeKey: FC<{ of: OwnKey; now: number; part: boolean }> = ({ of, now, part }) => {
  const t = useWords(keyWords);
  const { at } = useView();
  const recent = of.lastUsedAt !== null && now - of.lastUsedAt < HOUR_MS;
  return (
    <section class={part ? "stack" : "card stack keyshown"}>
      {part ? <h2>{t.revokeTitle}</h2> : <h1>{t.revokeTitle}</h1>}
      <Named of={of} now={now} />
      <p>{t.revokeLead}</p>
      <p>{useWords(hookWords).stops}</p>
      {recent && <Notice tone="bad">{t.usedRecently}</Notice>}
      <form class="actions" method="post" action={at(`/keys/${of.id}/revoke`)}>
        <button class="btn danger">{t.revokeNow}</button>
        <a class="btn quiet" href={at("/keys")}>
          {t.cancel}
        </a>
      </form>
    </section>
  );
};
