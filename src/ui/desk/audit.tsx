import type { FC } from "hono/jsx";
import { ACTIONS } from "../../model/audit.ts";
import type { ActPage, RecordedAct } from "../../model/audit.ts";
import { ActFacts } from "../trail/acts.tsx";
import { Card, Choice, Empty, Field, Older, PageHead, Time, faultAt } from "../parts.tsx";
import type { FormFault } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { auditWords } from "../words/audit.ts";
import { deskAccess } from "./words.ts";
import { Wide } from "./frame.tsx";

/** What the operator asked for, as typed. */
export interface AuditFilter {
  account: string;
  actor: string;
  action: string;
}

const Filter: FC<{ of: AuditFilter; fault: FormFault | undefined }> = ({ of, fault }) => {
  const t = useWords(auditWords);
  const { at } = useView();
  const actions = ACTIONS.map((action) => ({ value: action, label: t.actions[action] }));
  const filtered = of.account !== "" || of.actor !== "" || of.action !== "";
  return (
    <form class="deskfilter" action={at("/desk/audit")}>
      <Field
        label={t.account}
        name="account"
        value={of.account}
        maxlength={40}
        mono
        autocomplete="off"
        error={faultAt(fault, "account")}
      />
      <Field label={t.actor} name="actor" value={of.actor} maxlength={254} autocomplete="off" />
      <Choice
        label={t.what}
        name="action"
        value={of.action}
        options={[{ value: "", label: t.anyAction }, ...actions]}
      />
      <div class="actions">
        <button class="btn quiet">{t.filter}</button>
        {filtered && (
          <a class="ghost" href={at("/desk/audit")}>
            {t.clear}
          </a>
        )}
      </div>
    </form>
  );
};

const Who: FC<{ of: RecordedAct }> = ({ of: { actorKind, actor } }) => {
  const t = useWords(auditWords);
  const { at } = useView();
  return (
    <>
      {t.kinds[actorKind]}
      <br />
      <a href={at(`/desk/audit?actor=${encodeURIComponent(actor)}`)}>{actor}</a>
    </>
  );
};

const Row: FC<{ of: RecordedAct }> = ({ of }) => {
  const t = useWords(auditWords);
  const { at } = useView();
  return (
    <tr>
      <td>
        <Time at={of.at} />
      </td>
      <td class="deskname">
        <Who of={of} />
      </td>
      <td class="deskact">
        {t.actions[of.action]}
        {of.subject !== null && (
          <>
            <br />
            <bdi class="dim">{of.subject}</bdi>
          </>
        )}
      </td>
      <td>
        {of.accountId !== null && (
          <a href={at(`/desk/accounts/${of.accountId}`)}>
            <code>{of.accountId}</code>
          </a>
        )}
      </td>
      <td class="deskwhy">
        <ActFacts of={of} />
      </td>
      <td class="small">
        {of.address !== null && <code>{of.address}</code>}
        {of.address !== null && <br />}
        {of.requestId !== null && <code class="dim">{of.requestId}</code>}
      </td>
    </tr>
  );
};

/** The audit trail, newest first, with a filter. */
export const DeskAudit: FC<{ page: ActPage; filter: AuditFilter; fault: FormFault | undefined }> = ({
  page: { acts, next },
  filter,
  fault,
}) => {
  const t = useWords(auditWords);
  const { at } = useView();
  const title = useWords(deskAccess).tabs.audit;
  const heads = [t.time, t.who, t.what, t.account, t.details, `${t.from}, ${t.request}`];
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ""));
  if (next !== null) query.set("before", next);
  return (
    <>
      <PageHead title={title} lead={t.lead} />
      <Card>
        <Filter of={filter} fault={fault} />
        {acts.length === 0 ? (
          <Empty icon="search" title={t.none}>
            <p>{t.noneHint}</p>
          </Empty>
        ) : (
          <Wide label={title} heads={heads}>
            {acts.map((act) => (
              <Row of={act} />
            ))}
          </Wide>
        )}
        <p class="hint">{t.fromHint}</p>
        {next !== null && <Older href={at(`/desk/audit?${query.toString()}`)} />}
      </Card>
    </>
  );
};
