import { realTimesOf } from "../clock.ts";
import type { Fault } from "../evidence.ts";
import type { Begun } from "../held.ts";
import type { Routing } from "./routing.ts";

// The connections of carriers over SMPP, which an attempt finds lost for a while after an outage or a restart.

/** Binds of the carrier over SMPP when all is well. */
const BINDS = 2;
/** A bind that was lost is made again after a gap that grows to so much. */
const REBINDS_MS = 30_000;

/** Whether a bind of a carrier over SMPP was lost about a time of the books. */
export function wasUnbound(faults: Fault[], { binds }: Routing, carrier: string, begun: Begun): boolean {
  const own = binds.filter((one) => one.carrier === carrier);
  return realTimesOf(faults, begun.at).some((ms) => {
    const before = own.findLast(({ at }) => at <= ms - REBINDS_MS)?.count ?? 0;
    const within = own.filter(({ at }) => at > ms - REBINDS_MS && at <= ms + begun.reachMs).map(({ count }) => count);
    return own.length > 0 && Math.min(before, ...within) < BINDS;
  });
}

/** The same of any carrier over SMPP: the archive does not tell whose an attempt was. */
export const wasAnyUnbound = (faults: Fault[], routing: Routing, begun: Begun): boolean =>
  [...new Set(routing.binds.map(({ carrier }) => carrier))].some((carrier) =>
    wasUnbound(faults, routing, carrier, begun),
  );
