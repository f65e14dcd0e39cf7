import { KIND_VALUES, SEARCH_LENGTH_MAX, STATE_VALUES } from "../search/terms.ts";
import type { Fault, Operator } from "../search/terms.ts";

// What the API says of a search that it does not understand. Unlike the pages, it lists nothing then: a program would take
// the messages of another search for those that it asked for. No sentence repeats what the caller wrote.

const TAKES: Record<Operator, string> = {
  to: "digits of a number, as in to:98765",
  kind: `one of ${KIND_VALUES.join(", ")}`,
  state: `one of ${STATE_VALUES.join(", ")}`,
  key: "the id or name of a key, as in key:key_1a2b3c4d",
  request: "the id of a request, as in request:req_…",
  text: "part of a text",
  cost: "an amount in coins, as in cost:0.25, cost:>1 or cost:1..5",
  after: "a date, a time or an age, as in after:2026-11-21, after:2026-11-21T10:00Z or after:7d",
  before: "a date, a time or an age, as in before:2026-11-21, before:2026-11-21T10:00Z or before:2h",
};

/** What is wrong with `q`, in a sentence, and how to mend it. */
export function searchFailure(fault: Fault, known: readonly Operator[]): { error: string; hint: string } {
  const filters = `Filters are ${known.map((name) => `${name}:`).join(" ")} with a value; - before one excludes, and quotes make one value of several words.`;
  const operator = known.find((name) => name === fault.operator);
  const takes = operator ? `Write ${operator}: with ${TAKES[operator]}.` : filters;
  switch (fault.kind) {
    case "operator":
      return fault.operator === "text"
        ? { error: "Texts are stored encrypted, so q cannot search them.", hint: filters }
        : { error: "q has a filter that does not exist.", hint: filters };
    case "value":
      return { error: `q has a value that ${fault.operator}: does not take.`, hint: takes };
    case "empty":
      return { error: operator ? `q has ${operator}: without a value.` : "q has an empty term.", hint: takes };
    case "quote":
      return { error: "q has a quotation mark that is not closed.", hint: filters };
    case "long":
      return {
        error: "q is too long.",
        hint: `It may have 20 terms and ${SEARCH_LENGTH_MAX} characters.`,
      };
    case "key":
      return { error: "q names a key that the account does not have.", hint: takes };
  }
}
