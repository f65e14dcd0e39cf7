import type { FC } from "hono/jsx";
import type { ErasureRow, ListedErasure } from "../../leaving/list.ts";
import type { AccountView } from "../../model/account.ts";
import { rupees, timeText } from "../format.ts";
import { Card, Empty, Field, Notice, Older, PageHead, Time, faultAt } from "../parts.tsx";
import type { FormFault } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { deskAccess } from "./words.ts";
import { leavingWords } from "../words/leaving.ts";
import { DeskDone, Wide } from "./frame.tsx";

// The operator's pages of accounts that leave: the list, and what can be done with one account.

const Row: FC<{ of: ListedErasure }> = ({ of }) => {
  const t = useWords(leavingWords);
  const { at, lang } = useView();
  const isOpen = of.beganAt === null && of.erasedAt === null;
  return (
    <tr>
      <td>
        {isOpen ? (
          <a class="mono" href={at(`/desk/accounts/${of.accountId}/leave`)}>
            {of.accountId}
          </a>
        ) : (
          <code>{of.accountId}</code>
        )}
      </td>
      <td class="deskwhy">{t.states[of.state]}</td>
      <td class="whole">{t.byWhom[of.by]}</td>
      <td>
        <Time at={of.askedAt} style="date" />
      </td>
      <td>{of.state === "kept" ? "–" : <Time at={of.erasedAt ?? of.closesAt} style="date" />}</td>
      <td class="deskwhy">{of.hindrance === null ? "–" : t.hindrances[of.hindrance]}</td>
      <td class="deskwhy">
        {of.invoices.length === 0 ? "–" : of.invoices.map(({ number }) => number).join(", ")}
        {of.keptUntil !== null && ` (${t.keptUntil(timeText(of.keptUntil, "date", lang))})`}
      </td>
    </tr>
  );
};

/** The accounts that leave and that left, newest first. */
export const DeskLeaving: FC<{ rows: ListedErasure[]; next: string | null; done: string | undefined }> = ({
  rows,
  next,
  done,
}) => {
  const t = useWords(leavingWords);
  const a = useWords(deskAccess);
  const { at } = useView();
  return (
    <>
      <PageHead title={a.tabs.leaving} lead={t.deskLead} />
      <DeskDone done={done} />
      <Card>
        {rows.length === 0 ? (
          <Empty icon="person" title={t.none} />
        ) : (
          <Wide label={a.tabs.leaving} heads={[t.account, t.state, t.by, t.asked, t.erases, t.hindered, t.invoices]}>
            {rows.map((row) => (
              <Row of={row} />
            ))}
          </Wide>
        )}
        {next !== null && <Older href={at(`/desk/leaving?before=${encodeURIComponent(next)}`)} />}
      </Card>
    </>
  );
};

interface LeaveProps {
  accountId: string;
  view: AccountView;
  /** The closing that can be taken back, or null. */
  closing: ErasureRow | null;
  graceDays: number;
  typed: Record<string, string>;
  fault: FormFault | undefined;
}

const GiveUp: FC<{ balance: number; form: string; fault: FormFault | undefined }> = ({ balance, form, fault }) => {
  const t = useWords(leavingWords);
  const { lang } = useView();
  const wrong = faultAt(fault, `giveUp-${form}`);
  if (balance <= 0) return null;
  return (
    <div class="field">
      <input type="hidden" name="balance" value={String(balance)} />
      <label class="check">
        <input type="checkbox" name="giveUp" value="1" /> {t.deskGiveUp(rupees(balance, lang))}
      </label>
      {wrong !== undefined && <p class="fault">{wrong}</p>}
    </div>
  );
};

const CloseCard: FC<LeaveProps> = ({ accountId, view, closing, graceDays, typed, fault }) => {
  const t = useWords(leavingWords);
  const { at, lang } = useView();
  const account = at(`/desk/accounts/${accountId}`);
  if (closing !== null) {
    const { closesAt, hindrance } = closing;
    return (
      <Card title={t.deskCloseTitle}>
        <form method="post" action={`${account}/keep`} class="stack">
          <p>{t.closing(timeText(closesAt, "full", lang))}</p>
          {hindrance !== null && <p>{t.waits(t.hindrances[hindrance])}</p>}
          <p>
            <button class="btn">{t.keep}</button>
          </p>
        </form>
      </Card>
    );
  }
  return (
    <Card title={t.deskCloseTitle}>
      <form method="post" action={`${account}/close`} class="stack">
        <p>{t.deskCloseLead}</p>
        <Field
          label={t.graceDays}
          name="graceDays"
          inputmode="decimal"
          value={typed["graceDays"] ?? String(graceDays)}
          error={faultAt(fault, "graceDays")}
        />
        <GiveUp balance={view.balance} form="close" fault={fault} />
        <p>
          <button class="btn danger">{t.closeAccount}</button>
        </p>
      </form>
    </Card>
  );
};

const EraseCard: FC<LeaveProps> = ({ accountId, view, fault }) => {
  const t = useWords(leavingWords);
  const { at } = useView();
  return (
    <Card title={t.deskEraseTitle}>
      <form method="post" action={at(`/desk/accounts/${accountId}/erase`)} class="stack">
        <p>{t.deskEraseLead}</p>
        <Field label={t.typeId} name="typedId" mono autocomplete="off" required error={faultAt(fault, "typedId")} />
        <GiveUp balance={view.balance} form="erase" fault={fault} />
        <p>
          <button class="btn danger">{t.eraseNow}</button>
        </p>
      </form>
    </Card>
  );
};

/** What can be done with an account that leaves: export, close, keep, erase. */
export const DeskLeave: FC<LeaveProps> = (props) => {
  const t = useWords(leavingWords);
  const { at } = useView();
  const { accountId, view, fault } = props;
  const account = at(`/desk/accounts/${accountId}`);
  return (
    <>
      <PageHead title={t.deskTitle(view.name)}>
        <a class="btn quiet" href={account}>
          {t.cancel}
        </a>
        <a class="btn quiet" href={`${account}/export`}>
          {t.deskExport}
        </a>
      </PageHead>
      {fault && fault.field === undefined && <Notice tone="bad">{fault.error}</Notice>}
      <div class="deskcols">
        <CloseCard {...props} />
        <EraseCard {...props} />
      </div>
    </>
  );
};
