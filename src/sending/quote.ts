import type { Context } from "hono";
import { readQuote } from "../crypto/quote.ts";
import { keyOf, settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import { failBy } from "../http/errors.ts";
import { parsedNumber } from "../http/fields.ts";
import type { SendCommand } from "../model/command.ts";
import type { Order } from "./ordering.ts";

// The header Price-Quote (contract §13), and what a quote is for.

/** The countries of numbers, each with how many numbers it has, in one order. */
function countriesOf(recipients: readonly string[]): [country: string, count: number][] {
  const counts = new Map<string, number>();
  for (const number of recipients) {
    const { country, countryCallingCode } = number.startsWith("+91")
      ? { country: "IN", countryCallingCode: "91" }
      : parsedNumber(number);
    const name = `${countryCallingCode}${country ?? ""}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** What the quote of an order is for: two orders of which this is the same may use the same quote. */
export function quotedFor({ kind, recipients, text, price, content }: Order): string {
  const fileId = price.kind === "recording" ? price.fileId : null;
  return JSON.stringify([kind, countriesOf(recipients), text, fileId, content.flash ?? false]);
}

/** The quote that a request comes with, if it does; refuses one that is not for this account and order. */
export function quoteIn(c: Context<AppEnv>, order: Order): Pick<SendCommand, "quote"> {
  const text = c.req.header("price-quote");
  if (text === undefined) return {};
  const quote = readQuote(settings(c).KEY_SECRET, keyOf(c), quotedFor(order), text);
  return quote ? { quote } : failBy("invalid_quote", { id: "invalid_quote" }, { param: "Price-Quote" });
}
