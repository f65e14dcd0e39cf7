import type { Context } from "hono";
import type { AppEnv } from "../http/app.ts";
import type { AccountRef } from "../model/ref.ts";
import type { Drafting } from "./ordering.ts";
import { callApi } from "./own-api.ts";
import type { ApiPath, ApiReply } from "./own-api.ts";
import { preflightOf } from "./preflight.ts";
import type { Preflight } from "./preflight.ts";
import type { Typed } from "./send-kinds.ts";

// A form is sent at the price that it showed, or not at all: with the quote of what it showed, and where that quote is not
// for what is sent or has expired, with a new one of the same price.

/** What a form showed of its price. */
export interface ShownPrice {
  /** Null where its figures were not those of what is sent. */
  quote: string | null;
  /** What it would cost in all, in units; null where nothing was shown. */
  units: number | null;
}

/** What a form sent along of its price; what is no quote or amount counts as not shown. */
export function shownPriceIn({ quote = "", shown = "" }: Typed): ShownPrice {
  return {
    quote: /^quote_[0-9A-Za-z]{1,100}$/u.test(quote) ? quote : null,
    units: /^\d{1,15}$/u.test(shown) ? Number(shown) : null,
  };
}

/** A form's request to the API, and how that operation prices its fields. */
interface FormRequest {
  path: ApiPath;
  way: Drafting;
  body: Record<string, unknown>;
  once: string;
}

/** The price was another one: nothing was sent. `preflight` has the present one, with its quote. */
export interface Repriced {
  shownUnits: number;
  nowUnits: number;
  preflight: Preflight;
}

/**
 * Sends a form's request if it costs what was shown. A request that was already made under the same `once` gets its reply
 * again, whatever it would cost now, as long as its quote is one for it.
 */
export async function sendAsShown(
  c: Context<AppEnv>,
  ref: AccountRef,
  { path, way, body, once }: FormRequest,
  { quote, units }: ShownPrice,
): Promise<{ ok: true; reply: ApiReply } | { ok: false; repriced: Repriced }> {
  const send = async (with_?: string) => ({ ok: true as const, reply: await callApi(c, ref, path, body, once, with_) });
  if (quote !== null) {
    const sent = await send(quote);
    if (sent.reply.body["code"] !== "invalid_quote") return sent;
  }
  if (units === null) return send();
  const found = await preflightOf(c, ref, way, body);
  if (!found?.ok) return send();
  const { preflight } = found;
  const { cost } = preflight;
  if (cost !== null && cost !== units) {
    return { ok: false, repriced: { shownUnits: units, nowUnits: cost, preflight } };
  }
  return send(preflight.quote?.text);
}
