import type { FC } from "hono/jsx";
import built from "./built.json";
import { useView, useWords } from "./view.ts";
import { botCheck } from "./words/bot-check.ts";

export interface BotCheckProps {
  ticket: string;
  /** Zero bits of the proof of work. */
  bits: number;
  /** Seconds until the ticket alone is enough. */
  waitSec: number;
  turnstile: { siteKey: string; script: string; action: string } | null;
}

/** Turnstile's widget, which adds its token to the form. */
const Turnstile: FC<BotCheckProps["turnstile"] & { waitSec: number }> = ({ siteKey, script, action, waitSec }) => {
  const t = useWords(botCheck);
  const { lang } = useView();
  return (
    <>
      <p role="status">{t.turnstile}</p>
      <div class="cf-turnstile" data-sitekey={siteKey} data-action={action} data-language={lang} data-size="flexible" />
      <p class="dim small">{t.orWait(waitSec)}</p>
      <script src={script} async defer />
    </>
  );
};

/** Proof of work: the script fills in `work` and sends the form. */
const Work: FC<Pick<BotCheckProps, "ticket" | "bits">> = ({ ticket, bits }) => {
  const t = useWords(botCheck);
  const { at } = useView();
  return (
    <>
      <div data-work={ticket} data-bits={bits} data-done={t.done} hidden>
        <p role="status">{t.work}</p>
        <progress aria-label={t.work} />
      </div>
      <input type="hidden" name="work" value="" />
      <script type="module" src={at(`/assets/${built.entries["proof-of-work.js"]}`)} />
    </>
  );
};

/** The bot check of a form: what the browser does before it is sent again. Without a script, it waits. */
export const BotCheckBox: FC<BotCheckProps> = ({ ticket, bits, waitSec, turnstile }) => {
  const t = useWords(botCheck);
  return (
    <div class="notice info bot-check">
      <input type="hidden" name="ticket" value={ticket} />
      {turnstile ? <Turnstile {...turnstile} waitSec={waitSec} /> : <Work ticket={ticket} bits={bits} />}
      <noscript>
        <p role="status">{t.wait(waitSec)}</p>
      </noscript>
    </div>
  );
};
