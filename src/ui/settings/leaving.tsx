import type { FC } from "hono/jsx";
import type { Hindrance } from "../../model/leaving.ts";
import type { Person } from "../../model/person.ts";
import { count, phoneText, rupees, timeText } from "../format.ts";
import { Card, Notice, PageHead, faultAt } from "../parts.tsx";
import type { FormFault } from "../parts.tsx";
import { NextField } from "../sign-in.tsx";
import { useView, useWords } from "../view.ts";
import { leavingWords } from "../words/leaving.ts";

// Leaving: the card of the settings, the page that closes the account, and the notice while it closes.

/** A closing that can be taken back. */
export interface Closing {
  closesAt: number;
  hindrance: Hindrance | null;
}

/** Says that the account closes, with the button that keeps it. */
export const ClosingNotice: FC<{ closing: Closing }> = ({ closing: { closesAt, hindrance } }) => {
  const t = useWords(leavingWords);
  const { at, lang } = useView();
  return (
    <Notice tone="bad">
      <form method="post" action={at("/settings/keep")} class="stack">
        <p>{t.closing(timeText(closesAt, "date", lang))}</p>
        {hindrance !== null && <p>{t.waits(t.hindrances[hindrance])}</p>}
        <p>
          <button class="btn">{t.keep}</button>
        </p>
      </form>
    </Notice>
  );
};

/** The card of the settings with the export and the way to close the account. */
export const LeavingCard: FC<{ closing: Closing | null }> = ({ closing }) => {
  const t = useWords(leavingWords);
  const { at } = useView();
  return (
    <Card title={t.card} id="leaving">
      <div class="stack">
        <p class="dim small">{t.cardLead}</p>
        <p class="actions">
          <a class="btn quiet" href={at("/settings/export")}>
            {t.exportAll}
          </a>
          {closing === null && (
            <a class="btn danger" href={at("/settings/close")}>
              {t.close}…
            </a>
          )}
        </p>
      </div>
    </Card>
  );
};

interface CloseProps {
  person: Person;
  /** Units. */
  balance: number;
  graceDays: number;
  /** Whether the person has just proved who they are. */
  proved: boolean;
  fault: FormFault | undefined;
}

const Proof: FC<{ person: Person }> = ({ person: { phone } }) => {
  const t = useWords(leavingWords);
  const { at } = useView();
  const next = "/settings/close";
  return (
    <div class="stack">
      <p>{t.confirmFirst}</p>
      {phone === null ? (
        <p>
          <a class="btn" href={at(`/confirm?next=${encodeURIComponent(next)}`)}>
            {t.confirm}
          </a>
        </p>
      ) : (
        <form method="post" action={at("/confirm/send")}>
          <NextField next={next} />
          <button class="btn">{t.sendCode(phoneText(phone))}</button>
        </form>
      )}
    </div>
  );
};

const CloseForm: FC<CloseProps> = ({ balance, fault }) => {
  const t = useWords(leavingWords);
  const { at, lang } = useView();
  const wrong = faultAt(fault, "giveUp");
  return (
    <form method="post" action={at("/settings/close")} class="stack">
      <input type="hidden" name="balance" value={String(balance)} />
      {balance > 0 && (
        <div class="field">
          <label class="check">
            <input
              type="checkbox"
              name="giveUp"
              value="1"
              required
              {...(wrong !== undefined && { "aria-invalid": "true", "aria-describedby": "giveup-fault" })}
            />{" "}
            {t.giveUp(rupees(balance, lang))}
          </label>
          {wrong !== undefined && (
            <p class="fault" id="giveup-fault">
              {wrong}
            </p>
          )}
        </div>
      )}
      <div class="actions">
        <button class="btn danger">{t.closeNow}</button>
        <a class="btn quiet" href={at("/settings")}>
          {t.cancel}
        </a>
      </div>
    </form>
  );
};

/** The page that says what closing does, and closes the account. */
export const ClosePage: FC<CloseProps> = (props) => {
  const t = useWords(leavingWords);
  const { at, lang } = useView();
  const { balance, graceDays, proved, fault, person } = props;
  const lists = [
    [t.goesTitle, t.goes],
    [t.staysTitle, t.stays],
  ] as const;
  return (
    <>
      <PageHead title={t.title} lead={t.lead(count(graceDays, lang))} />
      {fault && fault.field === undefined && <Notice tone="bad">{fault.error}</Notice>}
      {lists.map(([title, lines]) => (
        <Card title={title}>
          <ul class="deskeffects">
            {lines.map((line) => (
              <li>{line}</li>
            ))}
          </ul>
        </Card>
      ))}
      <Card>
        <div class="stack">
          <p>
            {t.first} <a href={at("/settings/export")}>{t.exportAll}</a>
          </p>
          <p>
            <b>{t.balanceLeft(rupees(balance, lang))}</b>
          </p>
          {proved ? <CloseForm {...props} /> : <Proof person={person} />}
        </div>
      </Card>
    </>
  );
};
