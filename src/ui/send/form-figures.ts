import type { SendKind } from "../../model/operations.ts";
import type { Preflight } from "../../sending/preflight.ts";
import { SENDS, recipientsOf } from "../../sending/send-kinds.ts";
import type { Typed } from "../../sending/send-kinds.ts";
import type { Lang } from "../lang.ts";
import { check } from "../words/check.ts";
import { failureText } from "../words/failures.ts";

// From a preflight to what a form shows of it.

/** The figures of a form, and in the reader's language why it would be refused. */
export interface FormFigures extends Pick<Preflight, "text" | "cost" | "balanceAfter"> {
  kind: SendKind;
  recipients: Pick<Preflight["recipients"], "valid" | "duplicates"> & { invalid: number };
  problems: readonly string[];
  /** A text whose characters the form does not show elsewhere; else empty. */
  letters: string;
  /** The quote of what it would cost; empty where it would be refused. */
  quote: string;
}

/** What a form shows besides its preflight. */
interface Shown {
  /** Why its number cannot be used, or is to be confirmed. */
  number: { error: string } | null;
  /** Whether its writer is done; else nothing is said of fields that are still empty. */
  isWhole: boolean;
  lang: Lang;
}

/** The figures of a form from the preflight of its request. */
export function formFigures(kind: SendKind, typed: Typed, preflight: Preflight, shown: Shown): FormFigures {
  const { problems, recipients, text, cost, balanceAfter, quote } = preflight;
  const { number, isWhole, lang } = shown;
  const field = SENDS[kind].to?.field ?? "recipients";
  const isSaid = (name: string | undefined) =>
    name === undefined || isWhole || (typed[name.replace(/\[\d+\]$/u, "")] ?? "").trim() !== "";
  const others = problems.filter(({ param }) => isSaid(param) && (number === null || param !== field));
  const list = kind === "bulk" ? recipientsOf(typed) : null;
  const hasBadLines = list !== null && list.faults.length > 0 && typed["skip"] === undefined;
  return {
    kind,
    text,
    cost,
    balanceAfter,
    recipients: list
      ? { valid: list.numbers.length, duplicates: list.duplicates, invalid: list.faults.length }
      : { ...recipients, invalid: recipients.invalid.length },
    problems: [
      ...(number && isSaid(field) ? [number.error] : []),
      ...(hasBadLines ? [check[lang].badLines] : []),
      ...others.map((problem) => Object.values(failureText(problem, lang)).join(" ")),
    ],
    letters: kind === "otp" && text?.encoding === "UCS-2" ? (typed["brandName"] ?? "") : "",
    quote: quote?.text ?? "",
  };
}
