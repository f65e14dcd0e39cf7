import { currentCarriers } from "../../carriers/table.ts";
import { configOf } from "../../config/config.ts";
import { invalidRequest } from "../../http/body.ts";
import type { SettingWaits } from "../../kept/setting.ts";
import type { Route } from "../../model/carrier/carrier.ts";
import { OPERATION_NAMES } from "../../model/operations.ts";
import type { Operation } from "../../model/operations.ts";
import { choose } from "../../routing/choose.ts";
import type { Choosing } from "../../routing/choose.ts";
import { routesField } from "../../routing/read.ts";

// Routes as a form, and which way a message would go.

type Typed = Readonly<Record<string, string>>;

/** The fields of one route; the last part of a fault's path names one of them. */
export const ROUTE_FIELDS = ["operations", "to", "carriers", "fallback"] as const;
export type RouteField = (typeof ROUTE_FIELDS)[number];

/** A route as its form shows it. */
export function typedRoute({
  operations = [],
  to = [],
  carriers,
  fallback = [],
}: Partial<Route>): Record<string, string> {
  return {
    ...Object.fromEntries(operations.map((one) => [`operations.${one}`, "1"])),
    to: to.join(" "),
    carriers: (carriers ?? []).map(({ name, weight }) => `${name} ${weight}`).join("\n"),
    fallback: fallback.join(" "),
  };
}

const wordsIn = (text: string | undefined): string[] => (text ?? "").split(/[\s,]+/u).filter((word) => word !== "");

/** A carrier's line: what is no number stays a text, which the API's reading refuses. */
function carrierOf(line: string): unknown {
  const [name = "", weight, ...more] = line.trim().split(/[\s,:]+/u);
  if (weight === undefined) return { name };
  return { name, weight: more.length === 0 && /^[0-9]{1,9}$/u.test(weight) ? Number(weight) : line };
}

/** Reads a typed route as the API does, or says which field is at fault, in the API's words. */
export function readRoute(typed: Typed): { route: Route } | { field: RouteField; error: string } {
  const operations = OPERATION_NAMES.filter((name) => typed[`operations.${name}`] === "1");
  const [to, fallback] = [wordsIn(typed["to"]), wordsIn(typed["fallback"])];
  const lines = (typed["carriers"] ?? "").split(/\r?\n/u).filter((line) => line.trim() !== "");
  const given = {
    ...(operations.length > 0 && { operations }),
    ...(to.length > 0 && { to }),
    carriers: lines.map(carrierOf),
    ...(fallback.length > 0 && { fallback }),
  };
  const read = routesField.safeParse([given]);
  const [route] = read.data ?? [];
  if (route) return { route };
  const path = read.error?.issues[0]?.path ?? [];
  const field = ROUTE_FIELDS.find((name) => path[1] === name) ?? "carriers";
  return { field, error: read.error ? invalidRequest(read.error).error : "" };
}

/** A carrier on the way of a message, and why it stands there. */
export type Step = { name: string } & (
  | { why: "weight"; weight: number; share: number }
  | { why: "fallback"; n: number }
  | { why: "cannot" | "no_weight" | "otherwise" }
);

export interface Way {
  /** The number of the route, from 1; null where none fits. */
  route: number | null;
  steps: readonly Step[];
}

/** Stands for no carrier: that no route fits. */
const NONE = "";

/** Why a carrier of a route stands where it does. */
function stepOf({ carriers, fallback = [] }: Route, name: string, isAble: (name: string) => boolean): Step {
  if (!isAble(name)) return { name, why: "cannot" };
  const weighted = carriers.find((one) => one.name === name);
  if (weighted && weighted.weight > 0) {
    const able = carriers.filter((one) => isAble(one.name));
    const sum = able.reduce((all, { weight }) => all + weight, 0);
    return { name, why: "weight", weight: weighted.weight, share: weighted.weight / sum };
  }
  const at = fallback.indexOf(name);
  return at < 0 ? { name, why: "no_weight" } : { name, why: "fallback", n: at + 1 };
}

/** Of how many messages a carrier is the first one; 0 where it is no route's first. */
const shareOf = (step: Step): number => (step.why === "weight" ? step.share : 0);

/** A reference like any other, which stands for any message. */
const ANY_REF = "any";

/** Which way a message would go now, without `ref` any message: the choice is the one that sends it, asked for each route by itself to find which. */
export async function wayOf(
  env: Env,
  ctx: SettingWaits,
  { operation, to, ref }: { operation: Operation; to: string; ref: string | null },
): Promise<Way> {
  const { routes, can } = await currentCarriers(env, ctx);
  const { CARRIER } = configOf(env);
  const message: Choosing = { operation, to, ref: ref ?? ANY_REF, mode: "live", attempt: 1 };
  const chosen = (of: readonly Route[]) =>
    choose({ routes: of, can, otherwise: NONE, simulator: NONE }, message).filter((name) => name !== NONE);
  const at = routes.findIndex((route) => chosen([route]).length > 0);
  const route = routes[at];
  if (!route) return { route: null, steps: [{ name: CARRIER, why: "otherwise" }] };
  const order = chosen(routes);
  const all = [...order, ...route.carriers.map(({ name }) => name), ...(route.fallback ?? [])];
  const isAble = (name: string) => can(name, operation);
  const steps = [...new Set(all)].map((name) => stepOf(route, name, isAble));
  // Without a message of its own, the carrier of most messages comes first.
  if (ref === null) steps.sort((one, other) => shareOf(other) - shareOf(one));
  return { route: at + 1, steps };
}
