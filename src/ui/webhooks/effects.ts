import type { Endpoint, EndpointTerms } from "../../model/webhook.ts";
import { EVENT_TYPES, isWanted } from "../../webhooks/types.ts";

// What a change of a webhook means for events that it has not got yet.

/** A consequence that its owner confirms; `off`: the webhook is disabled, and a change does not enable it. */
export type EditEffect = "url" | "off" | "types_less" | "types_more" | "batch_on" | "batch_off";

/** Whether `types` ask for an event that `others` do not ask for. */
const hasMore = (types: readonly string[], others: readonly string[]): boolean =>
  EVENT_TYPES.some((type) => isWanted(types, type) && !isWanted(others, type));

/** What has to be confirmed before `terms` take the place of those that the endpoint has; empty: nothing. */
export function effectsOf(endpoint: Endpoint, terms: EndpointTerms): EditEffect[] {
  const isMoved = endpoint.url !== terms.url;
  return [
    ...(isMoved ? ["url" as const] : []),
    ...(isMoved && endpoint.disabled !== null ? ["off" as const] : []),
    ...(hasMore(endpoint.types, terms.types) ? ["types_less" as const] : []),
    ...(hasMore(terms.types, endpoint.types) ? ["types_more" as const] : []),
    ...(terms.batch === endpoint.batch ? [] : [terms.batch ? ("batch_on" as const) : ("batch_off" as const)]),
  ];
}

/** Whether `terms` are those that the endpoint has, in every part. */
export const isSame = (endpoint: Endpoint, { url, types, batch, description }: EndpointTerms): boolean =>
  endpoint.url === url &&
  endpoint.types.join(" ") === types.join(" ") &&
  endpoint.batch === batch &&
  endpoint.description === description;
