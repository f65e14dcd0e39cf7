import type { Child, FC, PropsWithChildren } from "hono/jsx";
import type { SendKind } from "../../model/operations.ts";
import { OPERATIONS } from "../../model/operations.ts";
import type { Typed } from "../../sending/send-kinds.ts";
import { nameLetters } from "../../text/unicode.ts";
import { count } from "../format.ts";
import { useMoney } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { check } from "../words/check.ts";
import { send } from "../words/send.ts";
import type { FormFigures } from "./form-figures.ts";

// What a form would send and cost, as the account would answer it now. The script asks for it while the form is typed;
// without the script, a button does.

/** Whether the text of a kind goes out as SMS. */
const isSms = (kind: SendKind) =>
  kind === "bulk" || Object.values(OPERATIONS).some((one) => one.send === kind && one.medium === "sms");

const Figure: FC<PropsWithChildren<{ name: string; more?: Child }>> = ({ name, more, children }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <b>{children}</b> {more}
    </dd>
  </div>
);

const Numbers: FC<{ of: FormFigures }> = ({ of: { kind, recipients, text, cost, balanceAfter } }) => {
  const t = useWords(check);
  const { lang } = useView();
  const money = useMoney();
  const { valid, duplicates, invalid } = recipients;
  const notes = [
    ...(duplicates > 0 ? [t.twice(count(duplicates, lang))] : []),
    ...(invalid > 0 && kind === "bulk" ? [t.invalid(count(invalid, lang))] : []),
  ];
  return (
    <dl>
      <Figure name={t.recipients} more={notes.length > 0 && <small>{notes.join(" · ")}</small>}>
        {count(valid, lang)}
      </Figure>
      {text && isSms(kind) && (
        <Figure
          name={t.parts}
          more={
            <small>
              {text.encoding}
              {text.segmentsIfReplaced < text.segments && ` · ${t.plain(count(text.segmentsIfReplaced, lang))}`}
            </small>
          }
        >
          {count(text.segments, lang)}
        </Figure>
      )}
      <Figure name={t.cost}>{cost === null ? t.unknown : money(cost)}</Figure>
      <Figure name={t.after}>{balanceAfter === null ? t.unknown : money(balanceAfter)}</Figure>
    </dl>
  );
};

/**
 * The figures of a form; empty before it was checked. What they say of the price is sent with the form, also after a refusal
 * for another reason (`before`).
 */
export const Figures: FC<{ figures: FormFigures | undefined; before?: Typed }> = ({ figures, before = {} }) => {
  const t = useWords(check);
  const { unicodeWhy } = useWords(send);
  return (
    <div class="figures" data-part="figures" role="group" aria-label={t.label}>
      <input type="hidden" name="quote" value={figures?.quote ?? before["quote"] ?? ""} />
      <input type="hidden" name="shown" value={figures ? (figures.cost ?? "") : (before["shown"] ?? "")} />
      {figures && (
        <>
          <Numbers of={figures} />
          {figures.letters !== "" && (
            <p class="letters">
              {unicodeWhy} {nameLetters(figures.letters)}
            </p>
          )}
          {figures.problems.length > 0 && (
            <ul class="faults">
              {figures.problems.map((problem) => (
                <li>{problem}</li>
              ))}
            </ul>
          )}
        </>
      )}
    </div>
  );
};

/** Checks a form without the script, which hides it: it shows the figures by itself. */
export const CheckButton: FC<{ kind: SendKind }> = ({ kind }) => {
  const t = useWords(check);
  const { at } = useView();
  return (
    <button
      type="submit"
      class="btn quiet wide"
      name="check"
      value="page"
      formaction={at(`/send/${kind}/check`)}
      formnovalidate
      data-checks=""
    >
      {t.check}
    </button>
  );
};
