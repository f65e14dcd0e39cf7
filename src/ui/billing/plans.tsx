import type { FC, PropsWithChildren } from "hono/jsx";
import type { AccountView } from "../../model/account.ts";
import { GST_STATES } from "../../money/gstin.ts";
import { UNITS_PER_COIN } from "../../money/money.ts";
import { PLANS, planName } from "../../money/plans.ts";
import type { Plan } from "../../money/plans.ts";
import type { Order } from "../../payments/provider.ts";
import { count, paise, rupees } from "../format.ts";
import { Icon } from "../icons.tsx";
import type { Lang } from "../lang.ts";
import { Card, Money, OnceField } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { billing } from "../words/billing.ts";
import { shell } from "../words/shell.ts";

// The parts of the billing page: the account's present terms, the plans with what each would change, the buyer.

/** Whole rupees, without paise. */
const price = (amount: number, lang: Lang): string => paise(amount * 100, lang).replace(/\.00$/u, "");

/** The terms of an account after it buys a plan, by the same rule as in durable/account/billing/payments.ts. */
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

/** One term: before and after, or the value that stays. */
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

/** What buying a plan changes, shown before it is paid. */
const Changes: FC<{ plan: Plan; account: AccountView }> = ({ plan, account }) => {
  const t = useWords(billing);
  const { plans } = useWords(shell);
  const { lang } = useView();
  const { creditUnits, otpRate, limit, rises, ownRate } = changesOf(account, plan);
  return (
    <div class="changes">
      <p class="dim small">{t.after}</p>
      <dl>
        <Change
          label={t.balance}
          from={rupees(account.balance, lang)}
          to={rupees(account.balance + creditUnits, lang)}
        />
        <Change label={t.otpRate} from={rupees(account.otpRate, lang)} to={rupees(otpRate, lang)} />
        <Change label={t.limit} from={String(account.requestsPerMinute)} to={String(limit)} />
      </dl>
      {!rises && <p class="small">{t.staysWith(plans[account.plan])}</p>}
      {ownRate && <p class="small">{t.ownRate}</p>}
    </div>
  );
};

/** One line of what a plan includes. */
const Gives: FC<PropsWithChildren<{ value?: string }>> = ({ value, children }) => (
  <li>
    <Icon name="check" />
    <span>
      {value !== undefined && <b class="num">{value} </b>}
      {children}
    </span>
  </li>
);

interface Offer {
  account: AccountView;
  /** Whether plans can be bought here. */
  sold: boolean;
  /** Whether the seller is registered, so that prices include GST. */
  taxed: boolean;
}

const PlanCard: FC<Offer & { plan: Plan }> = ({ plan, account, sold, taxed }) => {
  const t = useWords(billing);
  const s = useWords(shell);
  const { lang, at } = useView();
  const { priceRupees } = PLANS[plan];
  const { creditUnits, rises } = changesOf(account, plan);
  // What an OTP costs on this plan: the plan's rate, or a lower one that was agreed with this account.
  const otpUnits = Math.min(account.ownOtpRate ?? PLANS[plan].otpUnits, PLANS[plan].otpUnits);
  const isCurrent = account.plan === plan;
  return (
    <li class={isCurrent ? "card plan current" : "card plan"}>
      <div class="cardhead">
        <h3>{s.plans[plan]}</h3>
        {isCurrent && <span class="pill ok">{t.current}</span>}
      </div>
      <p class="price">
        <b class="num">{price(priceRupees, lang)}</b> <span class="dim small">{taxed ? t.inclGst : t.paidOnce}</span>
      </p>
      <ul class="gives">
        <Gives value={rupees(creditUnits, lang)}>{t.credit}</Gives>
        <Gives value={rupees(otpUnits, lang)}>{t.perOtp}</Gives>
        {otpUnits > 0 && <Gives value={count(Math.floor(creditUnits / otpUnits), lang)}>{t.otps}</Gives>}
        <Gives value={String(PLANS[plan].requestsPerMinute)}>{t.requests}</Gives>
        <Gives>{t.forEver}</Gives>
      </ul>
      <Changes plan={plan} account={account} />
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

/** The three plans, each with what it includes and what it changes for this account. */
export const Plans: FC<Offer> = ({ account, sold, taxed }) => (
  <section aria-labelledby="plans" class="stack">
    <h2 id="plans">{useWords(billing).plans}</h2>
    <ul class="plans">
      {planName.options.map((plan) => (
        <PlanCard plan={plan} account={account} sold={sold && account.status === "active"} taxed={taxed} />
      ))}
    </ul>
  </section>
);

/** The account's present terms. */
export const Standing: FC<{ account: AccountView }> = ({ account }) => {
  const t = useWords(billing);
  return (
    <Card title={t.now}>
      <dl class="standing">
        <div>
          <dt>{t.balance}</dt>
          <dd>
            <Money units={account.balance} real />
          </dd>
        </div>
        <div>
          <dt>{t.plan}</dt>
          <dd>{useWords(shell).plans[account.plan]}</dd>
        </div>
        <div>
          <dt>{t.otpRate}</dt>
          <dd>
            <Money units={account.otpRate} real />
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

/** The buyer on invoices, who is edited in the settings. */
export const BuyerCard: FC<{ buyer: Order["buyer"] }> = ({ buyer }) => {
  const t = useWords(billing);
  const { at, lang } = useView();
  const rows = buyer && [
    [t.name, buyer.name],
    [t.address, buyer.address],
    [t.state, GST_STATES.find(({ code }) => code === buyer.state)?.[lang] ?? ""],
    [t.gstin, buyer.gstin],
  ];
  return (
    <Card
      title={t.details}
      extra={
        <a class="ghost" href={at("/settings#invoice")}>
          {buyer ? t.editDetails : t.addDetails}
        </a>
      }
    >
      {rows ? (
        <dl class="facts">
          {rows.map(([label, value]) => (
            <>
              <dt>{label}</dt>
              <dd class="address">{value === "" ? t.none : value}</dd>
            </>
          ))}
        </dl>
      ) : (
        <p class="dim">{t.noDetails}</p>
      )}
    </Card>
  );
};
