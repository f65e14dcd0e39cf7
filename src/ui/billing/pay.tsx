import type { FC } from "hono/jsx";
import { PRODUCT } from "../../config/settings.ts";
import { isOpen } from "../../payments/orders.ts";
import type { Order } from "../../payments/provider.ts";
import type { SandboxOutcome } from "../../payments/sandbox.ts";
import { paise } from "../format.ts";
import { Mark } from "../icons.tsx";
import { Preferences } from "../layout.tsx";
import { Notice } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { billing } from "../words/billing.ts";
import { moneyBack } from "../words/money-back.ts";
import { shell } from "../words/shell.ts";

// The sandbox's payment page, in place of a provider's page; it simulates outcomes for testing an integration.

const Trouble: FC<{ name: string; label: string }> = ({ name, label }) => (
  <label class="check">
    <input type="checkbox" name={name} />
    {label}
  </label>
);

type Button = readonly [outcome: SandboxOutcome, label: string, kind: string];

/** The buttons for an order in its state: what can still happen to its payment. */
const Outcomes: FC<{ order: Order }> = ({ order }) => {
  const t = useWords(billing);
  const { lang } = useView();
  const left = order.amountPaise - order.refundedPaise;
  const ends: Button[] = [
    ["success", t.success, "btn"],
    ["failure", t.failure, "btn danger"],
  ];
  const refunds: Button[] = [
    ["refund", left < order.amountPaise ? t.refundRest(paise(left, lang)) : t.refund, "btn"],
    ...(left < order.amountPaise ? [] : ([["partial_refund", t.partialRefund, "btn quiet"]] as const)),
  ];
  const m = useWords(moneyBack);
  const disputes: Button[] = [
    ["dispute", m.playDispute, "btn quiet"],
    ["dispute_review", m.playReview, "btn quiet"],
    ["dispute_lost", m.playLost, "btn danger"],
    ["dispute_won", m.playWon, "btn quiet"],
  ];
  const buttons: Button[] =
    order.state === "pending"
      ? ends
      : isOpen(order)
        ? [...ends, ["pending", t.pending, "btn quiet"]]
        : [...(left > 0 ? [...refunds, ...disputes] : []), ["success", t.payAgain, "btn danger"]];
  return (
    <div class="outcomes">
      {buttons.map(([outcome, label, kind]) => (
        <button class={kind} name="outcome" value={outcome}>
          {label}
        </button>
      ))}
    </div>
  );
};

/** The whole page. */
export const SandboxPage: FC<{ order: Order }> = ({ order }) => {
  const t = useWords(billing);
  const { at, lang } = useView();
  const open = isOpen(order);
  return (
    <>
      <div class="paytop">
        <span class="pill warn">{t.sandbox}</span>
        <Preferences />
      </div>
      <section class="card payment" aria-labelledby="amount">
        <div class="payee">
          <Mark />
          <p>
            <span class="dim small">{t.payTo}</span>
            <b>{PRODUCT}</b>
          </p>
        </div>
        <h1 id="amount" class="num">
          {paise(order.amountPaise, lang)}
        </h1>
        <p class="dim small">
          {useWords(shell).plans[order.plan]} · <span class="mono">{order.id}</span>
        </p>
        <Notice tone={open ? "info" : "ok"}>{open ? t.sandboxHint : t.alreadyPaid}</Notice>
        <form method="post" action={at(`/pay/${order.id}`)} class="stack">
          <h2>{t.choose}</h2>
          <Outcomes order={order} />
          <fieldset>
            <legend>{t.trouble}</legend>
            <Trouble name="twice" label={t.twice} />
            <Trouble name="disorder" label={t.disorder} />
            {open && <Trouble name="wrong" label={t.wrongAmount} />}
          </fieldset>
        </form>
        <a class="ghost" href={at("/billing")}>
          {t.cancel}
        </a>
      </section>
    </>
  );
};
