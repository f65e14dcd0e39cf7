import type { FC } from "hono/jsx";
import { coins } from "../../money/money.ts";
import type { AccountAtDesk } from "../../operator/accounts.ts";
import { Card, Field, faultAt } from "../parts.tsx";
import type { FormFault } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { deskWords } from "./words.ts";
import { PlanChoice, useMay } from "./frame.tsx";

// What can be changed on the page of one account: its status, its terms and its money.

/** A form that was sent, and what is wrong with it. */
interface Sent {
  typed: Record<string, string>;
  fault: FormFault | undefined;
}

const TermForms: FC<{ of: AccountAtDesk } & Sent> = ({ of: { view, ref }, typed, fault }) => {
  const t = useWords(deskWords);
  const { at } = useView();
  const action = at(`/desk/accounts/${ref.accountId}/standing`);
  return (
    <>
      <form method="post" action={action} class="deskline">
        <PlanChoice value={view.plan} />
        <button class="btn quiet">{t.change}</button>
      </form>
      <form method="post" action={action} class="deskline">
        <Field
          label={t.rateField}
          name="otpRate"
          inputmode="decimal"
          hint={t.rateHint}
          value={typed["otpRate"] ?? (view.ownOtpRate === null ? "" : String(coins(view.ownOtpRate)))}
          error={faultAt(fault, "otpRate")}
        />
        <button class="btn quiet">{t.change}</button>
      </form>
    </>
  );
};

const StatusForm: FC<{ of: AccountAtDesk }> = ({ of: { view, ref } }) => {
  const t = useWords(deskWords);
  const { at } = useView();
  const account = at(`/desk/accounts/${ref.accountId}`);
  if (view.status === "suspended") {
    return (
      <form method="post" action={`${account}/standing`}>
        <button class="btn" name="status" value="active">
          {t.activate}
        </button>
      </form>
    );
  }
  return (
    <div class="stack">
      <p class="hint">{t.suspendHint}</p>
      <p>
        <a class="btn danger" href={`${account}/suspend`}>
          {t.suspend}…
        </a>
      </p>
    </div>
  );
};

/** Status, plan and rate, of which a role sees what it may change. */
export const StandingForms: FC<{ of: AccountAtDesk } & Sent> = (props) => (
  <Card title={useWords(deskWords).standing}>
    <div class="stack">
      <StatusForm of={props.of} />
      {useMay("terms") && <TermForms {...props} />}
    </div>
  </Card>
);

/** Credit or an adjustment, in the mode that the page shows. */
export const CreditForm: FC<{ of: AccountAtDesk } & Sent> = ({ of: { ref }, typed, fault }) => {
  const t = useWords(deskWords);
  const { at } = useView();
  return (
    <Card title={t.money} extra={<span class="pill">{t[ref.mode]}</span>}>
      <form method="post" action={at(`/desk/accounts/${ref.accountId}/credits`)} class="stack">
        <input type="hidden" name="mode" value={ref.mode} />
        <Field
          label={t.amount}
          name="amount"
          inputmode="decimal"
          required
          hint={t.amountHint}
          value={typed["amount"]}
          error={faultAt(fault, "amount")}
          autocomplete="off"
        />
        <Field
          label={t.reference}
          name="reference"
          required
          maxlength={100}
          hint={t.referenceHint}
          value={typed["reference"]}
          error={faultAt(fault, "reference")}
          autocomplete="off"
        />
        <Field
          label={t.note}
          name="note"
          maxlength={500}
          value={typed["note"]}
          autocomplete="off"
          error={faultAt(fault, "note")}
        />
        <div>
          <button class="btn">{t.book}</button>
        </div>
      </form>
    </Card>
  );
};
