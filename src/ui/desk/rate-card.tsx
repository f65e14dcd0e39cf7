import type { FC } from "hono/jsx";
import { CARD_PRICES } from "../../operator/rate-card-form.ts";
import { Field, PageHead, faultAt } from "../parts.tsx";
import type { FormFault } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { rulesWords } from "../words/rules.ts";
import { deskWords } from "./words.ts";
import { DeskDone, useMay } from "./frame.tsx";

// The operator's page of the rate card.

/** The rate card as a form; `typed` holds its fields, as they are now or as they were submitted. */
export const DeskCard: FC<{ typed: Record<string, string>; done: string | undefined; fault?: FormFault }> = ({
  typed,
  done,
  fault,
}) => {
  const t = useWords(deskWords);
  const { at } = useView();
  return (
    <>
      <PageHead title={t.tabs.card} lead={t.cardLead} />
      <DeskDone done={done} />
      <p>
        <a class="btn quiet" href={at("/desk/number-rules")}>
          {useWords(rulesWords).numbersLink}
        </a>
      </p>
      <form class="card stack" method="post" action={at("/desk/rate-card")}>
        <h2>{t.cardPrices}</h2>
        <div class="two">
          {CARD_PRICES.map((name) => (
            <Field
              label={t.card[name]}
              name={name}
              inputmode="numeric"
              required
              value={typed[name]}
              error={faultAt(fault, name)}
            />
          ))}
        </div>
        <Field
          label={t.countries}
          name="countries"
          type="textarea"
          mono
          hint={t.countriesHint}
          value={typed["countries"]}
          error={faultAt(fault, "countries")}
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
