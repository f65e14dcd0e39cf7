import { configOf } from "../../config/config.ts";
import type { Carrier } from "../../carriers/carrier.ts";
import type { PermitsAsked } from "../../model/pace.ts";
import { placeOf } from "../../objects.ts";
import { PaceClient } from "../pace-client.ts";

const clients = new WeakMap<object, Map<string, PaceClient>>();

/** This isolate's client of a carrier's pacing object; `tps` is the limit that the carrier was set up with. */
export function paceOf(env: Env, carrier: string, tps?: number | null): PaceClient {
  const ofBinding = clients.get(env.PACE) ?? new Map<string, PaceClient>();
  clients.set(env.PACE, ofBinding);
  const client = ofBinding.get(carrier) ?? newClient(env, carrier);
  ofBinding.set(carrier, client);
  if (tps !== undefined) client.tps = tps;
  return client;
}

/** What the pacing object is told of a carrier's messages: whether they have another one, and how long one may try it. */
export const alternatives = (
  { longestMs }: Carrier,
  hasOther: boolean,
): Pick<PermitsAsked, "hasOther" | "longestMs"> =>
  hasOther ? { hasOther, ...(longestMs !== undefined && { longestMs }) } : {};

function newClient(env: Env, carrier: string): PaceClient {
  const { CARRIER, CARRIER_TPS } = configOf(env);
  return new PaceClient(env.PACE, carrier, carrier === CARRIER && CARRIER_TPS !== undefined, placeOf(env));
}
