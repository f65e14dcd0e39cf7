import type { FC } from "hono/jsx";
import type { Recipients } from "../../text/recipients.ts";
import { count } from "../format.ts";
import { useView, useWords } from "../view.ts";
import { send } from "../words/send.ts";

// What was read from a typed or uploaded list of numbers.

/** A CSV can have thousands of bad lines, most with one cause, which the first few show. */
const FAULTS_SHOWN = 20;

/** A cell can be as long as its file. */
const FAULT_TEXT_LENGTH = 40;

/** The result of reading a list: how many numbers, how many duplicates, and every line with a fault. */
export const FoundNumbers: FC<{ found: Recipients }> = ({ found: { numbers, duplicates, faults } }) => {
  const t = useWords(send);
  const { lang } = useView();
  return (
    <div
      class="stack tight"
      data-part="found"
      data-found={String(numbers.length)}
      data-bad={String(faults.length)}
      aria-live="polite"
    >
      <p class="meter">
        <span>
          {t.found}: <b>{count(numbers.length, lang)}</b>
        </span>
        {duplicates > 0 && (
          <span>
            {t.twice}: <b>{count(duplicates, lang)}</b>
          </span>
        )}
        {faults.length > 0 && (
          <span class="over">
            {t.badLines}: <b>{count(faults.length, lang)}</b>
          </span>
        )}
      </p>
      {faults.length > 0 && (
        <ul class="faults" tabindex={0} aria-label={t.badLines}>
          {faults.slice(0, FAULTS_SHOWN).map(({ line, text, reason }) => (
            <li>
              {t.line} {line}: <bdi>{text.slice(0, FAULT_TEXT_LENGTH)}</bdi> – {t.reasons[reason]}
            </li>
          ))}
          {faults.length > FAULTS_SHOWN && <li>…</li>}
        </ul>
      )}
    </div>
  );
};
