import type { Message } from "../evidence.ts";
import { GATEWAY } from "../evidence.ts";
import type { Route, Routing } from "./routing.ts";

// Which carriers a message may go to, by the routes that the operator had set (contract §16.2).

/** What the carriers beside the gateway can do. */
const TEXTS: ReadonlySet<string> = new Set(["sms", "sms_international", "otp"]);
const can = (carrier: string, operation: string) => carrier === GATEWAY || TEXTS.has(operation);

/** The beginnings of numbers in the countries that routes name. */
const COUNTRIES: Record<string, string> = { DE: "+49", IN: "+91" };

function fits({ operations, to }: Route, message: Pick<Message, "operation" | "to">): boolean {
  if (operations && !operations.includes(message.operation)) return false;
  const begins = (entry: string) => entry === "*" || message.to.startsWith(COUNTRIES[entry] ?? entry);
  return to?.some(begins) ?? true;
}

/** The carriers that these routes name for a message; the gateway alone where none fits. */
export function namedFor(routes: Route[], message: Pick<Message, "operation" | "to">): Set<string> {
  for (const route of routes) {
    if (!fits(route, message)) continue;
    const weighty = route.carriers.filter(({ weight }) => weight > 0).map(({ name }) => name);
    const able = [...weighty, ...(route.fallback ?? [])].filter((name) => can(name, message.operation));
    if (able.length > 0) return new Set(able);
  }
  return new Set([GATEWAY]);
}

/** A claim, and all that is submitted under it, may go by routes of this long before, in ms. */
export const CLAIM_MS = 30_000;

/** The routes that may have been in force at some moment between two times. */
export function setsBetween({ sets }: Routing, fromMs: number, toMs: number): Route[][] {
  const all = [{ askedAt: -Infinity, doneAt: -Infinity, routes: [] as Route[] }, ...sets];
  return all
    .filter(({ askedAt }, at) => askedAt <= toMs && (all[at + 1]?.doneAt ?? Infinity) >= fromMs)
    .map(({ routes }) => routes);
}
