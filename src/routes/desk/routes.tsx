import type { Context } from "hono";
import { audit } from "../../audit/audit.ts";
import { carrierTextsOf, refusable, showCarriers } from "../../console/carrier-pages.tsx";
import { atDesk } from "../../console/desk-gate.tsx";
import { formOf } from "../../console/forms.ts";
import { at, page } from "../../console/page.tsx";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import type { ErrorCode, Failure } from "../../http/errors.ts";
import type { Route } from "../../model/carrier/carrier.ts";
import { isOperation } from "../../model/operations.ts";
import { editRoutes, markOf, storedRoute } from "../../operator/carrier-set/change.ts";
import { readRoute, typedRoute, wayOf } from "../../operator/carrier-set/routes-form.ts";
import type { Way } from "../../operator/carrier-set/routes-form.ts";
import { storedRoutes } from "../../operator/carrier-set/show.ts";
import { isTestNumber } from "../../operator/carrier-set/try-out.ts";
import { ROUTES_MAX } from "../../routing/read.ts";
import type { CarrierFault } from "../../ui/desk/carrier-set/form.tsx";
import { RemoveRoute, RouteForm, RouteList } from "../../ui/desk/carrier-set/routes.tsx";
import { fill } from "../../ui/desk/carrier-set/texts.ts";
import type { CarrierTexts } from "../../ui/desk/carrier-set/texts.ts";

type Typed = Readonly<Record<string, string>>;

/** Routes as they are stored, in the model's form: operations of a newer version are left to it. */
async function routesOf(c: Context<AppEnv>): Promise<{ routes: Route[]; mark: string }> {
  const stored = await storedRoutes(c.env, c.executionCtx);
  const routes = stored.map(({ operations, ...more }) => ({
    ...more,
    ...(operations && { operations: operations.filter(isOperation) }),
  }));
  return { routes, mark: markOf(stored) };
}

interface Shown {
  typed?: Typed;
  way?: Way;
  fault?: CarrierFault;
  code?: ErrorCode;
}

const refusedOf = ({ fault, code = "invalid_request" }: Shown) => fault && { ...fault, code };

async function routesPage(c: Context<AppEnv>, texts: CarrierTexts, shown: Shown = {}): Promise<Response> {
  const { typed = {}, way, fault } = shown;
  const done = c.req.query("done") === "saved" ? texts.routing.saved : undefined;
  const props = { ...(await routesOf(c)), otherwise: settings(c).CARRIER, done, fault, typed, way };
  return showCarriers(c, texts, <RouteList {...props} />, { tab: "routes", refused: refusedOf(shown) });
}

/** Says which way a message would go, where one is asked for. */
async function askWay(c: Context<AppEnv>): Promise<Response> {
  const texts = await carrierTextsOf(c);
  const typed = c.req.query();
  const { to: written, operation = "", ref = "" } = typed;
  if (written === undefined) return routesPage(c, texts);
  // A form that is sent by GET writes a + as %2B; in an address that was typed it reads as a space.
  const to = written.trim().replace(/^(?=[1-9][0-9]{7,14}$)/u, "+");
  if (!isTestNumber(to) || !isOperation(operation)) {
    return routesPage(c, texts, { typed, fault: { field: "to", error: texts.trial.badNumber } });
  }
  const way = await wayOf(c.env, c.executionCtx, { operation, to, ref: ref.trim() || null });
  return routesPage(c, texts, { typed, way });
}

/** The list with one change; one that moves beyond an end changes nothing. */
function changed<T>(routes: readonly T[], act: string, n: number, route: T | undefined): T[] {
  const nth = n - 1;
  if (act === "save" && route) return n === 0 ? [...routes, route] : routes.with(nth, route);
  if (act === "remove") return routes.toSpliced(nth, 1);
  const to = act === "up" ? nth - 1 : nth + 1;
  const [one, other] = [routes[nth], routes[to]];
  return one && other ? routes.with(nth, other).with(to, one) : [...routes];
}

/** Why a change was refused, in the page's words. */
function faultOf({ form, routing }: CarrierTexts, { param, error }: Failure, route: Route | undefined): CarrierFault {
  const [, kind, at] = /\.(carriers|fallback)\[(\d+)\]/u.exec(param ?? "") ?? [];
  if (kind === undefined || !route) return { error: error === "" ? form.mend : error, lang: "en" };
  const name = (kind === "carriers" ? route.carriers[Number(at)]?.name : route.fallback?.[Number(at)]) ?? "";
  return { field: kind, error: fill(routing.unknownCarrier, { name }) };
}

async function change(c: Context<AppEnv>): Promise<Response> {
  const texts = await carrierTextsOf(c);
  const form = await formOf(c);
  const { do: act = "", mark = "" } = form;
  const n = /^[0-9]{1,3}$/u.test(form["n"] ?? "") ? Number(form["n"]) : -1;
  const { routes } = await routesOf(c);
  const isThere = n > 0 && n <= routes.length;
  if (!["save", "remove", "up", "down"].includes(act) || !(isThere || (act === "save" && n === 0))) {
    return routesPage(c, texts, { fault: { error: texts.routing.changed } });
  }
  const again = (fault: CarrierFault, code: ErrorCode = "invalid_request") => {
    const content = <RouteForm n={n} mark={mark} typed={form} fault={fault} />;
    return showCarriers(c, texts, content, { tab: "routes", refused: { ...fault, code } });
  };
  const read = act === "save" ? readRoute(form) : null;
  if (read && "error" in read) return again({ field: read.field, error: read.error, lang: "en" });
  if (n === 0 && routes.length >= ROUTES_MAX) return again({ error: texts.routing.full }, "too_many");
  const route = read?.route;
  const stored = route && storedRoute(route);
  const done = await refusable(() => editRoutes(c.env, mark, (now) => changed(now, act, n, stored)));
  if (!done.ok) return again(faultOf(texts, done.failure, route), done.failure.code);
  if (done.value === null) return routesPage(c, texts, { fault: { error: texts.routing.changed } });
  await audit(c, { action: "routes.changed", details: { routes: done.value } });
  return c.redirect(at(c, "/desk/routes?done=saved"), 303);
}

/** The form of one route, by its number; without one a new route. */
async function onePage(c: Context<AppEnv>): Promise<Response> {
  const texts = await carrierTextsOf(c);
  const { routes, mark } = await routesOf(c);
  const n = Number(c.req.query("n") ?? "0");
  const route = routes[n - 1];
  if (n !== 0 && !route) return c.redirect(at(c, "/desk/routes"), 303);
  const content =
    route && c.req.query("do") === "remove" ? (
      <RemoveRoute n={n} of={route} mark={mark} />
    ) : (
      <RouteForm n={n} mark={mark} typed={typedRoute(route ?? {})} fault={undefined} />
    );
  return showCarriers(c, texts, content, { tab: "routes" });
}

/** `/desk/routes`: which messages go to which carriers (contract §16.2). */
export const deskRoutes = (app: Api) => {
  app.get("/desk/routes", page, atDesk("read"), (c) => askWay(c));
  app.post("/desk/routes", page, atDesk("carriers"), (c) => change(c));
  app.get("/desk/route", page, atDesk("carriers"), (c) => onePage(c));
};
