import type { FC } from "hono/jsx";
import type { SendKind } from "../../model/operations.ts";
import { numberOf } from "../../sending/send-kinds.ts";
import type { Typed } from "../../sending/send-kinds.ts";
import type { Sample } from "../../sending/send-samples.ts";
import { countryOf } from "../../text/phones.ts";
import { Code } from "../parts.tsx";
import { useView, useWords } from "../view.ts";
import { numberText, phones } from "../words/phones.ts";

// How a form was read: the number that it goes to, and the same request as a command. The script replaces these parts
// by the server's while the form is being typed.

/** The number that a form goes to; empty while it is none. */
export const NumberRead: FC<{ kind: SendKind; typed: Typed }> = ({ kind, typed }) => {
  const t = useWords(phones);
  const { lang } = useView();
  const read = numberOf(kind, typed);
  return (
    <p class="hint read" data-part="number" data-number={read?.ok ? read.number : ""} aria-live="polite">
      {read?.ok && (
        <>
          {t.goesTo} <b dir="ltr">{numberText(read.number, countryOf(read.number), lang)}</b>
        </>
      )}
    </p>
  );
};

/** The same request as a command for the API. */
export const SampleCode: FC<{ sample: Sample }> = ({ sample: { command, left } }) => (
  <div class="stack tight" data-part="sample">
    <Code text={command} label="curl" />
    {left > 0 && <p class="hint">{useWords(phones).shortened(left)}</p>}
  </div>
);
