import type { FC } from "hono/jsx";
import { capOf } from "../../model/rules/rules.ts";
import type { RulesView } from "../../model/rules/rules.ts";
import { coins } from "../../money/money.ts";
import { count } from "../format.ts";
import { Card, Field, Money, faultAt } from "../parts.tsx";
import type { Unsaved } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { rulesWords } from "../words/rules.ts";

// The card of the settings page with what the account may send, and the cap that its owner sets.

const Amount: FC<{ units: number | null; none: string }> = ({ units, none }) =>
  units === null ? <>{none}</> : <Money units={units} />;

/** The rules of the account, and its owner's own cap. */
export const SpendingCard: FC<{ of: RulesView; unsaved: Unsaved | undefined }> = ({ of, unsaved }) => {
  const t = useWords(rulesWords);
  const { at, lang } = useView();
  const { rules, otp, spentToday } = of;
  const limit = capOf(rules);
  const limitText = (codes: number) => (codes === 0 ? t.unlimited : count(codes, lang));
  return (
    <Card title={t.spending} id="spending">
      <form method="post" action={at("/settings/spend-cap")} class="stack">
        <p class="dim small">{t.spendingLead}</p>
        <dl class="facts">
          <dt>{t.today}</dt>
          <dd>
            <Money units={spentToday} />
          </dd>
          {limit && (
            <>
              <dt>{t.left}</dt>
              <dd>
                <Money units={Math.max(0, limit.cap - spentToday)} />
              </dd>
            </>
          )}
          <dt>{t.operatorCap}</dt>
          <dd>
            <Amount units={rules.dayCap} none={t.none} />
          </dd>
          <dt>{t.reach}</dt>
          <dd>{rules.countries?.join(" ") ?? t.everywhere}</dd>
          <dt>{t.otpNumber}</dt>
          <dd>{limitText(otp.perNumber)}</dd>
          <dt>{t.otpPrefix}</dt>
          <dd>{limitText(otp.perPrefix)}</dd>
        </dl>
        <Field
          label={t.myCap}
          name="cap"
          inputmode="decimal"
          hint={t.myCapHint}
          value={unsaved?.typed["cap"] ?? (rules.ownDayCap === null ? "" : String(coins(rules.ownDayCap)))}
          error={faultAt(unsaved, "cap")}
          autocomplete="off"
        />
        <p>
          <button class="btn quiet">{t.save}</button>
        </p>
      </form>
    </Card>
  );
};
