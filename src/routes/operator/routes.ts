import * as z from "zod";
import { audit } from "../../audit/audit.ts";
import type { Api } from "../../http/app.ts";
import { bodyUpTo, jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { importSet, putRoutes } from "../../operator/carrier-set/change.ts";
import { carrierSetBody } from "../../operator/carrier-set/set.ts";
import { exportedSet, storedRoutes } from "../../operator/carrier-set/show.ts";
import { routesField } from "../../routing/read.ts";
import { operator } from "./operator.ts";

/** 100 routes with all that each may have, or 100 carriers. */
const BODY_BYTES_MAX = 2 * 1024 * 1024;

const routesBody = z.strictObject({ routes: routesField });

/** `/operator/routes`: which messages go to which carriers (contract §16.2); and the whole set, out and in. */
export const operatorRoutes = (app: Api) => {
  app.get("/operator/routes", operator("read"), async (c) =>
    c.json({ success: true, routes: await storedRoutes(c.env, c.executionCtx) }),
  );

  app.put("/operator/routes", bodyUpTo(BODY_BYTES_MAX), operator("carriers"), jsonBody(routesBody), async (c) => {
    const { routes } = c.req.valid("json");
    await putRoutes(c.env, routes);
    await audit(c, { action: "routes.changed", details: { routes: routes.length } });
    return c.json({ success: true, routes });
  });

  app.get("/operator/carrier-set", operator("read"), async (c) =>
    c.json({ success: true, ...(await exportedSet(c.env, c.executionCtx)) }),
  );

  app.put(
    "/operator/carrier-set",
    bodyUpTo(BODY_BYTES_MAX),
    operator("carriers"),
    jsonBody(carrierSetBody),
    async (c) => {
      const { carriers, routes } = c.req.valid("json");
      await importSet(c.env, { carriers, routes });
      const details = { carriers: carriers.length, routes: routes.length };
      await audit(c, { action: "carriers.imported", details });
      return c.json({ success: true, ...(await exportedSet(c.env, c.executionCtx)) });
    },
  );
};

export const docs = {
  "GET /operator/routes": {
    id: "operatorRoutes",
    tag: "Operator: carriers",
    summary: "Show the routes",
    reply: "RoutesReply",
  },
  "PUT /operator/routes": {
    id: "operatorSetRoutes",
    tag: "Operator: carriers",
    summary: "Replace all routes",
    description: [
      "The first route that fits a message decides: its carriers by their weights, then its fallbacks in their order. What",
      "fits none goes to the carrier of the deployment's settings; test keys go to the simulator whatever stands here.",
    ].join("\n"),
    reply: "RoutesReply",
  },
  "GET /operator/carrier-set": {
    id: "operatorExportCarriers",
    tag: "Operator: carriers",
    summary: "Export all carriers and routes",
    description: "Of secrets only the names. Built-in carriers are not in it.",
    reply: "CarrierSet",
  },
  "PUT /operator/carrier-set": {
    id: "operatorImportCarriers",
    tag: "Operator: carriers",
    summary: "Replace all carriers and routes",
    description: [
      "Takes what an export gave. A carrier that is there already keeps its secrets; for another deployment write them in",
      "the place of their names. Anything wrong is refused with its path in `param`, and changes nothing.",
    ].join("\n"),
    reply: "CarrierSet",
  },
} satisfies Docs;
