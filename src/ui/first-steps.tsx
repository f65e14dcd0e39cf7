import type { FC } from "hono/jsx";
import { TEST_NUMBERS } from "../model/test-numbers.ts";
import type { SendKind } from "../model/operations.ts";
import { rupees } from "./format.ts";
import { Icon } from "./icons.tsx";
import { Card } from "./parts.tsx";
import { useView, useWords } from "./view.ts";
import { firstSteps } from "./words/first-steps.ts";

// What a newcomer sees: three steps on the overview until they are done or hidden, and in test mode the numbers that
// choose an ending.

/** The steps, each with whether it is done. */
export interface StepsDone {
  send: boolean;
  request: boolean;
  buy: boolean;
}

const LINKS = { send: "#otp-form", request: "#first-request", buy: "/billing" } as const;

/** The three steps; nothing once all are done. `welcomeUnits` is the credit that came with the sign-up. */
export const FirstSteps: FC<{ done: StepsDone; welcomeUnits: number }> = ({ done, welcomeUnits }) => {
  const t = useWords(firstSteps);
  const { at, path, lang } = useView();
  if (done.send && done.request && done.buy) return null;
  const hide = (
    <form method="post" action={at("/preferences")}>
      <input type="hidden" name="next" value={path} />
      <button class="ghost" name="steps" value="off">
        {t.hide}
      </button>
    </form>
  );
  return (
    <Card title={t.title} extra={hide}>
      {welcomeUnits > 0 && !done.buy && <p>{t.welcome(rupees(welcomeUnits, lang))}</p>}
      <ol class="steps">
        {(["send", "request", "buy"] as const).map((step) => (
          <li class={done[step] ? "done" : ""}>
            {done[step] ? (
              <>
                <Icon name="check" />
                <span>
                  {t[step]} <span class="sr">({t.done})</span>
                </span>
              </>
            ) : (
              <>
                <a href={LINKS[step].startsWith("#") ? LINKS[step] : at(LINKS[step])}>{t[step]}</a>
                <span class="dim small">{t[`${step}Hint`]}</span>
              </>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
};

/** In test mode, the numbers that choose an ending, each as a link to the form with the number filled in. */
export const TestNumbers: FC<{ kind: SendKind }> = ({ kind }) => {
  const t = useWords(firstSteps);
  const { at, mode } = useView();
  if (mode !== "test") return null;
  return (
    <Card title={t.numbers}>
      <p class="dim">{t.numbersLead}</p>
      <dl class="facts testnumbers">
        {TEST_NUMBERS.map(({ phone, ending }) => (
          <>
            <dt>
              <a class="mono" href={at(`/send/${kind}?to=${encodeURIComponent(`+91${phone}`)}`)}>
                {phone}
              </a>
            </dt>
            <dd>{t.endings[ending]}</dd>
          </>
        ))}
      </dl>
    </Card>
  );
};
