import type { FC } from "hono/jsx";
import type { AccountView } from "../durable/account-types.ts";
import { STATES } from "../gst.ts";
import { UNITS_PER_COIN } from "../money.ts";
import { isOpen } from "../payments/orders.ts";
import type { Order } from "../payments/provider.ts";
import { PLANS, planName } from "../plans.ts";
import type { Plan } from "../plans.ts";
import { count, paise, rupees } from "./format.ts";
import { Icon } from "./icons.tsx";
import { Card, Empty, Money, Notice, OnceField, Time } from "./parts.tsx";
import { useView, useWords } from "./view.ts";
import type { Lang } from "./view.ts";
import { billing } from "./words/billing.ts";
import { shell } from "./words/shell.ts";

// The pieces of the billing page: plans with what each changes, the buyer, orders.

/** Whole rupees, as prices are written. */
const price = (amount: number, lang: Lang): string => paise(amount * 100, lang).replace(/\.00$/u, "");

/** What buying a plan makes of an account; the same rule as in durable/account-payments.ts. */
function changesOf(account: AccountView, plan: Plan) {
  const bought = PLANS[plan];
  const rises = bought.priceRupees >= PLANS[account.plan].priceRupees;
  return {
    rises,
    creditUnits: bought.creditCoins * UNITS_PER_COIN,
    otpRate: rises ? Math.min(account.otpRate, bought.otpUnits) : account.otpRate,
    limit: rises ? bought.requestsPerMinute : account.requestsPerMinute,
    ownRate: rises && account.otpRate < bought.otpUnits,
  };
}

/** One line of what changes: before and after, or what stays. */
const Change: FC<{ label: string; from: string; to: string }> = ({ label, from, to }) => (
  <div>
    <dt>{label}</dt>
    <dd class="num">
      {from === to ? (
        to
      ) : (
        <>
          {from} → <b>{to}</b>
        </>
      )}
    </dd>
  </div>
);

const PlanCard: FC<{ plan: Plan; account: AccountView; sold: boolean }> = ({ plan, account, sold }) => {
  const t = useWords(billing);
  const s = useWords(shell);
  const { lang, at } = useView();
  const { priceRupees } = PLANS[plan];
  const { creditUnits, otpRate, limit, rises, ownRate } = changesOf(account, plan);
  const isCurrent = account.plan === plan;
  const head = `plan-${plan}`;
  return (
    <li class={isCurrent ? "card plan current" : "card plan"}>
      <div class="cardhead">
        <h3 id={head}>{s.plans[plan]}</h3>
        {isCurrent && <span class="pill ok">{t.current}</span>}
      </div>
      <p class="price">
        <b class="num">{price(priceRupees, lang)}</b> <span class="dim small">{t.inclGst}</span>
      </p>
      <ul class="gives">
        <li>
          <Icon name="check" />
          <span>
            <b class="num">{rupees(creditUnits, lang)}</b> {t.credit}
          </span>
        </li>
        <li>
          <Icon name="check" />
          <span>
            <b class="num">{rupees(PLANS[plan].otpUnits, lang)}</b> {t.perOtp}
          </span>
        </li>
        <li>
          <Icon name="check" />
          <span>
            <b class="num">{count(Math.floor(creditUnits / otpRate), lang)}</b> {t.otps}
          </span>
        </li>
        <li>
          <Icon name="check" />
          <span>
            <b class="num">{PLANS[plan].requestsPerMinute}</b> {t.requests}
          </span>
        </li>
        <li>
          <Icon name="check" />
          <span>{t.forEver}</span>
        </li>
      </ul>
      <div class="changes">
        <p class="dim small">{t.after}</p>
        <dl>
          <Change
            label={t.balanceGrows}
            from={rupees(account.balance, lang)}
            to={rupees(account.balance + creditUnits, lang)}
          />
          <Change label={t.otpRate} from={rupees(account.otpRate, lang)} to={rupees(otpRate, lang)} />
          <Change label={t.limit} from={String(account.requestsPerMinute)} to={String(limit)} />
        </dl>
        {!rises && <p class="small">{t.staysWith(s.plans[account.plan])}</p>}
        {ownRate && <p class="small">{t.ownRate}</p>}
      </div>
      {sold && (
        <form method="post" action={at("/billing/orders")}>
          <OnceField />
          <input type="hidden" name="plan" value={plan} />
          <button class={rises ? "btn wide" : "btn quiet wide"}>
            {t.buy(s.plans[plan], price(priceRupees, lang))}
          </button>
        </form>
      )}
    </li>
  );
};

