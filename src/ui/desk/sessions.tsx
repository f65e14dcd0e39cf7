import type { FC } from "hono/jsx";
import { timeText } from "../format.ts";
import { Card, PageHead, Time } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { deskAccess } from "./words.ts";
import { DeskDone, Wide, useMay } from "./frame.tsx";

/** A session of the desk as it is listed. */
export interface ListedSession {
  handle: string;
  device: string;
  current: boolean;
  createdAt: number;
  seenAt: number;
  expiresAt: number;
}

const Row: FC<{ of: ListedSession; latestAt: number }> = ({ of, latestAt }) => {
  const t = useWords(deskAccess);
  const { at, lang } = useView();
  const device = of.device === "" ? t.unknownDevice : of.device;
  return (
    <tr>
      <td class="deskname">
        {device} {of.current && <span class="pill ok">{t.thisBrowser}</span>}
      </td>
      <td>
        <Time at={of.createdAt} />
      </td>
      <td>{of.current ? t.now : <Time at={of.seenAt} />}</td>
      <td>
        <Time at={latestAt} />
      </td>
      <td>
        {useMay("sessions") && (
          <form method="post" action={at("/desk/sessions")}>
            <input type="hidden" name="session" value={of.handle} />
            <button class="btn quiet" aria-label={t.endOf(device, timeText(of.createdAt, "full", lang))}>
              {t.end}
            </button>
          </form>
        )}
      </td>
    </tr>
  );
};

/** The sessions of the desk, each with a button that ends it; null where Cloudflare Access has them. */
export const DeskSessions: FC<{
  sessions: ListedSession[] | null;
  lifetimeMs: number;
  done: string | undefined;
}> = ({ sessions, lifetimeMs, done }) => {
  const t = useWords(deskAccess);
  const { at, operator } = useView();
  const isToken = operator?.name === "token";
  return (
    <>
      <PageHead title={t.tabs.sessions} lead={sessions ? t.sessionsLead : t.accessLead} />
      <DeskDone done={done} />
      <Card>
        {operator && (
          <dl class="facts">
            <dt>{t.signedInAs}</dt>
            <dd>{isToken ? t.tokenHolder : operator.name}</dd>
            <dt>{t.role}</dt>
            <dd>{t.roles[operator.role]}</dd>
          </dl>
        )}
      </Card>
      {sessions && (
        <Card>
          <Wide label={t.tabs.sessions} heads={[t.device, t.signedInAt, t.lastUse, t.endsAt, t.end]}>
            {sessions.map((one) => (
              <Row of={one} latestAt={one.createdAt + lifetimeMs} />
            ))}
          </Wide>
          {useMay("sessions") && (
            <form method="post" action={at("/desk/sessions/end-all")} class="deskendall">
              <button class="btn danger">{t.endAll}</button>
              <p class="hint">{t.endAllHint}</p>
            </form>
          )}
        </Card>
      )}
    </>
  );
};
