import type { Context } from "hono";
import { makeQuote } from "../crypto/quote.ts";
import { settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import { failureOfIssue } from "../http/body.ts";
import { failureOf } from "../http/errors.ts";
import type { Failure } from "../http/errors.ts";
import type { PreflightAsked, Preflighted, Refusal } from "../model/command.ts";
import type { AccountRef } from "../model/ref.ts";
import { objectOf } from "../objects.ts";
import { figuresOf } from "../text/figures.ts";
import type { TextFigures } from "../text/figures.ts";
import { currentNumberRules } from "./number-rules.ts";
import type { NumberRules } from "./number-rules.ts";
import { screenOf } from "./screen.ts";
import { quotedFor } from "./quote.ts";
import type { Draft, Drafting, Order } from "./ordering.ts";
import { currentRateCard } from "./rate-card.ts";
import { dailyOf } from "./send-order.ts";

// Everything that a send does, but sending (contract §13): for the account's own API, and beside each form.

/** Faulty numbers that a preflight lists. */
const INVALID_MAX = 100;

/** Characters of a faulty number that are shown. */
const VALUE_LENGTH_MAX = 100;

/** What came of a preflight. */
export interface Preflight {
  /** Every reason for which the send would be refused. */
  problems: Failure[];
  recipients: {
    given: number;
    /** Each once. */
    valid: number;
    duplicates: number;
    /** The first ones. `index` counts from 0. */
    invalid: { index: number; value: string; failure: Failure }[];
  };
  text: TextFigures | null;
  /** Units; null where it cannot be told. */
  cost: number | null;
  /** Units; null also where the balance does not reach. */
  balanceAfter: number | null;
  /** Null where the send would be refused. */
  quote: { text: string; untilMs: number } | null;
}

/** A value as it is shown beside its fault. */
function shownValue(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.slice(0, VALUE_LENGTH_MAX).toWellFormed();
}

/** The figures of the text that would go out, or of one that is too long for it; null where there is none. */
function figures(body: Readonly<Record<string, unknown>>, { text }: Drafting, draft: Draft): TextFigures | null {
  if (!text) return null;
  const faulty = text.from.filter((name) => draft.faulty.has(name));
  if (faulty.length === 0) return figuresOf(draft.order.text ?? "", text.max);
  const { [text.from[0] ?? ""]: typed } = body;
  const isText = text.from.length === 1 && typeof typed === "string" && typed !== "" && typed.isWellFormed();
  return isText ? figuresOf(typed, text.max) : null;
}

/** Every fault of the fields; of the numbers only the first ones. */
function faultsOf({ issues, numbers }: Draft): Failure[] {
  const rest = new Set(numbers.invalid.slice(INVALID_MAX).map(({ issue }) => issue));
  return issues.filter((issue) => !rest.has(issue)).map(failureOfIssue);
}

/** What India's rules see of an order, whose text is as it was asked for. */
function dltAsked({ operation, text, content: { sender } }: Order, isText: boolean): Pick<PreflightAsked, "dlt"> {
  if (!isText || text === null || (operation !== "sms" && operation !== "otp")) return {};
  return { dlt: { operation, text, ...(sender !== undefined && { sender }) } };
}

/** What the account is asked; where the fields do not tell a price, none is held against the balance. */
function askedOf(
  { order, faulty, numbers }: Draft,
  { priced, text: textFields }: Drafting,
  rules: NumberRules,
): Omit<PreflightAsked, "key"> {
  const isPriced = priced === null || !faulty.has(priced);
  const isOffered = numbers.valid === 0 || !order.notOffered;
  return {
    price: isPriced ? order.price : { kind: "fixed", units: 0 },
    ...(!isOffered && { notOffered: order.notOffered }),
    sendAtMs: order.sendAtMs,
    operation: order.operation,
    recipients: numbers.valid,
    // Without a valid number, the order has an example's.
    ...(numbers.valid > 0 && { to: order.recipients, screen: screenOf(order, rules) }),
    ...dltAsked(
      order,
      textFields !== null && textFields.from.every((name) => !faulty.has(name)) && !faulty.has("senderId"),
    ),
  };
}

function outcomeOf(draft: Draft, way: Drafting, { refusals, charge, balance }: Preflighted) {
  const { order, faulty, numbers } = draft;
  const isPriced = (way.priced === null || !faulty.has(way.priced)) && !order.notOffered && numbers.valid > 0;
  const cost = isPriced && charge !== null ? charge * numbers.valid : null;
  const balanceAfter = cost === null || cost > balance ? null : balance - cost;
  return { problems: [...faultsOf(draft), ...refusals.map(failureOf)], cost, balanceAfter };
}

/**
 * What would come of a request with these fields. One call to the account, which writes nothing; with a key, a refusal where
 * the account does not admit the request itself, and null where it was never opened.
 */
export async function preflightOf(
  c: Context<AppEnv>,
  ref: AccountRef,
  way: Drafting,
  body: Readonly<Record<string, unknown>>,
  key?: PreflightAsked["key"],
): Promise<{ ok: true; preflight: Preflight } | Refusal | null> {
  const config = settings(c);
  const [card, rules] = await Promise.all([
    currentRateCard(c.env, c.executionCtx),
    currentNumberRules(c.env, c.executionCtx),
  ]);
  const draft = way.draft(body, card);
  const { order, numbers } = draft;
  const daily = dailyOf(config, ref.mode, numbers.valid);
  const asked: PreflightAsked = { ...askedOf(draft, way, rules), ...daily, ...(key && { key }) };
  const found: Preflighted | Refusal | null = await objectOf(c.env, ref).preflight(asked);
  if (!found?.ok) return found;
  if (found.dltWarning !== undefined) c.header("X-Dlt-Warning", found.dltWarning);
  const outcome = outcomeOf(draft, way, found);
  const untilMs = Date.now() + config.QUOTE_TTL_MS;
  const units = outcome.problems.length === 0 ? found.charge : null;
  const preflight: Preflight = {
    ...outcome,
    recipients: {
      ...numbers,
      invalid: numbers.invalid
        .slice(0, INVALID_MAX)
        .map(({ index, value, issue }) => ({ index, value: shownValue(value), failure: failureOfIssue(issue) })),
    },
    text: figures(body, way, draft),
    quote:
      units === null
        ? null
        : { text: makeQuote(config.KEY_SECRET, ref, quotedFor(order), { units, untilMs }), untilMs },
  };
  return { ok: true, preflight };
}
