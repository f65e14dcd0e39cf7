import type { FC } from "hono/jsx";
import { isPayable } from "../../payments/orders.ts";
import type { Order } from "../../payments/provider.ts";
import { paise, rupees } from "../format.ts";
import { Card, Empty, Money, Notice, Time } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { billing } from "../words/billing.ts";
import { shell } from "../words/shell.ts";

// Orders of plans: the list, and one order with its status.

const TONE: Record<Order["state"], string> = {
  created: "",
  pending: "wait",
  failed: "bad",
  paid: "warn",
  credited: "ok",
  refunded: "warn",
};

/** An order's state, as a word and a colour. */
export const OrderState: FC<{ order: Order }> = ({ order: { state, refundedPaise, amountPaise } }) => {
  const { states, partlyRefunded } = useWords(billing);
  return (
    <span class={`pill ${TONE[state]}`} data-state={state}>
      {state === "refunded" && refundedPaise < amountPaise ? partlyRefunded : states[state]}
    </span>
  );
};

/** The action for an order: paying it, looking whether it is paid, or opening its invoice. */
export const OrderSteps: FC<{ order: Order; small?: boolean }> = ({ order, small = false }) => {
  const t = useWords(billing);
  const { at } = useView();
  const size = small ? " small" : "";
  if (isPayable(order)) {
    return (
      <form method="post" action={at(`/billing/orders/${order.id}/pay`)}>
        <button class={small ? "btn quiet small" : "btn"}>
          {order.state === "failed" ? t.payFailed : t.continuePaying}
        </button>
      </form>
    );
  }
  if (order.state === "pending") {
    const ofSandbox = order.provider === "sandbox";
    return (
      <a class={`btn quiet${size}`} href={at(ofSandbox ? `/pay/${order.id}` : `/billing/orders/${order.id}`)}>
        {ofSandbox ? t.endPending : t.lookAgain}
      </a>
    );
  }
  if (order.state === "paid") return null;
  return (
    <a class={`btn quiet${size}`} href={at(`/billing/orders/${order.id}/invoice`)}>
      {t.invoice}
    </a>
  );
};

const OrderRow: FC<{ order: Order }> = ({ order }) => {
  const { at, lang } = useView();
  return (
    <tr>
      <td>
        <Time at={order.createdAt} style="date" />
      </td>
      <td>
        <a href={at(`/billing/orders/${order.id}`)}>{useWords(shell).plans[order.plan]}</a>
      </td>
      <td>
        <OrderState order={order} />
      </td>
      <td class="num">{paise(order.amountPaise, lang)}</td>
      <td class="step">
        <OrderSteps order={order} small />
      </td>
    </tr>
  );
};

/** Every order of the account, newest first. */
export const Orders: FC<{ orders: Order[] }> = ({ orders }) => {
  const t = useWords(billing);
  return (
    <Card title={t.orders}>
      {orders.length === 0 ? (
        <Empty icon="billing" title={t.noOrders}>
          <p>{t.noOrdersHint}</p>
        </Empty>
      ) : (
        <table class="orders">
          <thead>
            <tr>
              <th>{t.date}</th>
              <th>{t.plan}</th>
              <th>{t.status}</th>
              <th class="num">{t.amount}</th>
              <th>
                <span class="sr">{t.next}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {orders.map((order) => (
              <OrderRow order={order} />
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
};

/** The status of an order, in a sentence. */
export const OrderNews: FC<{ order: Order }> = ({ order }) => {
  const { told } = useWords(billing);
  const { lang } = useView();
  switch (order.state) {
    case "credited":
      return <Notice tone="ok">{told.credited(rupees(order.creditUnits, lang))}</Notice>;
    case "refunded":
      return <Notice tone="info">{told.refunded(paise(order.refundedPaise, lang))}</Notice>;
    case "failed":
      return <Notice tone="bad">{told.failed}</Notice>;
    case "created":
    case "pending":
    case "paid":
      return <Notice tone="info">{told[order.state]}</Notice>;
  }
};

/** All facts about one order. */
export const OrderFacts: FC<{ order: Order }> = ({ order }) => {
  const t = useWords(billing);
  const { lang } = useView();
  return (
    <dl class="facts orderfacts">
      <dt>{t.order}</dt>
      <dd class="mono">{order.id}</dd>
      <dt>{t.date}</dt>
      <dd>
        <Time at={order.createdAt} />
      </dd>
      <dt>{t.plan}</dt>
      <dd>{useWords(shell).plans[order.plan]}</dd>
      <dt>{t.amount}</dt>
      <dd class="num">{paise(order.amountPaise, lang)}</dd>
      <dt>{t.creditRow}</dt>
      <dd>
        <Money units={order.creditUnits} real />
      </dd>
      <dt>{t.status}</dt>
      <dd>
        <OrderState order={order} />
      </dd>
      {order.paymentRef !== null && (
        <>
          <dt>{t.paymentRef}</dt>
          <dd class="mono">{order.paymentRef}</dd>
        </>
      )}
      {order.reason !== null && (
        <>
          <dt>{t.reason}</dt>
          <dd lang="en">{order.reason}</dd>
        </>
      )}
    </dl>
  );
};
