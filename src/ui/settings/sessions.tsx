import type { FC } from "hono/jsx";
import type { SessionView } from "../../model/person.ts";
import { count } from "../format.ts";
import type { Lang } from "../lang.ts";
import { Card, Time } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { auditWords } from "../words/audit.ts";
import { peopleWords } from "../words/people.ts";
import { settingsWords } from "../words/settings.ts";

// The sessions of a person, each with a button that ends it.

/** Sessions that the list shows at once: the browsers in use. The others are behind one line. */
const SHOWN_MAX = 6;

/** A place such as "Pune, India", or empty. */
function placeText({ city, country }: SessionView, lang: Lang): string {
  const name = country === "" ? undefined : new Intl.DisplayNames(lang, { type: "region" }).of(country);
  return [city, name ?? ""].filter((part) => part !== "").join(", ");
}

const SessionItem: FC<{ session: SessionView }> = ({ session }) => {
  const { at, lang } = useView();
  const t = useWords(settingsWords);
  const { signOutOne, signOutOneOf } = useWords(peopleWords);
  const { handle, current, createdAt, seenAt } = session;
  const device = session.device === "" ? t.unknownDevice : session.device;
  const place = placeText(session, lang);
  return (
    <li>
      <div>
        <p>
          <b>{device}</b> {current && <span class="pill ok">{t.thisBrowser}</span>}
        </p>
        <p class="dim small">
          {place !== "" && <bdi>{place}</bdi>}
          {place !== "" && " · "}
          {t.signedInAt} <Time at={createdAt} /> · {t.lastUse} {current ? t.now : <Time at={seenAt} />}
        </p>
      </div>
      {!current && (
        <form method="post" action={at(`/settings/sessions/${handle}`)}>
          <button class="ghost" aria-label={signOutOneOf(device)}>
            {signOutOne}
          </button>
        </form>
      )}
    </li>
  );
};

const SessionItems: FC<{ sessions: SessionView[] }> = ({ sessions }) => (
  <ul class="settings-sessions">
    {sessions.map((session) => (
      <SessionItem session={session} />
    ))}
  </ul>
);

/** The card with the sessions of a person. */
export const Sessions: FC<{ sessions: SessionView[] }> = ({ sessions }) => {
  const t = useWords(settingsWords);
  const { endHint, olderSessions } = useWords(peopleWords);
  const { at, lang } = useView();
  const older = sessions.slice(SHOWN_MAX);
  return (
    <Card title={t.sessions}>
      <SessionItems sessions={sessions.slice(0, SHOWN_MAX)} />
      {older.length > 0 && (
        <details class="settings-older">
          <summary>{olderSessions(count(older.length, lang))}</summary>
          <SessionItems sessions={older} />
        </details>
      )}
      {sessions.length > 1 && <p class="dim small settings-hint">{endHint}</p>}
      <div class="actions">
        <a class="btn quiet" href={at("/settings/activity")}>
          {useWords(auditWords).logLink}
        </a>
        {sessions.length > 1 && (
          <form method="post" action={at("/settings/sessions")}>
            <button class="btn quiet">{t.endOthers}</button>
          </form>
        )}
        <form method="post" action={at("/sign-out/everywhere")}>
          <button class="btn danger">{t.everywhere}</button>
        </form>
      </div>
    </Card>
  );
};
