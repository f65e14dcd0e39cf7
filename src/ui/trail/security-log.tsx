import type { FC } from "hono/jsx";
import type { ActPage, RecordedAct } from "../../model/audit.ts";
import { ActFacts } from "./acts.tsx";
import { Card, Empty, Notice, Older, PageHead, Time } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { auditWords } from "../words/audit.ts";
import { settingsWords } from "../words/settings.ts";

// The audit trail of one account, as its owner sees it: without the operator's name, notes and references.

/** The facts that a customer sees. */
const SHOWN: ReadonlySet<string> = new Set([
  "amount",
  "total",
  "plan",
  "rate",
  "mode",
  "device",
  "by",
  "name",
  "from",
  "to",
]);

/** The facts of an operator's or the service's act that its customer sees. */
const SHOWN_OF_OTHERS: ReadonlySet<string> = new Set(["amount", "total", "plan", "rate", "mode"]);

const Row: FC<{ of: RecordedAct }> = ({ of }) => {
  const t = useWords(auditWords);
  const who = { customer: t.you, operator: t.operator, service: t.service }[of.actorKind];
  const own = of.actorKind === "customer";
  return (
    <li>
      <p>
        <b>{t.actions[of.action]}</b> {!own && <span class="pill">{who}</span>}
      </p>
      <div class="dim small">
        <Time at={of.at} />
        {own && of.subject !== null && (
          <>
            {" · "}
            <bdi>{of.subject}</bdi>
          </>
        )}
      </div>
      <div class="small">
        <ActFacts of={of} only={own ? SHOWN : SHOWN_OF_OTHERS} />
      </div>
    </li>
  );
};

/** The page: newest first. */
export const SecurityLog: FC<{ page: ActPage }> = ({ page: { acts, next } }) => {
  const t = useWords(auditWords);
  const { at } = useView();
  return (
    <>
      <PageHead title={t.log} lead={t.logLead}>
        <a class="btn quiet" href={at("/settings")}>
          {useWords(settingsWords).title}
        </a>
      </PageHead>
      <Card>
        {acts.length === 0 ? (
          <Empty icon="settings" title={t.nothing} />
        ) : (
          <ol class="actlist">
            {acts.map((act) => (
              <Row of={act} />
            ))}
          </ol>
        )}
        {next !== null && <Older href={at(`/settings/activity?before=${encodeURIComponent(next)}`)} />}
      </Card>
      <Notice tone="info">{t.notYou}</Notice>
    </>
  );
};
