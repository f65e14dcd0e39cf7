import type { FC } from "hono/jsx";
import { isDisputeOpen } from "../../model/paying/dispute.ts";
import type { Debts } from "../../model/paying/payment.ts";
import type { DisputeRow } from "../../payments/disputes.ts";
import { noteNumber, noteSlug } from "../../payments/notes.ts";
import type { NoteRow } from "../../payments/notes.ts";
import { paise, rupees } from "../format.ts";
import { Wide } from "../desk/frame.tsx";
import { Card, Money, Notice, Time } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { moneyBack } from "../words/money-back.ts";

// What went back of orders: disputes, credit notes, and what is owed since then. A customer's page links to its own
// orders and notes, the desk's pages to those of the desk.

const TONES: Record<DisputeRow["status"], string> = {
  open: "warn",
  under_review: "wait",
  action_required: "bad",
  won: "ok",
  lost: "bad",
  closed: "",
};

/** A dispute's status, as a word and a colour. */
export const DisputePill: FC<{ status: DisputeRow["status"] }> = ({ status }) => (
  <span class={`pill ${TONES[status]}`}>{useWords(moneyBack).statuses[status]}</span>
);

/** The disputes of an order; nothing where there are none. */
export const Disputes: FC<{ disputes: readonly DisputeRow[] }> = ({ disputes }) => {
  const t = useWords(moneyBack);
  const { lang } = useView();
  if (disputes.length === 0) return null;
  return (
    <Card title={t.disputes}>
      {disputes.some(({ status }) => isDisputeOpen(status)) && <p class="dim">{t.disputeHint}</p>}
      <Wide label={t.disputes} heads={[t.dispute, t.status, { num: t.disputed }, { num: t.deducted }]}>
        {disputes.map(({ disputeId, status, amountPaise, deductedPaise }) => (
          <tr>
            <td class="id">
              <code>{disputeId}</code>
            </td>
            <td>
              <DisputePill status={status} />
            </td>
            <td class="num">{paise(amountPaise, lang)}</td>
            <td class="num">{paise(deductedPaise, lang)}</td>
          </tr>
        ))}
      </Wide>
    </Card>
  );
};

/** Credit notes and the like; nothing where there are none. `pathOf`: where the reader opens one. */
export const Notes: FC<{ notes: readonly NoteRow[]; pathOf: (note: NoteRow) => string }> = ({ notes, pathOf }) => {
  const t = useWords(moneyBack);
  const { at, lang } = useView();
  if (notes.length === 0) return null;
  return (
    <Card title={t.notes} id="notes">
      <Wide label={t.notes} heads={[t.number, t.date, t.type, { num: t.amount }]}>
        {notes.map((note) => (
          <tr>
            <td class="whole">
              <a class="mono" href={at(pathOf(note))}>
                {noteNumber(note)}
              </a>
            </td>
            <td>
              <Time at={note.issuedAt} style="date" />
            </td>
            <td>{t.kinds[note.kind]}</td>
            <td class="num">{paise(note.amountPaise, lang)}</td>
          </tr>
        ))}
      </Wide>
      {notes.some(({ kind }) => kind === "financial") && <p class="hint">{t.financialHint}</p>}
    </Card>
  );
};

/** Where a customer opens a note of an own order. */
export const ownNotePath = (note: NoteRow) => `/billing/orders/${note.orderId}/notes/${noteSlug(note)}`;

/** What the account owes, from which order, and what paid it; nothing where nothing was ever owed. */
export const DebtCard: FC<{ debts: Debts; orderId?: string; orderPath?: (id: string) => string | null }> = ({
  debts: { owed, debts, payments },
  orderId,
  orderPath = (id) => `/billing/orders/${id}`,
}) => {
  const t = useWords(moneyBack);
  const { at, lang } = useView();
  const shown = debts.filter((debt) => debt.shortfall > 0 && (orderId === undefined || debt.orderId === orderId));
  if (shown.length === 0) return null;
  return (
    <Card title={t.debts} id="owed">
      {owed > 0 ? (
        <Notice tone="bad">
          {t.owed(rupees(owed, lang))}. {t.owedHint}
        </Notice>
      ) : (
        <Notice tone="ok">{t.paidOff}</Notice>
      )}
      <Wide label={t.debts} heads={[t.ofOrder, t.since, { num: t.open }, { num: t.paid }, { num: t.rest }]}>
        {shown.map((debt) => {
          const path = orderPath(debt.orderId);
          return (
            <tr>
              <td>
                {path === null ? (
                  <code>{debt.orderId}</code>
                ) : (
                  <a class="mono" href={at(path)}>
                    {debt.orderId}
                  </a>
                )}
              </td>
              <td>
                <Time at={debt.since} style="date" />
              </td>
              <td class="num">
                <Money units={debt.shortfall} real />
              </td>
              <td class="num">
                <Money units={debt.paid} real />
              </td>
              <td class="num">
                <Money units={debt.shortfall - debt.paid} real />
              </td>
            </tr>
          );
        })}
      </Wide>
      {payments.length > 0 && (
        <Wide label={t.paidBy} heads={[t.paidBy, t.request, { num: t.amount }]}>
          {payments.map((payment) => (
            <tr>
              <td>
                <Time at={payment.at} />
              </td>
              <td>{payment.requestId === null ? "–" : <code>{payment.requestId}</code>}</td>
              <td class="num">
                <Money units={payment.amount} real />
              </td>
            </tr>
          ))}
        </Wide>
      )}
    </Card>
  );
};
