import type { Outcome } from "../../model/message.ts";
import type { Exchange } from "../exchange.ts";
import { checkedExpression } from "./expression.ts";
import type { Expression } from "./expression.ts";
import { jsonIn, textAt } from "./json.ts";
import { rejectedRule } from "./settings.ts";
import type { IdSettings, Rule, TemplateSettings } from "./settings.ts";

// What a carrier's answer means, by the rules of the settings (contract §16.3): parts of an entry are and, entries are or.

/** An answer as the rules see it; its text is null where it could not be read whole. */
interface Answer {
  status: number;
  text: string | null;
  json: unknown;
}

interface Entry {
  statuses: readonly (number | string)[] | null;
  json: readonly (readonly [path: string, texts: readonly string[]])[];
  body: Expression | null;
}

export interface Rules {
  busy: readonly Entry[];
  rejected: readonly Entry[];
  accepted: readonly Entry[];
}

const listed = <T extends string | number>(one: T | T[]): readonly T[] => (Array.isArray(one) ? one : [one]);

const entriesOf = (rule: Rule): Entry[] =>
  rule.map(({ status, json, body }) => ({
    statuses: status === undefined ? null : listed(status),
    json: Object.entries(json ?? {}).map(([path, texts]) => [path, listed(texts)] as const),
    body: body === undefined ? null : checkedExpression(body),
  }));

/** The rules of checked settings. */
export const rulesOf = (settings: TemplateSettings): Rules => ({
  busy: entriesOf(settings.busy),
  rejected: entriesOf(rejectedRule(settings)),
  accepted: entriesOf(settings.accepted),
});

const hasStatus = (statuses: readonly (number | string)[], status: number): boolean =>
  statuses.includes(status) || statuses.includes(`${Math.floor(status / 100)}xx`);

/** Whether an entry fits; null where only the text could tell, and it could not be read. */
function fits({ statuses, json, body }: Entry, answer: Answer): boolean | null {
  if (statuses && !hasStatus(statuses, answer.status)) return false;
  const { text } = answer;
  if (text === null) return json.length === 0 && body === null ? true : null;
  const said = json.every(([path, texts]) => {
    const found = textAt(answer.json, path);
    return found !== null && texts.includes(found);
  });
  return said && (body === null || body.find(text) !== null);
}

function anyFits(entries: readonly Entry[], answer: Answer): boolean | null {
  let result: boolean | null = false;
  for (const entry of entries) {
    const one = fits(entry, answer);
    if (one === true) return true;
    if (one === null) result = null;
  }
  return result;
}

/** Trouble of the deployment's own account there: nothing was taken, and nothing is wrong with the message. */
const OWN_TROUBLE: ReadonlySet<number> = new Set([401, 402, 403]);

/** What an exchange means for the message. A rule that could not be asked leaves it unknown: it might have fitted. */
export function outcomeOf(rules: Rules, made: Exchange): Outcome {
  if (made.kind === "not_connected") return { kind: "not_accepted", code: made.code };
  if (made.kind === "lost") return { kind: "unknown", code: made.code };
  const { status, text, retryAfterMs } = made;
  const answer: Answer = { status, text, json: text === null ? undefined : jsonIn(text) };
  const code = `http_${status}`;
  const unreadable: Outcome = { kind: "unknown", code: "answer_unreadable" };
  const isBusy = anyFits(rules.busy, answer);
  if (isBusy === null) return unreadable;
  if (isBusy) return { kind: "not_accepted", code, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  const isRejected = anyFits(rules.rejected, answer);
  if (isRejected === null) return unreadable;
  if (isRejected) return { kind: "rejected", code };
  const isAccepted = anyFits(rules.accepted, answer);
  if (isAccepted === null) return unreadable;
  if (isAccepted) return { kind: "submitted" };
  const kind = OWN_TROUBLE.has(status) ? "not_accepted" : "unknown";
  return { kind, code, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** The longest id of a carrier, in characters. */
export const ID_LENGTH_MAX = 200;

/** Reads the carrier's id of the message from an answer; null where there is none. */
export function idReader(settings: IdSettings | undefined): (made: Exchange) => string | null {
  const expression = settings && "body" in settings ? checkedExpression(settings.body) : null;
  const read = (made: Exchange): string | null => {
    if (made.kind !== "answer" || settings === undefined) return null;
    if ("header" in settings) return made.headers.get(settings.header);
    if (made.text === null) return null;
    if ("json" in settings) return textAt(jsonIn(made.text), settings.json);
    return expression?.find(made.text)?.group ?? null;
  };
  return (made) => {
    const id = read(made);
    return id !== null && id !== "" && id.length <= ID_LENGTH_MAX ? id : null;
  };
}
