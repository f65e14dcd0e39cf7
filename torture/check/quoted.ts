import type { Evidence, Intention } from "./evidence.ts";
import { units } from "./evidence.ts";

/** A quote that a preflight made. */
export interface Quote {
  text: string;
  account: string;
  /** The preflight. */
  intention: Intention;
  /** Units for each recipient, and how many there are. */
  price: number;
  recipients: number;
  /** Until when it holds, by the service's clock. */
  untilMs: number;
}

interface Preflighted {
  quote: string | null;
  quote_until: string;
  cost: number;
  recipients: { valid: number };
}

/** Every quote that a reply had, by its text. */
export function quotesOf({ intentions }: Pick<Evidence, "intentions">): Map<string, Quote> {
  const quotes = new Map<string, Quote>();
  for (const intention of intentions) {
    if (intention.path !== "/v1/preflight") continue;
    for (const { status, body } of intention.tries) {
      if (status !== 200) continue;
      const { quote: text, quote_until: until, cost, recipients } = JSON.parse(body) as Preflighted;
      if (text === null) continue;
      const { account } = intention;
      const price = units(cost) / recipients.valid;
      const untilMs = Date.parse(until);
      quotes.set(text, { text, account, intention, price, recipients: recipients.valid, untilMs });
    }
  }
  return quotes;
}
