import type { Refused } from "../../console/forms.ts";
import type { SendKind } from "../../model/operations.ts";
import { SENDS, numberOf } from "../../sending/send-kinds.ts";
import type { Typed } from "../../sending/send-kinds.ts";
import type { Repriced } from "../../sending/shown-price.ts";
import { countryOf } from "../../text/phones.ts";
import { moneyText } from "../../ui/format.ts";
import type { Lang } from "../../ui/lang.ts";
import { formFigures } from "../../ui/send/form-figures.ts";
import type { FormFigures } from "../../ui/send/form-figures.ts";
import type { View } from "../../ui/view.ts";
import { numberText, phoneFaultText, phones } from "../../ui/words/phones.ts";
import { send } from "../../ui/words/send.ts";

// Why the console does not send a form, but asks its writer first.

/** Why a form is not sent. */
export interface Unsent extends Refused {
  /** The number that the person has to confirm, in E.164. */
  confirm?: string;
  /** The figures at the price that the person has to confirm. */
  figures?: FormFigures;
}

export const unsent = (error: string, field: string): Unsent => ({ code: "invalid_request", error, field });

/** What is wrong with a form's number, or what is to be confirmed about it; null where it can be used. */
export function refusedNumber(kind: SendKind, typed: Typed, lang: Lang): Unsent | null {
  const { to } = SENDS[kind];
  const read = numberOf(kind, typed);
  if (!to || !read) return null;
  const { field, scope } = to;
  if (!read.ok) return unsent(phoneFaultText(read, scope, lang), field);
  if (read.sure || typed["confirmed"] === read.number) return null;
  const number = numberText(read.number, countryOf(read.number), lang);
  return { ...unsent(phones[lang].confirm((typed[field] ?? "").trim(), number), field), confirm: read.number };
}

/** The price is not the one that the form showed: both are said, and the form has the figures of the present one. */
export function repriced(
  kind: SendKind,
  typed: Typed,
  { shownUnits, nowUnits, preflight }: Repriced,
  { lang, mode }: Pick<View, "lang" | "mode">,
): Unsent {
  const money = (units: number) => moneyText(units, lang, mode);
  return {
    code: "invalid_quote",
    error: send[lang].repriced(money(shownUnits), money(nowUnits)),
    figures: formFigures(kind, typed, preflight, { number: refusedNumber(kind, typed, lang), isWhole: true, lang }),
  };
}
