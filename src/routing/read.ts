import { isSupportedCountry } from "libphonenumber-js/max";
import * as z from "zod";
import { CARRIER_NAME } from "../model/carrier/carrier.ts";
import type { Route } from "../model/carrier/carrier.ts";
import { OPERATION_NAMES } from "../model/operations.ts";

// Routes as the operator writes them (contract §16.2).

/** The most routes; each message may be compared with all of them. */
export const ROUTES_MAX = 100;
const TO_MAX = 300;
const CARRIERS_MAX = 10;
const WEIGHT_MAX = 1_000;

const PREFIX = /^\+[1-9][0-9]{0,14}$/u;

const OPERATIONS = `operations must be some of ${OPERATION_NAMES.join(", ")}; leave it out for all.`;
const TO = `to must be 1 to ${TO_MAX} of "*", prefixes such as "+9198" and ISO codes such as "IN"; leave it out for all.`;
const CARRIERS = `carriers must be 1 to ${CARRIERS_MAX} carriers with their names.`;
const WEIGHT = `weight must be a whole number from 0 to ${WEIGHT_MAX}.`;
const FALLBACK = `fallback must be at most ${CARRIERS_MAX} names of carriers.`;
const NAME = "This must be the name of a carrier.";

const name = z.string(NAME).regex(CARRIER_NAME, NAME);

const destination = z.string(TO).refine((entry) => entry === "*" || PREFIX.test(entry) || isSupportedCountry(entry), {
  error: 'This must be "*", a prefix such as "+9198", or an ISO 3166 code such as "IN".',
});

const weighted = z.strictObject(
  { name, weight: z.int(WEIGHT).min(0, WEIGHT).max(WEIGHT_MAX, WEIGHT).default(1) },
  'Each of carriers must be such as {"name": "acme", "weight": 1}.',
);

const route = z.strictObject(
  {
    operations: z
      .array(z.enum(OPERATION_NAMES, OPERATIONS), OPERATIONS)
      .min(1, OPERATIONS)
      .max(20, OPERATIONS)
      .optional(),
    to: z.array(destination, TO).min(1, TO).max(TO_MAX, TO).optional(),
    carriers: z
      .array(weighted, CARRIERS)
      .min(1, CARRIERS)
      .max(CARRIERS_MAX, CARRIERS)
      .refine((all) => all.some(({ weight }) => weight > 0), "One of carriers must have a weight above 0."),
    fallback: z.array(name, FALLBACK).max(CARRIERS_MAX, FALLBACK).optional(),
  },
  "Each route must be an object with carriers.",
);

/** Routes as they are written, with their defaults; unknown names are looked for by `unknownCarrier`. */
export const routesField = z
  .array(route, "routes must be a list of routes.")
  .max(ROUTES_MAX, `There can be at most ${ROUTES_MAX} routes.`)
  .meta({ examples: [[{ to: ["IN", "+9198"], carriers: [{ name: "sim", weight: 3 }], fallback: ["sim"] }]] });

type Named = Pick<Route, "carriers" | "fallback">;

/** All names in routes, each with the path of its field. */
function namesIn(routes: readonly Named[]): { name: string; param: string }[] {
  return routes.flatMap(({ carriers, fallback = [] }, at) => [
    ...carriers.map((one, index) => ({ name: one.name, param: `routes[${at}].carriers[${index}].name` })),
    ...fallback.map((one, index) => ({ name: one, param: `routes[${at}].fallback[${index}]` })),
  ]);
}

/** The first name in routes that no carrier has, and the path of its field; null where each has one. */
export const unknownCarrier = (routes: readonly Named[], exists: (name: string) => boolean) =>
  namesIn(routes).find((one) => !exists(one.name)) ?? null;

/** Whether a route names this carrier. */
export const isRouted = (routes: readonly Named[], carrier: string): boolean =>
  namesIn(routes).some((one) => one.name === carrier);
