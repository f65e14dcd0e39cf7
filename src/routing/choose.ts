import type { Route } from "../model/carrier/carrier.ts";
import type { Operation } from "../model/operations.ts";
import type { Mode } from "../model/ref.ts";
import { countryOf } from "../text/phones.ts";
import { shareOf } from "./drift.ts";

// Which carriers a message is offered to, and in which order (contract §16.2). Pure: the same message has the same choice
// in every place that asks, so that nothing about it is stored.

/** What the choice depends on. */
export interface Choosing {
  operation: Operation;
  /** E.164. */
  to: string;
  mode: Mode;
  /** The message's reference, which spreads messages by the weights. */
  ref: string;
  /** 1 for the first attempt: a later one may fall to another carrier of the same weights. */
  attempt: number;
}

/** What there is to choose from. */
export interface Choices {
  routes: readonly Route[];
  /** Whether there is a carrier of this name, and it can do this. */
  can: (name: string, operation: Operation) => boolean;
  /** What a carrier's deliveries are worth lately, above 0 and at most 1; absent: all the same. */
  merits?: (name: string) => number;
  /** The carrier for what no route fits: the one of the settings. */
  otherwise: string;
  /** The carrier of test keys. */
  simulator: string;
}

/** Whether a number is one of those that an entry of `to` stands for. */
function isMeant(entry: string, to: string, country: () => string | undefined): boolean {
  if (entry === "*") return true;
  return entry.startsWith("+") ? to.startsWith(entry) : entry === country();
}

/** Whether a route is for this message, whatever its carriers can do; `country` is that of the number. */
function fits({ operations, to }: Route, message: Choosing, country: () => string | undefined): boolean {
  if (operations && !operations.includes(message.operation)) return false;
  return to?.some((entry) => isMeant(entry, message.to, country)) ?? true;
}

/**
 * A number between 0 and 1 that looks random, always the same for one text: cyrb53, a 53-bit hash in the public domain.
 * It need not withstand an attacker, who could at most choose a carrier for a message that he pays for.
 */
function spread(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  // Never 0 and never 1, of which the logarithm would say nothing.
  return (4_294_967_296 * (2_097_151 & low) + (high >>> 0) + 0.5) / 9_007_199_254_740_992;
}

/**
 * The carriers of a route by weighted random sampling without replacement (Efraimidis and Spirakis, 2006): each is first
 * with its share of the weights, and a change of one weight moves only messages from or to that carrier.
 */
function byWeight(carriers: Route["carriers"], { ref, attempt }: Choosing, merits?: Choices["merits"]): string[] {
  const weighty = carriers.filter(({ weight }) => weight > 0);
  const best = merits ? Math.max(...weighty.map(({ name }) => merits(name))) : 1;
  return weighty
    .map(({ name, weight }) => ({ name, weight: merits ? weight * shareOf(merits(name), best) : weight }))
    .map(({ name, weight }) => ({ name, place: -Math.log(spread(`${ref}\0${attempt}\0${name}`)) / weight }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ name }) => name);
}

/**
 * The names of the carriers that a message is offered to, in order; each once, at least one. The first route counts that
 * fits and has a carrier that can do the operation: its carriers by their weights, of which one of weight 0 gets nothing,
 * then its fallbacks in their order. Without such a route it is the carrier of the settings; with a test key it is the
 * simulator.
 */
export function choose({ routes, can, merits, otherwise, simulator }: Choices, message: Choosing): string[] {
  if (message.mode === "test") return [simulator];
  // The number is parsed once, and only where a route asks for its country.
  let found: { country: string | undefined } | undefined;
  const country = () => (found ??= { country: countryOf(message.to) }).country;
  for (const route of routes) {
    if (!fits(route, message, country)) continue;
    const names = [...byWeight(route.carriers, message, merits), ...(route.fallback ?? [])];
    const able = [...new Set(names)].filter((name) => can(name, message.operation));
    if (able.length > 0) return able;
  }
  return [otherwise];
}
