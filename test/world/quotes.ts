import type { SendKind } from "../../src/model/operations.ts";
import { ENDPOINTS } from "../../src/model/operations.ts";
import { bearer, post } from "./world.ts";
import type { Reply, World } from "./world.ts";

// Preflights, and sends with their quotes.

/** What a preflight calls each kind of send. */
export const NAMES: Readonly<Record<SendKind, string>> = {
  sms: "sms",
  bulk: "bulk",
  international: "sms_international",
  otp: "otp",
  tts: "tts",
  voice: "voice",
};

/** Asks for a preflight. */
export const preflight = (world: World, kind: SendKind, fields: object): Promise<Reply> =>
  post("http://console.localhost/v1/preflight", { operation: NAMES[kind], ...fields }, bearer(world.apiKey));

/** The quote of a preflight. */
export async function quoteOf(world: World, kind: SendKind, fields: object): Promise<string> {
  const { body } = await preflight(world, kind, fields);
  if (typeof body.quote !== "string") throw new Error(JSON.stringify(body));
  return body.quote;
}

/** Sends; with a quote where one is given. */
export function sendOf(
  world: World,
  kind: SendKind,
  fields: object,
  more: { quote?: string; once?: string } = {},
): Promise<Reply> {
  const { base, path } = ENDPOINTS[kind];
  return post(`http://${base}.localhost${path}`, fields, {
    ...(base === "sms" || base === "otp" ? bearer(world.apiKey) : { "x-api-key": world.apiKey }),
    ...(more.quote !== undefined && { "price-quote": more.quote }),
    ...(more.once !== undefined && { "idempotency-key": more.once }),
  });
}
