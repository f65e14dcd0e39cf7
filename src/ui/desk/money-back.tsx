import type { FC } from "hono/jsx";
import type { DisputeRow } from "../../payments/disputes.ts";
import { noteSlug } from "../../payments/notes.ts";
import type { NoteRow } from "../../payments/notes.ts";
import type { MoneyBack } from "../../payments/money-back.ts";
import type { Order } from "../../payments/provider.ts";
import { DebtCard, DisputePill, Notes } from "../billing/money-back.tsx";
import { OrderState } from "../billing/orders.tsx";
import { paise } from "../format.ts";
import { Card, Time } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { deskMoney } from "../words/desk-money.ts";
import { deskWords } from "./words.ts";
import { moneyBack } from "../words/money-back.ts";
import { Wide } from "./frame.tsx";

// Orders and what went back of them, on the operator's pages.

/** Where the operator opens a note. */
export const deskNotePath = (note: NoteRow) => `/desk/notes/${noteSlug(note)}`;

/** Disputes of all accounts; nothing where there are none. */
export const DeskDisputes: FC<{ disputes: readonly DisputeRow[] }> = ({ disputes }) => {
  const t = useWords(moneyBack);
  const { at, lang } = useView();
  if (disputes.length === 0) return null;
  const heads = [t.dispute, t.account, t.ofOrder, t.status, { num: t.disputed }, { num: t.deducted }, t.respondBy];
  return (
    <Card title={t.disputes}>
      <Wide label={t.disputes} heads={heads}>
        {disputes.map((one) => (
          <tr>
            <td>
              <code>{one.disputeId}</code>
            </td>
            <td>{one.accountId !== null && <a href={at(`/desk/accounts/${one.accountId}`)}>{one.accountId}</a>}</td>
            <td>{one.orderId !== null && <code>{one.orderId}</code>}</td>
            <td>
              <DisputePill status={one.status} /> <span lang="en">{one.phase}</span>
            </td>
            <td class="num">{paise(one.amountPaise, lang)}</td>
            <td class="num">{paise(one.deductedPaise, lang)}</td>
            <td>{one.respondBy === null ? "–" : <Time at={one.respondBy} />}</td>
          </tr>
        ))}
      </Wide>
    </Card>
  );
};

/** The orders of one account, what went back of them, and what it owes. */
export const DeskOrders: FC<{ orders: readonly Order[]; back: MoneyBack }> = ({ orders, back }) => {
  const t = useWords(deskWords);
  const m = useWords(deskMoney);
  const { lang } = useView();
  if (orders.length === 0) return null;
  return (
    <>
      <Card title={m.orders}>
        <Wide label={m.orders} heads={[t.time, t.order, t.state, { num: t.sum }, { num: m.refunded }]}>
          {orders.map((order) => (
            <tr>
              <td>
                <Time at={order.createdAt} />
              </td>
              <td>
                <code>{order.id}</code>
              </td>
              <td>
                <OrderState order={order} />
              </td>
              <td class="num">{paise(order.amountPaise, lang)}</td>
              <td class="num">{order.refundedPaise === 0 ? "–" : paise(order.refundedPaise, lang)}</td>
            </tr>
          ))}
        </Wide>
      </Card>
      <DebtCard debts={back.debts} orderPath={() => null} />
      <DeskDisputes disputes={back.disputes} />
      <Notes notes={back.notes} pathOf={deskNotePath} />
    </>
  );
};
