import type { FC } from "hono/jsx";
import type { AccountAtDesk } from "../../operator/accounts.ts";
import { typedRules } from "../../operator/rules.ts";
import { count } from "../format.ts";
import { Card, Choice, Field, Money, PageHead, faultAt } from "../parts.tsx";
import type { FormFault } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { rulesWords } from "../words/rules.ts";
import { DeskDone, useMay } from "./frame.tsx";

// The rules on an account's page, and the page of the numbers that no account reaches.

interface Props {
  of: AccountAtDesk;
  typed: Record<string, string>;
  fault: FormFault | undefined;
}

const RuleFields: FC<Props> = ({ of: { rules }, typed, fault }) => {
  const t = useWords(rulesWords);
  const { lang } = useView();
  const fields = { ...typedRules(rules.rules), ...typed };
  const otpHint = t.otpHint(`${count(rules.otp.perNumber, lang)} · ${count(rules.otp.perPrefix, lang)}`);
  const parts = [
    ["countries", t.countriesHint],
    ["allow", t.allowHint],
    ["refuse", t.refuseHint],
    ["cap", t.capHint],
    ["perNumber", otpHint],
    ["perPrefix", otpHint],
  ] as const;
  return (
    <div class="two">
      {parts.map(([name, hint]) => (
        <Field
          label={t[name]}
          name={name}
          // The form of the balance has fields of its own.
          id={`rules-${name}`}
          hint={hint}
          value={fields[name]}
          error={faultAt(fault, name)}
          autocomplete="off"
        />
      ))}
    </div>
  );
};

/** Where the account may send, and how much; a role that may not change it sees it. */
export const RulesCard: FC<Props> = (props) => {
  const { ref, rules } = props.of;
  const t = useWords(rulesWords);
  const { at } = useView();
  const { ownDayCap } = rules.rules;
  return (
    <Card title={t.title} id="rules">
      <div class="stack">
        <p class="dim small">{t.lead}</p>
        <dl class="facts">
          <dt>{t.today}</dt>
          <dd>
            <Money units={rules.spentToday} />
          </dd>
          <dt>{t.ownCap}</dt>
          <dd>{ownDayCap === null ? t.none : <Money units={ownDayCap} />}</dd>
        </dl>
        {useMay("terms") ? (
          <form method="post" action={at(`/desk/accounts/${ref.accountId}/rules`)} class="stack">
            <RuleFields {...props} />
            <div>
              <button class="btn quiet">{t.save}</button>
            </div>
          </form>
        ) : (
          <RuleFields {...props} />
        )}
      </div>
    </Card>
  );
};

/** The numbers that no account reaches, as a form. */
export const DeskNumbers: FC<{ typed: Record<string, string>; done: string | undefined; fault?: FormFault }> = ({
  typed,
  done,
  fault,
}) => {
  const t = useWords(rulesWords);
  const { at } = useView();
  const options = (["refuse", "allow"] as const).map((value) => ({ value, label: t.premiumOptions[value] }));
  return (
    <>
      <PageHead title={t.numbers} lead={t.numbersLead} />
      <DeskDone done={done} />
      <form class="card stack" method="post" action={at("/desk/number-rules")}>
        <Choice label={t.premium} name="premium" value={typed["premium"] ?? "refuse"} options={options} />
        <Field
          label={t.prefixes}
          name="prefixes"
          type="textarea"
          mono
          hint={t.prefixesHint}
          value={typed["prefixes"]}
          error={faultAt(fault, "prefixes")}
        />
        {useMay("prices") && (
          <div>
            <button class="btn">{t.save}</button>
          </div>
        )}
      </form>
    </>
  );
};