/** The three plans, each with what it gives and what it changes for this account. */
export const Plans: FC<{ account: AccountView; sold: boolean }> = ({ account, sold }) => (
  <section aria-labelledby="plans" class="stack">
    <h2 id="plans">{useWords(billing).plans}</h2>
    <ul class="plans">
      {planName.options.map((plan) => (
        <PlanCard plan={plan} account={account} sold={sold && account.status === "active"} />
      ))}
    </ul>
  </section>
);

/** How the account stands before anything is bought. */
export const Standing: FC<{ account: AccountView }> = ({ account }) => {
  const t = useWords(billing);
  return (
    <Card title={t.now}>
      <dl class="standing">
        <div>
          <dt>{t.balance}</dt>
          <dd>
            <Money units={account.balance} />
          </dd>
        </div>
        <div>
          <dt>{t.plan}</dt>
          <dd>{useWords(shell).plans[account.plan]}</dd>
        </div>
        <div>
          <dt>{t.otpRate}</dt>
          <dd>
            <Money units={account.otpRate} />
          </dd>
        </div>
        <div>
          <dt>{t.limit}</dt>
          <dd class="num">{account.requestsPerMinute}</dd>
        </div>
      </dl>
    </Card>
  );
};

/** Who invoices are made out to; it is edited in the settings. */
export const BuyerCard: FC<{ buyer: Order["buyer"] }> = ({ buyer }) => {
  const t = useWords(billing);
  const { at } = useView();
  const rows = buyer && [
    [t.name, buyer.name],
    [t.address, buyer.address],
    [t.state, STATES[buyer.state] ?? ""],
    [t.gstin, buyer.gstin],
  ];
  return (
    <Card
      title={t.details}
      extra={
        <a class="ghost" href={at("/settings#buyer")}>
          {buyer ? t.editDetails : t.addDetails}
        </a>
      }
    >
      {rows ? (
        <dl class="facts">
          {rows.map(([label, value]) => (
            <>
              <dt>{label}</dt>
              <dd>{value === "" ? t.none : value}</dd>
            </>
          ))}
        </dl>
      ) : (
        <p class="dim">{t.noDetails}</p>
      )}
    </Card>
  );
};

const TONE: Record<Order["state"], string> = {
  created: "",
  pending: "wait",
  failed: "bad",
  paid: "warn",
  credited: "ok",
  refunded: "warn",
};

/** An order's state, in a word and a colour. */
export const OrderState: FC<{ state: Order["state"] }> = ({ state }) => (
  <span class={`pill ${TONE[state]}`} data-state={state}>
    {useWords(billing).states[state]}
  </span>
);

/** What may be done with an order: pay it, or see its invoice. */
export const OrderSteps: FC<{ order: Order; small?: boolean }> = ({ order, small = false }) => {
  const t = useWords(billing);
  const { at } = useView();
  const size = small ? " small" : "";
  if (isOpen(order)) {
    return (
      <form method="post" action={at(`/billing/orders/${order.id}/pay`)}>
        <button class={small ? "btn quiet small" : "btn"}>{t.continuePaying}</button>
      </form>
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
  const t = useWords(billing);
  const { at, lang } = useView();
  return (
    <tr>
      <td data-label={t.date}>
        <Time at={order.createdAt} style="date" />
      </td>
      <td data-label={t.order}>
        <a href={at(`/billing/orders/${order.id}`)}>{useWords(shell).plans[order.plan]}</a>
      </td>
      <td data-label={t.status}>
        <OrderState state={order.state} />
      </td>
      <td class="num" data-label={t.amount}>
        {paise(order.amountPaise, lang)}
      </td>
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
              <th>{t.order}</th>
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

/** What became of an order, in a sentence. */
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

/** One order with all that is known of it. */
export const OrderFacts: FC<{ order: Order }> = ({ order }) => {
  const t = useWords(billing);
  const { lang } = useView();
  return (
    <dl class="facts">
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
        <Money units={order.creditUnits} />
      </dd>
      <dt>{t.status}</dt>
      <dd>
        <OrderState state={order.state} />
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
